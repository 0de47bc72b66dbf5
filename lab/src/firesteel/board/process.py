# SPDX-License-Identifier: Apache-2.0
"""One QEMU process of a run."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from firesteel.base.errors import FiresteelError

_PDEATHSIG = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the lab has ended")
for each in signal.SIGPIPE, signal.SIGXFSZ:  # Python ignores them, and so would the other
    signal.signal(each, signal.SIG_DFL)
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(f"{sys.argv[2]}: {error.strerror}")
"""
"""A program that asks the kernel (`PR_SET_PDEATHSIG`) to kill it when its parent ends, and becomes
the one that it is given.  The kernel does not tell of a parent that had ended before, so it is also
given that parent's number."""

_DIE_WITH_LAB = (sys.executable, "-I", "-S", "-c", _PDEATHSIG)
"""Has the process killed when the thread that started it ends, however it ends.  Python does it, as
nothing else need be on a machine that runs boards."""


class BoardProcess:
    """A started QEMU, in a process group of its own so that the terminal's Ctrl-C passes it by.

    As a context manager it is killed at the end of the block, and waited for.  The thread that
    makes it must live until then.
    """

    def __init__(self, command: list[str], errors: Path) -> None:
        """Start `command`; its standard error and output go to the file `errors`."""
        with errors.open("wb") as sink:
            try:
                self._process = subprocess.Popen(
                    [*_DIE_WITH_LAB, str(os.getpid()), *command],
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=sink,
                    process_group=0,
                )
            except OSError as error:
                raise FiresteelError(
                    f"QEMU cannot be started: {error.filename or command[0]}: {error.strerror}."
                ) from None
        try:
            self._handle = os.pidfd_open(self._process.pid)
        except OSError as error:
            self.kill()
            raise FiresteelError(f"QEMU cannot be watched: {error.strerror}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        os.close(self._handle)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def fileno(self) -> int:
        """A descriptor that is readable once the process has ended, for `select`."""
        return self._handle

    def status(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        return self._process.poll()

    def kill(self) -> None:
        """End the process and whatever it started, at once, also when it has ended by itself.

        Nothing is done once its status was asked for, as the group's number may be another's then.
        """
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
