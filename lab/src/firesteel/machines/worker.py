# SPDX-License-Identifier: Apache-2.0
"""A Dask worker, which runs as many tasks at a time as its cores and memory allow, and its machine,
with files, run directories and room for more.

A cell under way is stopped when nobody wants it any more: its client stopped or died, the scheduler
is gone, or the worker ends.

With `dask worker ADDRESS --preload firesteel.machines.worker` whatever starts Dask's workers, such
as dask-jobqueue, starts ours.
"""

import asyncio
import contextlib
import errno
import hashlib
import os
import queue
import shutil
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from dask.system import CPU_COUNT
from distributed import Reschedule, Worker, WorkerPlugin, get_worker
from distributed.security import Security
from distributed.system import MEMORY_LIMIT

from firesteel.base.errors import FiresteelError
from firesteel.base.files import atomic_write, digest_of
from firesteel.boards.command import BoardProducts, Snapshots
from firesteel.boards.files import NODE_BYTES, available_memory, remove, sweep
from firesteel.boards.job import Job, JobFile
from firesteel.boards.run import BoardFailure, RunCancelled, run_topology
from firesteel.build.cache import cache_directory
from firesteel.machines.scheduler import no_answer
from firesteel.machines.task import (
    BEGAN,
    CELLS,
    LACKS,
    LEAVES,
    MEMORY,
    TOPIC,
    Digest,
    Outcome,
    Source,
    Task,
    bytes_of,
    lab_version,
)

_NODE_SPACE = 256 << 20
"""Bytes of disk that a node's logs and its snapshot may take."""

_LONGEST_LOG = 8 << 20
"""Bytes of a failed node's log that are handed back: its end."""

_UNUSED_SECONDS = 30 * 86400.0
"""How long a file is kept that no task asks for."""

Fetch = Callable[[Digest], bytes]
"""Asks the clients for a file; raises `FiresteelError` if no client offers it."""


