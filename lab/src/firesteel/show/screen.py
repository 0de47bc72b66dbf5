# SPDX-License-Identifier: Apache-2.0
"""How a run goes: a line for each cell that has ended, and a live one for each under way."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from firesteel.base.checkout import RECORDED
from firesteel.judge.places import Places
from firesteel.model import names
from firesteel.run.estimate import Eta
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.store.store import Store

_MANY = 100
"""A run of more cells says how many come from the store, not which."""

_NO_MACHINE = "waiting for a machine"

_LINES = 10
"""How many cells under way have a line of their own, those that have taken longest."""


class Screen:
    """A watcher of a run; a context manager, so that the live lines are gone after it.

    On a terminal the cells under way are shown live; elsewhere a line says that one began.
    """

    def __init__(
        self, console: Console, store: Store, jobs: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`jobs` cells are measured side by side, until `at_once` says otherwise; `clock` gives
        seconds: who follows a run from outside has that of the run's events.
        """
        self._console, self._store, self._jobs, self._clock = console, store, jobs, clock
        self._started = clock()
        self._entries: list[Entry] = []
        self._name = ""
        self._waiting: dict[int, Entry] = {}
        self._ended = self._failed = self._stored = 0
        # Each cell under way, since when, and on which machine; this one has no name.
        self._running: dict[int, tuple[Entry, float, str]] = {}
        self._live = Live(
            console=console, get_renderable=self._lines, auto_refresh=False, transient=True
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.clear()
        self._waiting.clear()
        self._live.stop()
        self._tell_stored()

    def opened(self, journal: Journal) -> None:
        """Says what will be measured."""
        self._started = self._clock()
        self._entries, self._name = journal.entries, journal.name
        self._waiting = {id(each): each for each in journal.entries if each.state == "waiting"}
        self._ended = len(journal.entries) - len(self._waiting)
        self._failed = journal.count("failed")
        for name in ("_places", "_eta"):
            self.__dict__.pop(name, None)
        sizes = ", quick sizes" if journal.quick else ""
        count = len(journal.entries)
        at_once = f"{self._jobs} at a time" if self._jobs else _NO_MACHINE
        self.remark(f"{journal.title}: {count} cell{'s' if count != 1 else ''}{sizes}, {at_once}")

    def began(self, entry: Entry, machine: str = "") -> None:
        """Shows that a cell is under way."""
        self._tell_stored()
        self._running[id(entry)] = (entry, self._clock(), machine)
        if not self._console.is_terminal:
            usual = self._eta.known(entry.cell)
            expected = f" (expected: {names.duration(usual)})" if usual else ""
            self.remark(f"    measuring {self._called(entry, machine)}{expected}")
        self.tick()

    def at_once(self, cells: int) -> None:
        """So many are measured side by side from now on."""
        self._jobs = cells
        self.tick()

    def ended(self, entry: Entry, record: Record | None) -> None:
        """Says how a cell ended."""
        del record
        self._running.pop(id(entry), None)
        self._waiting.pop(id(entry), None)
        self._ended += 1
        if entry.seconds is not None:
            self._eta.note(entry.cell, entry.seconds)
        elif entry.state == "done" and len(self._entries) > _MANY:
            self._stored += 1
            return
        if entry.state == "failed":
            self._failed += 1
            how = f"failed: {entry.problem}"
        elif entry.seconds is None:
            how = "from the store"
        else:
            how = f"measured in {names.duration(entry.seconds)}; {self._summary()}"
        self.remark(f"{self._progress} {self._called(entry)}: {how}")
        self.tick()

    def tick(self) -> None:
        """Brings the live lines up to date."""
        if self._console.is_terminal:
            self._live.refresh()

    def remark(self, text: str) -> None:
        """Prints a sentence."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    @cached_property
    def _places(self) -> Places:
        return Places.of_cells(entry.cell for entry in self._entries)

    @cached_property
    def _eta(self) -> Eta:
        return Eta((self._store, Store(RECORDED)), besides=self._name)

    @property
    def _progress(self) -> str:
        return f"[{self._ended}/{len(self._entries)}]"

    def _called(self, entry: Entry, machine: str = "") -> str:
        return self._places.of_cell(entry.cell) + (f" on {machine}" if machine else "")

    def _lines(self) -> Group:
        """A line for each cell under way, and one for all; none while nothing goes on."""
        lines = []
        now = self._clock()
        shown = sorted(self._running.values(), key=lambda each: each[1])
        for entry, since, machine in shown[:_LINES]:
            usual = self._eta.expected(entry.cell)
            of = f" of about {names.duration(usual)}" if usual else ""
            spent = names.duration(now - since)
            lines.append(f"  measuring {self._called(entry, machine)}: {spent}{of}")
        if (more := len(shown) - _LINES) > 0:
            lines.append(f"  and {more} more")
        if shown or self._is_stranded:
            failed = f", {self._failed} failed" if self._failed else ""
            machines = {machine for _, _, machine in shown}
            on = f" on {len(machines)} machines" if len(machines) > 1 else ""
            done = f"{self._ended - self._failed} of {len(self._entries)} cells done"
            lines.append(f"{done}{failed}, {len(shown)} running{on}, {self._summary()}")
        return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in lines))

    def _summary(self) -> str:
        """How long the run has taken, and how long it will still take as far as is known."""
        now = self._clock()
        text = f"{names.duration(now - self._started)} so far"
        if self._is_stranded:
            return f"{text}, {_NO_MACHINE}"
        running = [(entry.cell, now - since) for entry, since, _ in self._running.values()]
        rest = [each.cell for which, each in self._waiting.items() if which not in self._running]
        left = self._eta.left(running, rest, self._jobs) if self._waiting else None
        return text if left is None else f"{text}, about {names.duration(left)} left"

    @property
    def _is_stranded(self) -> bool:
        """Whether cells wait and nothing is there to measure them."""
        return not self._jobs and bool(self._waiting)

    def _tell_stored(self) -> None:
        if self._stored:
            self.remark(f"{self._progress} {self._stored} cells from the store")
            self._stored = 0
