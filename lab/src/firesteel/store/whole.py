# SPDX-License-Identifier: Apache-2.0
"""Files that are whole whatever happens."""

import hashlib
import os
from pathlib import Path

from firesteel.base.errors import StoreError


def digest_of(content: bytes) -> str:
    """Hex SHA-256."""
    return hashlib.sha256(content).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that, whatever happens, it is either whole or as it was.

    Raises `StoreError` when it cannot be written.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _flush_directory(path.parent)
    except OSError as error:
        raise StoreError.of(path, error) from None


def _flush_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
