# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from firesteel.base.errors import StoreError


def digest_of(content: bytes) -> str:
    """Hex SHA-256."""
    return hashlib.sha256(content).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file, which is either whole or as it was, whatever happens.

    Raises `StoreError` when it cannot be written.
    """
    with atomic_write(path) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_write(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to.  It takes its place when all is written, and never if something fails.

    Raises `StoreError` when it cannot be written.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise StoreError.of(path, error) from None


def append_whole(file: int, content: bytes, path: Path) -> None:
    """Adds to a file all of it, or else leaves the file as it was and raises `StoreError`."""
    before = os.fstat(file).st_size
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        os.ftruncate(file, before)
        raise StoreError.of(path, error) from None
