# SPDX-License-Identifier: Apache-2.0
"""A run: one execution of an experiment.

1. The store is tried, then the runner makes ready what the cells need; the run gets its name
   and its journal.
2. Cells whose records are in the store are taken from there, unless asked for afresh.
3. The others are measured, some side by side; each record is stored as soon as it is there.  A cell
   that another process measures at that time waits, and takes its record.
4. A cell that fails keeps its logs and is noted; the others go on.
5. Ctrl-C stops what is being measured; the journal says how far the run came.

What happens is written down as it happens (`store.progress`), in time that does not depend on how
many cells there are; the journal is written at the start and at the end.
"""

import contextlib
import os
import shutil
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

from firesteel.base.errors import DisputeError, FiresteelError, MachinesError, StoreError
from firesteel.base.interrupts import unwrapped
from firesteel.board.files import NODE_BYTES, available_memory
from firesteel.campaign.runner import Cancelled, Here, Machines, Runner
from firesteel.model.cell import Cell
from firesteel.model.identity import Limit
from firesteel.store.claim import Claim
from firesteel.store.journal import Entry, Journal
from firesteel.store.progress import Progress
from firesteel.store.record import Record
from firesteel.store.store import Store


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
    """What is run: an experiment's cells, also on varied boards."""

    name: str
    title: str
    varied: tuple[str, ...] = ()

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:
        """None: limits are for boards as they are."""
        del quick
        return ()


class Watcher(Protocol):
    """Follows how a run goes, on the thread that called `execute`."""

    def opened(self, journal: Journal) -> None:
        """The run has its name and cells; nothing was measured yet."""

    def began(self, entry: Entry, machine: str = "") -> None:
        """A cell is being measured now, here or on that machine; again, if that one was lost."""

    def waits(self, entry: Entry) -> None:
        """A cell that began waits again: its machine is gone."""

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
    """How to run: the experiment's quick sizes, nothing from the store, cells side by side."""

    quick: bool = False
    fresh: bool = False
    jobs: int = 1


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

    Raises `FiresteelError` when the run cannot start, nothing can be stored any more or no machine
    be reached, and `Interrupted` after a Ctrl-C; in all cases every measurement under way was
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
    )
    store.save(journal)
    machines = machines or Here(options.jobs)
    with Progress(store.progress_path(journal.name), options.jobs) as progress:
        watcher.opened(journal)
        session = _Session(journal, runner, store, watcher, machines, progress, options.jobs)
        session.fresh = options.fresh
        missing = session.all if options.fresh else session.reuse(session.all)
        firsts = {entry.key: (number, entry) for number, entry in reversed(missing)}
        session.measure(list(firsts.values())[::-1])
        session.follow(missing)
        store.save(journal)
    store.make_latest(journal.name)
    with contextlib.suppress(OSError):
        store.logs(journal.name).rmdir()  # Empty unless a cell failed.
    return journal


def measure_anew(
    journal: Journal, runner: Runner, store: Store, watcher: Watcher, jobs: int
) -> None:
    """Measures all cells of a journal that the runner is ready for, as `execute` does."""
    with Progress(store.progress_path(journal.name), jobs) as progress:
        watcher.opened(journal)
        session = _Session(journal, runner, store, watcher, Here(jobs), progress, jobs)
        session.measure(session.all)
        store.save(journal)


_Numbered = tuple[int, Entry]
"""An entry, and its place in the journal."""


