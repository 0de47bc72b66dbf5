# SPDX-License-Identifier: Apache-2.0
"""Advice for a board that was never measured, from records of boards that differ from it in numbers
alone and enclose it (`advice.enclosing`).  Nothing is extrapolated.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.advice.between import Between, Neighbour
from firesteel.advice.enclosing import Away, enclosing
from firesteel.advice.part import Part, but_for_seed, judged_rows
from firesteel.advice.records import RecordPair
from firesteel.advice.wanted import Wanted
from firesteel.analysis.matching import but_for_place
from firesteel.analysis.rows import grouped
from firesteel.board.numbers import Path
from firesteel.model import names

_NAMED = 3
"""How many values or parameters a sentence names at most."""

_OF_BOARDS = {"boards", "commands", "jobs"}
"""Versions that may differ between boards."""


@dataclass(frozen=True)
class _Point:
    """Pairs of one board, one a seed, and how far it is from the one in question."""

    pairs: tuple[RecordPair, ...]
    away: Away


def parts_at(wanted: Wanted, pairs: Sequence[RecordPair]) -> list[Part]:
    """What the pairs say of the board, the newest first, each experiment once: as measured where
    one is of an equal board, else interpolated between those around it.
    """
    parts: list[Part] = []
    for points in _groups(wanted, pairs):
        part = _part(wanted, points)
        known = {name for each in parts for name in each.experiments}
        rows = tuple(row for row in part.rows if row.experiment not in known) if part else ()
        if part and rows:
            parts.append(Part(part.pairs, rows, part.between))
    measured = [part for part in parts if not part.between]
    return measured or parts


def why_not(wanted: Wanted, pairs: Sequence[RecordPair]) -> str:
    """Why no pairs enclose the board, in half a sentence."""
    points = next((group for group in _groups(wanted, pairs) if group), [])
    along = [point.away for point in points if len(point.away) == 1]
    if along:
        by_path = grouped(along, lambda away: next(iter(away)))
        return "; ".join(_lies_outside(wanted, path, those) for path, those in by_path.items())
    paths = dict.fromkeys(path for point in points for path in point.away)
    if paths:
        told = names.first_of(list(paths), _NAMED)
        return f"the measured boards, which differ from it in {told}, do not enclose it"
    return "no measured board differs from it in numbers alone"


def _groups(wanted: Wanted, pairs: Iterable[RecordPair]) -> list[list[_Point]]:
    """The points of pairs that differ in where they were measured alone, each board once."""
    here = (pair for pair in pairs if pair.cell.measured == wanted.cell.measured)
    groups = grouped(here, _question)
    return [_points(wanted, group) for group in groups.values()]


def _question(pair: RecordPair) -> tuple[str, str]:
    versions = pair.hardware.record.inputs.versions
    return but_for_place(pair.cell), versions.model_dump_json(exclude=_OF_BOARDS)


def _points(wanted: Wanted, pairs: Sequence[RecordPair]) -> list[_Point]:
    found: dict[frozenset[tuple[str, float]], _Point] = {}
    for alike in but_for_seed(pairs):
        setup = alike[0].hardware.record.measurement.setup
        away = wanted.away(setup) if setup else None
        if away is not None:
            found.setdefault(frozenset(away.items()), _Point(alike, away))
    return list(found.values())


def _part(wanted: Wanted, points: Sequence[_Point]) -> Part | None:
    corners = enclosing([point.away for point in points])
    if not corners:
        return None
    around = [points[corner.point] for corner in corners]
    if not around[0].away:
        return Part(around[0].pairs, tuple(judged_rows(around[0].pairs)))
    neighbours = []
    for point, corner in zip(around, corners, strict=True):
        setup = point.pairs[0].hardware.record.measurement.setup
        if setup:
            told = wanted.differences(setup)
            rows = tuple(judged_rows(point.pairs))
            neighbours.append(Neighbour(point.pairs[0].place, corner.weight, told, rows))
    between = Between(tuple(neighbours))
    pairs = tuple(pair for point in around for pair in point.pairs)
    return Part(pairs, tuple(between.rows(wanted.place)), between)


def _lies_outside(wanted: Wanted, path: str, points: Sequence[Away]) -> str:
    """That a number lies outside of those that were measured."""
    own = float(wanted.setup.parts(wanted.cell.measured)[path])
    said = Path.of(path).said
    values = sorted({own * math.exp(away[path]) for away in points})
    told = names.first_of([said(value) for value in values], _NAMED)
    return f"{path} was measured at {told}, and {said(own)} lies outside"
