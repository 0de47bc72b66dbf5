# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all, and claims by locks on files.

If several processes want to do the same, one claims it, and the others wait.  The system takes the
lock away when the process ends, however it ends.  A Ctrl-C may come between any two steps.  So a
claim exists before it is taken, and its owner can always release it.
"""

import contextlib
import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from io import BufferedWriter
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
    What is no file, as a pipe, is written to.

    Raises `StoreError` when it cannot be written.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as file:
                yield file
            return
        path = path.resolve() if path.is_symlink() else path
        temporary = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
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


class Claim:
    """A lock on a file, which is there as long as it is held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BufferedWriter | None = None
        self._is_held = False

    def take(self) -> bool:
        """Whether it is held now; not while another claim by that file is.

        Raises `StoreError` when the file cannot be made.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab")
        except OSError as error:
            raise StoreError.of(self._path, error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who held it may have removed the file meanwhile.
            self._is_held = os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        except (BlockingIOError, FileNotFoundError):
            self._is_held = False
        except OSError:  # A file system without locks has to do.
            self._is_held = True
        if not self._is_held:
            self.release()
        return self._is_held

    def release(self) -> None:
        """Gives it up, if it is held."""
        if self._is_held:
            self._is_held = False
            with contextlib.suppress(OSError):
                self._path.unlink()
        if self._file:
            self._file.close()
