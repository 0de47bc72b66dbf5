# SPDX-License-Identifier: Apache-2.0
"""The one rule of whether offload helps, and that all who say so say the same."""

import statistics
from itertools import groupby

import polars as pl
import pytest
from made_pairs import judged as judge
from scipy import stats

from firesteel.judge.intervals import (
    Comparison,
    Gain,
    Sample,
    Standing,
    margin,
    spreads,
)
from firesteel.judge.spread import KIND
from firesteel.judge.verdict import RowVerdict, Verdict
from firesteel.model.figure import t_quantile
from firesteel.table import CPUS, UNCERTAINTY


def one(value: float) -> Sample:
    return Sample.exact(value)


@pytest.mark.parametrize(
    ("metric", "hardware", "expected"),
    [
        ("throughput", 102.1, "better"),
        ("throughput", 102.0, "equal"),
        ("throughput", 98.0, "equal"),
        ("throughput", 97.9, "worse"),
        ("rtt_mean", 97.9, "better"),
        ("rtt_mean", 102.1, "worse"),
        ("cpu_seconds_per_mb", 50.0, "better"),
        ("cpu_seconds_per_connection", 200.0, "worse"),
        ("connections", 200.0, "better"),
    ],
)
def test_two_percent_is_equal_and_each_metric_has_its_good_side(
    metric: str, hardware: float, expected: Standing
) -> None:
    assert Comparison(metric, one(100), one(hardware)).standing == expected


def test_nothing_is_divided_by_zero() -> None:
    assert Comparison("throughput", one(0), one(0)).standing == "equal"
    assert Comparison("rtt_mean", one(0), one(1)).standing == "inconclusive"
    assert Comparison("rtt_mean", one(1), one(0)).standing == "inconclusive"
    for metric in ("throughput", "rtt_mean"):
        for software, hardware in ((0.0, 1.0), (1.0, 0.0), (0.0, 0.0)):
            judged = judge(
                {metric: one(software), "cpu": one(0)}, {metric: one(hardware), "cpu": one(0)}
            )
            assert judged
            assert judged.work is None
    assert judge({"cpu": one(1)}, {"cpu": one(1)}) is None


@pytest.mark.parametrize(
    ("low", "ratio", "high", "standing"),
    [
        (0.981, 1.0, 1.02, "equal"),
        (1.001, 1.01, 1.019, "equal"),
        (0.979, 1.0, 1.021, "inconclusive"),
        (1.005, 1.015, 1.025, "inconclusive"),
        (0.975, 0.985, 0.995, "inconclusive"),
        (1.001, 1.03, 1.06, "better"),
        (0.99, 1.03, 1.06, "inconclusive"),
        (0.94, 0.97, 0.999, "worse"),
        (0.94, 0.97, 1.01, "inconclusive"),
    ],
)
def test_a_ratio_stands_by_its_interval(
    low: float, ratio: float, high: float, standing: Standing
) -> None:
    assert Gain(ratio, low, high).standing == standing


@pytest.mark.parametrize(
    ("speed", "work", "verdict"),
    # Each a ratio and by how much its logarithm may be off
    [
        ((1.1, 0.05), (1.0, 0.01), "helps"),
        ((1.1, 0.05), (1.0, 0.03), "inconclusive"),
        ((1.0, 0.01), (0.9, 0.05), "helps"),
        ((1.0, 0.03), (0.9, 0.05), "inconclusive"),
        ((0.9, 0.05), (1.0, 0.03), "loses"),
        ((0.9, 0.05), (0.9, 0.2), "loses"),
        ((0.9, 0.05), (0.9, 0.05), "mixed"),
        ((1.1, 0.05), (1.1, 0.05), "mixed"),
        ((1.0, 0.01), (1.0, 0.01), "equal"),
        ((1.0, 0.01), (1.0, 0.03), "inconclusive"),
        ((None, 0.0), (1.0, 0.0), "inconclusive"),
    ],
)
def test_the_verdict_is_of_both_ratios(
    speed: tuple[float | None, float], work: tuple[float, float], verdict: Verdict
) -> None:
    (fast, fast_by), (busy, busy_by) = speed, work
    judged = RowVerdict("throughput", fast, busy, speed_margin=fast_by, work_margin=busy_by)
    assert judged.verdict == verdict


