# SPDX-License-Identifier: Apache-2.0
"""A sweep: cells measured on boards and links that differ only in numbers (`boards.catalog`).

`Sweep.points` are all combinations of the values, or a sample of them.  The tables `[vary]` and
`[sample]` of an experiment's file, or options in their place, say which numbers vary, and how.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Table
from firesteel.boards.catalog import Axis, Catalog, Maker, Point
from firesteel.model.cell import Cell

Method = Literal["lhs", "sobol"]
"""How points are sampled: by a Latin hypercube, or along a scrambled Sobol sequence."""

MOST_POINTS = 1_000_000
"""Of one sweep."""

USUAL_BUDGET = 64
"""Cells of a sample if nothing else is said."""

_SEED = 1
"""Of samples: the same sweep has the same points everywhere."""


class NotEnumerableError(FiresteelError):
    """A sweep has no end of points, or too many, unless it is sampled."""


@dataclass(frozen=True)
class Sweep:
    """What varies; without axes nothing does.  Of all combinations, or, with a `method`, a sample
    of so many points that there are no more cells than `budget`, or `USUAL_BUDGET`.
    """

    axes: tuple[Axis, ...] = ()
    method: Method | None = None
    budget: int | None = None
    quick: tuple[Axis, ...] = ()
    """Stand for axes of the same paths in a quick run."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Those of the axes."""
        return tuple(axis.path for axis in self.axes)

    @property
    def is_point(self) -> bool:
        """Whether every number has one value, so that nothing varies within a run."""
        return all(len(axis.levels.values) == 1 for axis in self.axes)

    def over(self, other: "Sweep") -> "Sweep":
        """The sweep, completed by another sweep: with the axes that are missing here, and with the
        way of sampling if it is missing here.
        """
        kept, quick = (
            tuple(axis for axis in axes if axis.path not in self.paths)
            for axes in (other.axes, other.quick)
        )
        method, budget = self.method or other.method, self.budget or other.budget
        return Sweep((*kept, *self.axes), method, budget, quick)

    def when(self, quick: bool) -> "Sweep":
        """What varies in a quick run, or in a full one."""
        fewer = {axis.path: axis for axis in self.quick if quick}
        return replace(self, axes=tuple(fewer.get(axis.path, axis) for axis in self.axes))

    def points(self, cells: int = 1) -> list[Point]:
        """All points; the last axis varies fastest.  For a sample, the number of points is the
        budget divided by `cells`, the number of cells at each point.

        Raises `FiresteelError` where they cannot be enumerated, or are too many.
        """
        shares = self._sampled(cells) if self.method else None
        values = self._all_values() if shares is None else map(self._values_at, shares)
        found = (dict(zip(self.paths, each, strict=True)) for each in values)
        return list({tuple(point.values()): point for point in found}.values())

    def expanded(
        self, cells: Sequence[Cell], catalog: Catalog, seeds: int = 1, beside: int = 0
    ) -> tuple[Cell, ...]:
        """The cells at all points, point by point.  `seeds` is the number of seeds for each cell,
        and `beside` is the number of other cells at each point.

        Raises `FiresteelError` if a board or link lacks a number, if a value is not allowed or has
        no effect, and if two axes vary the same number.
        """
        if not self.axes:
            return tuple(cells)
        make = Maker(catalog)
        for cell, axis in product(cells, self.axes):
            make.check(cell, axis.path, self.paths)
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
                raise NotEnumerableError(
                    f"{axis.path}: the range has no number of values; allowed is LOW..HIGHxN."
                )
        count = prod(len(axis.levels.values) for axis in self.axes)
        if count > MOST_POINTS:
            raise NotEnumerableError(
                f"The sweep has {count:,} points; allowed are {MOST_POINTS:,}."
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
                f"--cells {budget}: a sample has {cells} cells at each point; allowed are at "
                f"least {cells}."
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


def _same_place(one: Cell, other: Cell) -> bool:
    return (one.place, one.profiles) == (other.place, other.profiles)


_QUICK = "quick."
"""Before the paths of what `--quick` varies otherwise."""

_VALUE: list[dict[str, Any]] = [{"type": "string"}, {"type": "number"}]

_SCHEMA = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [*_VALUE, {"type": "array", "items": {"anyOf": _VALUE}}, {"type": "object"}]
    },
}


def _flat(told: Any) -> Any:
    """Tables in the table are keys with dots: TOML reads `cpu.hertz = 1` as such."""
    return dict(_items(told, "")) if isinstance(told, Mapping) else told


def _items(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _items(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value if isinstance(value, list) else [value]


VaryTable = Annotated[
    dict[str, list[str | int | float]], BeforeValidator(_flat), WithJsonSchema(_SCHEMA)
]
"""Values by paths, as people write them."""


class Sample(Table):
    """Some of all combinations of the values in `vary`, where there are too many."""

    method: Method
    """`lhs`, a Latin hypercube, or `sobol`, a scrambled Sobol sequence, whose length is a power
    of two.
    """
    cells: Annotated[int, Field(ge=1)] = USUAL_BUDGET
    """Maximum number of cells that are measured."""


def sweep_of(table: Mapping[str, Sequence[str | float]], sample: Sample | None) -> Sweep:
    """What a file's tables say; ValueError where there is no such number, or its values cannot be
    understood.
    """
    axes: dict[bool, list[Axis]] = {False: [], True: []}
    for key, said in table.items():
        path = key.removeprefix(_QUICK)
        try:
            if path not in table:
                raise ValueError("allowed are paths that the full run varies")
            axes[key != path].append(Axis.read(path, said))
        except ValueError as error:
            raise ValueError(f"key `vary.{key}`: {error}") from None
    found = Sweep(tuple(axes[False]), quick=tuple(axes[True]))
    return replace(found, method=sample.method, budget=sample.cells) if sample else found


def sweep_of_options(
    vary: Iterable[str], method: Method | None = None, budget: int | None = None
) -> Sweep:
    """What `--vary PATH=VALUES`, `--sample` and `--cells` say; `FiresteelError` if they cannot be
    understood.
    """
    axes: dict[str, Axis] = {}
    for text in vary:
        path, equals, said = text.partition("=")
        try:
            if not equals:
                raise ValueError("allowed is PATH=VALUES, such as cpu.hertz=800MHz,1.6GHz")
            axis = Axis.read(path, said)
        except ValueError as error:
            raise FiresteelError(f"--vary {text}: {error}.") from None
        if axis.path in axes:
            raise FiresteelError(f"--vary {text}: {axis.path} varies already.")
        axes[axis.path] = axis
    return Sweep(tuple(axes.values()), method, budget)
