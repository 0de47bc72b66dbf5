# SPDX-License-Identifier: Apache-2.0
"""The machines behind a Dask scheduler, as a client sees them.

`run` stands in for `boards.run.run_topology`: a thread calls it and waits.  Workers' events are
kept until `news` is called.

Dask runs a task at least once: one whose worker died is handed to another.  Equal tasks of several
clients are one.
"""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from statistics import mode
from typing import Any, Self

from distributed import Client, Future
from distributed.scheduler import KilledWorker
from distributed.security import Security

from firesteel.base.errors import FiresteelError, MachinesError
from firesteel.boards.command import BoardProducts, Profiling
from firesteel.boards.files import NODE_BYTES, make_run_directory
from firesteel.boards.job import Job
from firesteel.boards.profile import Profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import BoardFailure, RunCancelled
from firesteel.boards.topology import Topology, load_profiles
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
    Packer,
    Task,
    bytes_of,
    lab_version,
)
from firesteel.machines.worker import run_task, take_file

_CONNECT_SECONDS = 10
_POLL_SECONDS = 0.25
"""How often a waiting thread looks whether it was cancelled."""

_LOOK_SECONDS = 2.0
"""How often the scheduler is asked which workers there are."""

_FETCH_SECONDS = 30
"""How long a result may be on its way before it is asked for again."""

News = tuple[Path, str] | str
"""That a run began, by its `workdir`, on the machine of that name; or a sentence."""


