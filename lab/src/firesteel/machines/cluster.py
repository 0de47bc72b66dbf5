# SPDX-License-Identifier: Apache-2.0
"""The machines behind a Dask scheduler, as a client sees them.

`run` stands in for `board.run.run_topology`: a thread calls it and waits.  What workers tell
meanwhile is kept until `news` is asked for.

Dask runs a task at least once: one whose worker died is handed to another.  Equal tasks of several
clients are one.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from statistics import mode
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from distributed import Client, Future, Variable
from distributed.scheduler import KilledWorker
from distributed.security import Security
from distributed.utils import format_dashboard_link

from firesteel.base.errors import FiresteelError, MachinesError
from firesteel.board.command import BoardProducts, Profiling
from firesteel.board.files import NODE_BYTES, make_run_directory
from firesteel.board.job import Job
from firesteel.board.profile import Profile
from firesteel.board.result import TopologyRun
from firesteel.board.run import BoardFailure, RunCancelled
from firesteel.board.topology import Topology, load_profiles
from firesteel.machines.registry import WorkerRegistry
from firesteel.machines.security import no_answer
from firesteel.machines.task import (
    BEGAN,
    LACKS,
    LEAVES,
    TOPIC,
    Digest,
    Outcome,
    Packer,
    Task,
    bytes_of,
    variable_of,
)
from firesteel.machines.version import CELLS, MEMORY, lab_version
from firesteel.machines.worker import run_task

_CONNECT_SECONDS = 10
_POLL_SECONDS = 0.25
"""How often a waiting thread looks whether it was cancelled."""

_LOOK_SECONDS = 2.0
"""How often the scheduler is asked which workers there are."""

_SCATTER_SECONDS = 120
"""How long a file may be on its way to a worker."""

_FETCH_SECONDS = 30
"""How long a result may be on its way before it is asked for again."""

_HAS_DASHBOARD = "'distributed.dashboard.scheduler' in __import__('sys').modules"
"""What a scheduler, which need not have this package, says of itself."""

News = tuple[Path, str | None] | str
"""That a run began, by its `workdir`, on the machine of that name, or waits again, as its machine
is gone (None); or a sentence.
"""


class FileServer:
    """Gives workers the files of a packer that they ask for.

    A file goes to one worker, from which those that ask take it.  A client that ends takes its
    files back.
    """

    def __init__(self, client: Client, packer: Packer) -> None:
        self._client = client
        self._packer = packer
        self._offered: dict[Digest, Future[bytes]] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="files")

    def wanted(self, digest: Digest) -> None:
        """A worker asks for a file; it may be one of another client's.  Does not wait."""
        if self._packer.source(digest) is not None:
            self._thread.submit(self._offer, digest)

    def close(self) -> None:
        """Takes all back."""
        self._thread.shutdown(cancel_futures=True)
        for digest, future in self._offered.items():
            with contextlib.suppress(Exception):  # The scheduler is gone, and with it the offers.
                self._variable(digest).delete()
                future.release()

    def _offer(self, digest: Digest) -> None:
        """On the one thread.  What fails is asked for again."""
        source = self._packer.source(digest)
        if source is None:
            return
        with contextlib.suppress(OSError, TimeoutError):
            offered = self._offered.get(digest)
            if offered is None or offered.status != "finished":
                (offered,) = self._client.scatter(
                    [bytes_of(source)], hash=False, timeout=_SCATTER_SECONDS
                )
                self._offered[digest] = offered
            self._variable(digest).set(offered)

    def _variable(self, digest: Digest) -> Variable:
        return Variable(variable_of(digest), client=self._client)


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
        self._files = FileServer(self._client, self._packer)
        self._workers = WorkerRegistry(address)
        self.expect(())
        self._looked = float("-inf")
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._waiting: dict[str, list[Path]] = {}
        """Where those wait from who asked for a task, by its key."""
        self._on: dict[str, str] = {}
        """The address of the worker that runs a task, by its key."""
        self._lock = threading.Lock()
        self._client.subscribe_topic(TOPIC, self._hear)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()
        self._client.close(timeout=5)

    @property
    def greeting(self) -> str:
        """Where Dask's own page on the cluster is, in a sentence."""
        if not self._client.run_on_scheduler(eval, _HAS_DASHBOARD):
            return "Dask's dashboard is not there: its scheduler does without, or has no bokeh."
        link = self._client.dashboard_link
        if self.address.startswith("tls:"):  # Which does not protect the dashboard.
            link = format_dashboard_link("127.0.0.1", urlsplit(link).port)
            return f"Dask's dashboard, from the scheduler's machine: {link}"
        return f"Dask's dashboard: {link}"

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

        Raises `MachinesError` besides, when the scheduler is lost.
        """
        if profiling is not None:
            raise FiresteelError("Profiles are made on this machine alone.")
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
                    self._on.pop(key, None)

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
                f"{error.last_worker.address}: see that they have memory for it."
            ) from None
        except CancelledError:
            if self._client.status != "running":
                raise self._lost() from None
            raise FiresteelError(
                f"This cell was cancelled by somebody else at {self.address}."
            ) from None
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
        with self._lock:
            before = dict(self._on)
        try:
            # Not `scheduler_info`: what that gives, Dask's own thread may have changed meanwhile.
            info = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=10)
        except (OSError, TimeoutError):
            return  # Lost, which the threads that wait say.
        for sentence in self._workers.look(info["workers"]):
            self._news.put(sentence)
        self._take_back({key for key, at in before.items() if not self._workers.has(at)}, before)

    def _take_back(self, lost: set[str], before: Mapping[str, str]) -> None:
        """What ran on machines that are gone waits for others, unless it began there already."""
        with self._lock:
            for key in lost:
                if self._on.get(key) == before[key]:
                    del self._on[key]
                    for workdir in self._waiting[key]:
                        self._news.put((workdir, None))

    def _hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """On Dask's own thread."""
        _, told = event
        if told["what"] == LACKS:
            self._files.wanted(told["digest"])
        elif told["what"] == BEGAN:
            with self._lock:
                workdirs = self._waiting.get(told["key"], ())
                if workdirs:
                    self._on[told["key"]] = told["worker"]
                for workdir in workdirs:
                    self._news.put((workdir, told["machine"]))
        elif told["what"] == LEAVES:
            self._news.put(f"{told['machine']} takes no more cells: {told['why']}")


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
