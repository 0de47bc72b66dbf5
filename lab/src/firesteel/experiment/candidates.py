# SPDX-License-Identifier: Apache-2.0
"""Boards that may meet a requirement, in order: values of a number, or boards by their names."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog
from firesteel.board.numbers import Path
from firesteel.experiment.levels import Levels
from firesteel.experiment.sweep import Axis, at_point
from firesteel.model.cell import Cell

Goal = Literal["smallest", "largest"]

BOARD = "board"
"""What stands for a number where boards are named."""

MOST_WHOLE = 10_000
"""Values of a range of counts."""


@dataclass(frozen=True)
class Candidate:
    """A value of a number, or the name of a board."""

    text: str
    value: float | str

    def of(self, cell: Cell, path: str, catalog: Catalog) -> Cell:
        """The cell on that board."""
        if isinstance(self.value, float):
            return at_point(cell, {path: self.value}, catalog)
        return cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: self.value}})


def read_candidates(
    goal: Goal, said: str, tolerance: float, catalog: Catalog
) -> tuple[str, tuple[Candidate, ...]]:
    """The path of `PATH=VALUES` and its candidates, so that requirements are met by all behind the
    first one that meets them: for the smallest from small to large, for the largest the reverse.

    A range of a number without a unit is of all whole numbers; one of another number is of values
    each at most `tolerance` above the one before.  Raises `FiresteelError` where there is no such
    number or board, or its values cannot be understood.
    """
    path, equals, values = said.partition("=")
    path = path.strip()
    if not equals:
        raise FiresteelError(
            f"--{goal} {said}: allowed is PATH=VALUES, such as "
            "cores.*.timing.clock_hz=25..400MHz, or board=NAME,NAME."
        )
    if path == BOARD:
        found = [_board(name.strip(), catalog) for name in values.split(",")]
        names = [each.text for each in found]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise FiresteelError(
                f"--{goal} {said}: `{twice}` is there more than once; allowed is each board once."
            )
    else:
        try:
            found = _numbers(Axis.read(path, values), tolerance)
        except ValueError as error:
            raise FiresteelError(f"--{goal} {said}: {error}.") from None
    if len(found) < 2:
        raise FiresteelError(f"--{goal} {said}: that is one value; allowed are two or more.")
    return path, tuple(found if goal == "smallest" else reversed(found))


def _board(name: str, catalog: Catalog) -> Candidate:
    found = catalog.find_profile(name, File.cwd())
    return Candidate(found, found)


def _numbers(axis: Axis, tolerance: float) -> list[Candidate]:
    of = Path.of(axis.path)
    values = axis.levels.values or _range(axis.levels, tolerance, whole=not of.unit)
    return [Candidate(of.said(value), float(value)) for value in sorted(values)]


def _range(levels: Levels, tolerance: float, *, whole: bool) -> Sequence[float]:
    if whole:
        found = range(round(levels.low), round(levels.high) + 1)
        if len(found) > MOST_WHOLE:
            raise ValueError(f"the range has {len(found)} values; allowed are {MOST_WHOLE}")
        return [float(value) for value in found]
    if levels.low <= 0:
        raise ValueError("a range of it begins above 0")
    steps = max(1, math.ceil(math.log(levels.high / levels.low) / math.log1p(tolerance)))
    between = Levels(low=levels.low, high=levels.high, log=True)
    return sorted({between.at(step / steps) for step in range(steps + 1)})