@pytest.mark.parametrize(
    ("unknown", "said"),
    [
        ("throughput", "inconclusive (speed with unknown interval)"),
        ("cpu_seconds_per_mb", "inconclusive (CPU work with unknown interval)"),
        ("cpu", "helps"),
    ],
)
def test_what_nobody_measured_is_not_taken_for_exact(unknown: str, said: str) -> None:
    software, hardware = (
        {
            metric: Sample.of([value]) if metric == unknown else one(value)
            for metric, value in (("throughput", rate), ("cpu_seconds_per_mb", 1.0), ("cpu", 9.0))
        }
        for rate in (10.0, 20.0)
    )
    judged = judge(software, hardware)
    assert judged
    assert judged.said == said


@pytest.mark.parametrize("gain", [0.8, 0.97, 0.985, 1.0, 1.015, 1.03, 1.2])
@pytest.mark.parametrize("deviation", [0.0, 0.003, 0.01, 0.03])
def test_more_seeds_of_the_same_spread_delete_no_verdict(gain: float, deviation: float) -> None:
    """A verdict may be inconclusive for long; once there is one, it stays."""

    def seeds(mean: float, count: int, first: int = 1) -> Sample:
        """So many of that very standard deviation, which their kind has too."""
        numbers = [number - (count - 1) / 2 for number in range(count)]
        scale = deviation / statistics.stdev(numbers) if count > 1 else 0.0
        values = [mean * (1 + scale * number) for number in numbers]
        of_one = mean * deviation * t_quantile(8)
        return Sample(tuple(enumerate(values, first)), of_one, freedom=8)

    told = []
    for count in range(1, 40):
        hardware = {"throughput": seeds(gain, count, first=100)}
        judged = judge({"throughput": seeds(1.0, count)}, hardware)
        assert judged
        told.append(judged.verdict)
    found = list(dict.fromkeys(told))
    assert len(found) == 1 or (found[0], len(found)) == ("inconclusive", 2), found
    assert [verdict for verdict, _ in groupby(told)] == found


def test_what_was_left_to_software_loses_and_says_so() -> None:
    for hardware, offloaded, said in (
        (9.55, 0.0, "loses (left to software, costs 2.4\N{NO-BREAK SPACE}%)"),
        (9.55, 1.1, "loses"),
        (9.78, 1.0, "equal (left to software)"),
        (10.5, 0.0, "inconclusive (left to software)"),
        (10.5, 1.1, "helps"),
    ):
        given = {
            "throughput": one(hardware),
            "cpu": one(10 * hardware),
            "offloaded": one(offloaded),
        }
        judged = judge({"throughput": one(9.78), "cpu": one(97.8)}, given)
        assert judged
        assert judged.said == said


def test_the_interval_of_a_single_seed_counts_and_what_has_not_converged_is_told() -> None:
    def sample(value: float, uncertainty: float) -> Sample:
        converged = uncertainty <= 0.02 * value
        return Sample(((1, value),), uncertainty, converged)

    for uncertainty, said in (
        (0.0, "helps"),
        (1.0, "helps"),
        (4.0, "inconclusive (speed 0.994 to 1.110; not converged)"),
    ):
        software, hardware = (sample(value, uncertainty) for value in (100.0, 105.0))
        judged = judge({"connections": software}, {"connections": hardware})
        assert judged
        assert judged.said == said
    assert margin(sample(100, 3), sample(105, 4)) == 5
    doubled = sample(100, 3).times(sample(2, 0.1))
    assert (doubled.value, doubled.uncertainty, doubled.converged) == (200, 16, False)
    inverse = sample(100, 3).inverse()
    assert inverse.value == 0.01
    assert inverse.uncertainty == pytest.approx(0.0003)


@pytest.mark.parametrize(
    ("clear", "link_use", "at_link"),
    [
        ({"throughput": 10.0, "cpu": 20.0}, None, True),
        ({"throughput": 10.0, "cpu": 99.0}, None, False),
        ({"throughput": 10.2, "cpu": 20.0}, None, False),
        ({}, None, False),
        ({}, 94.9, False),
        ({}, 95.0, True),
    ],
)
def test_at_the_link_a_speed_that_may_be_equal_is_and_a_loss_is_a_loss(
    clear: dict[str, float], link_use: float | None, at_link: bool
) -> None:
    full = {} if link_use is None else {"link_use": one(link_use)}
    # 4 % less for certain, and with an interval that reaches into the slack
    for by, verdict in ((0.01, "loses"), (0.038, "equal" if at_link else "loses")):
        software, hardware = (Sample(((1, value),), value * by / 2**0.5) for value in (10.0, 9.6))
        judged = judge({"throughput": software}, {"throughput": hardware, **full}, clear)
        assert judged
        assert judged.at_link == (at_link and verdict == "equal")
        assert judged.verdict == verdict


