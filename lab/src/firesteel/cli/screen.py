# SPDX-License-Identifier: Apache-2.0
"""How a run goes, told on the terminal: a line a cell, and a live one for what is under way."""

import time
from typing import Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from firesteel import names
from firesteel.cell import Cell
from firesteel.errors import FiresteelError
from firesteel.journal import Entry, Journal
from firesteel.record import Record
from firesteel.store import Store

_HIGHLIGHTS = (("file-transfer", "throughput"), ("ping", "rtt_mean"))


class Screen:
    """A watcher of a run; a context manager, so that the live line is gone after it.

    On a terminal the cells under way are shown live; elsewhere a line tells when one began.
    """

    def __init__(self, console: Console, store: Store, jobs: int) -> None:
        self._console = console
        self._store = store
        self._jobs = jobs
        self._started = time.monotonic()
        self._count = 0
        self._done = 0
        self._expected: dict[str, float] = {}
        self._measured: list[float] = []
        self._left: list[Entry] = []
        self._running: dict[str, tuple[Entry, float]] = {}
        self._live: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hide()

    def opened(self, journal: Journal) -> None:
        """Says what will be measured."""
        self._started = time.monotonic()
        self._count = len(journal.entries)
        self._left = list(journal.entries)
        self._expected = _past_seconds(self._store, journal)
        sizes = ", quick sizes" if journal.quick else ""
        cells = "1 cell" if self._count == 1 else f"{self._count} cells"
        self._say(f"{journal.title}: {cells}{sizes}, {self._jobs} at a time")

    def began(self, entry: Entry) -> None:
        """Shows that a cell is under way."""
        self._running[entry.key] = (entry, time.monotonic())
        if not self._console.is_terminal:
            usual = self._expected.get(_name(entry.cell))
            expected = f" (expected: {names.duration(usual)})" if usual else ""
            self._say(f"    measuring {names.of_cell(entry.cell)}{expected}")
        self.tick()

    def ended(self, entry: Entry, record: Record | None) -> None:
        """Says how a cell ended."""
        self._running.pop(entry.key, None)
        self._left.remove(entry)
        self._done += 1
        place = f"[{self._done}/{self._count}] {names.of_cell(entry.cell)}"
        if record is None:
            self._say(f"{place}: failed: {entry.problem}")
        elif entry.seconds is None:
            self._say(f"{place}: from the store")
        else:
            took = names.duration(entry.seconds)
            self._say(f"{place}: {_highlights(record)}measured in {took}{self._outlook()}")
        if entry.seconds is not None:
            self._measured.append(entry.seconds)
        self.tick()

    def tick(self) -> None:
        """Brings the live line up to date."""
        if not self._console.is_terminal or not self._running:
            self._hide()
            return
        now = time.monotonic()
        under_way = ", ".join(
            f"{names.of_cell(entry.cell)} {names.duration(now - since)}"
            for entry, since in self._running.values()
        )
        line = f"{self._outlook()}; {under_way}".removeprefix("; ")
        if self._live is None:
            self._live = self._console.status("")
            self._live.start()
        self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))

    def remark(self, text: str) -> None:
        """Prints a sentence."""
        self._say(text)

    def _outlook(self) -> str:
        """How long the run has taken, and how long it will still take as far as is known."""
        text = f"; {names.duration(time.monotonic() - self._started)} so far"
        known = self._measured or [
            self._expected[_name(e.cell)] for e in self._left if _name(e.cell) in self._expected
        ]
        if not self._left or not known:
            return text
        mean = sum(known) / len(known)
        work = sum(self._expected.get(_name(entry.cell), mean) for entry in self._left)
        now = time.monotonic()
        spent = sum(now - since for _, since in self._running.values())
        return f"{text}, about {names.duration(max(0, work - spent) / self._jobs)} left"

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _name(cell: Cell) -> str:
    """All that a cell says, to look it up by."""
    return cell.model_dump_json()


def _past_seconds(store: Store, journal: Journal) -> dict[str, float]:
    """How long each cell took when it was last measured here, whatever it was measured with."""
    seconds = {}
    for name in store.run_names():
        try:
            past = store.journal(name)
        except FiresteelError:
            continue
        for entry in past.entries:
            if past.name != journal.name and entry.state == "done" and entry.seconds is not None:
                seconds[_name(entry.cell)] = entry.seconds
    return seconds


def _highlights(record: Record) -> str:
    """The throughput and the mean RTT of the smallest ping, if they were measured."""
    texts = []
    for experiment, metric in _HIGHLIGHTS:
        for figure in record.measurement.figures:
            if (figure.experiment, figure.metric) == (experiment, metric):
                value = names.number(figure.value, figure.unit, metric)
                texts.append(f"{value} {figure.unit}, ")
                break
    return "".join(texts)
