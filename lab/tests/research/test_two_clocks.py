# SPDX-License-Identifier: Apache-2.0
"""A run beside the same one on the other clock: which has the smaller held-out error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import pytest
from made_results import exact, on_board, unsure
from made_thesis import FIT_FILE as FIT
from made_thesis import STUDY

from firesteel.analysis.compare import compare
from firesteel.analysis.published import load_published
from firesteel.analysis.rows import Result
from firesteel.board.profile import Clock
from firesteel.model.metrics import METRICS
from firesteel.replication.ratios import ratios
from research.two_clocks import (
    Both,
    HeldOut,
    Side,
    agreement,
    held_out,
    nearer,
    ratios_on_both,
    rows_on_both,
)


def side(clock: Clock, change: Callable[[Result], float] = lambda _: 1.0) -> Side:
    """All rows of the thesis on that clock, so many times as large as published."""
    published = [each for each in load_published() if each.source == STUDY.name]
    figures = [
        replace(
            exact(each.result, each.result.value * change(each.result)),
            identity=replace(
                each.result.identity,
                implementation=each.result.identity.implementation or "software",
            ),
        )
        for each in published
        if each.result.metric in METRICS
    ]
    return of_figures(clock, compare(on_board(figures, "socrates")))


def of_figures(clock: Clock, comparison: list[Result]) -> Side:
    return Side(clock, comparison, ratios(comparison, {"socrates": clock}))


@dataclass(frozen=True)
class Compared:
    """Both sides, with what is said of them."""

    rows: list[Both]
    ratios: list[Both]
    held_out: list[HeldOut]
    held_out_ratios: list[HeldOut]
    sentence: str
    agreement: str

    @property
    def held_rows(self) -> list[Both]:
        return [each for each in self.rows if each.errors]


def both(one: Side, other: Side) -> Compared:
    rows, pairs = rows_on_both(one, other, FIT), ratios_on_both(one, other)
    clocks, of = (one.clock, other.clock), (held_out(rows), held_out(pairs))
    sentence = f"{nearer(clocks, 'rows', of[0])} {nearer(clocks, 'ratios', of[1])}"
    return Compared(rows, pairs, *of, sentence, agreement(clocks, of[1]))


def is_hardware(each: Result) -> bool:
    return each.identity.implementation == "hardware"


def named(rows: Sequence[Both], name: str, quantity: str) -> Both:
    (found,) = (each for each in rows if (each.name, each.quantity) == (name, quantity))
    return found


def test_medians_are_of_each_sort_and_clock() -> None:
    found = both(
        side("cycles", lambda each: 0.9 if is_hardware(each) else 1.2),
        side("flat", lambda each: 1.5 if is_hardware(each) else 0.7),
    )
    told = {each.name: each.medians for each in found.held_out}
    assert told["software"] == pytest.approx([20, 30])
    assert told["hardware"] == pytest.approx([10, 50])
    software, hardware, every = (each.rows for each in found.held_out)
    assert software + hardware == every == len(found.held_rows)
    assert found.held_out[-1].medians == pytest.approx(
        [
            median([20] * software + [10] * hardware),
            median([30] * software + [50] * hardware),
        ]
    )


def test_rows_that_were_fitted_on_either_clock_are_not_held_out() -> None:
    rows = [(FIT.on("flat").fitted_to(each.columns), each) for each in side("flat").comparison]
    fitted = {(each.identity, each.metric) for name, each in rows if name}
    only_on_flat = {
        (each.identity, each.metric)
        for name, each in rows
        if name and not FIT.on("cycles").fitted_to(each.columns)
    }
    assert only_on_flat
    assert only_on_flat < fitted

    def far_where_fitted(each: Result) -> float:
        identity = replace(each.identity, board="socrates")
        return 9.0 if (identity, each.metric) in fitted else 1.1

    for clocks in (("cycles", "flat"), ("flat", "cycles")):
        found = both(*(side(clock, far_where_fitted) for clock in clocks))
        assert found.held_out[-1].medians == pytest.approx([10, 10])
        assert all(each.errors == pytest.approx((10, 10)) for each in found.held_rows)
        marked = [each for each in found.rows if each.fitted]
        assert len(marked) == len(fitted)
        assert sum("on `flat`" in each.fitted for each in marked) == len(only_on_flat)
        assert not any(each.errors for each in marked)


def test_what_was_fitted_is_told_with_its_clock() -> None:
    found = both(side("cycles"), side("flat"))
    rate = named(found.rows, "IPsec AES-256-CBC:SHA-256, 128 MiB", "throughput, MB/s")
    latency = named(found.rows, "no tunnel, 56 B", "mean RTT, ms")
    assert (rate.fitted, latency.fitted) == ("rate on `flat`", "latency")
    pair = named(found.ratios, "IPsec AES-256-CBC:SHA-256, 128 MiB", "throughput")
    handshake = named(found.ratios, "OpenVPN, DHE-RSA, rsa-1024", "handshake")
    assert pair.fitted == "software on `flat`"
    assert handshake.fitted == "hardware on `cycles`, software and hardware on `flat`"


@pytest.mark.parametrize("unsure_side", [0, 1])
def test_both_medians_are_of_the_rows_that_both_runs_have_converged(unsure_side: int) -> None:
    sides = [side("cycles", lambda _: 1.1), side("flat", lambda _: 1.3)]
    whole = both(*sides)
    clock, comparison = sides[unsure_side].clock, sides[unsure_side].comparison
    sides[unsure_side] = of_figures(clock, unsure(comparison, "rtt_mean"))
    found = both(*sides)
    assert len(found.rows) == len(whole.rows), "every row is shown"
    left = [each for each in whole.held_rows if not each.quantity.startswith("mean RTT")]
    assert found.held_out[-1].rows == len(left) < whole.held_out[-1].rows
    assert HeldOut("round trip", 0, [], []) in found.held_out_ratios


def test_a_row_that_one_run_does_not_have_is_shown_and_not_held_out() -> None:
    whole = side("flat", lambda _: 1.1)
    part = of_figures(
        "cycles", [each for each in whole.comparison if each.identity.protocol != "ssh"]
    )
    found = both(part, whole)
    ssh = [each for each in found.rows if each.name.startswith("SSH")]
    assert ssh
    assert all(each.on[0] is None and each.on[1] is not None for each in ssh)
    assert not any(each.errors for each in ssh)
    assert len(found.rows) == len({(each.identity, each.metric) for each in whole.comparison})


def test_few_packets_are_shown_without_a_deviation() -> None:
    found = both(side("cycles", lambda _: 1.5), side("flat"))
    few = [
        each
        for each in found.rows
        if each.quantity.startswith("share of packets") and float(each.published) < 1
    ]
    assert few
    assert all(on and on.deviation is None for each in few for on in each.on)


def test_ratios_agree_on_gain_or_loss_by_clock() -> None:
    def turned(each: Result) -> float:
        return 3.0 if is_hardware(each) and each.metric == "throughput" else 1.0

    found = both(side("cycles"), side("flat", turned))
    kinds = {each.name: each for each in found.held_out_ratios}
    count = kinds["throughput"].rows
    assert count > 1
    assert kinds["throughput"].agreeing == [count, 0]
    assert kinds["throughput"].medians == pytest.approx([0, 200])
    assert kinds["round trip"].agreeing == [kinds["round trip"].rows] * 2
    assert not kinds["handshake"].rows, "the multipliers were fitted to all of them"
    assert kinds["all"].agreeing[0] == kinds["all"].rows
    every, other = kinds["all"].agreeing
    assert found.agreement.startswith(
        f"Of these {every} ratios {every} on `cycles` and {other} on `flat` agree "
    )


@pytest.mark.parametrize(
    ("medians", "sentence"),
    [
        (
            (10.0, 30.0),
            "the clock `cycles` has the smaller error: a median of 10.0 %, against 30.0 %",
        ),
        ((20.0, 0.0), "the clock `flat` has the smaller error: a median of 0.0 %, against 20.0 %"),
        ((10.04, 10.0), "both clocks have the same error, a median of 10.0 %."),
    ],
)
def test_the_sentence_names_the_clock_with_the_smaller_error(
    medians: tuple[float, float], sentence: str
) -> None:
    found = nearer(("cycles", "flat"), "rows", [HeldOut("all", 7, medians, (7, 6))])
    assert found.startswith(f"Of the 7 held-out rows {sentence}")


def test_without_a_held_out_row_it_says_so() -> None:
    fitted = FIT.on("flat")
    only = [each for each in side("flat").comparison if fitted.fitted_to(each.columns) == "latency"]
    found = both(of_figures("cycles", only), of_figures("flat", only))
    assert not found.agreement
    assert found.rows
    assert (found.held_out, found.held_out_ratios) == ([], [])
    assert found.sentence == "No rows are held out. No ratios are held out."