def test_the_noise_is_welch_s() -> None:
    before, after = [10.0, 11.0, 9.0, 10.5], [10.5, 12.0, 11.0]
    found = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert margin(Sample.of(before), Sample.of(after)) == pytest.approx(
        (found.high - found.low) / 2, rel=1e-9
    )
    assert margin(Sample.of([1]), Sample.of([2])) is None


def test_what_a_seed_does_to_both_sides_is_no_noise() -> None:
    """Seeds that move software and hardware alike: the gain of 5 % is the same with each."""
    software = Sample.of([10.0, 12.0, 8.0, 11.0])
    hardware = Sample.of([value + 0.5 for value in software.values])
    assert margin(software, hardware) == pytest.approx(0)
    found = stats.ttest_rel([10.6, 12.4, 8.5, 11.6], software.values).confidence_interval(0.95)
    assert margin(software, Sample.of([10.6, 12.4, 8.5, 11.6])) == pytest.approx(
        (found.high - found.low) / 2
    )
    others = Sample(tuple((seed + 10, value) for seed, value in hardware.by_seed))
    assert margin(software, hardware, paired=False) == margin(software, others)


def test_cpu_work_is_of_the_boots_not_of_their_means() -> None:
    """A boot that takes longer has a lower CPU use: its work is the same."""
    use, time = Sample.of([10.0, 12.0, 8.0]), Sample.of([1.2, 1.0, 1.5])
    assert use.times(time).values == pytest.approx((12, 12, 12))
    noise = use.times(time).noise
    assert noise
    assert noise.error == pytest.approx(0)
    more = {"rtt_mean": Sample.of([1.0] * 3), "cpu": Sample.of([12.6] * 3)}
    judged = judge({"rtt_mean": time, "cpu": use}, more)
    assert judged
    assert judged.work == pytest.approx(1.05)
    assert judged.work_margin == pytest.approx(0)


def test_figures_without_a_seed_in_common_have_no_product() -> None:
    with pytest.raises(ValueError, match="no seed"):
        Sample(((1, 1.0),)).times(Sample(((2, 1.0),)))
    both = Sample(((1, 2.0), (2, 3.0))).times(Sample(((2, 5.0),)))
    assert both.by_seed == ((2, 15.0),)


def test_a_row_of_the_spread_says_the_same_as_its_seeds() -> None:
    values = [10.0, 11.0, 9.0, 10.5]
    seeds = [4, 2, 3, 1]
    none = pl.Series(UNCERTAINTY, [None] * 4, pl.Float64)
    frame = pl.DataFrame(dict.fromkeys(KIND, "a") | {CPUS: 1, "seed": seeds, "value": values})
    (row,) = spreads(frame.with_columns(none), [*KIND]).to_dicts()
    by_seed = tuple(sorted(zip(seeds, values, strict=True)))
    assert Sample.of_row(row) == Sample(by_seed, 0.0)
    assert Sample.of_row(row).values == (10.5, 11.0, 9.0, 10.0)
    assert (row["value"], row["seeds"]) == (Sample.of(values).value, 4)
    assert Sample.of_row({"value": 3.0}) == Sample.of([3.0])


def test_cpu_work_is_busy_time_and_no_count_of_instructions() -> None:
    """A register access takes time and no instruction."""
    software = {"time_per_request_p50": one(10.0), "instructions_per_request_p50": one(5000.0)}
    software["cpu_time_per_request_p50"] = one(10.0)
    hardware = {name: one(value.value * 1.2) for name, value in software.items()}
    hardware["instructions_per_request_p50"] = one(1000.0)
    judged = judge(software, hardware)
    assert judged is not None
    assert judged.work == pytest.approx(1.2)
    assert judged.work_by == "cpu_time_per_request_p50"
    assert judged.verdict == "loses"
