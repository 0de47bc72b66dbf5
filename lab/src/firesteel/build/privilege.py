# SPDX-License-Identifier: Apache-2.0
"""Running single steps as root: directly when we are root, through sudo when not.

Only mmdebstrap and entering the build root need it; everything that is kept (and everything that
is compiled) belongs to the calling user.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from firesteel.base.errors import FiresteelError


def is_root() -> bool:
    """Whether this process is root."""
    return os.geteuid() == 0


def is_silent() -> bool:
    """Whether sudo runs a command without asking for a password."""
    command = ["sudo", "--non-interactive", "true"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def as_root(command: list[str]) -> list[str]:
    """`command` in the form that runs it as root; `FiresteelError` when that is impossible."""
    if is_root():
        return command
    if shutil.which("sudo") is None:
        raise FiresteelError(
            "Making file trees and entering the build root need root, and there is no sudo here: "
            "run this as root, or as root: apt-get install sudo"
        )
    return ["sudo", *command]


def authenticate() -> None:
    """Have sudo ask for its password now, if it must; `FiresteelError` when it is refused."""
    if not is_root() and subprocess.run(as_root(["--validate"]), check=False).returncode:
        raise FiresteelError("sudo refused; run this as root, or as a user who may use sudo.")


def refusal() -> str | None:
    """Why this user cannot become root, in a sentence; None where nothing stands in the way.

    On a terminal sudo asks for its password now.
    """
    if is_root() or is_silent():
        return None
    if not sys.stdin.isatty():
        return (
            "Building needs root, and sudo wants a password, for which there is no terminal here; "
            "run this as root, or as a user who may use sudo without one."
        )
    try:
        authenticate()
    except FiresteelError as error:
        return str(error)
    return None


def namespace_command(command: list[str]) -> list[str]:
    """`command` as root in separate namespaces of mounts and process IDs; it dies with this
    process.
    """
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL"]
    return as_root(["setpriv", "--pdeathsig", "KILL", *apart, *command])


def kill_namespace(process: subprocess.Popen[str]) -> None:
    """Kill a command started by `namespace_command`, and with it all that it started.

    When the first process of a process-ID namespace dies, the kernel kills the others and removes
    their mounts.  The first process dies with the `unshare` that we started.
    """
    for pid in list(_with_descendants(process.pid)):
        if _read(Path(f"/proc/{pid}/comm")).strip() == "unshare":
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            except PermissionError:
                # The shell's own: a small Debian has no program of that name.
                subprocess.run(as_root(["sh", "-c", f"kill -KILL {pid}"]), check=False)
    process.wait()


def _with_descendants(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(children).split():
            yield from _with_descendants(int(child))


def _read(path: Path) -> str:
    """A file of a process; empty when that has ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
