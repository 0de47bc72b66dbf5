# SPDX-License-Identifier: Apache-2.0
"""How a run goes: a line for each cell that has ended, and a live one for each under way."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from firesteel.analysis.places import Places
from firesteel.base.checkout import RECORDED
from firesteel.campaign.estimate import Eta
from firesteel.model import names
from firesteel.model.cell import Cell
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.workloads.registry import BY_WEIGHT

_HIGHLIGHTS = tuple(
    (column.experiment, column.metric)
    for workload in BY_WEIGHT
    for column in workload.columns
    if column.in_progress
)

_MANY = 100
"""A run of more cells says how many come from the store, not which."""

_NO_MACHINE = "waiting for a machine"

_LINES = 10
"""How many cells under way have a line of their own, those that have taken longest."""


@dataclass(frozen=True)
class _Running:
    """A cell under way, since when, and on which machine; this one has no name."""

    entry: Entry
    since: float
    machine: str


class Screen:
    """A watcher of a run; a context manager, so that the live lines are gone after it.

    On a terminal the cells under way are shown live; elsewhere a line says that one began.
    """

    def __init__(
        self,
        console: Console,
        store: Store,
        jobs: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`jobs` cells are measured side by side, until `at_once` says otherwise; `clock` gives
        seconds: who follows a run from outside has that of the run's events.
        """
        self._console = console
        self._store = store
        self._jobs = jobs
        self._clock = clock
        self._started = clock()
        self._journal: Journal | None = None
        self._waiting: dict[int, Entry] = {}
        self._ended = self._failed = self._stored = 0
        self._running: dict[int, _Running] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hide()
        self._tell_stored()

    def opened(self, journal: Journal) -> None:
        """Says what will be measured."""
        self._started = self._clock()
        self._journal = journal
        self._waiting = {id(each): each for each in journal.entries if each.state == "waiting"}
        self._ended = self._count - len(self._waiting)
        self._failed = journal.count("failed")
        for name in ("_places", "_eta", "_queue"):
            self.__dict__.pop(name, None)
        sizes = ", quick sizes" if journal.quick else ""
        cells = "1 cell" if self._count == 1 else f"{self._count} cells"
        at_once = f"{self._jobs} at a time" if self._jobs else _NO_MACHINE
        self._say(f"{journal.title}: {cells}{sizes}, {at_once}")

    def began(self, entry: Entry, machine: str = "") -> None:
        """Shows that a cell is under way."""
        self._tell_stored()
        self._queue.pop(id(entry), None)
        self._running[id(entry)] = _Running(entry, self._clock(), machine)
        if not self._console.is_terminal:
            usual = self._eta.known(entry.cell)
            expected = f" (expected: {names.duration(usual)})" if usual else ""
            self._say(f"    measuring {self._name(entry)}{_on(machine)}{expected}")
        self.tick()

    def at_once(self, cells: int) -> None:
        """So many are measured side by side from now on."""
        self._jobs = cells
        self.tick()

    def ended(self, entry: Entry, record: Record | None) -> None:
        """Says how a cell ended."""
        self._running.pop(id(entry), None)
        self._waiting.pop(id(entry), None)
        self._queue.pop(id(entry), None)
        self._ended += 1
        if entry.seconds is not None:
            self._eta.note(entry.cell, entry.seconds)
        if entry.state == "done" and entry.seconds is None and self._count > _MANY:
            self._stored += 1
            return
        place = f"[{self._ended}/{self._count}] {self._name(entry)}"
        if entry.state == "failed":
            self._failed += 1
            self._say(f"{place}: failed: {entry.problem}")
        elif entry.seconds is None:
            self._say(f"{place}: from the store")
        else:
            took = names.duration(entry.seconds)
            self._say(f"{place}: {_highlights(record)}measured in {took}; {self._summary()}")
        self.tick()

    def tick(self) -> None:
        """Brings the live lines up to date."""
        if not self._console.is_terminal or not (self._running or self._is_stranded):
            self._hide()
            return
        now = self._clock()
        shown = sorted(self._running.values(), key=lambda each: each.since)
        lines = [self._line(each, now) for each in shown[:_LINES]]
        if (more := len(shown) - _LINES) > 0:
            lines.append(Text(f"  and {more} more"))
        lines.append(Text(f"{self._state()}, {self._summary()}"))
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Group(*lines), refresh=True)

    def remark(self, text: str) -> None:
        """Prints a sentence."""
        self._say(text)

    @property
    def _count(self) -> int:
        return len(self._journal.entries) if self._journal else 0

    @cached_property
    def _places(self) -> Places:
        entries = self._journal.entries if self._journal else ()
        return Places.of_cells(entry.cell for entry in entries)

    @cached_property
    def _eta(self) -> Eta:
        besides = self._journal.name if self._journal else ""
        return Eta((self._store, Store(RECORDED)), besides=besides)

    @cached_property
    def _queue(self) -> dict[int, Cell]:
        """What waits and is not under way."""
        return {which: each.cell for which, each in self._waiting.items()}

    def _name(self, entry: Entry) -> str:
        return self._places.of_cell(entry.cell)

    def _line(self, each: _Running, now: float) -> Text:
        usual = self._eta.expected(each.entry.cell)
        of = f" of about {names.duration(usual)}" if usual else ""
        name, spent = self._name(each.entry), names.duration(now - each.since)
        return Text(f"  measuring {name}{_on(each.machine)}: {spent}{of}")

    def _state(self) -> str:
        """How many cells are done, have failed and are under way, on how many machines."""
        failed = f", {self._failed} failed" if self._failed else ""
        machines = {each.machine for each in self._running.values()}
        on = f" on {len(machines)} machines" if len(machines) > 1 else ""
        done = f"{self._ended - self._failed} of {self._count} cells done"
        return f"{done}{failed}, {len(self._running)} running{on}"

    def _summary(self) -> str:
        """How long the run has taken, and how long it will still take as far as is known."""
        now = self._clock()
        text = f"{names.duration(now - self._started)} so far"
        running = [(each.entry.cell, now - each.since) for each in self._running.values()]
        if self._is_stranded:
            return f"{text}, {_NO_MACHINE}"
        left = self._eta.left(running, self._queue.values(), self._jobs) if self._waiting else None
        return text if left is None else f"{text}, about {names.duration(left)} left"

    @property
    def _is_stranded(self) -> bool:
        """Whether cells wait and nothing is there to measure them."""
        return not self._jobs and bool(self._waiting)

    def _tell_stored(self) -> None:
        if self._stored:
            self._say(f"[{self._ended}/{self._count}] {self._stored} cells from the store")
            self._stored = 0

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _on(machine: str) -> str:
    return f" on {machine}" if machine else ""


def _highlights(record: Record | None) -> str:
    """The throughput and the mean RTT of the smallest ping, if they were measured."""
    texts = []
    for workload, metric in _HIGHLIGHTS:
        for figure in record.measurement.figures if record else ():
            if (figure.workload, figure.metric) == (workload, metric):
                value = names.number(figure.value, metric)
                texts.append(f"{value} {figure.unit}, ")
                break
    return "".join(texts)
