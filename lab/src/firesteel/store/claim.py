# SPDX-License-Identifier: Apache-2.0
"""Claims of cells: of several processes that would measure the same one, one does, the others wait.

    STORE/claims/KEY    a file that whoever measures the cell holds a lock on

The system takes the lock away when the process ends, however it ends.
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Self

from firesteel.base.errors import StoreError


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
        if _is(path, file):
            return cls(path, file)
        os.close(file)  # Who held it has removed it meanwhile.
        return None

    def release(self) -> None:
        """Gives it up."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)


def _is(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False
