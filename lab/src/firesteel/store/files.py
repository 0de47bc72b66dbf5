# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all, and claims by locks on files.

Of several processes that would measure the same cell one does, and the others wait: it holds a lock
on STORE/claims/KEY.  The system takes the lock away when the process ends, however it ends.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self

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
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """A file to write to.  It takes its place when all is written, and never if something fails.

    Raises `StoreError` when it cannot be written.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
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


class Claim:
    """A lock on a file, which is there as long as it is held."""

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._file = file

    @classmethod
    def of(cls, path: Path) -> Self | None:
        """A claim by that file; None while another one is held.

        Raises `StoreError` when the file cannot be made.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError.of(path, error) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        except OSError:  # A file system without locks has to do.
            return cls(path, file)
        with contextlib.suppress(OSError):
            if os.path.samestat(path.stat(), os.fstat(file)):
                return cls(path, file)
        os.close(file)  # Who held it has removed it meanwhile.
        return None

    def release(self) -> None:
        """Gives it up."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)
