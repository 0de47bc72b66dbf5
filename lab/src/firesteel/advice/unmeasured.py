# SPDX-License-Identifier: Apache-2.0
"""What records say of a board that is described: theirs if one is equal to it, whatever it is
called and whoever measured it; else the nearest measured boards that differ from it in numbers
alone.  Nothing is interpolated: between two boards the driver may begin to use the core.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firesteel.advice.measuring import Away, Wanted
from firesteel.advice.records import Part, RecordPair, but_for_seed, decide, judged_rows, nearest
from firesteel.analysis.pairing import but_for_place
from firesteel.analysis.rows import grouped

_NAMED = 4
"""How many measured boards a sentence names at most."""

_OF_BOARDS = {"boards", "commands", "jobs"}
"""Versions that may differ between boards."""


@dataclass(frozen=True)
class _Point:
    """Pairs of one board, one a seed, and how far it is from the board in question."""

    pairs: tuple[RecordPair, ...]
    away: Away

    @property
    def distance(self) -> float:
        return sum(abs(step) for step in self.away.values())


def parts_at(wanted: Wanted, pairs: Sequence[RecordPair]) -> list[Part]:
    """What was measured on an equal board, the newest first, each experiment once."""
    parts: list[Part] = []
    for points in _groups(wanted, pairs):
        for point in points:
            if not point.away:
                known = {name for part in parts for name in part.experiments}
                rows = [row for row in judged_rows(point.pairs) if row.experiment not in known]
                parts += [Part(point.pairs, tuple(rows))] if rows else []
    return parts


def measured_around(wanted: Wanted, pairs: Sequence[RecordPair], size: int | None) -> str:
    """The nearest measured boards with their answers, in words."""
    points = next((group for group in _groups(wanted, pairs) if group), [])
    near = sorted(_neighbours(points), key=lambda point: point.distance)[:_NAMED]
    told = [text for point in near if (text := _answer_at(wanted, point, size))]
    if not told:
        return "No measured board differs from it in numbers alone"
    return f"The nearest measured boards answer: {'; '.join(told)}"


def _neighbours(points: Sequence[_Point]) -> Iterator[_Point]:
    """Along each number the nearest on either side that differ in it alone; all points where none
    does.
    """
    alone = [point for point in points if len(point.away) == 1]
    if not alone:
        yield from points
    for along in grouped(alone, lambda point: next(iter(point.away))).values():
        for side in (-1, 1):
            there = (point for point in along if math.copysign(1, *point.away.values()) == side)
            yield from sorted(there, key=lambda point: point.distance)[:1]


def _answer_at(wanted: Wanted, point: _Point, size: int | None) -> str:
    """`yes with cpu.hertz 800 MHz`; nothing where no row of it has a verdict."""
    setup = point.pairs[0].hardware.record.measurement.setup
    rows = [row for row in judged_rows(point.pairs) if row.judged and not row.judged.peer_limited]
    if size is not None:
        rows = nearest(rows, size) or rows
    if setup is None or not rows:
        return ""
    differences = wanted.differences(setup)
    where = ", ".join(f"{each.path} {each.text(each.before)}" for each in differences)
    return f"{decide(rows)} with {where}"


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
