# SPDX-License-Identifier: Apache-2.0
"""A verdict is firm if both clocks and the whole range of every assumption give it."""

from dataclasses import replace

import pytest
from made_pairs import both, found
from made_sensitivity import point, row_of, swing_of

from firesteel.boards.assumptions import load_assumptions
from firesteel.judge.robustness import OtherClock, Robustness, in_a_clause, row_robustness
from firesteel.judge.sensitivity import Studied
from firesteel.judge.verdict import Offload, Verdict

HOLDS = swing_of(point(1.5), point(1.1))
CHANGES = swing_of(point(1.5), point(1.0), assumption="core-clock")
OPEN = swing_of(point(1.5), None, assumption="dma-latency")
NOMINAL = point(1.3)
FIRM = Studied(row_of(NOMINAL, HOLDS))


@pytest.mark.parametrize(
    ("other", "studied", "state", "reason"),
    [
        ("helps", FIRM, "firm", ""),
        ("mixed", FIRM, "not firm", "the other clock says: mixed"),
        ("mixed", None, "not firm", "the other clock says: mixed"),
        ("helps", Studied(row_of(NOMINAL, HOLDS, CHANGES)), "not firm", "changes with core-clock"),
        (None, Studied(row_of(NOMINAL, CHANGES, OPEN)), "not firm", "changes with core-clock"),
        ("helps", Studied(row_of(point(1.0), HOLDS)), "not firm", "changes with register-access"),
        ("helps", Studied(row_of(point(1.0))), "not firm", "study has: equal"),
        (None, FIRM, "not known", "the other clock was not measured"),
        ("helps", None, "not known", "sensitivity not studied"),
        ("helps", Studied(row_of(NOMINAL, HOLDS, OPEN)), "not known", "ends of dma-latency"),
        ("helps", Studied(FIRM.row, ("core-clock",)), "not known", "not varied: core-clock"),
        ("limited by the peer", FIRM, "not known", "the peer limits it"),
    ],
)
def test_a_verdict_is_firm_not_firm_or_not_known_to_be(
    other: Verdict | None, studied: Studied | None, state: str, reason: str
) -> None:
    told = row_robustness("helps", other, studied)
    assert told.state == state
    assert reason in told.reason
    assert bool(told.reason) == (state != "firm")


def test_both_reasons_are_told() -> None:
    told = row_robustness(
        "helps", "mixed", Studied(row_of(NOMINAL, CHANGES), (), load_assumptions())
    )
    assert told.reason == "the other clock says: mixed; it changes with core clock"
    assert told.because == {"clock", "assumption"}


def one() -> Offload:
    (pair,) = found(*both("throughput", 4.0, 8.0))
    return pair


def clock_of(pair: Offload, verdict: Verdict, *, recorded: bool = False) -> OtherClock:
    """The other clock, which gives that verdict."""
    return OtherClock("r", "flat", ((pair, pair),), {pair.identity: verdict}, recorded)


FIRMLY = "Firm on both clocks and over all assumed ranges: "


def test_a_run_is_told_how_many_of_its_verdicts_are_firm() -> None:
    pair = one()
    same = Robustness((pair,), clock_of(pair, pair.verdict), {pair.identity: FIRM})
    assert same.sentence == f"{FIRMLY}1 of 1 verdict."
    assert same.in_short == same.sentence
    assert not same.source
    without = Robustness((pair,), None, {pair.identity: FIRM})
    assert without.sentence == (
        f"{FIRMLY}0 of 1 verdict. 1 is not known to be: the other clock was not measured."
    )
    changing = Robustness((pair,), None, {pair.identity: Studied(row_of(NOMINAL, CHANGES))})
    assert changing.sentence == f"{FIRMLY}0 of 1 verdict. An assumption changes 1."
    both_change = replace(changing, other=clock_of(pair, "loses"))
    assert both_change.sentence.endswith("An assumption changes 1, the other clock 1.")
    by_clock = Robustness((pair,), clock_of(pair, "loses"), {pair.identity: FIRM})
    assert by_clock.sentence.endswith("0 of 1 verdict. The other clock changes 1.")


def test_a_run_that_nobody_studied_is_told_what_the_other_clock_says() -> None:
    pair = one()
    assert not Robustness((pair,)).in_short
    assert not Robustness(()).sentence
    told = Robustness((pair,), clock_of(pair, pair.verdict))
    assert not told.sentence
    assert told.in_short == "On the clock `flat` 1 of 1 verdicts are the same."


def test_most_verdicts_that_are_not_known_have_their_reason_named() -> None:
    pairs = found(*both("throughput", 4.0, 8.0), *both("throughput", 4.0, 8.0, protocol="ssh"))
    first, second = pairs
    other = OtherClock("r", "flat", (), {first.identity: first.verdict})
    studied = Studied(row_of(NOMINAL, OPEN), (), load_assumptions())
    known = {pair.identity: studied for pair in pairs}
    told = Robustness((first, second), other, known).sentence
    assert told.endswith(
        "2 are not known to be: not measured at both ends of DMA latency (1); of 1 there are other "
        "reasons."
    )


def test_an_inconclusive_verdict_is_not_firm() -> None:
    unsure = point(1.02, margin=0.1)
    pair = replace(one(), judged=replace(one().judged, speed=1.02, speed_margin=0.1))
    assert pair.verdict == "inconclusive"
    studied = Studied(row_of(unsure, swing_of(unsure, unsure)), (), load_assumptions())
    assert in_a_clause(studied).startswith("stays inconclusive over the whole range of")
    told = Robustness((pair,), clock_of(pair, pair.verdict), {pair.identity: studied})
    assert told.of(pair).state == "not known"
    assert told.sentence == f"{FIRMLY}0 of 1 verdict. 1 is inconclusive."
    on_one = replace(told, other=None)
    assert on_one.sentence == told.sentence


def test_what_comes_from_the_checkout_is_told() -> None:
    pair = one()
    recorded = Studied(FIRM.row, recorded=("a-study",))
    told = Robustness(
        (pair,), clock_of(pair, pair.verdict, recorded=True), {pair.identity: recorded}
    )
    assert told.in_short == f"{told.sentence} From recorded/."
    assert told.source == (
        "That comes with the checkout (recorded/: a-study, r), whose records are those of this run."
    )
