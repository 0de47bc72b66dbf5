# SPDX-License-Identifier: Apache-2.0
"""How long the rest of a run will take, from what its cells took before.

1. A cell is expected to take what it took last in this store, or else in the runs whose records are
   part of the checkout, or else what cells like it took there.
2. This machine may be slower or faster, or busy: the cells that have ended, and those that already
   take longer than expected, give a factor.
3. The cells that are left are handed out in order, as the run will do it.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.store.journal import Journal
from firesteel.store.store import Store

_TRUST = 30.0
"""Seconds of expectation that the factor 1 counts for: a first short cell does not decide."""

_LEFT = 0.1
"""The share of its expectation that a cell that is overdue is taken to have left."""

Kind = tuple[str, ...]


class Outlook:
    """The expected wall seconds of cells on this machine."""

    def __init__(self, stores: Sequence[Store], besides: str = "") -> None:
        """`stores` come in the order of trust; the run of the name `besides` is left out."""
        self._seconds: dict[str, float] = {}
        kinds: dict[Kind, list[float]] = {}
        for store in stores:
            for journal in _journals(store):
                if journal.name != besides:
                    _take(journal, self._seconds, kinds)
        self._by_kind = {kind: mean(values) for kind, values in kinds.items()}
        self._expected = 0.0
        self._measured = 0.0

    def known(self, cell: Cell) -> float | None:
        """What that cell took before, whatever it was measured with; None if it never was."""
        return self._seconds.get(_name(cell))

    def expected(self, cell: Cell) -> float | None:
        """Seconds for a cell at the rate of the machine that they were noted on."""
        found = self.known(cell)
        if found is None:
            found = next((self._by_kind[k] for k in _kinds(cell) if k in self._by_kind), None)
        return found

    def note(self, cell: Cell, seconds: float) -> None:
        """A cell took so long: what is left will be quicker or slower by as much."""
        expected = self.expected(cell)
        if expected is None:
            for kind in _kinds(cell):
                self._by_kind.setdefault(kind, seconds)
            return
        self._expected += expected
        self._measured += seconds

    def left(
        self, running: Mapping[str, tuple[Cell, float]], waiting: Iterable[Cell], jobs: int
    ) -> float | None:
        """Seconds until all have ended; None while nothing is known of one of them.

        `running` has cells with the seconds that they have taken so far; `jobs` run at once.
        """
        under_way = [(self.expected(cell), spent) for cell, spent in running.values()]
        to_come = [self.expected(cell) for cell in waiting]
        known = [each for each in (*(each for each, _ in under_way), *to_come) if each is not None]
        if len(known) < len(under_way) + len(to_come):
            return None
        factor = self._factor([(each or 0.0, spent) for each, spent in under_way])
        free = [
            max((each or 0.0) * factor - spent, (each or 0.0) * factor * _LEFT)
            for each, spent in under_way
        ]
        free += [0.0] * max(0, jobs - len(free))
        heapq.heapify(free)
        for each in to_come:
            heapq.heappush(free, heapq.heappop(free) + (each or 0.0) * factor)
        return max(free, default=0.0)

    def _factor(self, under_way: Sequence[tuple[float, float]]) -> float:
        """How much longer cells take here than they were expected to."""
        expected, measured = self._expected + _TRUST, self._measured + _TRUST
        for each, spent in under_way:
            if spent > each * measured / expected:
                expected, measured = expected + each, measured + spent
        return measured / expected


def _take(journal: Journal, seconds: dict[str, float], kinds: dict[Kind, list[float]]) -> None:
    for entry in journal.entries:
        if entry.state == "done" and entry.seconds is not None:
            seconds.setdefault(_name(entry.cell), entry.seconds)
            for kind in _kinds(entry.cell):
                kinds.setdefault(kind, []).append(entry.seconds)


def _journals(store: Store) -> Iterable[Journal]:
    """Those that can be read, the newest first."""
    for name in reversed(store.run_names()):
        try:
            yield store.journal(name)
        except FiresteelError:
            continue


def _name(cell: Cell) -> str:
    """All that a cell says but for its seed, to look it up by."""
    return cell.model_copy(update={"seed": 1}).model_dump_json()


def _kinds(cell: Cell) -> Iterable[Kind]:
    """What a cell is like, the closest first."""
    size = "".join(plan.model_dump_json() for plan in cell.plans)
    yield (cell.protocol, size, cell.implementation)
    yield (cell.protocol, size)
    yield (size,)
    yield (cell.protocol,)
    yield ()
