# SPDX-License-Identifier: Apache-2.0
"""A run: one execution of an experiment.

1. The store is tried, then the runner makes ready what the cells need; the run gets its name
   and its journal.
2. Cells whose records are in the store are taken from there, unless asked for afresh.
3. The others are measured, some side by side; each record is stored as soon as it is there.
4. A cell that fails keeps its logs and is noted; the others go on.
5. Ctrl-C stops what is being measured; the journal says how far the run came.
"""

import contextlib
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from firesteel.base.errors import FiresteelError, StoreError
from firesteel.campaign.runner import Cancelled, Runner
from firesteel.model.cell import Cell
from firesteel.model.limit import Limit
from firesteel.store.journal import Entry, Journal
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


class Watcher(Protocol):
    """Follows how a run goes, on the thread that called `execute`."""

    def opened(self, journal: Journal) -> None:
        """The run has its name and cells; nothing was measured yet."""

    def began(self, entry: Entry) -> None:
        """A cell is being measured now."""

    def ended(self, entry: Entry, record: Record | None) -> None:
        """A cell was measured, taken from the store, or failed (without a record)."""

    def tick(self) -> None:
        """Some time has passed."""

    def remark(self, text: str) -> None:
        """Something that the user should know, though the run goes on."""


class Interrupted(Exception):  # noqa: N818 - the user stopped it, nothing is in error
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


_NODE_BYTES = 768 << 20
"""Memory that a node takes at the most: its image twice, the file that it transfers, QEMU."""


def default_jobs(cells: Sequence[Cell], meminfo: Path = Path("/proc/meminfo")) -> int:
    """How many cells to measure side by side: one for each CPU, as far as the memory goes.

    The boards of a cell take turns for much of the time, so that a cell seldom fills two CPUs.
    """
    nodes = max(len(cell.profiles) for cell in cells)
    match = re.search(r"^MemAvailable: *(\d+) kB$", meminfo.read_text(), re.MULTILINE)
    fitting = int(match[1]) * 1024 // (nodes * _NODE_BYTES) if match else 1
    return max(1, min(len(cells), fitting, len(os.sched_getaffinity(0))))


def execute(
    subject: Subject,
    cells: Sequence[Cell],
    options: Options,
    runner: Runner,
    store: Store,
    watcher: Watcher,
) -> Journal:
    """Runs the cells of a subject; the journal says how each ended.

    Raises `FiresteelError` when the run cannot start or nothing can be stored any more, and
    `Interrupted` after a Ctrl-C; in both cases every measurement under way was stopped.
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
    watcher.opened(journal)
    session = _Session(journal, runner, store, watcher, options.jobs)
    missing = journal.entries if options.fresh else session.reuse(journal.entries)
    firsts = list({entry.key: entry for entry in reversed(missing)}.values())[::-1]
    session.measure(firsts)
    session.follow(missing)
    store.make_latest(journal.name)
    with contextlib.suppress(OSError):
        store.logs(journal.name).rmdir()  # Empty unless a cell failed.
    return journal


def measure_anew(
    journal: Journal, runner: Runner, store: Store, watcher: Watcher, jobs: int
) -> None:
    """Measures all cells of a journal that the runner is ready for, as `execute` does."""
    watcher.opened(journal)
    _Session(journal, runner, store, watcher, jobs).measure(journal.entries)


@dataclass
class _Session:
    """One run under way."""

    journal: Journal
    runner: Runner
    store: Store
    watcher: Watcher
    jobs: int
    cancel: threading.Event = field(default_factory=threading.Event)
    _took: dict[str, float] = field(default_factory=dict)
    """Wall seconds of each cell, by key, as the pool's threads measured it."""

    def reuse(self, entries: Sequence[Entry]) -> list[Entry]:
        """Takes from the store what is there; the entries that must be measured are left."""
        missing = []
        for entry in entries:
            record = self._stored(entry)
            if record is None:
                missing.append(entry)
            else:
                self._note(entry, record)
        return missing

    def follow(self, entries: Sequence[Entry]) -> None:
        """Entries that wait have what became of those of the same address."""
        failed = {each.key: each.problem for each in entries if each.state == "failed"}
        waiting = [entry for entry in entries if entry.state == "waiting"]
        for entry in waiting:
            if entry.key in failed:
                entry.state, entry.problem = "failed", failed[entry.key]
                self.store.save(self.journal)
                self.watcher.ended(entry, None)
        self.reuse([entry for entry in waiting if entry.state == "waiting"])

    def measure(self, entries: Sequence[Entry]) -> None:
        """Measures all, at most `jobs` at a time, in order."""
        waiting = list(reversed(entries))
        running: dict[Future[Record], Entry] = {}
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < self.jobs:
                        entry = waiting.pop()
                        self.watcher.began(entry)
                        running[pool.submit(self._measure, entry)] = entry
                    done, _ = wait(running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
                    self.watcher.tick()
                    for future in done:
                        self._finish(running.pop(future), future.result)
            except KeyboardInterrupt:
                self._stop(running)
                raise Interrupted(self.journal) from None
            except BaseException:
                with contextlib.suppress(StoreError):
                    self._stop(running)
                raise

    def _stop(self, running: dict[Future[Record], Entry]) -> None:
        """Stops what is being measured; what finished meanwhile is not lost."""
        self.cancel.set()
        for future, entry in running.items():
            if isinstance(future.exception(), Cancelled):
                continue
            with contextlib.suppress(StoreError):
                self._finish(entry, future.result)
        self.store.save(self.journal)

    def _finish(self, entry: Entry, result: Callable[[], Record]) -> None:
        try:
            record = result()
        except StoreError:
            raise  # Measured, but not kept: it waits to be measured again.
        except FiresteelError as error:
            entry.state, entry.problem = "failed", str(error)
            entry.seconds = self._took.get(entry.key)
            self.store.save(self.journal)
            self.watcher.ended(entry, None)
        else:
            entry.seconds = self._took.get(entry.key)
            self._note(entry, record)

    def _note(self, entry: Entry, record: Record) -> None:
        entry.state = "done"
        self.store.save(self.journal)
        self.watcher.ended(entry, record)

    def _stored(self, entry: Entry) -> Record | None:
        try:
            return self.store.get(entry.key)
        except FiresteelError as error:
            self.watcher.remark(str(error))
            return None

    def _measure(self, entry: Entry) -> Record:
        """On a thread of the pool: the record of one cell, stored.

        The journal is the main thread's, which may save it at any time: what the cell took goes
        into it when the cell has ended.
        """
        logs = self._logs(entry)
        began = time.monotonic()
        try:
            observed = self.runner.measure(entry.cell, logs, self.cancel)
        except Cancelled:
            shutil.rmtree(logs, ignore_errors=True)
            raise
        finally:
            self._took[entry.key] = round(time.monotonic() - began, 1)
        inputs = self.runner.inputs(entry.cell)
        record = self.store.put(inputs, observed, self.runner.packages())
        shutil.rmtree(logs, ignore_errors=True)
        return record

    def _logs(self, entry: Entry) -> Path:
        return self.store.logs(self.journal.name) / self.journal.logs_of(entry)
