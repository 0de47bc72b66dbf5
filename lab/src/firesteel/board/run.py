# SPDX-License-Identifier: Apache-2.0
"""Running the boards of a topology to power-off.

The life of a run:

1. A run directory is made in `workdir`, with a job for each node.
2. One QEMU a node is started, from a snapshot if there is one (`snapshot.py`).  They meet in a
   socket directory and go on in lockstep.
3. All are watched.  When one fails, all are ended and the run is a `BoardFailure`.
4. When all have powered off, their logs are read and the run directory is removed.

Whatever happens in between (an error, Ctrl-C, even the death of this process), no QEMU is left.
"""

import hashlib
import selectors
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Protocol

from firesteel.base.errors import FiresteelError
from firesteel.board.command import BoardProducts, Profiling, Wiring, node_command
from firesteel.board.failure import BoardFailure, Failure, Rank, console_text, examine, tail_text
from firesteel.board.files import NodeFiles, in_use, make_run_directory, remove, socket_directory
from firesteel.board.job import Job, job_archive
from firesteel.board.probe_log import read_probe_log
from firesteel.board.process import BoardProcess
from firesteel.board.profile import Profile
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.snapshot import USUAL, Snapshots
from firesteel.board.topology import Topology, load_profiles
from firesteel.board.trace import large_frames, transits

_POLL_SECONDS = 0.2
"""How often a run looks whether it was cancelled."""

_WITNESS_SECONDS = 3.0
"""How long after one node saw another die the latter's own end is waited for."""


class RunCancelled(Exception):  # noqa: N818 - asked for, not an error
    """The run was told to stop; no process of it is left."""


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
    failure it stays, without the jobs.  With `profiling` a node's directory has its profile
    besides.  With `snapshots` boards start from there, which saves their boots and changes nothing
    of what they do; those that are not there are made.  If one is damaged all boards boot.

    Raises `BoardFailure` when a node fails, and `FiresteelError` when the run cannot be started.
    """
    _check_jobs(topology, jobs)
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
    kept = False
    try:
        _prepare(files, jobs)
        commands = {
            node: node_command(
                boards[node],
                wiring,
                node,
                its,
                snapshots.of(boards[node], wiring, node) if snapshots else None,
            )
            for node, its in files.items()
        }
        run_nodes(commands, files, timeout=timeout, cancel=cancel)
        result = _collect(files, wiring)
        if keep is not None:
            _remove_jobs(files)
            shutil.move(directory, keep)
    except BoardFailure:
        kept = True
        raise
    except OSError as error:
        raise _cannot_write(directory, error) from None
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
                failure = _end_of(key.data, running.pop(key.data), files[key.data])
                if failure and (nearest is None or failure.rank < nearest.rank):
                    nearest = failure
                    deadline = min(deadline, time.monotonic() + _patience(failure))
            if cancel is not None and cancel.is_set():
                raise RunCancelled
    return nearest


def _end_of(node: str, process: BoardProcess, files: NodeFiles) -> Failure | None:
    process.kill()  # It has ended; this waits for its status and ends what it may have started.
    status = process.status()
    return None if status is None else examine(node, status, files)


def _patience(failure: Failure) -> float:
    return _WITNESS_SECONDS if failure.rank is Rank.WITNESS else 0


def _check_jobs(topology: Topology, jobs: Mapping[str, Job]) -> None:
    if set(jobs) != set(topology.nodes):
        nodes, given = ", ".join(topology.nodes), ", ".join(jobs) or "none"
        raise FiresteelError(f"Each node needs a job; nodes: {nodes}; jobs are for: {given}.")


def _prepare(files: Mapping[str, NodeFiles], jobs: Mapping[str, Job]) -> None:
    for node, its in files.items():
        its.directory.mkdir()
        its.job.write_bytes(job_archive(jobs[node]))


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
