# SPDX-License-Identifier: Apache-2.0
"""What seeds say of a figure: the mean and its interval; of one seed, the spread of its kind."""

import math
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from commands import call
from scipy import stats

from firesteel.judge import spread
from firesteel.judge.intervals import (
    Comparison,
    Sample,
    adjusted,
    most_false,
    p_helps,
    spreads,
)
from firesteel.judge.results import load_results
from firesteel.judge.spread import KIND, Spread
from firesteel.store.store import Store
from firesteel.table import CPUS, KEY_COLUMNS, UNCERTAINTY
from tools.measure import deviations

PING = dict(zip(KIND, ("ping", "openvpn", "rtt_mean"), strict=True))


def samples_of(
    *values: float, uncertainty: float | None = None, cpus: int = 1, **of: Any
) -> pl.DataFrame:
    """A figure with so many seeds, of the kind `PING` if nothing else is said."""
    told = dict.fromkeys((*KEY_COLUMNS, "cell"), "x") | PING | of | {CPUS: cpus}
    return pl.DataFrame(
        [
            {**told, "seed": seed, "value": float(value), UNCERTAINTY: uncertainty}
            for seed, value in enumerate(values, 1)
        ],
        schema_overrides={UNCERTAINTY: pl.Float64},
    )


def spread_of(*values: float, uncertainty: float | None = None, **of: Any) -> dict[str, Any]:
    samples = samples_of(*values, uncertainty=uncertainty, **of)
    (row,) = spreads(samples, ["cell"]).to_dicts()
    return row


def test_an_interval_of_five_seeds() -> None:
    row = spread_of(10, 11, 12, 13, 19)
    # What is shown is what the interval is of: the mean, and not the median, which is 12.
    assert (row["value"], row["min"], row["max"]) == (13, 10, 19)
    assert row["seeds"] == 5
    # Standard deviation sqrt(50/4), by hand
    half = 2.7764451 * (12.5 / 5) ** 0.5
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((13 - half, 13 + half))


def test_one_seed_has_no_interval_and_its_value_is_kept_to_the_bit() -> None:
    row = spread_of(0.1 + 0.2)
    assert (row["seeds"], row["ci95_low"], row["ci95_high"]) == (1, None, None)
    assert row["value"] == row["min"] == row["max"] == 0.1 + 0.2


@pytest.mark.parametrize(
    ("values", "uncertainty", "half", "converged"),
    [
        ((100,), None, None, True),
        ((100,), 2.0, 2.0, True),
        ((100,), 2.1, 2.1, False),
        ((0,), 0.1, 0.1, False),
        # Two seeds whose own intervals are wide: theirs, of one degree of freedom, counts
        ((100, 100.1), 5.0, 12.706 * 0.05, True),
        ((100, 101), 5.0, 12.706 * 0.5, False),
        ((100, 101), 1.0, 12.706 * 0.5, True),
        ((100, 150), None, 12.706 * 25, True),
    ],
)
def test_a_figure_has_converged_when_its_interval_is_small(
    values: tuple[float, ...], uncertainty: float | None, half: float | None, converged: bool
) -> None:
    row = spread_of(*values, uncertainty=uncertainty)
    assert bool(row["converged"]) == converged
    value, high = row["value"], row["ci95_high"]
    assert value is not None
    assert high == (half and pytest.approx(value + half, rel=1e-4))


def test_figures_keep_the_order_of_their_first_seed() -> None:
    figures = (samples_of(1, cell=name) for name in "babc")
    found = spreads(pl.concat(figures), ["cell"])
    assert found["cell"].to_list() == ["b", "a", "c"]
    assert found["seeds"].to_list() == [2, 1, 1]


def test_the_mean_of_equal_values_is_their_value_to_the_bit() -> None:
    assert spread_of(0.1, 0.1, 0.1)["value"] == 0.1


SPREAD = Spread(
    runs=("spread",),
    measured=date(2026, 11, 29),
    one_cpu={
        "ping": {"openvpn": {"rtt_mean": (1.0, 4)}, "ipsec": {"rtt_mean": (0.0, 8)}},
        "file-transfer": {"openvpn": {"rtt_mean": (0.9, 1)}},
    },
    several_cpus={"ping": {"openvpn": {"rtt_mean": (30.0, 4)}}},
)
"""Of 1 % with four degrees of freedom, and wider with one."""