@dataclass
class _Session:
    """One run under way."""

    journal: Journal
    runner: Runner
    store: Store
    watcher: Watcher
    machines: Machines
    progress: Progress
    at_once: int
    """How many cells are measured side by side, as it was told last."""
    fresh: bool = True
    """Whether records in the store do not count."""
    cancel: threading.Event = field(default_factory=threading.Event)
    _took: dict[str, float] = field(default_factory=dict)
    """Wall seconds of each cell, by key, as the pool's threads measured it."""
    _under_way: dict[Path, _Numbered] = field(default_factory=dict)
    """The cells that were handed over and have not ended, by the directory of their logs."""
    _began: dict[str, float] = field(default_factory=dict)
    """When machines said that they began cells, by key."""
    _machines: dict[str, str] = field(default_factory=dict)
    """The names of these machines, by key."""
    _claims: dict[str, Claim] = field(default_factory=dict)
    """What keeps other processes from measuring cells that are under way, by key."""
    _has_told_of_others: bool = False

    @property
    def all(self) -> list[_Numbered]:
        """All cells of the run."""
        return list(enumerate(self.journal.entries))

    def reuse(self, entries: Sequence[_Numbered]) -> list[_Numbered]:
        """Takes from the store what is there; the entries that must be measured are left."""
        found: list[_Numbered] = []
        missing: list[_Numbered] = []
        for number, entry in entries:
            (found if self._is_stored(entry) else missing).append((number, entry))
        for _, entry in found:
            entry.state = "done"
        self._tell(found)
        return missing

    def follow(self, entries: Sequence[_Numbered]) -> None:
        """Entries that wait have what became of those of the same address."""
        failed = {each.key: each.problem for _, each in entries if each.state == "failed"}
        waiting = [numbered for numbered in entries if numbered[1].state == "waiting"]
        for _, entry in waiting:
            if entry.key in failed:
                entry.state, entry.problem = "failed", failed[entry.key]
        self._tell([numbered for numbered in waiting if numbered[1].state == "failed"])
        self.reuse([numbered for numbered in waiting if numbered[1].state == "waiting"])

    def measure(self, entries: Sequence[_Numbered]) -> None:
        """Measures all in order, as many at a time as the machines have room for."""
        self.machines.expect([len(entry.cell.profiles) for _, entry in entries])
        waiting = deque(entries)
        running: dict[Future[Record], _Numbered] = {}
        with ThreadPoolExecutor(max_workers=max(1, len(entries))) as pool:  # As far as needed.
            try:
                with unwrapped():
                    while waiting or running:
                        self._hand_over(waiting, running, pool)
                        self._await_some(running)
            except KeyboardInterrupt:
                self._stop(running)
                raise Interrupted(self.journal) from None
            except BaseException:
                with contextlib.suppress(StoreError):
                    self._stop(running)
                raise
            finally:
                for key in list(self._claims):
                    self._claims.pop(key).release()

    def _hand_over(
        self,
        waiting: deque[_Numbered],
        running: dict[Future[Record], _Numbered],
        pool: ThreadPoolExecutor,
    ) -> None:
        """Begins as many of those that wait as the machines have room for, but for those that
        another process measures.
        """
        room = self.machines.room()
        elsewhere: list[_Numbered] = []
        while waiting and len(running) < room:
            number, entry = waiting.popleft()
            claim = self.store.claim(entry.key)
            if claim is None:
                elsewhere.append((number, entry))
                continue
            self._claims[entry.key] = claim
            if not self.fresh and self._is_stored(entry, remark=False):  # Since it was looked for.
                self._claims.pop(entry.key).release()
                entry.state = "done"
                self._tell([(number, entry)])
                continue
            logs = self._logs(entry)
            self._under_way[logs] = number, entry
            running[pool.submit(self._measure, entry, logs)] = number, entry
            if not self.machines.announces:
                self._tell_began((number, entry))
        waiting.extendleft(reversed(elsewhere))
        if elsewhere and not running and not self._has_told_of_others:
            self._has_told_of_others = True
            self.watcher.remark("the cells that are left are measured by another process")

    def _await_some(self, running: dict[Future[Record], _Numbered]) -> None:
        if not running:
            time.sleep(_TICK_SECONDS)
        done, _ = wait(running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
        self._tell_news()
        self.watcher.tick()
        for future in done:
            self._finish(running.pop(future), future.result)

    def _tell_news(self) -> None:
        """Passes on what the machines say; that a cell began comes late if it has ended."""
        for news in self.machines.news():
            if isinstance(news, str):
                self.watcher.remark(news)
                continue
            logs, machine = news
            if not (numbered := self._under_way.get(logs)):
                continue
            number, entry = numbered
            if machine is None:
                self.progress.waits(number)
                self.watcher.waits(entry)
            else:
                self._began[entry.key] = time.monotonic()
                self._machines[entry.key] = machine
                self._tell_began(numbered, machine)
        self._tell_at_once()

    def _tell_at_once(self) -> None:
        cells = self.machines.at_once()
        if cells != self.at_once:
            self.at_once = cells
            self.progress.at_once(cells)
            self.watcher.at_once(cells)

    def _tell_began(self, numbered: _Numbered, machine: str = "") -> None:
        number, entry = numbered
        self.progress.began(number, machine)
        self.watcher.began(entry, machine)

    def _stop(self, running: dict[Future[Record], _Numbered]) -> None:
        """Stops what is being measured; what finished meanwhile is not lost."""
        self.cancel.set()
        for future, numbered in running.items():
            if isinstance(future.exception(), Cancelled):
                continue
            with contextlib.suppress(StoreError, MachinesError):
                self._finish(numbered, future.result)
        self.store.save(self.journal)

    def _finish(self, numbered: _Numbered, result: Callable[[], Record]) -> None:
        _, entry = numbered
        self._under_way.pop(self._logs(entry), None)
        if claim := self._claims.pop(entry.key, None):
            claim.release()
        record = None
        try:
            record = result()
        except (StoreError, MachinesError):
            raise  # Not kept, or not even measured: it waits to be measured again.
        except FiresteelError as error:
            entry.problem = str(error)
        entry.state = "done" if record else "failed"
        entry.seconds = self._took.pop(entry.key, None)
        self.progress.ended([numbered])
        self.watcher.ended(entry, record)

    def _tell(self, ended: Sequence[_Numbered]) -> None:
        """Says of cells that were not measured how they ended."""
        self.progress.ended(ended)
        for _, entry in ended:
            self.watcher.ended(entry, None)

    def _is_stored(self, entry: Entry, *, remark: bool = True) -> bool:
        try:
            return self.store.has(entry.key)
        except FiresteelError as error:
            if remark:
                self.watcher.remark(str(error))
            return False

    def _measure(self, entry: Entry, logs: Path) -> Record:
        """On a thread of the pool: the record of one cell, stored.

        The journal is the main thread's, which may save it at any time: what the cell took goes
        into it when the cell has ended.
        """
        handed_over = time.monotonic()
        try:
            observed = self.runner.measure(entry.cell, logs, self.cancel)
        except Cancelled:
            shutil.rmtree(logs, ignore_errors=True)
            raise
        finally:
            began = self._began.pop(entry.key, handed_over)
            self._took[entry.key] = round(time.monotonic() - began, 1)
        inputs = self.runner.inputs(entry.cell)
        try:
            record = self.store.put(inputs, observed, self.runner.packages())
        except DisputeError as error:
            machine = self._machines.get(entry.key)
            raise DisputeError(
                f"{error} Measured on {machine}." if machine else str(error)
            ) from None
        shutil.rmtree(logs, ignore_errors=True)
        return record

    def _logs(self, entry: Entry) -> Path:
        return self.store.logs(self.journal.name) / self.journal.logs_of(entry, self._slugs)

    @cached_property
    def _slugs(self) -> Counter[str]:
        return self.journal.slugs
