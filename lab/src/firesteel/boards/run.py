# SPDX-License-Identifier: Apache-2.0
"""Running the boards of a topology to power-off.

The life of a run:

1. A run directory is made in `workdir`, with a job for each node.
2. One QEMU a node is started, from a snapshot if there is one.  They meet in a
   socket directory and go on in lockstep.
3. All are watched.  When one fails, all are ended and the run is a `BoardFailure`.
4. When all have powered off, their logs are read and the run directory is removed.

Whatever happens in between (an error, Ctrl-C, even the death of this process), no QEMU is left.
"""

import contextlib
import enum
import hashlib
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, Self

from firesteel.base.errors import FiresteelError
from firesteel.boards.command import (
    USUAL,
    BoardProducts,
    Profiling,
    Snapshots,
    Wiring,
    node_command,
)
from firesteel.boards.files import NodeFiles, in_use, make_run_directory, remove, socket_directory
from firesteel.boards.job import Job, job_archive
from firesteel.boards.profile import Profile
from firesteel.boards.result import (
    NodeResult,
    ProbeLogError,
    TopologyRun,
    large_frames,
    read_probe_log,
    transits,
)
from firesteel.boards.topology import Topology, load_profiles

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
    """A started QEMU, in a separate process group so that the terminal's Ctrl-C does not reach it.

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

    def __exit__(self, *_: object) -> None:
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
    """The node refused another node, or another node did not come."""
    WITNESS = 2
    """The node saw another node die."""


@dataclass(frozen=True)
class Failure:
    """A node's failure: why, and the job's own logs if it wrote any."""

    node: str
    reason: str
    rank: Rank
    logs: str = ""


class BoardFailure(FiresteelError):  # noqa: N818 - a board fails, the program does not err
    """A run that failed because of one node.

    The text names node, reason and the directory of all logs of the run.  It shows the first and
    last lines of the job's failure, or else the last lines of its console.
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
        return Failure(node, f"{files.who} ended without a power-off by the guest", Rank.CAUSE)
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
        known = -status in set(signal.Signals)
        name = signal.Signals(-status).name if known else f"signal {-status}"
        return Failure(node, f"{files.who} was killed by {name}", Rank.CAUSE)
    said = last_lines(tail_text(files.errors))
    lockstep = [line for line in said if "lockstep: " in line]
    if not lockstep:
        last = f", saying: {said[-1]}" if said else ""
        return Failure(node, f"{files.who} ended with status {status}{last}", Rank.CAUSE)
    line = lockstep[-1][lockstep[-1].index("lockstep: ") :].rstrip(".")
    if died := _DIED.match(line):
        return Failure(node, line, Rank.CAUSE if died[1] == node else Rank.WITNESS)
    return Failure(node, line, Rank.REFUSAL)


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("", text)


_POLL_SECONDS = 0.2
"""How often a run looks whether it was cancelled."""

_WITNESS_SECONDS = 3.0
"""How long after one node saw another die the latter's own end is waited for."""


class RunCancelled(Exception):  # noqa: N818 - asked for, not an error
    """The run was stopped; no process of it is left."""


class RunBoards(Protocol):
    """What runs boards as `run_topology` does, here or elsewhere."""

    def __call__(
        self,
        topology: Topology,
        jobs: Mapping[str, Job],
        *,
        boards: Mapping[str, BoardProducts],
        seed: int,
        workdir: Path,
        timeout: float,
        profiles: Mapping[str, Profile] | None = None,
        cancel: threading.Event | None = None,
        keep: Path | None = None,
        profiling: Profiling | None = None,
    ) -> TopologyRun:
        """Run each node's job until all have powered off."""


def run_topology(
    topology: Topology,
    jobs: Mapping[str, Job],
    *,
    boards: Mapping[str, BoardProducts],
    seed: int,
    workdir: Path,
    timeout: float,
    profiles: Mapping[str, Profile] | None = None,
    cancel: threading.Event | None = None,
    keep: Path | None = None,
    profiling: Profiling | None = None,
    snapshots: Snapshots | None = None,
) -> TopologyRun:
    """Run each node's job in lockstep until all have powered off.

    `jobs` has a job for each node, by name, and `boards` what it is run with.  `timeout` is in wall
    seconds.  `profiles`, by node name, stand in for those that the topology names.  Setting
    `cancel` from another thread stops the run with `RunCancelled`.  The run directory,
    `workdir/run-*`, is removed after a success, or moved to `keep` if that is given; after a
    failure it stays, without the jobs.  With `profiling` a node's directory also has its profile.
    With `snapshots` boards start from there, which saves their boots and changes nothing of what
    they do; those that are not there are made.  If one is damaged all boards boot.

    Raises `BoardFailure` when a node fails, and `FiresteelError` when the run cannot be started.
    """
    if set(jobs) != set(topology.nodes):
        nodes, given = ", ".join(topology.nodes), ", ".join(jobs) or "none"
        raise FiresteelError(f"Each node needs a job; nodes: {nodes}; jobs are for: {given}.")
    profiles = profiles or load_profiles(topology)
    while True:
        with ExitStack() as stack:
            try:
                sockets = stack.enter_context(socket_directory())
                directory = make_run_directory(workdir)
                stack.enter_context(in_use(directory))
            except OSError as error:
                raise _cannot_write(workdir, error) from None
            wiring = Wiring(topology, profiles, seed, sockets, profiling)
            try:
                return _run(wiring, jobs, boards, directory, timeout, cancel, keep, snapshots)
            except BoardFailure as error:
                if snapshots is None or not snapshots.drop(error.failure.reason):
                    raise
        remove(directory)
        snapshots = None