@pytest.mark.parametrize(
    ("of", "uncertainty", "share", "interval"),
    [
        ({}, None, 0.01 * 2.776445, "kind"),
        ({}, 2.7, 0.01 * 2.776445, "kind"),
        ({}, 2.8, None, "window"),
        ({"protocol": "ipsec"}, None, 0.0, "kind"),
        ({"protocol": "ssh"}, None, 0.009 * 12.7062, "assumed"),
        ({"metric": "loss"}, None, None, ""),
        ({"metric": "loss"}, 5.0, None, "window"),
    ],
)
def test_one_seed_has_the_spread_of_its_kind_or_its_own_window_where_that_is_wider(
    monkeypatch: pytest.MonkeyPatch,
    of: dict[str, str],
    uncertainty: float | None,
    share: float | None,
    interval: str,
) -> None:
    monkeypatch.setattr(spread, "load_spread", lambda: SPREAD)
    row = spread_of(100, uncertainty=uncertainty, **of)
    assert row["interval"] == interval
    half = uncertainty if share is None else 100 * share
    if half is None:
        assert (row["ci95_low"], row["ci95_high"]) == (None, None)
    elif share is None:
        assert (row["ci95_low"], row["ci95_high"]) == (100 - half, 100 + half)
    else:
        ends = (100 * math.exp(-share), 100 * math.exp(share))
        assert (row["ci95_low"], row["ci95_high"]) == pytest.approx(ends, rel=1e-5)
    assert Sample.of_row(row).uncertainty == (half and pytest.approx(half, rel=1e-5))
    assert row["converged"] == (uncertainty is None or uncertainty <= 2), "kinds do not converge"


@pytest.mark.parametrize("cpus", [2, 4])
def test_one_seed_on_several_cpus_has_the_spread_of_such_boards(
    monkeypatch: pytest.MonkeyPatch, cpus: int
) -> None:
    monkeypatch.setattr(spread, "load_spread", lambda: SPREAD)
    both = pl.concat([samples_of(100), samples_of(100, cell="y", cpus=cpus)])
    one, several = (row["ci95_high"] for row in spreads(both, ["cell"]).to_dicts())
    assert one == pytest.approx(100 * math.exp(0.01 * 2.776445), rel=1e-5)
    assert several == pytest.approx(100 * math.exp(0.3 * 2.776445), rel=1e-5)
    (row,) = spreads(samples_of(100, metric="rtt_max", cpus=cpus), ["cell"]).to_dicts()
    assert (row["ci95_high"], row["interval"]) == (None, ""), "no such board was measured"


def test_a_few_seeds_have_the_variance_of_the_kind_that_they_helped_to_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spread, "load_spread", lambda: SPREAD)
    row = spread_of(10, 10.1, 10.2)
    # 1 % of 10 squared with four degrees of freedom; two of them are of these seeds
    half = stats.t.ppf(0.975, 4) * (0.01 / 3) ** 0.5
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((10.1 - half, 10.1 + half))
    assert row["interval"] == "seeds"
    # With more degrees of freedom than their kind, their own 0.01 counts
    row = spread_of(10, 10.1, 10.2, 10.2, 10.0, 10.1)
    half = stats.t.ppf(0.975, 5) * (0.008 / 6) ** 0.5
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((10.1 - half, 10.1 + half))


@pytest.mark.parametrize(
    ("seeds", "variance"),
    [
        # 7 with two degrees of freedom, beside 0.01: a ratio of 700
        ((10, 11, 15), 7),
        # They widened the spread: 0.039686 of 0.04, the kind's sum of squares, is theirs
        ((10, 10.1, 10.2781), 0.0198432033),
    ],
)
def test_seeds_that_differ_far_more_than_the_others_of_their_kind_count_alone(
    monkeypatch: pytest.MonkeyPatch, seeds: tuple[float, ...], variance: float
) -> None:
    monkeypatch.setattr(spread, "load_spread", lambda: SPREAD)
    row = spread_of(*seeds)
    half, mean = stats.t.ppf(0.975, 2) * (variance / 3) ** 0.5, sum(seeds) / 3
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((mean - half, mean + half))


def test_one_seed_of_a_real_machine_has_no_interval_of_virtual_boards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spread, "load_spread", lambda: SPREAD)
    virtual, real = (samples_of(5.0, board=board) for board in ("socrates", "ssh:root@a"))
    (row,) = spreads(virtual, ["cell"]).to_dicts()
    assert row["ci95_low"] is not None
    (row,) = spreads(real, ["cell"]).to_dicts()
    assert (row["ci95_low"], row["ci95_high"], row["interval"]) == (None, None, "")
    (row,) = spreads(samples_of(5.0, 6.0, 7.0, board="ssh:root@a"), ["cell"]).to_dicts()
    assert row["interval"] == "seeds"
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((6 - 2.484, 6 + 2.484), abs=1e-3)


