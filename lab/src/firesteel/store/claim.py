# SPDX-License-Identifier: Apache-2.0
"""Claims by locks on files.

If several processes want to measure the same cell, one does so, and the others wait: it locks
STORE/claims/KEY.  The system takes the lock away when the process ends, however it ends.

A Ctrl-C may come between any two steps.  So a claim exists before it is taken, and its owner can
always release it.
"""

import contextlib
import fcntl
import os
from io import BufferedWriter
from pathlib import Path

from firesteel.base.errors import StoreError


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
