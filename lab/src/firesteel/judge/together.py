# SPDX-License-Identifier: Apache-2.0
"""How verdicts change if several assumptions are wrong at once.

A study varies one assumption at a time.  For ends of several assumptions, the verdict is only
approximated from these results (`at_ends`), by adding effects on the logarithmic scale of the
ratios.  A design measures some combinations (`design`): a two-level fractional factorial, in which
every two assumptions meet in each of their four combinations of ends.  It shows verdicts that were
measured, and how far the approximation is off.
"""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from firesteel.boards.assumptions import ENDS, End
from firesteel.judge.sensitivity import (
    Row,
    Scales,
    Swing,
    scales_of,
    standing,
    verdict_at,
)
from firesteel.model import names

Ends = Mapping[str, End]
"""An end for each of some assumptions, by their names."""


def design(assumptions: Sequence[str]) -> list[Ends]:
    """Combinations of ends for all of these assumptions: the smallest power of two above their
    number, or both ends of a lone one.

    An assumption is at its high end if its number and the combination's number, in binary, have an
    odd count of ones in common.  Columns of different numbers are independent of each other.
    """
    runs = 1 << len(assumptions).bit_length()
    return [
        {name: ENDS[(run & number).bit_count() % 2] for number, name in enumerate(assumptions, 1)}
        for run in range(runs)
    ]


def at_ends(row: Row, ends: Ends) -> Scales | None:
    """What a row's verdict follows from, with these assumptions at these ends, as far as effects of
    single ones add up; None where one of them was not measured there.
    """
    own = scales_of(row.nominal)
    found = list(own)
    for swing in row.swings:
        if swing.assumption not in ends:
            continue
        point = swing.at(ends[swing.assumption]).point
        if point is None:
            return None
        effects = zip(found, scales_of(point), own, strict=True)
        # Of a ratio of nothing the effect has no size.
        found = [
            so_far + there - here if math.isfinite(there - here) else there
            for so_far, there, here in effects
        ]
    return tuple(found)


def _gains(scales: Scales) -> tuple[float, float]:
    """The logarithms of the gains in speed and CPU work, without their intervals."""
    return scales[0], scales[3]


def changed_by_pairs(row: Row) -> list[Ends]:
    """The ends of two assumptions at which a row would have another verdict."""
    pairs = combinations([swing.assumption for swing in row.swings], 2)
    at_both = (
        dict(zip(pair, ends, strict=True)) for pair in pairs for ends in product(ENDS, repeat=2)
    )
    return [ends for ends in at_both if _changes(row, ends)]


def _changes(row: Row, ends: Ends) -> bool:
    """Whether a row would have another verdict there, as far as that is known."""
    scales = at_ends(row, ends)
    return scales is not None and verdict_at(scales) != row.nominal.verdict


def worst_ends(row: Row) -> tuple[Ends, Ends]:
    """All assumptions of a row at the ends that are worst for offload, and at those that are best:
    by the gain in speed times the gain in CPU work.
    """

    def gain(swing: Swing, end: End) -> float:
        point = swing.at(end).point
        return sum(_gains(scales_of(point))) if point else 0.0

    worst, best = (
        {each.assumption: choose(ENDS, key=lambda end: gain(each, end)) for each in row.swings}
        for choose in (min, max)
    )
    return worst, best


def changed_by_all(row: Row) -> bool:
    """Whether a row would have another verdict with all its assumptions at their worst ends, or at
    their best.
    """
    return any(_changes(row, ends) for ends in worst_ends(row))


def off(row: Row) -> Iterator[float]:
    """By which factor the approximation misses each ratio of each measured combination, less 1."""
    for corner in row.corners:
        expected = at_ends(row, corner.ends) if corner.point else None
        if corner.point and expected:
            measured = scales_of(corner.point)
            for one, other in zip(_gains(expected), _gains(measured), strict=True):
                if math.isfinite(one - other):
                    yield math.exp(abs(one - other)) - 1


def sentences(rows: Iterable[Row]) -> list[str]:
    """What happens to verdicts that hold for every single assumption if several assumptions are
    wrong at once; empty if there is no such verdict, or only one assumption.
    """
    holding = [row for row in rows if standing(row) == "holds" and len(row.swings) > 1]
    if not holding:
        return []
    most = max(len(row.swings) for row in holding)
    pairs, every = sum(map(bool, map(changed_by_pairs, holding))), sum(map(changed_by_all, holding))
    of = f"these {len(holding)} verdicts" if len(holding) > 1 else "this one verdict"
    measured = [row for row in holding if any(each.point for each in row.corners)]
    how = "" if measured else "; `sensitivity --together` measures it"
    told = [
        (
            f"Each assumption moved alone: two at their ends would change {pairs or 'none'} of "
            f"{of}, all {most} at once {every or 'none'} (approximate{how})."
        )
    ]
    if measured:
        changing = sum(
            any(each.point and each.point.verdict != row.nominal.verdict for each in row.corners)
            for row in measured
        )
        shares = sorted(share for row in measured for share in off(row)) or [0.0]
        median, most_off = 100 * statistics.median(shares), 100 * shares[-1]
        told.append(
            f"At {max(len(row.corners) for row in measured)} measured combinations of all their "
            f"ends {changing or 'none'} of {len(measured)} verdicts changed. The approximation "
            f"missed their ratios by {median:.0f} % (median) and {most_off:.0f} % (most)."
        )
    return told


def pairs_in_words(row: Row, titles: Mapping[str, str], most: int = 1) -> str:
    """The pairs of assumptions that would change a verdict, by their titles."""
    found = dict.fromkeys(
        " with ".join(titles.get(name, name) for name in ends) for ends in changed_by_pairs(row)
    )
    return names.first_of(list(found), most)
