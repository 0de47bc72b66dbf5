# SPDX-License-Identifier: Apache-2.0
"""How long cells will take, before a run starts and while it is under way, from what they took
before.

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
from dataclasses import dataclass
from itertools import islice
from statistics import mean

from firesteel.base.errors import FiresteelError
from firesteel.campaign.runner import Runner
from firesteel.model.cell import Cell
from firesteel.model.names import duration
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

_LOOKED_AT = 50
"""Records whose size is looked at."""

Kind = tuple[str, ...]


class Eta:
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

    def __init__(self, eta: Eta, cells: Iterable[tuple[Hashable, Cell]]) -> None:
        self._eta = eta
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
        if self._unknown and self._eta.knows_anything:
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
            expected = self._eta.expected(cell)
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


def _newest(stores: Sequence[Store], besides: str = "") -> Iterator[Journal]:
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


@dataclass(frozen=True)
class CostEstimate:
    """How many cells there are, of which so many have a record of their own (`distinct`) and so
    many must be measured (`new`); wall seconds and bytes, None where nothing is known of some.

    With no `jobs` there is nothing yet to measure them.  Where records have no addresses yet, as
    something is not built, `known` is false, and all count as new.
    """

    cells: int
    distinct: int
    new: int
    seconds: float | None
    size: int | None
    jobs: int = 1
    known: bool = True

    @property
    def sentence(self) -> str:
        """All of it in words."""
        told = f"{self.cells:,} cell{'s' if self.cells != 1 else ''}"
        if self.distinct < self.cells:
            told += f" with {self.distinct:,} records"
        if not self.new:
            return f"{told}, all in the store."
        time, size = "unknown, as no such cell was measured before", "unknown"
        if not self.jobs:
            time = "unknown, as no machine is ready"
        elif self.seconds is not None:
            time = f"about {duration(self.seconds)}"
        if self.size is not None:
            size = f"about {_in_words(self.size)}"
        at_most = "" if self.known else "at most "
        return f"{told}, {at_most}{self.new:,} new; time: {time}; space: {size}."


def cost_estimate(
    batches: Sequence[Sequence[Cell]],
    runner: Runner | None,
    stores: Sequence[Store],
    jobs: int,
    *,
    fresh: bool = False,
    sure: int = 0,
    most: int | None = None,
) -> CostEstimate:
    """Of batches of cells that the runner has been prepared for, which are measured one after the
    other; what one has measured, those behind it have.  Without a runner no record is known.

    `stores` are the one that is written to and those of which is known what cells take, in the
    order of trust.  With `most`, no more batches are measured: of so many first ones that are
    `sure` to be, and of the others with the most new cells.
    """

    def key_of(cell: Cell) -> str:
        return runner.inputs(cell).key if runner else cell.model_dump_json()

    def new(batch: Sequence[Cell]) -> dict[str, Cell]:
        """Those that must be measured, by the addresses of their records."""
        keyed = {key_of(cell): cell for cell in batch}
        return {
            key: cell
            for key, cell in keyed.items()
            if fresh or runner is None or not stores[0].record_path(key).exists()
        }

    if most is not None:
        others = sorted(batches[sure:], key=lambda batch: -len(new(batch)))
        batches = [*batches[:sure], *others][:most]
    seen: set[str] = set()
    missing: list[list[Cell]] = []
    for batch in batches:
        missing.append([cell for key, cell in new(batch).items() if key not in seen])
        seen |= {key_of(cell) for cell in batch}
    count = sum(map(len, missing))
    size = _bytes_of_a_record(stores)
    return CostEstimate(
        cells=sum(map(len, batches)),
        distinct=len(seen),
        new=count,
        seconds=_seconds(missing, Eta(stores), jobs) if count else 0.0,
        size=None if size is None else size * count,
        jobs=jobs,
        known=runner is not None,
    )


def _seconds(batches: Sequence[Sequence[Cell]], eta: Eta, jobs: int) -> float | None:
    """Wall time of batches one after the other, whose cells are measured side by side."""
    total = 0.0
    for batch in batches:
        expected = [eta.expected(cell) for cell in batch]
        known = [each for each in expected if each is not None]
        if len(known) < len(expected):
            return None
        total += _makespan(known, jobs)
    return total


def _makespan(seconds: Sequence[float], jobs: int) -> float:
    """Until all have ended that are handed out in order."""
    free = [0.0] * max(1, jobs)
    for each in seconds:
        heapq.heappush(free, heapq.heappop(free) + each)
    return max(free)


def _bytes_of_a_record(stores: Sequence[Store]) -> int | None:
    """The mean of what the last records take, with observations; None without any."""
    for store in stores:
        entries = (entry for journal in _newest([store]) for entry in journal.entries)
        done = (entry.key for entry in entries if entry.state == "done")
        if sizes := [_size(store, key) for key in set(islice(done, _LOOKED_AT))]:
            return round(mean(sizes))
    return None


def _size(store: Store, key: str) -> int:
    files = (store.record_path(key), store.observations_path(key))
    return sum(path.stat().st_blocks * 512 for path in files if path.exists())


def _in_words(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit != "GiB" else f"{size:.1f} {unit}"
