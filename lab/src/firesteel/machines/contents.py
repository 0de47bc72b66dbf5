# SPDX-License-Identifier: Apache-2.0
"""A worker's files by the SHA-256 of their bytes, kept from run to run."""

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from firesteel.machines.task import Digest

_UNUSED_SECONDS = 30 * 86400.0
"""How long a file is kept that no task asks for."""


class Contents:
    """The files below a directory; several processes may use it at once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._checked: set[Digest] = set()

    def path(self, digest: Digest) -> Path | None:
        """Where that file is, to be read and executed; None if it is not there, or damaged.

        It is read whole when this process asks for the first time, so that what a disk made of it
        in the meantime is never run.
        """
        path = self._directory / digest
        try:
            if digest not in self._checked:
                with path.open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                        return None
            os.utime(path)
        except FileNotFoundError:
            return None
        self._checked.add(digest)
        return path

    def keep(self, digest: Digest, content: bytes) -> bool:
        """Keeps a file that arrived; False, and nothing is kept, if these are not its bytes.

        Raises `OSError` when it cannot be written.
        """
        if hashlib.sha256(content).hexdigest() != digest:
            return False
        self._directory.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._directory, prefix=f".{digest[:12]}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
                os.fchmod(handle, 0o555)
            Path(name).replace(self._directory / digest)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        return True

    def remove_unused(self) -> None:
        """Removes what no task has asked for in a month, and what never arrived whole."""
        oldest = time.time() - _UNUSED_SECONDS
        for path in self._directory.glob("*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