def test_a_spread_is_pooled_over_cells_by_their_degrees_of_freedom() -> None:
    samples = pl.concat(
        [
            samples_of(1, math.exp(0.02), cell="two seeds"),
            samples_of(7, 7 * math.exp(0.03), 7 * math.exp(-0.03), cell="three"),
            samples_of(5, cell="one seed says nothing"),
            samples_of(0, 1, cell="no logarithm"),
            samples_of(2, 2, protocol="ipsec"),
            samples_of(1, math.exp(0.02), cell="the same on a board with other cores"),
            samples_of(1, 9, cell="fills the link"),
            samples_of(94, 96, cell="fills the link", metric="link_use"),
            samples_of(99, 100, cell="is busy all the time", metric="cpu"),
        ]
    )
    found = {row[:3]: row[3:] for row in deviations(samples).iter_rows()}
    percent, freedom = found["ping", "openvpn", "rtt_mean"]
    # (0.02²/2 + 2 · 0.03²) / 3, by hand
    assert (percent, freedom) == (pytest.approx(100 * (0.002 / 3) ** 0.5), 3)
    assert found["ping", "ipsec", "rtt_mean"] == (0, 1)
    assert len(found) == 2


def one(value: float, error: float) -> Sample:
    """A figure of one seed with that standard error, of four degrees of freedom."""
    return Sample(((1, value),), error * stats.t.ppf(0.975, 4), freedom=4)


RATE, WORK = "throughput", "cpu_seconds_per_mb"


def compared(metric: str, gain: float, error: float = 1.0) -> Comparison:
    other = 100 * gain if metric == RATE else 100 / gain
    return Comparison(metric, one(100, error), one(other, error * other / 100))


@pytest.mark.parametrize("metric", [RATE, WORK])
def test_a_gain_has_the_p_value_of_a_t_test(metric: str) -> None:
    error = 0.01 * 2**0.5
    found = compared(metric, 1.05).p_value()
    assert found == pytest.approx(stats.t.sf(math.log(1.05) / error, 4))
    assert compared(metric, 1.05).p_value(0.98) == pytest.approx(
        stats.t.sf(math.log(1.05 / 0.98) / error, 4)
    )
    assert compared(metric, 1 / 1.05).p_value() == pytest.approx(1 - found)
    exact = Comparison(metric, Sample.exact(100), Sample.exact(101))
    assert exact.p_value() == (0 if metric == RATE else 1)
    assert exact.p_value(0.98) == 0
    for unknown in ((Sample.of([100]), Sample.of([101])), (Sample.exact(0), Sample.exact(1))):
        assert Comparison(metric, *unknown).p_value() == 1
    seeds = Comparison(metric, Sample.of([100, 101, 99]), Sample.of([100, 102, 101]))
    logarithms = [[math.log(value) for value in each.values] for each in (seeds.one, seeds.other)]
    way = "less" if metric == RATE else "greater"
    expected = stats.ttest_rel(*logarithms, alternative=way).pvalue
    assert seeds.p_value() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("speed", "work", "at_link", "by"),
    [
        (1.2, 1.0, False, ("work", 0.98, 1)),
        (1.02, 1.0, False, ("speed", 1, 2)),
        (1.0, 1.2, False, ("speed", 0.98, 1)),
        (0.9, 1.02, True, ("work", 1, 2)),
    ],
)
def test_a_row_helps_by_one_ratio_while_the_other_is_not_worse(
    speed: float, work: float, at_link: bool, by: tuple[str, float, int]
) -> None:
    sides = {"speed": compared(RATE, speed, 0.5), "work": compared(WORK, work, 0.5)}
    which, above, times = by
    found = p_helps(sides["speed"], sides["work"], at_link=at_link)
    assert found == pytest.approx(times * sides[which].p_value(above))
    assert p_helps(sides["speed"], None) == sides["speed"].p_value()


def test_the_share_of_false_ones_is_the_one_of_benjamini_and_hochberg() -> None:
    chances = [0.01, 0.04, 0.03, 0.005, 0.8, 0.04]
    assert adjusted(chances) == pytest.approx(stats.false_discovery_control(chances))
    assert adjusted([]) == []
    called = [True, False, True, True, False, False]
    assert most_false(chances, called) == pytest.approx(0.048), "0.04 is the fifth of six"
    assert most_false(chances, [False] * 6) is None


def test_a_seed_that_failed_is_missing_in_the_number_behind_the_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = ["--quick", "--seeds", "3", "--only", "protocol=none", "--store", str(tmp_path)]
    result = call(monkeypatch, "run", "quickstart", *arguments, fail=["no tunnel software 2"])
    assert result.exit_code == 1
    shown = call(monkeypatch, "show", "--store", str(tmp_path)).stdout
    assert "(3 seeds)" in shown
    assert "(2)" in shown
    assert "no tunnel, seed 2: " in shown
    (entry,) = load_results(Store(tmp_path)).failed
    assert entry.slug == "no-tunnel-software-seed-2"
