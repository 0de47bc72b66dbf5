# SPDX-License-Identifier: Apache-2.0
"""The value at which a verdict changes, interpolated between what was measured."""

import math

import pytest
from made_sensitivity import limited, point, row_of, swing_of

from firesteel.judge.sensitivity import (
    Row,
    Sensitivity,
    can_lose,
    crossovers,
    losses,
    standing,
)


def of(row: Row) -> Sensitivity:
    return Sensitivity(rows=(row,), assumptions=())


def test_a_verdict_that_all_points_give_holds() -> None:
    swing = swing_of(point(1.5), point(1.1))
    row = row_of(point(1.3), swing)
    assert crossovers(row, swing) == []
    assert standing(row, swing) == standing(row) == "holds"


def test_a_change_lies_where_the_logarithms_meet_the_rule() -> None:
    swing = swing_of(point(4.0), point(1.0), (50, 100, 400))
    row = row_of(point(2.0), swing)
    (flip,) = crossovers(row, swing)
    # The speed goes from 2 to 1 as the value goes from 100 to 400; at 1 / 0.98 nothing is gained.
    share = math.log(2 * 0.98) / math.log(2)
    assert flip.value == pytest.approx(100 * 4**share)
    assert (flip.verdict, flip.end) == ("equal", "high")
    assert standing(row, swing) == "changes"
    assert losses(row, swing) == []
    assert "of these none can come to lose or be mixed" in of(row).headline


def test_the_first_of_several_changes_counts() -> None:
    swing = swing_of(point(2.0), point(0.5))
    row = row_of(point(2.0), swing)
    (flip,) = crossovers(row, swing)
    assert flip.verdict == "equal", "on the way to a loss"
    assert flip.value == pytest.approx(100 * 2 ** (math.log(2 * 0.98) / math.log(4)))
    (loss,) = losses(row, swing)
    assert (loss.verdict, loss.end) == ("loses", "high")
    assert loss.value == pytest.approx(100 * 2 ** (math.log(2 / 0.98) / math.log(4)))
    assert can_lose(row)
    told = of(row)
    assert [flip for _, _, flip in told.crossovers] == [flip, loss]
    assert "of these 1 can come to lose or be mixed" in told.headline


def test_a_mixed_row_comes_to_lose() -> None:
    mixed = point(1.1, 1.1)
    assert mixed.verdict == "mixed"
    swing = swing_of(point(1.2, 1.1), point(0.9, 1.1))
    row = row_of(mixed, swing)
    (loss,) = losses(row, swing)
    assert loss.verdict == "loses"
    assert "; 1 does not; of these 1 can come to lose or be mixed" in of(row).headline
    lost = row_of(point(0.5), swing)
    assert losses(lost, swing) == [], "it does already"


def test_an_inconclusive_verdict_does_not_hold() -> None:
    unsure = point(1.03, margin=0.1)
    assert unsure.verdict == "inconclusive"
    swing = swing_of(unsure, unsure)
    row = row_of(unsure, swing)
    assert standing(row, swing) == standing(row) == "inconclusive"
    told = Sensitivity(
        rows=(row, row_of(point(1.3), swing_of(point(1.5), point(1.1)))), assumptions=()
    )
    assert told.headline == (
        "1 of 2 verdicts hold over the whole range of every assumption; 1 stays inconclusive."
    )
    helped = swing_of(unsure, point(2.0, margin=0.1))
    assert standing(row_of(unsure, helped)) == "changes"
    assert standing(row_of(unsure, swing_of(unsure, None))) == "not known"


def test_what_changes_on_the_way_and_back_again_is_found() -> None:
    swing = swing_of(point(1.05), point(1.0, 0.97))
    row = row_of(point(1.03, 1.0), swing)
    (flip,) = crossovers(row, swing)
    assert (flip.verdict, flip.end) == ("equal", "high")
    assert swing.high.point
    assert swing.high.point.verdict == row.nominal.verdict == "helps"


def test_between_a_gain_and_none_lies_what_is_inconclusive() -> None:
    """The ends of the interval cross 1 elsewhere than the ratio does."""
    swing = swing_of(point(4.0, margin=0.05), point(1.0, margin=0.05), (50, 100, 400))
    row = row_of(point(2.0, margin=0.05), swing)
    (flip,) = crossovers(row, swing)
    assert (flip.verdict, flip.end) == ("inconclusive", "high")
    # The lower end goes from 2 / e^0.05 to 1 / e^0.05.
    assert flip.value == pytest.approx(100 * 4 ** ((math.log(2) - 0.05) / math.log(2)))


@pytest.mark.parametrize("missing", [None, limited()])
def test_an_end_that_says_nothing_leaves_open_what_happens_there(missing: object) -> None:
    swing = swing_of(point(1.5), missing)  # type: ignore[arg-type]
    row = row_of(point(1.3), swing)
    assert crossovers(row, swing) == []
    assert standing(row, swing) == standing(row) == "not known"
    changing = swing_of(point(1.0), missing)  # type: ignore[arg-type]
    assert standing(row_of(point(1.3), changing), changing) == "changes"


def test_the_boards_own_number_may_lie_outside_of_the_range() -> None:
    swing = swing_of(point(1.5), point(1.0), (50, 25, 200))
    row = row_of(point(2.0), swing)
    (flip,) = crossovers(row, swing)
    assert flip.end == "high"
    assert 50 < flip.value < 200
    below = swing_of(point(1.0), point(1.5), (50, 400, 200))
    (flip,) = crossovers(row_of(point(2.0), below), below)
    assert flip.end == "low"
    assert 50 < flip.value < 200