run_from_snapshots = partial(run_topology, snapshots=USUAL)
"""As `run_topology`, with the snapshots of the cache directory."""


def _run(
    wiring: Wiring,
    jobs: Mapping[str, Job],
    boards: Mapping[str, BoardProducts],
    directory: Path,
    timeout: float,
    cancel: threading.Event | None,
    keep: Path | None,
    snapshots: Snapshots | None,
) -> TopologyRun:
    """As `run_topology`, in a run directory that was made."""
    files = {node: NodeFiles(directory / node) for node in wiring.topology.nodes}

    def command(node: str, its: NodeFiles) -> list[str]:
        its.job.write_bytes(job_archive(jobs[node]))
        snapshot = snapshots.of(boards[node], wiring, node) if snapshots else None
        return node_command(boards[node], wiring, node, its, snapshot)

    try:
        return run_within(
            directory,
            files,
            command,
            lambda: _collect(files, wiring),
            timeout=timeout,
            cancel=cancel,
            keep=keep,
        )
    except OSError as error:
        raise _cannot_write(directory, error) from None


def run_within(
    directory: Path,
    files: Mapping[str, NodeFiles],
    command: Callable[[str, NodeFiles], list[str]],
    collect: Callable[[], TopologyRun],
    *,
    timeout: float,
    cancel: threading.Event | None,
    keep: Path | None,
) -> TopologyRun:
    """Run a command a node in a run directory, and give what was collected from its `files`.

    `command` writes a node's job into its directory and says what runs it.  The run directory is
    removed, or moved to `keep` after a success if that is given; after a node's failure it stays,
    without the jobs.

    Raises `BoardFailure` when a node fails, and `OSError` when a file cannot be written.
    """
    kept = False
    try:
        for its in files.values():
            its.directory.mkdir()
        commands = {node: command(node, its) for node, its in files.items()}
        run_nodes(commands, files, timeout=timeout, cancel=cancel)
        result = collect()
        if keep is not None:
            _remove_jobs(files)
            shutil.move(directory, keep)
    except BoardFailure:
        kept = True
        raise
    finally:
        _remove_jobs(files)
        if not kept:
            remove(directory)
    return result


def run_nodes(
    commands: Mapping[str, list[str]],
    files: Mapping[str, NodeFiles],
    *,
    timeout: float,
    cancel: threading.Event | None = None,
) -> None:
    """Run a command a node until all have ended in order.

    Raises `BoardFailure` for the node nearest to the cause when one fails, or when `timeout` wall
    seconds have passed.
    """
    with ExitStack() as stack:
        running = {
            node: stack.enter_context(BoardProcess(command, files[node].errors))
            for node, command in commands.items()
        }
        failure = _watch(running, files, time.monotonic() + timeout, cancel)
        if failure is None and running:
            still = ", ".join(running)
            reason = f"the run passed its limit of {timeout:g} s of wall time; running: {still}"
            failure = Failure(next(iter(running)), reason, Rank.CAUSE)
    if failure is not None:
        its = files[failure.node]
        raise BoardFailure(failure, tail_text(its.console), its.directory.parent)


def _watch(
    running: dict[str, BoardProcess],
    files: Mapping[str, NodeFiles],
    deadline: float,
    cancel: threading.Event | None,
) -> Failure | None:
    """The failure that ends the run, or None when all have ended or the deadline has passed.

    Takes nodes that have ended out of `running`.  A node that only saw another one die is not
    blamed before that one had the time to end by itself.
    """
    nearest: Failure | None = None
    with selectors.DefaultSelector() as selector:
        for node, process in running.items():
            selector.register(process, selectors.EVENT_READ, node)
        while running and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(min(left, _POLL_SECONDS)):
                selector.unregister(key.fileobj)
                ended = running.pop(key.data)
                ended.kill()  # This waits for its status and ends what it may have started.
                failure = examine(key.data, ended.status() or 0, files[key.data])
                if failure and (nearest is None or failure.rank < nearest.rank):
                    nearest = failure
                    patience = _WITNESS_SECONDS if failure.rank is Rank.WITNESS else 0
                    deadline = min(deadline, time.monotonic() + patience)
            if cancel is not None and cancel.is_set():
                raise RunCancelled
    return nearest


def _remove_jobs(files: Mapping[str, NodeFiles]) -> None:
    for its in files.values():
        its.job.unlink(missing_ok=True)


def _collect(files: Mapping[str, NodeFiles], wiring: Wiring) -> TopologyRun:
    nodes: dict[str, NodeResult] = {}
    digest = hashlib.sha256()
    for node, its in files.items():
        log = read_probe_log(its.probe_log)
        console, profile = console_text(its.console), wiring.profiles[node]
        arrivals = large_frames(its.trace)
        passed = transits(its.trace, log.marks)
        nodes[node] = NodeResult(node, log.marks, log.data, console, profile, arrivals, passed)
        with its.trace.open("rb") as trace:
            digest.update(hashlib.file_digest(trace, "sha256").digest())
    return TopologyRun(nodes, digest.hexdigest(), wiring.topology)


def _cannot_write(directory: Path, error: OSError) -> FiresteelError:
    where = error.filename or directory
    return FiresteelError(f"The run in {directory} cannot go on: {where}: {error.strerror}.")
