# SPDX-License-Identifier: Apache-2.0
"""Several assumptions that are off together: what follows from single ones, what is measured."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from made_sensitivity import point, row_of, study_of, swing_of

from firesteel.boards.profile import Profile
from firesteel.judge.sensitivity import Corner, Row, load, verdict_at
from firesteel.judge.together import (
    at_ends,
    changed_by_all,
    changed_by_pairs,
    design,
    pairs_in_words,
    sentences,
    worst_ends,
)
from firesteel.store.store import Store

NAMES = ("register-access", "dma-latency", "core-clock")


@pytest.mark.parametrize(("count", "runs"), [(1, 2), (2, 4), (3, 4), (4, 8), (12, 16), (15, 16)])
def test_every_two_assumptions_meet_in_all_four_ways_as_often(count: int, runs: int) -> None:
    names = [f"a{number}" for number in range(count)]
    made = design(names)
    assert len(made) == runs
    for one, other in combinations(names, 2):
        met = Counter((ends[one], ends[other]) for ends in made)
        assert set(met.values()) == {runs // 4}
        assert len(met) == 4


def made(*lows: float, nominal: float = 1.5) -> Row:
    """A row whose speed each assumption takes to one of these at its low end."""
    swings = (
        swing_of(point(low), point(nominal), assumption=name)
        for low, name in zip(lows, NAMES, strict=False)
    )
    return row_of(point(nominal), *swings)


@pytest.mark.parametrize(
    ("lows", "pairs", "every"),
    [
        ((1.4, 1.4), {}, False),  # 1.31 together
        ((1.2, 1.2), {"loses"}, True),  # 0.96
        ((1.24, 1.23), {"equal"}, True),  # 1.017
        ((1.3, 1.3, 1.3), {}, True),  # 1.127 by two, 0.976 by three
    ],
)
def test_effects_of_single_assumptions_add_up(
    lows: tuple[float, ...], pairs: set[str], every: bool
) -> None:
    row = made(*lows)
    scales = (at_ends(row, ends) for ends in changed_by_pairs(row))
    assert {verdict_at(each) for each in scales if each} == set(pairs)
    assert changed_by_all(row) is every
    (told,) = sentences([row, row])
    assert f"would change {2 if pairs else 'none'} of these 2 verdicts, " in told
    assert f"at once {2 if every else 'none'} (approximate; " in told
    titles = {"register-access": "register access", "dma-latency": "DMA latency"}
    assert pairs_in_words(row, titles) == ("register access with DMA latency" if pairs else "")


def test_the_worst_end_is_the_one_that_costs_most() -> None:
    row = row_of(
        point(1.5),
        swing_of(point(1.4), point(1.6), assumption="register-access"),
        swing_of(point(1.5, 0.9), point(1.5, 1.1), assumption="dma-latency"),
    )
    worst, best = worst_ends(row)
    assert worst == {"register-access": "low", "dma-latency": "high"}
    assert best == {"register-access": "high", "dma-latency": "low"}


def test_nothing_is_said_of_verdicts_that_one_assumption_changes() -> None:
    assert sentences([made(0.9, 1.4)]) == []
    assert sentences([made(1.4)]) == []
    unmeasured = row_of(point(1.5), swing_of(None, point(1.5), assumption="core-clock"))
    assert at_ends(unmeasured, {"core-clock": "low"}) is None
    own = pytest.approx(at_ends(unmeasured, {}), nan_ok=True)
    assert at_ends(unmeasured, {"core-clock": "high"}) == own


def test_measured_combinations_stand_beside_the_approximation() -> None:
    corner = Corner(ends={"register-access": "low", "dma-latency": "low"}, point=point(1.0))
    row = made(1.4, 1.4).model_copy(update={"corners": (corner, corner)})
    expected, told = sentences([row])
    assert expected.endswith("(approximate).")
    assert "At 2 measured combinations of all their ends 1 of 1 verdicts changed." in told
    assert "by 15 % (median) and 31 % (most)" in told, "1.4 times 1.4 over 1.5"


def in_both(board: Profile) -> float:
    """Faster with registers that answer soon and with a fast clock, the effects multiplied."""
    timing = board.cores[0].timing
    slow, fast = timing.used("register_ns") / 120, timing.used("clock_hz") / 1e8
    return float(1.4 * (fast / slow) ** 0.1)


def test_a_study_measures_combinations_and_keeps_them(tmp_path: Path) -> None:
    names = ("register-access", "core-clock")
    study, journal, runner = study_of(tmp_path, *names, gain=in_both, together=True)
    kept = load(Store(tmp_path), journal.name)
    assert kept == study
    for row in study.rows:
        assert [each.ends for each in row.corners] == design(names)
        for corner in row.corners:
            assert corner.point is not None
            expected = at_ends(row, corner.ends)
            assert expected is not None
            assert corner.point.speed == pytest.approx(2.718281828 ** expected[0], rel=1e-3)
    boards = [board for label, board in runner.boards_measured if "software" in label]
    assert boards
    assert set(boards) == {"socrates"}, "the cores are nothing to software"
    together = {board for _, board in runner.boards_measured if "+together-" in board}
    assert len(together) == len(design(names))
