# SPDX-License-Identifier: Apache-2.0
"""A sweep: cells measured on boards and links that differ in numbers alone.

1. `Axis` is a number, by its path (`board.numbers`), and the values that it takes.
2. `Sweep.points` are all combinations of the values, or a sample of them.
3. `at_point` gives a cell at a point: on a board, or in a topology, that no file has and that the
   catalog keeps under a telling name, `socrates+cpu.hertz=1000000000`.
4. `origin_of` says of such a cell which one it was, and at which point.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog, Origin
from firesteel.board.numbers import (
    Path,
    counts,
    is_costly,
    made_name,
    numbers_at,
    paths_of,
    with_checked,
    with_number,
)
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.experiment.levels import Levels, read_levels
from firesteel.model.cell import Cell

Point = Mapping[str, float]
"""Numbers by their paths, each in the unit of its key."""

Method = Literal["lhs", "sobol"]
"""How points are sampled: by a Latin hypercube, or along a scrambled Sobol sequence."""

MOST_POINTS = 1_000_000
"""Of one sweep."""

USUAL_BUDGET = 64
"""Cells of a sample if nothing else is said."""

_SEED = 1
"""Of samples: the same sweep has the same points everywhere."""

RATE = "rate_bit_s"
"""What a cell may also say of all its links."""


@dataclass(frozen=True)
class Axis:
    """A number that varies."""

    path: str
    levels: Levels

    @staticmethod
    def read(path: str, said: Sequence[str | float] | str | float) -> "Axis":
        """An axis as people write it; ValueError where there is no such number, or its values
        cannot be understood.
        """
        found = Path.of(path.strip())
        found.check()
        return Axis(path.strip(), read_levels(said, found.unit))


@dataclass(frozen=True)
class Sweep:
    """What varies; without axes nothing does.  Of all combinations, or, with a `method`, a sample
    of so many points that there are no more cells than `budget`, or `USUAL_BUDGET`.
    """

    axes: tuple[Axis, ...] = ()
    method: Method | None = None
    budget: int | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """Those of the axes."""
        return tuple(axis.path for axis in self.axes)

    def over(self, other: "Sweep") -> "Sweep":
        """The sweep, with the axes of another that it does not have; and its way of sampling, if
        it has none of its own.
        """
        kept = tuple(axis for axis in other.axes if axis.path not in self.paths)
        return Sweep((*kept, *self.axes), self.method or other.method, self.budget or other.budget)

    def points(self, cells: int = 1) -> list[Point]:
        """All points, the last axis turning fastest; of a sample, as many as its budget has room
        for with so many `cells` at each.

        Raises `FiresteelError` where they cannot be enumerated, or are too many.
        """
        shares = self._sampled(cells) if self.method else None
        values = self._all_values() if shares is None else map(self._values_at, shares)
        found = (dict(zip(self.paths, each, strict=True)) for each in values)
        return list({tuple(point.values()): point for point in found}.values())

    def expanded(
        self, cells: Sequence[Cell], catalog: Catalog, seeds: int = 1, beside: int = 0
    ) -> tuple[Cell, ...]:
        """The cells at all points, all of the first point before those of the next; each is to be
        measured with so many `seeds`, and at each point so many others are `beside` them.

        Raises `FiresteelError` where a board or link lacks a number, may not have a value of it, or
        would not be touched by it, and where two axes are of one number.
        """
        if not self.axes:
            return tuple(cells)
        make = Maker(catalog)
        for cell, axis in product(cells, self.axes):
            make.check(cell, axis.path)
        for cell in {(cell.place, *cell.profiles.items()): cell for cell in cells}.values():
            make.check_apart(cell, self.paths)
        points = self.points(len(cells) * seeds + beside)
        # Cells of one place have the same boards and links at a point.
        places = [next(k for k, each in enumerate(cells) if _same_place(each, c)) for c in cells]
        found: list[Cell] = []
        for point in points:
            updates = {place: make.update(cells[place], point) for place in dict.fromkeys(places)}
            pairs = zip(cells, places, strict=True)
            found += [cell.model_copy(update=updates[place]) for cell, place in pairs]
        return tuple(found)

    def _all_values(self) -> Iterator[tuple[float, ...]]:
        for axis in self.axes:
            if not axis.levels.values:
                raise FiresteelError(
                    f"{axis.path}: a range without a number of values is for samples; write "
                    "LOW..HIGHxN, or take a sample with --sample."
                )
        count = prod(len(axis.levels.values) for axis in self.axes)
        if count > MOST_POINTS:
            raise FiresteelError(
                f"The sweep has {count:,} points; allowed are {MOST_POINTS:,}; --sample takes some "
                "of them."
            )
        return product(*(axis.levels.values for axis in self.axes))

    def _values_at(self, shares: Sequence[float]) -> tuple[float, ...]:
        """The values that lie so far on the way through each axis."""
        pairs = zip(self.axes, shares, strict=True)
        return tuple(axis.levels.at(float(share)) for axis, share in pairs)

    def _sampled(self, cells: int) -> Sequence[Sequence[float]]:
        """For each point of a sample how far it lies on the way through each axis."""
        # It is slow to load, and few sweeps are samples.
        from scipy.stats import qmc

        budget = self.budget or USUAL_BUDGET
        count = budget // cells
        if not count:
            raise FiresteelError(
                f"--cells {budget}: a sample has {cells} cells at each point; allowed are so "
                "many or more."
            )
        if count > MOST_POINTS:
            raise FiresteelError(
                f"--cells {budget}: the sample has {count:,} points; allowed are {MOST_POINTS:,}."
            )
        if self.method == "lhs":
            found = qmc.LatinHypercube(len(self.axes), rng=_SEED).random(count)
        else:
            # The sequence is balanced where its length is a power of two.
            found = qmc.Sobol(len(self.axes), rng=_SEED).random_base2(count.bit_length() - 1)
        shares: list[list[float]] = found.tolist()
        return shares


NO_SWEEP = Sweep()
"""Nothing varies."""


def at_point(cell: Cell, point: Point, catalog: Catalog) -> Cell:
    """The cell with these numbers, on boards and links that the catalog has from now on; itself
    where they are what it has anyway.

    Raises `FiresteelError` where a board or link lacks a number, or may not have a value of it.
    """
    make = Maker(catalog)
    for path in point:
        make.check(cell, path)
    return make.at(cell, point)


def origin_of(cell: Cell, catalog: Catalog) -> tuple[Cell, dict[str, float]]:
    """The cell whose boards and topology have files of their own, and the point at which this one
    is of it.
    """
    topology = catalog.origin(cell.topology)
    boards = {node: catalog.origin(board) for node, board in cell.profiles.items()}
    bases = {node: origin.base for node, origin in boards.items()}
    found = cell.model_copy(update={"topology": topology.base, "profiles": bases})
    return found, {**topology.numbers, **boards[cell.measured].numbers}


class Maker:
    """Makes boards and topologies, each once, and keeps them in the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: dict[tuple[str, tuple[tuple[str, float], ...]], str] = {}
        self._costs: dict[
            tuple[str, tuple[tuple[str, float], ...]], tuple[Profile, dict[str, float]]
        ] = {}
        self._allowed: set[tuple[str, str, float]] = set()
        self._checked: set[tuple[str, str, str, tuple[str, ...]]] = set()

    def at(self, cell: Cell, point: Point) -> Cell:
        """The cell at a point, whose numbers have been checked."""
        return cell.model_copy(update=self.update(cell, point))

    def update(self, cell: Cell, point: Point) -> dict[str, object]:
        """What the cell has otherwise at a point."""
        profiles, elsewhere = dict(cell.profiles), dict[str, float]()
        for node, numbers in _by_node(cell, point).items():
            profiles[node] = self._board(cell.profiles[node], numbers)
            if node != cell.measured and profiles[node] != cell.profiles[node]:
                elsewhere |= {f"{node}:{keys}": value for keys, value in numbers.items()}
        update: dict[str, object] = {"profiles": profiles}
        links = {path: value for path, value in point.items() if Path.of(path).on_links}
        if cell.link_rate_bit_s and any(path.endswith(RATE) for path in links):
            links = {f"links.*.{RATE}": float(cell.link_rate_bit_s), **links}
            update["link_rate_bit_s"] = None
        if links or elsewhere:
            update["topology"] = self._topology(cell.topology, links, elsewhere)
        return update

    def check(self, cell: Cell, path: str) -> None:
        """Raises `FiresteelError` unless the number is there, and matters."""
        key = (path, cell.topology, cell.measured, tuple(cell.profiles.values()))
        if key in self._checked:
            return
        self._checked.add(key)
        of, topology = Path.of(path), self._catalog.topology(cell.topology)
        node = of.node or cell.measured
        if node not in topology.nodes:
            known = ", ".join(topology.nodes)
            raise FiresteelError(f"{path}: there is no node `{node}`; the nodes are: {known}.")
        name = cell.profiles[node]
        board = self._catalog.profile(name)
        if not numbers_at(path, topology, {node: board}, node):
            where = f"topology `{cell.topology}`" if of.on_links else f"board `{name}`"
            raise FiresteelError(f"{path}: the {where} has no such number.")
        if not of.on_links and not counts(board.cpu, of.keys):
            counted = "cycles" if board.cpu.clock == "cycles" else "instructions"
            raise FiresteelError(
                f"{path}: it makes no difference to the board `{name}`, whose clock counts "
                f"{counted} (docs/virtual-time.md)."
            )

    def check_apart(self, cell: Cell, paths: Sequence[str]) -> None:
        """Raises `FiresteelError` where two of the paths lead to one number of the cell."""
        known: dict[tuple[str, str], str] = {}
        for path in paths:
            of = Path.of(path)
            node = "" if of.on_links else of.node or cell.measured
            part = self._catalog.profile(cell.profiles[node]) if node else None
            for keys in paths_of(part or self._catalog.topology(cell.topology), of.keys):
                other = known.setdefault((node, keys), path)
                if other != path:
                    where = f"node `{node}`" if node else f"topology `{cell.topology}`"
                    raise FiresteelError(
                        f"{path}: that is the same number as {other}, `{keys}` of the {where}; "
                        "allowed is one of these paths."
                    )

    def _board(self, name: str, numbers: Point) -> str:
        """What a board is called that has these numbers."""
        key = (name, tuple(numbers.items()))
        if key not in self._made:
            base = self._catalog.origin(name)
            wanted = sorted({**base.numbers, **numbers}.items())
            costly = tuple(each for each in wanted if is_costly(each[0]))
            profile, changes = self._with_costs(base.base, costly)
            for path, value in wanted:
                if not is_costly(path):
                    self._check_value(base.base, path, value)
                    made = with_checked(profile, path, value)
                    if made != profile:
                        profile, changes[path] = made, value
            self._made[key] = self._kept(base.base, changes, profile)
        return self._made[key]

    def _with_costs(
        self, base: str, costly: tuple[tuple[str, float], ...]
    ) -> tuple[Profile, dict[str, float]]:
        """A board with numbers that costs follow from, which takes long, and those that it has
        otherwise than before.
        """
        if (base, costly) not in self._costs:
            profile, changes = self._catalog.profile(base), dict[str, float]()
            for path, value in costly:
                made = with_number(profile, path, value)
                if made != profile:
                    profile, changes[path] = made, value
            self._costs[base, costly] = profile, changes
        profile, changes = self._costs[base, costly]
        return profile, dict(changes)

    def _check_value(self, base: str, path: str, value: float) -> None:
        """Raises `FiresteelError` where the board may not have that number; what it has besides
        does not matter to that.
        """
        if (base, path, value) not in self._allowed:
            with_number(self._catalog.profile(base), path, value)
            self._allowed.add((base, path, value))

    def _topology(self, name: str, links: Point, elsewhere: Point) -> str:
        """What a topology is called whose links have these numbers, and boards that are not
        measured the others.
        """
        key = (name, (*links.items(), *elsewhere.items()))
        if key not in self._made:
            base = self._catalog.origin(name)
            topology, changes = self._catalog.topology(base.base), {}
            for path, value in sorted({**base.numbers, **links}.items()):
                of = Path.of(path)
                made = with_number(topology, path, value) if of.on_links else topology
                if of.node or made != topology:
                    topology, changes[path] = made, value
            self._made[key] = self._kept(base.base, {**changes, **elsewhere}, topology)
        return self._made[key]

    def _kept(self, base: str, changes: Point, content: Topology | Profile) -> str:
        if not changes:
            return base
        name = made_name(base, changes)
        self._catalog.keep(name, content, Origin(base, changes))
        return name


def _same_place(one: Cell, other: Cell) -> bool:
    return (one.place, one.profiles) == (other.place, other.profiles)


def _by_node(cell: Cell, point: Point) -> dict[str, dict[str, float]]:
    """The numbers of boards, by node, with their paths in its profile."""
    found: dict[str, dict[str, float]] = {}
    for path, value in point.items():
        of = Path.of(path)
        if not of.on_links:
            found.setdefault(of.node or cell.measured, {})[of.keys] = value
    return found
