# SPDX-License-Identifier: Apache-2.0
"""How a run goes: a line for each cell that has ended, and a live one for each under way."""

import time
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from firesteel.analysis.places import Places
from firesteel.base.checkout import RECORDED
from firesteel.campaign.outlook import Outlook
from firesteel.model import names
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


class Screen:
    """A watcher of a run; a context manager, so that the live lines are gone after it.

    On a terminal the cells under way are shown live; elsewhere a line says that one began.
    """

    def __init__(self, console: Console, store: Store, jobs: int) -> None:
        self._console = console
        self._store = store
        self._jobs = jobs
        self._started = time.monotonic()
        self._count = 0
        self._done = 0
        self._outlook = Outlook(())
        self._left: list[Entry] = []
        self._places = Places(())
        self._running: dict[str, tuple[Entry, float]] = {}
        self._machines: dict[str, str] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hide()

    def opened(self, journal: Journal) -> None:
        """Says what will be measured."""
        self._started = time.monotonic()
        self._count = len(journal.entries)
        self._left = list(journal.entries)
        self._places = Places.of_cells(entry.cell for entry in journal.entries)
        self._outlook = Outlook((self._store, Store(RECORDED)), besides=journal.name)
        sizes = ", quick sizes" if journal.quick else ""
        cells = "1 cell" if self._count == 1 else f"{self._count} cells"
        self._say(f"{journal.title}: {cells}{sizes}, {self._jobs} at a time")

    def began(self, entry: Entry, machine: str = "") -> None:
        """Shows that a cell is under way."""
        self._running[entry.key] = (entry, time.monotonic())
        self._machines[entry.key] = f" on {machine}" if machine else ""
        if not self._console.is_terminal:
            usual = self._outlook.known(entry.cell)
            expected = f" (expected: {names.duration(usual)})" if usual else ""
            self._say(f"    measuring {self._named(entry)}{expected}")
        self.tick()

    def ended(self, entry: Entry, record: Record | None) -> None:
        """Says how a cell ended."""
        self._running.pop(entry.key, None)
        self._machines.pop(entry.key, None)
        self._left.remove(entry)
        self._done += 1
        if entry.seconds is not None:
            self._outlook.note(entry.cell, entry.seconds)
        place = f"[{self._done}/{self._count}] {self._places.of_cell(entry.cell)}"
        if record is None:
            self._say(f"{place}: failed: {entry.problem}")
        elif entry.seconds is None:
            self._say(f"{place}: from the store")
        else:
            took = names.duration(entry.seconds)
            self._say(f"{place}: {_highlights(record)}measured in {took}; {self._summary()}")
        self.tick()

    def tick(self) -> None:
        """Brings the live lines up to date."""
        if not self._console.is_terminal or not self._running:
            self._hide()
            return
        now = time.monotonic()
        lines = [self._line(entry, now - since) for entry, since in self._running.values()]
        lines.append(Text(f"{self._done} of {self._count} cells done, {self._summary()}"))
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Group(*lines), refresh=True)

    def remark(self, text: str) -> None:
        """Prints a sentence."""
        self._say(text)

    def _line(self, entry: Entry, spent: float) -> Text:
        usual = self._outlook.expected(entry.cell)
        of = f" of about {names.duration(usual)}" if usual else ""
        return Text(f"  measuring {self._named(entry)}: {names.duration(spent)}{of}")

    def _named(self, entry: Entry) -> str:
        """A cell under way, with its machine if that is not this one."""
        return f"{self._places.of_cell(entry.cell)}{self._machines.get(entry.key, '')}"

    def _summary(self) -> str:
        """How long the run has taken, and how long it will still take as far as is known."""
        now = time.monotonic()
        text = f"{names.duration(now - self._started)} so far"
        waiting = [entry.cell for entry in self._left if entry.key not in self._running]
        running = {key: (entry.cell, now - since) for key, (entry, since) in self._running.items()}
        left = self._outlook.left(running, waiting, self._jobs) if self._left else None
        return text if left is None else f"{text}, about {names.duration(left)} left"

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _highlights(record: Record) -> str:
    """The throughput and the mean RTT of the smallest ping, if they were measured."""
    texts = []
    for workload, metric in _HIGHLIGHTS:
        for figure in record.measurement.figures:
            if (figure.workload, figure.metric) == (workload, metric):
                value = names.number(figure.value, metric)
                texts.append(f"{value} {figure.unit}, ")
                break
    return "".join(texts)