@dataclass(frozen=True)
class _Machine:
    name: str
    cells: int
    memory: int

    def room(self, nodes: int) -> int:
        """How many cells of so many nodes it runs at a time."""
        return min(self.cells, self.memory // (nodes * NODE_BYTES))


class WorkerRegistry:
    """The machines that were there when the scheduler was asked last."""

    def __init__(self, address: str) -> None:
        """`address` is the scheduler's, for sentences."""
        self._address = address
        self._machines: dict[str, _Machine] = {}
        self._strange: set[str] = set()
        self._warned = ""

    def room(self, nodes: int) -> int:
        """How many cells of so many nodes all machines run at a time."""
        return sum(machine.room(nodes) for machine in self._machines.values())

    def look(self, workers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
        """Takes the scheduler's description of its workers (address → description), and returns the
        changes, in sentences.
        """
        before, self._machines = self._machines, {}
        for address, worker in workers.items():
            if worker["status"] == "running":
                offered: Mapping[str, float] = worker["resources"]
                if cells := int(offered.get(f"{CELLS} {lab_version()}", 0)):
                    memory = int(offered.get(MEMORY, 0))
                    self._machines[address] = _Machine(str(worker["name"]), cells, memory)
                    continue
                other = next((each for each in offered if each.startswith(CELLS)), "")
                if other and address not in self._strange:
                    self._strange.add(address)
                    yield (
                        f"{worker['name']} runs another version of Firesteel or Dask "
                        f"({other.split()[-1]}, here it is {lab_version()}) and gets no cells"
                    )
        came = [each.name for at, each in self._machines.items() if at not in before]
        went = [each.name for at, each in before.items() if at not in self._machines]
        if came:
            cells = sum(machine.cells for machine in self._machines.values())
            count = len(self._machines)
            machines = "1 machine" if count == 1 else f"{count} machines"
            yield f"{_list(came)} joined; {machines} for {cells} cells at a time"
        if went:
            yield f"{_list(went)} left; what ran there is handed to others"

    def lack(self, nodes: int) -> Iterator[str]:
        """Says once why nothing, or no cell of so many nodes, can run."""
        warning = ""
        if not self._machines:
            warning = (
                f"no machine is ready at {self._address}; the cells wait until one is: "
                f"`firesteel machines {self._address}`"
            )
        elif not self.room(nodes):
            needed = (nodes * NODE_BYTES) >> 20
            warning = f"no machine at {self._address} has {needed} MiB for a cell of {nodes} boards"
        if warning and warning != self._warned:
            yield warning
        self._warned = warning


def _list(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(sorted(names)[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


class Cluster:
    """A connection to a scheduler; a context manager, which ends what this client asked for."""

    announces = True
    """Runs begin when a machine takes them, which `news` says."""

    def __init__(self, address: str, security: Security) -> None:
        """Raises `FiresteelError` when nobody answers."""
        self.address = address
        try:
            self._client = Client(
                address, security=security, timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, TimeoutError, RuntimeError):
            raise FiresteelError(no_answer(address, _CONNECT_SECONDS)) from None
        self._packer = Packer()
        self._sending: dict[tuple[Digest, str], asyncio.Task[None]] = {}
        """Files that are on their way, by the addresses of those who asked for them."""
        self._workers = WorkerRegistry(address)
        self.expect(())
        self._looked = float("-inf")
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._waiting: dict[str, list[Path]] = {}
        """Where those wait from who asked for a task, by its key."""
        self._lock = threading.Lock()
        self._client.subscribe_topic(TOPIC, self._hear)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in list(self._sending.values()):
            each.get_loop().call_soon_threadsafe(each.cancel)
        self._client.close(timeout=5)

    def expect(self, boards: Sequence[int]) -> None:
        """Runs of so many boards each will be asked for."""
        self._fewest, self._usual, self._most = 1, 1, 1
        if boards:
            self._fewest, self._usual, self._most = min(boards), mode(boards), max(boards)

    def room(self) -> int:
        """How many runs may be under way: what the machines take, and one that waits for one.

        That is more than run at once if they differ in their boards: who has memory for a small one
        need not wait behind large ones.
        """
        self._look()
        return max(1, self._workers.room(self._fewest))

    def at_once(self) -> int:
        """How many runs of the usual number of boards the machines take; 0 if there are none."""
        self._look()
        return self._workers.room(self._usual)

    def news(self) -> Iterator[News]:
        """What has happened since it was asked for last."""
        self._look()
        while not self._news.empty():
            yield self._news.get()
        if self._client.status == "running":
            yield from self._workers.lack(self._most)

    def run(
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
        keep: Path | None = None,  # noqa: ARG002 - what runs here has it
        profiling: Profiling | None = None,
    ) -> TopologyRun:
        """As `run_topology` does it, on one of the machines; `keep` is not heeded after a success.

        Also raises `MachinesError` when the scheduler is lost.
        """
        if profiling is not None:
            raise FiresteelError("Profiles can be made only on this machine.")
        profiles = profiles or load_profiles(topology)
        task = self._packer.pack(topology, profiles, seed, timeout, boards, jobs)
        with self._waits(task.key, workdir):
            outcome = self._outcome(task, len(topology.nodes), cancel or threading.Event())
        return _result(outcome, workdir)

    @contextlib.contextmanager
    def _waits(self, key: str, workdir: Path) -> Iterator[None]:
        with self._lock:
            self._waiting.setdefault(key, []).append(workdir)
        try:
            yield
        finally:
            with self._lock:
                self._waiting[key].remove(workdir)
                if not self._waiting[key]:
                    del self._waiting[key]

    def _outcome(self, task: Task, nodes: int, cancel: threading.Event) -> Outcome:
        future = self._submit(task, nodes)
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())
        try:
            while True:
                if cancel.is_set():
                    raise RunCancelled
                if self._client.status != "running":
                    raise self._lost()
                if ended.wait(_POLL_SECONDS) and (outcome := self._fetch(future)):
                    return outcome
        finally:
            future.release()

    def _submit(self, task: Task, nodes: int) -> Future[Outcome]:
        resources = {f"{CELLS} {lab_version()}": 1, MEMORY: nodes * NODE_BYTES}
        try:
            return self._client.submit(run_task, task, key=task.key, resources=resources)
        except Exception:  # Dask has no one error for this.
            if self._client.status != "running":
                raise self._lost() from None
            raise

    def _fetch(self, future: Future[Outcome]) -> Outcome | None:
        """What became of a task; None if it is under way again."""
        try:
            outcome: Outcome = future.result(timeout=_FETCH_SECONDS)
        except (TimeoutError, OSError):
            return None
        except KilledWorker as error:
            count = error.allowed_failures + 1
            raise FiresteelError(
                f"{count} workers died while they ran this cell, the last at "
                f"{error.last_worker.address}: give them more memory."
            ) from None
        except CancelledError:
            if self._client.status != "running":
                raise self._lost() from None
            raise FiresteelError(f"Somebody else cancelled this cell at {self.address}.") from None
        except FiresteelError:
            raise
        except Exception as error:  # noqa: BLE001 - a defect there, or of that machine
            raise FiresteelError(
                f"A worker could not run this cell: {type(error).__name__}: {error}."
            ) from None
        return outcome

    def _lost(self) -> MachinesError:
        return MachinesError(
            f"The Dask scheduler at {self.address} is lost; finished cells are kept, and the same "
            "command continues from there once it is back."
        )

    def _look(self) -> None:
        now, scheduler = time.monotonic(), self._client.scheduler
        if now - self._looked < _LOOK_SECONDS or self._client.status != "running" or not scheduler:
            return
        self._looked = now
        try:
            # Not `scheduler_info`: what that gives, Dask's own thread may have changed meanwhile.
            info = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=10)
        except (OSError, TimeoutError):
            return  # Lost, which the threads that wait say.
        for sentence in self._workers.look(info["workers"]):
            self._news.put(sentence)

    def _hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """On Dask's own thread."""
        _, told = event
        if told["what"] == LACKS:
            if (asked := (told["digest"], told["worker"])) not in self._sending:
                self._sending[asked] = asyncio.ensure_future(self._send(*asked))
        elif told["what"] == BEGAN:
            with self._lock:
                for workdir in self._waiting.get(told["key"], ()):
                    self._news.put((workdir, told["machine"]))
        elif told["what"] == LEAVES:
            self._news.put(f"{told['machine']} takes no more cells: {told['why']}")

    async def _send(self, digest: Digest, worker: str) -> None:
        """On Dask's own thread.  The file may be one of another client's; what fails is asked for
        again.
        """
        try:
            if source := self._packer.source(digest):
                content = await asyncio.to_thread(bytes_of, source)
                await self._client.run(take_file, digest, content, workers=[worker])
        except Exception:  # noqa: BLE001 - whatever Dask says of a worker that is gone
            return
        finally:
            self._sending.pop((digest, worker))


def _result(outcome: Outcome, workdir: Path) -> TopologyRun:
    """A run, or the failure that it ended with, its logs now here."""
    if outcome.run is not None:
        return outcome.run
    if outcome.failure is None:
        raise FiresteelError(f"On {outcome.machine}: {outcome.problem}")
    directory = make_run_directory(workdir)
    for name, content in outcome.logs.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    raise BoardFailure(outcome.failure, outcome.console, directory, outcome.machine)
