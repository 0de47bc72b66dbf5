# SPDX-License-Identifier: Apache-2.0
"""A run: one execution of an experiment.

1. The store is tried, then the runner makes ready what the cells need; the run gets its name
   and its journal.
2. Cells whose records are in the store are taken from there, unless asked for afresh.
3. The others are measured, some side by side; each record is stored as soon as it is there.  Of
   cells with one record one is measured.  A cell that another process measures at that time waits,
   and takes its record.
4. A cell that fails keeps its logs and is noted; the others go on.
5. Ctrl-C stops what is being measured; the journal says how far the run came.

Events are written down at once (`store.journal`), in time that does not depend on the number of
cells; the journal is written at the start and at the end.
"""

import contextlib
import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from firesteel.base.errors import DisputeError, FiresteelError, MachinesError, StoreError
from firesteel.base.files import Claim
from firesteel.base.interrupts import unwrapped
from firesteel.boards.files import NODE_BYTES, available_memory
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.identity import Limit
from firesteel.store.journal import Entry, Journal, Progress
from firesteel.store.record import Inputs, Record
from firesteel.store.store import Store


class Cancelled(Exception):  # noqa: N818 - it was asked for, nothing is in error
    """A measurement was stopped, and has left nothing running."""


class Runner(Protocol):
    """Measures cells; all methods but `prepare` may be called from several threads at once."""

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Makes ready all that measuring these cells needs."""

    def inputs(self, cell: Cell) -> Inputs:
        """The cell with the versions of all that it will be measured with."""

    def packages(self) -> dict[str, str]:
        """The guest's package versions, by package name."""

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """Runs the cell once and gives what its boards handed out.

        It may leave logs in the directory `logs`.  Raises `FiresteelError` when the cell fails,
        with the reason as a sentence, followed by log lines if there are any; and `Cancelled` soon
        after `cancel` was set.
        """


class Machines(Protocol):
    """Where cells are measured; all methods are called on the thread of the run."""

    announces: bool
    """Whether `news` announces the begin of a cell; otherwise a cell begins at its submission."""

    def expect(self, boards: Sequence[int]) -> None:
        """Cells with so many boards each will be handed over."""

    def room(self) -> int:
        """How many cells may be handed over and not have ended; 1 or more."""

    def at_once(self) -> int:
        """How many cells are measured side by side; 0 while there is nothing to measure them."""

    def news(self) -> Iterator[tuple[Path, str] | str]:
        """What has happened since it was asked for last: that a cell began, by the directory of its
        logs, on the machine of that name; or a sentence.
        """


@dataclass(frozen=True)
class Here:
    """The machine that the lab runs on, with so many cells at a time."""

    jobs: int
    announces = False

    def expect(self, boards: Sequence[int]) -> None:
        """The number of jobs was chosen for them."""

    def room(self) -> int:
        """Always the same."""
        return self.jobs

    at_once = room

    def news(self) -> Iterator[tuple[Path, str] | str]:
        """There is none."""
        return iter(())


class Subject(Protocol):
    """What is run: an experiment, a collection of them, or a study of one."""

    @property
    def name(self) -> str:
        """What its runs are called by."""

    @property
    def title(self) -> str:
        """What is measured, in words."""

    @property
    def varied(self) -> tuple[str, ...]:
        """The numbers of boards and links that vary, by their paths."""

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:
        """What its figures are held against."""


@dataclass(frozen=True)
class OnVariedBoards:
    """What is run: an experiment's cells, also on varied boards; limits are for boards as they
    are.
    """

    name: str
    title: str
    varied: tuple[str, ...] = ()

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:  # noqa: ARG002 - as others
        """None."""
        return ()


class Watcher(Protocol):
    """Follows how a run goes, on the thread that called `execute`."""

    def opened(self, journal: Journal) -> None:
        """The run has its name and cells; nothing was measured yet."""

    def began(self, entry: Entry, machine: str = "") -> None:
        """A cell is being measured now, here or on that machine; a second time if a machine was
        lost.
        """

    def at_once(self, cells: int) -> None:
        """So many are measured side by side from now on; 0 while no machine is there."""

    def ended(self, entry: Entry, record: Record | None) -> None:
        """A cell was measured, taken from the store, or failed; with its record if it was read."""

    def tick(self) -> None:
        """Some time has passed."""

    def remark(self, text: str) -> None:
        """Something that the user should know, though the run goes on."""


