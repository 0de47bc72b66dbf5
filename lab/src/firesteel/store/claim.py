# SPDX-License-Identifier: Apache-2.0
"""Claims by locks on files.

Of several processes that would measure the same cell one does, and the others wait: it holds a lock
on STORE/claims/KEY.  The system takes the lock away when the process ends, however it ends.
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
