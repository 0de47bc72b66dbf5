# SPDX-License-Identifier: Apache-2.0
"""A verdict is firm if both clocks and the whole range of every assumption give it."""

import pytest
from made_pairs import both, found
from made_sensitivity import point, row_of, swing_of

from firesteel.analysis.clocks import OtherClock
from firesteel.analysis.verdict import Verdict
from firesteel.sensitivity.firm import Firmness, Studied, firm_sentence, firmness

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
        ("helps", Studied(row_of(point(1.0))), "not firm", "study has: makes no difference"),
        (None, FIRM, "not known", "not measured on the other clock"),
        ("helps", None, "not known", "its sensitivity was not studied"),
        ("helps", Studied(row_of(NOMINAL, HOLDS, OPEN)), "not known", "ends of dma-latency"),
        ("helps", Studied(FIRM.row, ("core-clock",)), "not known", "not varied: core-clock"),
        ("limited by the peer", FIRM, "not known", "limited by the peer"),
    ],
)
def test_a_verdict_is_firm_not_firm_or_not_known_to_be(
    other: Verdict | None, studied: Studied | None, state: str, reason: str
) -> None:
    told = firmness("helps", other, studied)
    assert told.state == state
    assert reason in told.reason
    assert bool(told.reason) == (state != "firm")


def test_a_row_without_a_verdict_is_not_known() -> None:
    told = firmness("limited by the peer", "helps", FIRM)
    assert told == Firmness("not known", "limited by the peer, so there is no verdict")


def test_a_run_is_told_how_many_of_its_verdicts_are_firm() -> None:
    (pair,) = found(*both("throughput", 4.0, 8.0))
    other = OtherClock("r", "flat", 1, (), 0, {pair.identity: pair.verdict})
    assert firm_sentence([pair], other, {pair.identity: FIRM}) == "Of 1 verdicts 1 are firm."
    assert firm_sentence([pair], None, {}) == (
        "Of 1 verdicts 0 are firm, 1 are not known to be "
        "(1: it was not measured on the other clock)."
    )
    assert not firm_sentence([], other, {})
