# SPDX-License-Identifier: Apache-2.0
"""How long the rest of a run will take, from what its cells took before.

1. A cell is expected to take what it took last in this store, or else in the runs whose records are
   part of the checkout, or else what cells like it took there.
2. This machine may be slower or faster, or busy: the cells that have ended, and those that already
   take longer than expected, give a factor.
3. The cells that are left are handed out in order, as the run will do it; of very many only their
   sum matters.
"""

import contextlib
import heapq
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import mean

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.store.journal import Journal
from firesteel.store.store import Store

_TRUST = 30.0
"""Seconds of expectation that the factor 1 counts for: a first short cell does not decide."""

_LEFT = 0.1
"""The share of its expectation that a cell that is overdue is taken to have left."""

_FEW = 500
"""So many waiting cells are handed out one by one; of more, the last one decides nothing."""

_ENOUGH = 20_000
"""Cells of the newest runs that are read for what they took."""

Kind = tuple[str, ...]


class Outlook:
    """The expected wall seconds of cells on this machine."""

    def __init__(self, stores: Sequence[Store], besides: str = "") -> None:
        """`stores` come in the order of trust; the run of the name `besides` is left out."""
        self._seconds: dict[str, float] = {}
        kinds: dict[Kind, list[float]] = {}
        for journal in _newest(stores, besides):
            _take(journal, self._seconds, kinds)
        self._by_kind = {kind: mean(values) for kind, values in kinds.items()}
        self._expected = 0.0
        self._measured = 0.0

    @property
    def knows_anything(self) -> bool:
        """Whether there is any cell that others may be like."""
        return bool(self._by_kind)

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
        self,
        running: Mapping[str, tuple[Cell, float]],
        waiting: "Iterable[Cell] | Queue",
        jobs: int,
    ) -> float | None:
        """Seconds until all have ended; None while nothing is known of one of them, and while some
        wait and nothing is there to run them.

        `running` has cells with the seconds that they have taken so far; `jobs` run at once.
        """
        under_way = [(self.expected(cell), spent) for cell, spent in running.values()]
        queue = waiting if isinstance(waiting, Queue) else Queue(self, enumerate(waiting))
        if not queue.is_known or any(each is None for each, _ in under_way):
            return None
        if len(queue) and not jobs:
            return None
        factor = self._factor([(each or 0.0, spent) for each, spent in under_way])
        free = [
            max((each or 0.0) * factor - spent, (each or 0.0) * factor * _LEFT)
            for each, spent in under_way
        ]
        free += [0.0] * max(0, jobs - len(free))
        if len(queue) > _FEW:
            return max(*free, (sum(free) + queue.seconds * factor) / len(free))
        heapq.heapify(free)
        for each in queue:
            heapq.heappush(free, heapq.heappop(free) + each * factor)
        return max(free, default=0.0)

    def _factor(self, under_way: Sequence[tuple[float, float]]) -> float:
        """How much longer cells take here than they were expected to."""
        expected, measured = self._expected + _TRUST, self._measured + _TRUST
        for each, spent in under_way:
            if spent > each * measured / expected:
                expected, measured = expected + each, measured + spent
        return measured / expected


class Queue:
    """Cells that wait, by whatever tells them apart, with the seconds that each is expected to
    take; what is asked of it takes as long however many there are.
    """

    def __init__(self, outlook: Outlook, cells: Iterable[tuple[Hashable, Cell]]) -> None:
        self._outlook = outlook
        self._known: dict[Hashable, float] = {}
        self._unknown: dict[Hashable, Cell] = dict(cells)
        self.seconds = 0.0
        """All of them together, as far as they are known."""
        self._learn()

    def __len__(self) -> int:
        return len(self._known) + len(self._unknown)

    def __iter__(self) -> Iterator[float]:
        """The seconds of each, in order."""
        return iter(self._known.values())

    @property
    def is_known(self) -> bool:
        """Whether something is known of all."""
        if self._unknown and self._outlook.knows_anything:
            self._learn()
        return not self._unknown

    def put(self, which: Hashable, cell: Cell) -> None:
        """That one waits again."""
        self._unknown[which] = cell
        self._learn()

    def take(self, which: Hashable) -> None:
        """That one waits no more."""
        self._unknown.pop(which, None)
        self.seconds -= self._known.pop(which, 0.0)

    def _learn(self) -> None:
        still = {}
        for which, cell in self._unknown.items():
            expected = self._outlook.expected(cell)
            if expected is None:
                still[which] = cell
            else:
                self._known[which] = expected
                self.seconds += expected
        self._unknown = still


def _take(journal: Journal, seconds: dict[str, float], kinds: dict[Kind, list[float]]) -> None:
    for entry in journal.entries:
        if entry.state == "done" and entry.seconds is not None:
            seconds.setdefault(_name(entry.cell), entry.seconds)
            for kind in _kinds(entry.cell):
                kinds.setdefault(kind, []).append(entry.seconds)


def _newest(stores: Sequence[Store], besides: str) -> Iterator[Journal]:
    """The runs that can be read, the newest of each store first, until there are enough cells."""
    cells = 0
    for store in stores:
        for name in reversed(store.run_names()):
            if name != besides and cells < _ENOUGH:
                with contextlib.suppress(FiresteelError):
                    journal = store.journal(name)
                    cells += len(journal.entries)
                    yield journal


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