class Contents:
    """A machine's files by the SHA-256 of their bytes, kept from run to run below a directory;
    several processes may use it at once.
    """

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

        Raises `StoreError` when it cannot be written.
        """
        if digest_of(content) != digest:
            return False
        with atomic_write(self._directory / digest, 0o555) as file:
            file.write(content)
        return True

    def remove_unused(self) -> None:
        """Removes files that no task has asked for in a month, and files that never arrived
        whole.
        """
        oldest = time.time() - _UNUSED_SECONDS
        for path in self._directory.glob("*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


class DiskFull(Exception):  # noqa: N818 - another machine takes the task
    """A machine has no disk space for a task; the text says where, as a clause."""


class Machine:
    """Runs tasks; all methods may be called from several threads at once."""

    def __init__(self, name: str, directory: Path) -> None:
        """Files are kept below `directory`, which is made."""
        self.name = name
        self.directory = directory
        self._contents = Contents(directory / "files")
        self._runs = directory / "runs"
        self._snapshots = Snapshots(directory / "snapshots")
        self._locks: defaultdict[Digest, threading.Lock] = defaultdict(threading.Lock)
        self._runs.mkdir(parents=True, exist_ok=True)

    def clean(self) -> None:
        """Removes what killed workers have left, and files that nobody asked for in a month."""
        sweep([self._runs])
        self._contents.remove_unused()

    def run(self, task: Task, fetch: Fetch, cancel: threading.Event) -> Outcome:
        """What becomes of a task.

        Raises `DiskFull`, and `RunCancelled` soon after `cancel` was set.
        """
        try:
            self._check_space(task)
            paths = {digest: self._have(digest, fetch) for digest in task.sizes}
            return self._run(task, paths, cancel)
        except BoardFailure as error:
            logs = dict(_logs(error.directory))  # Which are not kept here.
            remove(error.directory)
            return Outcome(self.name, failure=error.failure, console=error.console, logs=logs)
        except (OSError, FiresteelError) as error:
            cause = error if isinstance(error, OSError) else error.__context__
            if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._full() from None
            if isinstance(error, OSError):
                return Outcome(self.name, problem=f"{error.filename}: {error.strerror}.")
            return Outcome(self.name, problem=str(error))

    def _run(self, task: Task, paths: Mapping[Digest, Path], cancel: threading.Event) -> Outcome:
        sources: dict[Digest, Source] = {**task.small, **paths}
        jobs = {}
        for node, job in task.jobs.items():
            files = {at: JobFile(bytes_of(sources[of]), mode) for at, (of, mode) in job.items()}
            jobs[node] = Job(files)
        boards = {
            node: BoardProducts(**{name: paths[digest] for name, digest in products.items()})
            for node, products in task.boards.items()
        }
        run = run_topology(
            task.topology,
            jobs,
            boards=boards,
            profiles=task.profiles,
            seed=task.seed,
            workdir=self._runs,
            timeout=task.timeout,
            cancel=cancel,
            snapshots=self._snapshots,
        )
        return Outcome(self.name, run)

    def _have(self, digest: Digest, fetch: Fetch) -> Path:
        """Where a file is, fetched if need be, by one thread at a time."""
        with self._locks[digest]:
            if path := self._contents.path(digest):
                return path
            if self._contents.keep(digest, fetch(digest)) and (path := self._contents.path(digest)):
                return path
        raise FiresteelError(f"A file with the SHA-256 {digest} arrived damaged at {self.name}.")

    def _check_space(self, task: Task) -> None:
        missing = sum(
            size for digest, size in task.sizes.items() if not self._contents.path(digest)
        )
        needed = missing + _NODE_SPACE * len(task.boards)
        if shutil.disk_usage(self.directory).free < needed:
            raise self._full()

    def _full(self) -> DiskFull:
        free = shutil.disk_usage(self.directory).free >> 20
        return DiskFull(
            f"the disk of {self.directory} has no space for a cell ({free} MiB free); free some or "
            "set FIRESTEEL_CACHE to a directory on another disk, and start the worker again"
        )


def _logs(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _LONGEST_LOG))
                yield path.relative_to(directory).as_posix(), file.read()


_PLUGIN = "firesteel"

_ASK_SECONDS, _ASKS = 10.0, 12
"""How long a file may be on its way before clients are asked again, and how often they are."""


@dataclass(frozen=True)
class Capacity:
    """What a worker offers: cells at a time, and bytes of memory for them."""

    cells: int
    memory: int

    @property
    def resources(self) -> dict[str, float]:
        """The same for Dask."""
        return {f"{CELLS} {lab_version()}": self.cells, MEMORY: self.memory}


def capacity_here(cells: int | None = None) -> Capacity:
    """That many cells, or one for each CPU as far as the memory goes for two boards each; in a
    container, of what it may have.
    """
    memory = min(available_memory(), MEMORY_LIMIT)
    usual = min(CPU_COUNT, memory // (2 * NODE_BYTES))
    return Capacity(cells or max(1, usual), memory)


class Tasks(WorkerPlugin):
    """Turns a Dask worker into ours: announces its offer, and stops unwanted work."""

    name = _PLUGIN

    def __init__(self, machine: Machine, capacity: Capacity) -> None:
        self.machine = machine
        self.capacity = capacity
        self.why_left = ""
        """Why the worker ends by itself; empty if it does not."""
        self._running: dict[str, threading.Event] = {}
        self._arriving: dict[Digest, queue.SimpleQueue[bytes]] = {}

    def setup(self, worker: Worker) -> None:
        """Before the worker registers, when it says what it offers."""
        worker.state.total_resources.update(self.capacity.resources)
        worker.state.available_resources.update(self.capacity.resources)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - what Dask calls it
        """The worker closes."""
        for cancel in list(self._running.values()):
            cancel.set()

    def transition(self, key: Any, start: str, finish: str, **_: object) -> None:  # noqa: ARG002
        """A task goes on to another state; one that was released under way is no longer wanted."""
        if finish == "released" and (cancel := self._running.get(key)):
            cancel.set()

    def run(self, worker: Worker, key: str, task: Task) -> Outcome:
        """Runs a task on the thread that Dask called us on."""
        cancel = self._running[key] = threading.Event()
        try:
            worker.log_event(TOPIC, {"what": BEGAN, "key": key, "machine": self.machine.name})
            return self.machine.run(task, partial(self._fetch, worker), cancel)
        except RunCancelled:
            raise Reschedule from None  # For the case that somebody wants it again meanwhile.
        except DiskFull as full:
            self._leave(worker, str(full))
            raise Reschedule from None
        finally:
            del self._running[key]

    def _fetch(self, worker: Worker, digest: Digest) -> bytes:
        """Asks the clients for a file."""
        arriving = self._arriving[digest] = queue.SimpleQueue()
        try:
            for _ in range(_ASKS):
                lacks = {"what": LACKS, "digest": digest, "worker": worker.address}
                worker.log_event(TOPIC, lacks)
                with contextlib.suppress(queue.Empty):
                    return arriving.get(timeout=_ASK_SECONDS)
        finally:
            del self._arriving[digest]
        raise FiresteelError(f"No client offers the file with the SHA-256 {digest} any more.")

    def receive(self, digest: Digest, content: bytes) -> None:
        """A client sends a file; nobody may wait for it any more."""
        if arriving := self._arriving.get(digest):
            arriving.put(content)

    def _leave(self, worker: Worker, why: str) -> None:
        if self.why_left:
            return
        self.why_left = why
        worker.log_event(TOPIC, {"what": LEAVES, "machine": self.machine.name, "why": why})
        worker.loop.add_callback(worker.close_gracefully)


def run_task(task: Task) -> Outcome:
    """What Dask calls on a worker."""
    worker = get_worker()
    plugin = cast(Tasks, worker.plugins[_PLUGIN])
    return plugin.run(worker, str(worker.get_current_task()), task)


def take_file(digest: Digest, content: bytes, dask_worker: Worker) -> None:
    """What a client calls on a worker that asked for a file."""
    cast(Tasks, dask_worker.plugins[_PLUGIN]).receive(digest, content)


async def dask_setup(worker: Worker) -> None:
    """Makes a worker of Dask's own one of ours: what Dask calls before it registers.  It takes a
    cell for each of its threads.
    """
    machine = Machine(f"{socket.gethostname()}-{worker.name}", directory_here())
    machine.clean()
    memory = worker.memory_manager.memory_limit or capacity_here().memory
    plugin = Tasks(machine, Capacity(worker.state.nthreads, int(memory)))
    await worker.plugin_add(plugin, name=plugin.name)


def directory_here() -> Path:
    """Where workers on this machine keep files."""
    return cache_directory() / "worker"


async def serve(
    address: str,
    name: str,
    capacity: Capacity,
    security: Security,
    patience: float,
    tell: Callable[[str], None],
) -> None:
    """Works for a scheduler until cancelled; `tell` is called with what happens, in sentences.

    A scheduler that is not there, or was lost, is waited for `patience` seconds.  Raises
    `FiresteelError` after that, and when this worker cannot go on.
    """
    machine = Machine(name, directory_here())
    machine.clean()
    while True:
        plugin = Tasks(machine, capacity)
        worker = await _connected(address, plugin, security, patience)
        cells = "1 cell" if capacity.cells == 1 else f"{capacity.cells} cells"
        tell(f"{name} works for {address}: {cells} at a time")
        try:
            await worker.finished()
        except asyncio.CancelledError:
            await worker.close(timeout=5)
            raise
        if plugin.why_left:
            raise FiresteelError(f"{name} takes no more cells: {plugin.why_left}.")
        tell(f"the scheduler at {address} is lost; waiting {patience:g} s for it")


async def _connected(address: str, plugin: Tasks, security: Security, patience: float) -> Worker:
    worker = Worker(
        address,
        name=plugin.machine.name,
        nthreads=plugin.capacity.cells,
        # Dask counts its own process alone; boards are others, and have a resource of ours.
        memory_limit=0,
        plugins=(plugin,),
        local_directory=str(plugin.machine.directory),
        security=security,
        death_timeout=patience,
    )
    try:
        await worker
    except TimeoutError:
        raise FiresteelError(no_answer(address, patience)) from None
    except (OSError, RuntimeError) as error:
        why = error.__cause__ or error
        raise FiresteelError(f"This worker cannot start: {why}.") from None
    return worker
