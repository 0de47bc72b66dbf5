# SPDX-License-Identifier: Apache-2.0
"""What is known of a verdict's sensitivity, in words."""

from made_sensitivity import point, row_of, swing_of

from firesteel.base.quantity import FACTOR
from firesteel.boards.assumptions import load_assumptions
from firesteel.judge.robustness import changes, in_a_clause
from firesteel.judge.sensitivity import Studied, Swing

KNOWN = load_assumptions()
NOMINAL = point(1.5)
HOLDS = swing_of(point(1.6), point(1.4))
OPEN = swing_of(point(1.6), None, assumption="dma-latency")


def clause(*swings: Swing, left_out: tuple[str, ...] = ()) -> str:
    return in_a_clause(Studied(row_of(NOMINAL, *swings), left_out, KNOWN))


def of_factor(swing: Swing) -> Swing:
    return swing.model_copy(update={"unit": FACTOR, "assumption": "cache-misses"})


def test_a_verdict_that_changes_holds_unless_the_number_is_beyond() -> None:
    # Of 1.5 at 100 ns and 0.98 at 200 ns: 1.02 where the logarithm is linear
    told = clause(swing_of(point(1.6), point(0.98)))
    assert told == "holds unless a register access takes more than 187 ns (then: equal)"


def test_a_factor_is_of_what_is_assumed() -> None:
    told = clause(of_factor(swing_of(point(1.6), point(0.98), (0.5, 1, 2))))
    assert "cache misses cost more than 1.87 times what is assumed" in told


def test_the_change_that_needs_least_comes_first_and_few_are_named() -> None:
    names = ("register-access", "dma-latency", "core-clock", "cache-misses", "branch-cycles")
    far = [
        swing_of(point(1.6), point(low), assumption=name)
        for name, low in zip(names, (0.98, 0.9, 0.8, 0.7, 0.6), strict=True)
    ]
    studied = Studied(row_of(NOMINAL, *far), (), KNOWN)
    assert [swing.assumption for swing, _ in changes(studied)] == list(reversed(names))
    told = in_a_clause(studied)
    assert told.count(" more than ") == 3
    assert told.endswith(", or 2 more")
    assert told.startswith("holds unless branches cost")


def test_a_verdict_that_holds_says_over_what() -> None:
    assert clause(HOLDS) == "holds over the whole range of the assumption register access"
    other = HOLDS.model_copy(update={"assumption": "core-clock"})
    assert clause(HOLDS, other) == "holds over the whole range of all 2 assumptions"
    assert clause(HOLDS, left_out=("core-clock", "dma-latency")) == (
        "holds over the whole range of register access (2 other assumptions did not vary)"
    )


def test_what_was_not_measured_is_not_known() -> None:
    assert clause(HOLDS, OPEN) == "is not known to hold: DMA latency lacks a measurement at one end"
    assert clause() == "is not known to hold: no assumption was varied"
    assert "(1 other assumption did not vary)" in clause(
        OPEN, swing_of(point(1.6), point(0.5)), left_out=("core-clock",)
    )


def test_an_assumption_without_a_clause_is_called_by_its_title() -> None:
    bare = [each.model_copy(update={"clause": None}) for each in KNOWN]
    row = row_of(NOMINAL, swing_of(point(1.6), point(0.98)))
    assert "unless register access is more than 187 ns" in in_a_clause(
        Studied(row, (), tuple(bare))
    )
