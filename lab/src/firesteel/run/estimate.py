# SPDX-License-Identifier: Apache-2.0
"""How long cells will take, before a run starts and while it is under way, from what they took
before.

1.  The expected time of a cell is its last time in this store.  Otherwise it is its time in the
   recorded runs of the checkout, or the time of similar cells there.
2. This machine may be slower or faster, or busy: the cells that have ended, and those that already
   take longer than expected, give a factor.
3. What is left is shared among those that run side by side.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import mean

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.model.names import duration
from firesteel.run.loop import Runner
from firesteel.store.journal import Journal
from firesteel.store.store import Store

_TRUST = 30.0
"""Seconds of expectation that the factor 1 counts for: a first short cell does not decide."""

_LEFT = 0.1
"""The share of its expectation that a cell that is overdue is taken to have left."""

_ENOUGH = 20_000
"""Cells of the newest runs that are read for what they took."""

_LOOKED_AT = 50
"""Records whose size is looked at."""

Kind = tuple[str, ...]

Batch = Sequence[tuple[str, Cell]]
"""Cells that are measured together, each with the key of its record."""


@dataclass(frozen=True)
class Estimate:
    """What measuring these batches will take, in a sentence; so many cells of one run at once."""

    sentence: str
    batches: Sequence[Batch]
    jobs: int


class Eta:
    """The expected wall seconds of cells on this machine."""

    def __init__(self, stores: Sequence[Store], besides: str = "") -> None:
        """`stores` come in the order of trust; the run of the name `besides` is left out."""
        self._seconds: dict[str, float] = {}
        kinds: dict[Kind, list[float]] = {}
        for journal in _newest(stores, besides):
            for entry in journal.entries:
                if entry.state == "done" and entry.seconds is not None:
                    self._seconds.setdefault(_name(entry.cell), entry.seconds)
                    for kind in _kinds(entry.cell):
                        kinds.setdefault(kind, []).append(entry.seconds)
        self._by_kind = {kind: mean(values) for kind, values in kinds.items()}
        self._found: dict[int, tuple[Cell, float]] = {}
        """What was found for a cell, by its identity: it is asked for again and again."""
        self._expected = self._measured = _TRUST

    def known(self, cell: Cell) -> float | None:
        """What that cell took before, whatever it was measured with; None if it never was."""
        return self._seconds.get(_name(cell))

    def expected(self, cell: Cell) -> float | None:
        """Seconds for a cell at the rate of the machine that they were noted on; None while nothing
        is known of any cell.
        """
        if id(cell) in self._found:
            return self._found[id(cell)][1]
        if not self._by_kind:
            return None
        found = self.known(cell)
        if found is None:
            found = next(self._by_kind[kind] for kind in _kinds(cell) if kind in self._by_kind)
        self._found[id(cell)] = cell, found
        return found

    def note(self, cell: Cell, seconds: float) -> None:
        """A cell took so long: what is left will be quicker or slower by as much."""
        expected = self.expected(cell)
        if expected is None:
            self._by_kind = dict.fromkeys(_kinds(cell), seconds)
            return
        self._expected += expected
        self._measured += seconds

    def left(
        self, running: Iterable[tuple[Cell, float]], waiting: Collection[Cell], jobs: int
    ) -> float | None:
        """Seconds until all have ended; None while nothing is known, and while some wait and
        nothing is there to run them.

        `running` has cells with the seconds that they have taken so far; `jobs` run at once.
        """
        under_way = [(self.expected(cell), spent) for cell, spent in running]
        told = [(each, spent) for each, spent in under_way if each is not None]
        if len(told) < len(under_way) or (waiting and not jobs):
            return None
        factor = self._factor(told)
        rest = [max(each * factor - spent, each * factor * _LEFT) for each, spent in told]
        later = self.together(waiting, jobs)
        if later is None:
            return None
        return max(*rest, sum(rest) / max(jobs, 1) + later * factor, 0.0)

    def together(self, cells: Collection[Cell], jobs: int) -> float | None:
        """Expected seconds of cells so many of which run at once; None while nothing is known."""
        expected = [self.expected(cell) for cell in cells]
        known = [each for each in expected if each is not None]
        if len(known) < len(expected):
            return None
        return max(sum(known) / max(1, min(jobs, len(known))), max(known, default=0.0))

    def _factor(self, under_way: Sequence[tuple[float, float]]) -> float:
        """How much longer cells take here than they were expected to."""
        expected, measured = self._expected, self._measured
        for each, spent in under_way:
            if spent > each * measured / expected:
                expected, measured = expected + each, measured + spent
        return measured / expected


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


def cost_estimate(
    batches: Sequence[Sequence[Cell]],
    runner: Runner | None,
    stores: Sequence[Store],
    jobs: int,
    *,
    fresh: bool = False,
    most: int | None = None,
) -> Estimate:
    """The cost of measuring; its sentence has the numbers of cells, of their records and of new
    records; wall time and space, as far as known.

    The runner has been prepared for all batches, which are measured one after the other; what one
    has measured, those behind it have.  Without a runner no record is known: all count as new, and
    each has its own.

    `stores` are the store that is written to, and further stores with times of cells, in the order
    of trust.  With `most`, so many batches are measured: those with the most new cells.
    """
    keyed: list[Batch] = [
        [(runner.inputs(cell).key if runner else f"{id(cell)}", cell) for cell in batch]
        for batch in batches
    ]
    there = {
        key
        for key in {key for batch in keyed for key, _ in batch}
        if runner and not fresh and stores[0].record_path(key).exists()
    }
    if most is not None:
        keyed = sorted(keyed, key=lambda batch: -len(dict(batch).keys() - there))[:most]
    missing, records = new_cells(keyed, there), {key for batch in keyed for key, _ in batch}
    cells, new = sum(map(len, keyed)), sum(map(len, missing))
    told = f"{cells:,} cell{'s' if cells != 1 else ''}"
    if len(records) < cells:
        told += f" with {len(records):,} records"
    if not new:
        return Estimate(f"{told}, all in the store.", keyed, jobs)
    eta, size = Eta(stores), _bytes_of_a_record(stores)
    times = [eta.together(batch, jobs) for batch in missing]
    known = [each for each in times if each is not None]
    if not jobs:
        time = "unknown, as no machine is ready"
    elif len(known) < len(times):
        time = "unknown, as no such cell was measured before"
    else:
        time = f"about {duration(sum(known))}"
    space = "unknown" if size is None else f"about {_in_words(size * new)}"
    told += f", {'' if runner else 'at most '}{new:,} new; time: {time}; space: {space}."
    return Estimate(told, keyed, jobs)


def new_cells(batches: Iterable[Batch], there: Collection[str] = ()) -> list[list[Cell]]:
    """The cells of each batch whose records neither are there nor are made by batches before it;
    one for each record.
    """
    seen, found = set(there), []
    for batch in batches:
        new = {key: cell for key, cell in batch if key not in seen}
        found.append(list(new.values()))
        seen |= new.keys()
    return found


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