class Interrupted(KeyboardInterrupt):
    """A run was stopped by the user; its journal says how far it came."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.name)
        self.journal = journal


@dataclass(frozen=True)
class Options:
    """How to run: the experiment's quick sizes, nothing from the store, cells side by side; and the
    options that said what is measured, for the journal.
    """

    quick: bool = False
    fresh: bool = False
    jobs: int = 1
    said: tuple[tuple[str, str], ...] = ()


_TICK_SECONDS = 0.5


def default_jobs(cells: Sequence[Cell], meminfo: Path = Path("/proc/meminfo")) -> int:
    """How many cells to measure side by side: one for each CPU, as far as the memory goes.

    The boards of a cell take turns for much of the time, so that a cell seldom fills two CPUs.
    """
    nodes = max(len(cell.profiles) for cell in cells)
    fitting = available_memory(meminfo) // (nodes * NODE_BYTES)
    return max(1, min(len(cells), fitting, len(os.sched_getaffinity(0))))


def execute(
    subject: Subject,
    cells: Sequence[Cell],
    options: Options,
    runner: Runner,
    store: Store,
    watcher: Watcher,
    machines: Machines | None = None,
) -> Journal:
    """Runs the cells of a subject, here or on `machines`; the journal says how each ended.

    Raises `FiresteelError` if the run cannot start, nothing can be stored any more or no machine
    can be reached, and `Interrupted` after a Ctrl-C.  In all cases every running measurement was
    stopped.
    """
    store.check_writable()  # Before the runner builds for minutes what could not be used.
    runner.prepare(cells)
    now = datetime.now().astimezone()
    journal = Journal(
        name=store.start_run(subject.name, now.date()),
        experiment=subject.name,
        title=subject.title,
        quick=options.quick,
        started=now.isoformat(timespec="seconds"),
        entries=[Entry(cell=cell, key=runner.inputs(cell).key) for cell in cells],
        limits=subject.limits(options.quick),
        varied=subject.varied,
        options=options.said,
    )
    store.save(journal)
    measure(journal, runner, store, watcher, machines or Here(options.jobs), options)
    store.make_latest(journal.name)
    with contextlib.suppress(OSError):
        store.logs(journal.name).rmdir()  # Empty unless a cell failed.
    return journal


def measure(
    journal: Journal,
    runner: Runner,
    store: Store,
    watcher: Watcher,
    machines: Machines,
    options: Options,
) -> None:
    """Measures the cells of a journal that the runner is ready for, as `execute` does."""
    with Progress(store.progress_path(journal.name), options.jobs) as progress:
        watcher.opened(journal)
        _Session(journal, runner, store, watcher, machines, progress, options).run()
        store.save(journal)


@dataclass
class _Work:
    """What is measured once: the entries of one record, with their places in the journal."""

    entries: list[tuple[int, Entry]]
    logs: Path
    claim: Claim | None = None
    """What keeps other processes from measuring it, while it is under way."""
    began: float | None = None
    """When a machine said that it began."""
    machine: str = ""
    seconds: float | None = None
    """What it took, once it was measured."""

    @property
    def first(self) -> Entry:
        """The entry whose cell is measured."""
        return self.entries[0][1]

    @property
    def key(self) -> str:
        """The address of the record."""
        return self.first.key


class _Session:
    """One run under way."""

    def __init__(
        self,
        journal: Journal,
        runner: Runner,
        store: Store,
        watcher: Watcher,
        machines: Machines,
        progress: Progress,
        options: Options,
    ) -> None:
        self._journal, self._runner, self._store = journal, runner, store
        self._watcher, self._machines, self._progress = watcher, machines, progress
        self._fresh, self._at_once = options.fresh, options.jobs
        self._cancel = threading.Event()
        self._waiting: deque[_Work] = deque()
        self._running: dict[Future[Record], _Work] = {}
        self._has_told_of_others = False

    def run(self) -> None:
        """Takes existing records from the store, and measures all other cells in order, at most as
        many at a time as the machines allow.
        """
        slugs, works = self._journal.slugs, dict[str, _Work]()
        place = self._store.logs(self._journal.name)
        for number, entry in enumerate(self._journal.entries):
            logs = place / self._journal.logs_of(entry, slugs)
            works.setdefault(entry.key, _Work([], logs)).entries.append((number, entry))
        stored = [] if self._fresh else [each for each in works.values() if self._is_stored(each)]
        self._end([numbered for each in stored for numbered in each.entries], "done")
        there = {each.key for each in stored}
        self._waiting.extend(each for each in works.values() if each.key not in there)
        self._machines.expect([len(each.first.cell.profiles) for each in self._waiting])
        try:
            with ThreadPoolExecutor(max_workers=max(1, len(self._waiting))) as pool:  # As needed.
                self._measure_all(pool)
        finally:
            for work in works.values():  # A request to end may come between any two steps.
                self._release(work)

    def _measure_all(self, pool: ThreadPoolExecutor) -> None:
        try:
            with unwrapped():
                while self._waiting or self._running:
                    self._hand_over(pool)
                    self._await_some()
        except KeyboardInterrupt:
            self._stop()
            raise Interrupted(self._journal) from None
        except BaseException:
            with contextlib.suppress(StoreError):
                self._stop()
            raise

    def _hand_over(self, pool: ThreadPoolExecutor) -> None:
        """Begins as many of those that wait as the machines have room for, but for those that
        another process measures.
        """
        room = self._machines.room()
        elsewhere: list[_Work] = []
        while self._waiting and len(self._running) < room:
            work = self._waiting.popleft()
            work.claim = self._store.claim(work.key)
            if not work.claim.take():
                elsewhere.append(work)
            elif not self._fresh and self._is_stored(work, remark=False):  # By somebody else.
                self._release(work)
                self._end(work.entries, "done")
            else:
                self._running[pool.submit(self._measure, work)] = work
                if not self._machines.announces:
                    self._tell_began(work)
        self._waiting.extendleft(reversed(elsewhere))
        if elsewhere and not self._running and not self._has_told_of_others:
            self._has_told_of_others = True
            self._watcher.remark("another process is measuring the remaining cells")

    def _await_some(self) -> None:
        if not self._running:
            time.sleep(_TICK_SECONDS)
        done, _ = wait(self._running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
        self._tell_news()
        self._watcher.tick()
        for future in done:
            self._finish(future)

    def _tell_news(self) -> None:
        """Passes on what the machines say; that a cell began comes late if it has ended."""
        for news in self._machines.news():
            if isinstance(news, str):
                self._watcher.remark(news)
                continue
            logs, machine = news
            for work in self._running.values():
                if work.logs == logs:
                    work.began, work.machine = time.monotonic(), machine
                    self._tell_began(work)
        cells = self._machines.at_once()
        if cells != self._at_once:
            self._at_once = cells
            self._progress.at_once(cells)
            self._watcher.at_once(cells)

    def _tell_began(self, work: _Work) -> None:
        number, entry = work.entries[0]
        self._progress.began(number, work.machine)
        self._watcher.began(entry, work.machine)

    def _stop(self) -> None:
        """Stops what is being measured; what finished meanwhile is not lost."""
        self._cancel.set()
        for future in list(self._running):
            if isinstance(future.exception(), Cancelled):
                self._release(self._running.pop(future))
                continue
            with contextlib.suppress(StoreError, MachinesError):
                self._finish(future)
        self._store.save(self._journal)

    def _finish(self, future: Future[Record]) -> None:
        work = self._running[future]
        self._release(work)
        first, *others = work.entries
        error = future.exception()
        is_told = isinstance(error, FiresteelError)
        if error and (not is_told or isinstance(error, StoreError | MachinesError)):
            del self._running[future]
            raise error  # Not kept, or not even measured: it waits to be measured again.
        first[1].seconds = work.seconds
        if error:
            self._end([first, *others], "failed", str(error))
        else:
            self._end([first], "done", record=future.result())
            self._end(others, "done")
        del self._running[future]  # Last: `_stop` finishes what a request to end interrupted.

    def _end(
        self,
        entries: Sequence[tuple[int, Entry]],
        state: Literal["done", "failed"],
        problem: str = "",
        record: Record | None = None,
    ) -> None:
        """Notes and says how cells ended."""
        for _, entry in entries:
            entry.state, entry.problem = state, problem
        self._progress.ended(entries)
        for _, entry in entries:
            self._watcher.ended(entry, record)

    def _release(self, work: _Work) -> None:
        if work.claim:
            work.claim.release()

    def _is_stored(self, work: _Work, *, remark: bool = True) -> bool:
        try:
            return self._store.has(work.key)
        except FiresteelError as error:
            if remark:
                self._watcher.remark(str(error))
            return False

    def _measure(self, work: _Work) -> Record:
        """On a thread of the pool: the record of one cell, stored.

        The journal is the main thread's, which may save it at any time.
        """
        handed_over = time.monotonic()
        cell = work.first.cell
        try:
            observed = self._runner.measure(cell, work.logs, self._cancel)
        except Cancelled:
            shutil.rmtree(work.logs, ignore_errors=True)
            raise
        finally:
            began = handed_over if work.began is None else work.began
            work.seconds = round(time.monotonic() - began, 1)
        try:
            record = self._store.put(self._runner.inputs(cell), observed, self._runner.packages())
        except DisputeError as error:
            on = f" Measured on {work.machine}." if work.machine else ""
            raise DisputeError(f"{error}{on}") from None
        shutil.rmtree(work.logs, ignore_errors=True)
        return record
