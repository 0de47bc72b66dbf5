# SPDX-License-Identifier: Apache-2.0
"""What went wrong with a node, found out from what it left behind."""

import enum
import re
import signal
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.board.files import NodeFiles
from firesteel.board.probe_log import ProbeLogError, read_probe_log

FAILURE = "failure"
"""The data item by which a job says that it failed; its content is the job's logs."""

_CONSOLE_LINES = 20
_JOB_HEAD = 2
_JOB_TAIL = 18
KERNEL_PART = "the kernel's last lines:"
"""What `board/image/init` writes between the job's lines and the kernel's."""

_KERNEL_FAULT = re.compile(r"Oops|BUG:|Out of memory|Call [Tt]race|WARNING:")
_TAIL_BYTES = 16384
_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
_DIED = re.compile(r"lockstep: node \d+ \((.*)\) died")
_UNPRINTABLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\t\n -~\u00a0-\uffff]")


class Rank(enum.IntEnum):
    """How near a failure is to the cause of a run's failure: the least is reported."""

    CAUSE = 0
    """The node failed by itself."""
    REFUSAL = 1
    """The node refused another one, or another one did not come."""
    WITNESS = 2
    """The node saw another one die."""


@dataclass(frozen=True)
class Failure:
    """A node's failure: why, and the job's own logs if it wrote any."""

    node: str
    reason: str
    rank: Rank
    logs: str = ""


class BoardFailure(FiresteelError):  # noqa: N818 - a board fails, the program does not err
    """A run that failed because of one node.

    The text names node and reason, shows the first and the last lines that its job wrote about the
    failure or else the last lines of its console, and says where all logs of the run are kept.
    """

    def __init__(self, failure: Failure, console: str, directory: Path, machine: str = "") -> None:
        """`machine` is where the node ran, if not here."""
        self.failure = failure
        """All that is known of it."""
        self.console = console
        """The last part of the node's console."""
        self.node = failure.node
        """The node that failed."""
        self.reason = failure.reason
        """Why, in a clause."""
        self.logs = failure.logs
        """What the job itself wrote about its failure; empty when it did not fail by itself."""
        self.directory = directory
        """The run directory, which is kept."""
        where = f" on {machine}" if machine else ""
        text = f"Node `{self.node}`{where} failed: {self.reason}. All logs are in {directory}."
        if self.logs:
            text += "\n--- from its job ---\n" + "\n".join(_job_lines(self.logs))
        elif tail := last_lines(console):
            text += "\n--- the last lines of its console ---\n" + "\n".join(tail)
        super().__init__(text)


def examine(node: str, status: int, files: NodeFiles) -> Failure | None:
    """Why a node that ended with the exit `status` failed, or None if it powered off in order."""
    if panic := _PANIC.search(tail_text(files.console)):
        return Failure(node, f"its kernel panicked: {panic[1].strip()}", Rank.CAUSE)
    if status != 0:
        return _ended(node, status, files)
    try:
        log = read_probe_log(files.probe_log)
    except ProbeLogError as error:
        return Failure(node, f"its probe log is damaged: {str(error).rstrip('.')}", Rank.CAUSE)
    if FAILURE in log.data:
        logs = _clean(log.data[FAILURE].decode(errors="replace"))
        return Failure(node, "its job reported a failure", Rank.CAUSE, logs)
    if not log.ended:
        return Failure(node, "its QEMU ended without a power-off by the guest", Rank.CAUSE)
    return None


def console_text(path: Path) -> str:
    """A whole console, with line ends of this system."""
    return path.read_bytes().decode(errors="replace").replace("\r", "")


def tail_text(path: Path) -> str:
    """The last part of a console or error file, fit for a terminal; empty if there is none."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            return _clean(file.read().decode(errors="replace"))
    except FileNotFoundError:
        return ""


def last_lines(text: str, count: int = _CONSOLE_LINES) -> list[str]:
    """The last lines of a text, without empty ones at its end."""
    return text.rstrip().split("\n")[-count:] if text.strip() else []


def _job_lines(logs: str) -> list[str]:
    """What a job wrote, in few lines: how it ended comes first.  The kernel's lines are not shown
    but those of its own faults.  The node's console has them all.
    """
    job, _, kernel = logs.partition(KERNEL_PART)
    lines = job.rstrip().split("\n")
    left_out = len(lines) - _JOB_HEAD - _JOB_TAIL
    if left_out > 1:
        more = f"[{left_out} more lines in its console]"
        lines = [*lines[:_JOB_HEAD], more, *lines[-_JOB_TAIL:]]
    return [*lines, *filter(_KERNEL_FAULT.search, kernel.split("\n"))]


def _ended(node: str, status: int, files: NodeFiles) -> Failure:
    if status < 0:
        return Failure(node, f"its QEMU was killed by {_signal_name(-status)}", Rank.CAUSE)
    said = last_lines(tail_text(files.errors))
    lockstep = [line for line in said if "lockstep: " in line]
    if not lockstep:
        last = f", saying: {said[-1]}" if said else ""
        return Failure(node, f"its QEMU ended with status {status}{last}", Rank.CAUSE)
    line = lockstep[-1][lockstep[-1].index("lockstep: ") :].rstrip(".")
    if died := _DIED.match(line):
        return Failure(node, line, Rank.CAUSE if died[1] == node else Rank.WITNESS)
    return Failure(node, line, Rank.REFUSAL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("", text)
