# SPDX-License-Identifier: Apache-2.0
"""A Dask worker that runs as many tasks at a time as its cores and memory allow.

A cell under way is stopped when nobody wants it any more: its client stopped or died, the scheduler
is gone, or the worker ends.

With `dask worker ADDRESS --preload firesteel.machines.worker` whatever starts Dask's workers, such
as dask-jobqueue, starts ours.
"""

import asyncio
import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from dask.system import CPU_COUNT
from distributed import Reschedule, Worker, WorkerPlugin, get_worker
from distributed.security import Security
from distributed.system import MEMORY_LIMIT

from firesteel.base.errors import FiresteelError
from firesteel.boards.files import NODE_BYTES, available_memory
from firesteel.boards.run import RunCancelled
from firesteel.build.cache import cache_directory
from firesteel.machines.machine import DiskFull, Machine
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
    Task,
    lab_version,
)

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
        tell(f"{name} works for {address}: {_count(capacity.cells)} at a time")
        try:
            await worker.finished()
        except asyncio.CancelledError:
            await worker.close(timeout=5)
            raise
        if plugin.why_left:
            raise FiresteelError(f"{name} takes no more cells: {plugin.why_left}.")
        tell(f"the scheduler at {address} is lost; waiting {patience:g} s for it")


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


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
