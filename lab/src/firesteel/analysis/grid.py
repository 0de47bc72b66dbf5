# SPDX-License-Identifier: Apache-2.0
"""A run as a grid: a cell for every combination of the values of the numbers that vary.

The names of boards and topologies say where cells stand (`board.numbers`), so no record is read.
Where only some of many cells can be shown, whole values are left out: the rest is a grid too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from firesteel.analysis.rows import grouped
from firesteel.board.numbers import numbers_in
from firesteel.model.cell import Cell
from firesteel.store.journal import Entry

_Values = tuple[str, ...]
"""What a cell's boards and links are called by, for each number; empty for the file's own value."""

_FEWEST = 2
"""Values of a number that are kept: its ends."""


@dataclass(frozen=True)
class Grid:
    """The values of each number of the `paths`, in the sweep's order, by the boards and links that
    the cells are made of: on another board another value is the file's own.
    """

    paths: tuple[str, ...]
    values: Mapping[tuple[str, ...], tuple[_Values, ...]]

    def thinned(self, entries: Sequence[Entry], most: int) -> list[Entry] | None:
        """Those of the entries, so many at most, whose numbers have values that are kept: evenly
        spread ones with both ends; None where even the ends of all numbers are too many.
        """
        steps = [self._step(entry.cell) for entry in entries]
        counts = [max(map(len, each)) for each in zip(*self.values.values(), strict=True)]
        left = list(counts)
        at_a_point = max(Counter(steps).values(), default=0)
        while prod(left) * at_a_point > most:
            if max(left) <= _FEWEST:
                return None
            left[left.index(max(left))] -= 1
        kept = [_spread(*each) for each in zip(counts, left, strict=True)]
        return [
            entry
            for entry, step in zip(entries, steps, strict=True)
            if all(number in those for number, those in zip(step, kept, strict=True))
        ]

    def _step(self, cell: Cell) -> tuple[int, ...]:
        """Which value of each number the cell has."""
        values = self.values[_base(cell)]
        at = _at(cell, self.paths) or ()
        return tuple(those.index(value) for those, value in zip(values, at, strict=True))


def grid_of(entries: Sequence[Entry], paths: Sequence[str]) -> Grid | None:
    """The grid that all cells of a run are; None where they are not one, or the names of boards
    are too short to tell.
    """
    if not paths or not entries:
        return None
    values = {}
    for base, those in grouped([entry.cell for entry in entries], _base).items():
        points = dict.fromkeys(_at(cell, paths) for cell in those)
        found = [at for at in points if at is not None]
        columns = tuple(tuple(dict.fromkeys(column)) for column in zip(*found, strict=True))
        if len(found) < len(points) or prod(map(len, columns)) != len(found):
            return None
        values[base] = columns
    return Grid(tuple(paths), values)


def _base(cell: Cell) -> tuple[str, ...]:
    """The boards and the topology that those of a cell are made of, and what it measures there."""
    names = (cell.topology, *cell.profiles.values())
    return (cell.measured, cell.link, *(name.partition("+")[0] for name in names))


def _at(cell: Cell, paths: Sequence[str]) -> _Values | None:
    """Where a cell stands; None where a name does not tell."""
    links, board = numbers_in(cell.topology), numbers_in(cell.profiles[cell.measured])
    if links is None or board is None:
        return None
    own = {f"{cell.measured}:{keys}": value for keys, value in board.items()}
    said = {**links, **board, **own}
    return tuple(said.get(path, "") for path in paths)


def _spread(count: int, most: int) -> set[int]:
    """So many of the numbers below `count`, as far apart each, with both ends."""
    if most >= count:
        return set(range(count))
    return {round(number * (count - 1) / (most - 1)) for number in range(most)}
