# SPDX-License-Identifier: Apache-2.0
"""The one rule of whether offload helps, and that all who say so say the same."""

from pathlib import Path

import polars as pl
import pytest
from advice_store import Named, Runs, cell
from made_pairs import judged as judge
from scipy import stats

from firesteel.advice.advice import advise
from firesteel.advice.measured import Question
from firesteel.analysis.intervals import (
    Comparison,
    Sample,
    Standing,
    in_noise,
    margin,
    spreads,
    unpaired_margin,
)
from firesteel.analysis.places import Places
from firesteel.analysis.results import load_results
from firesteel.analysis.verdict import COSTS, SPEEDS, RowVerdict, is_at_link, offloads
from firesteel.model.cell import Cell
from firesteel.model.metrics import better
from firesteel.store.store import Store
from firesteel.table import UNCERTAINTY


def one(value: float) -> Sample:
    return Sample.of([value])


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
        ("offloaded", 200.0, "equal"),
    ],
)
def test_two_percent_is_no_difference_and_each_metric_has_its_good_side(
    metric: str, hardware: float, expected: Standing
) -> None:
    assert Comparison(metric, one(100), one(hardware)).standing == expected


def test_all_that_decides_is_better_one_way() -> None:
    assert [metric for metric in (*SPEEDS, *COSTS) if better(metric) is None] == []


def test_nothing_is_divided_by_zero() -> None:
    assert Comparison("throughput", one(0), one(0)).standing == "equal"
    assert Comparison("rtt_mean", one(0), one(1)).standing == "worse"
    for metric in ("throughput", "rtt_mean"):
        for software, hardware in ((0.0, 1.0), (1.0, 0.0), (0.0, 0.0)):
            judged = judge(
                {metric: one(software), "cpu": one(0)}, {metric: one(hardware), "cpu": one(0)}
            )
            assert judged
            assert judged.work is None
    assert judge({"cpu": one(1)}, {"cpu": one(1)}) is None


@pytest.mark.parametrize(
    ("hardware", "offloaded", "verdict"),
    [
        (9.55, 0.0, "left to software"),
        (9.55, 1.0, "left to software"),
        (9.55, 1.1, "loses"),
        (9.55, None, "loses"),
        (9.32, 0.0, "left to software"),
        (9.30, 0.0, "loses"),
        (9.70, 0.0, "makes no difference"),
        (10.4, 0.0, "helps"),
    ],
)
def test_what_is_left_to_software_may_cost_five_percent(
    hardware: float, offloaded: float | None, verdict: str
) -> None:
    given = {"throughput": one(hardware), "cpu": one(100)}
    if offloaded is not None:
        given["offloaded"] = one(offloaded)
    judged = judge({"throughput": one(9.78), "cpu": one(100)}, given)
    assert judged
    assert judged.verdict == verdict
    if hardware == 9.55:
        assert judged.cost == pytest.approx(9.78 / 9.55 - 1)


def test_the_interval_of_a_single_seed_is_noise_and_what_has_not_converged_is_told() -> None:
    def sample(value: float, uncertainty: float) -> Sample:
        converged = uncertainty <= 0.02 * value
        return Sample(((1, value),), uncertainty, converged)

    for uncertainty, said in (
        (0.0, "helps"),
        (1.0, "helps"),
        (4.0, "makes no difference (not converged; speed within noise)"),
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


def test_at_the_link_nothing_is_too_slow() -> None:
    software, hardware = ({"throughput": one(value)} for value in (10.0, 9.6))
    for clear, verdict in (
        ({"throughput": 10.0, "cpu": 20.0}, "makes no difference"),
        ({"throughput": 10.0, "cpu": 99.0}, "loses"),
        ({"throughput": 10.2, "cpu": 20.0}, "loses"),
        ({}, "loses"),
    ):
        judged = judge(software, hardware, clear)
        assert judged
        assert judged.verdict == verdict
    assert is_at_link(9.5, 10.0)
    assert not is_at_link(9.4, 10.0)
    assert is_at_link(9.4, 10.0, share=0.9)


def test_the_noise_is_welch_s() -> None:
    before, after = [10.0, 11.0, 9.0, 10.5], [10.5, 12.0, 11.0]
    found = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert margin(Sample.of(before), Sample.of(after)) == pytest.approx(
        (found.high - found.low) / 2, rel=1e-9
    )
    assert in_noise(Sample.of(before), Sample.of(after)) == (found.low <= 0 <= found.high)
    assert margin(one(1), one(2)) is None
    assert not in_noise(one(1), one(2))


def test_what_a_seed_does_to_both_sides_is_no_noise() -> None:
    """Seeds that move software and hardware alike: the gain of 5 % is the same with each."""
    software = Sample.of([10.0, 12.0, 8.0, 11.0])
    hardware = Sample.of([value + 0.5 for value in software.values])
    assert not in_noise(software, hardware)
    assert margin(software, hardware) == pytest.approx(0)
    found = stats.ttest_rel([10.6, 12.4, 8.5, 11.6], software.values).confidence_interval(0.95)
    assert margin(software, Sample.of([10.6, 12.4, 8.5, 11.6])) == pytest.approx(
        (found.high - found.low) / 2
    )
    others = Sample.of_seeds((seed + 10, value) for seed, value in hardware.by_seed)
    assert in_noise(software, others), "other seeds have nothing in common"
    assert unpaired_margin(software, hardware) == margin(software, others)


def test_cpu_work_is_of_the_boots_not_of_their_means() -> None:
    """A boot that takes longer has a lower CPU use: its work is the same."""
    use, time = Sample.of([10.0, 12.0, 8.0]), Sample.of([1.2, 1.0, 1.5])
    assert use.times(time).values == pytest.approx((12, 12, 12))
    assert use.times(time).error == pytest.approx(0)
    more = {"rtt_mean": Sample.of([1.0] * 3), "cpu": Sample.of([12.6] * 3)}
    judged = judge({"rtt_mean": time, "cpu": use}, more)
    assert judged
    assert judged.work == pytest.approx(1.05)
    assert not judged.work_in_noise


def test_figures_without_a_seed_in_common_have_no_product() -> None:
    with pytest.raises(ValueError, match="no seed"):
        Sample.of_seeds([(1, 1.0)]).times(Sample.of_seeds([(2, 1.0)]))
    both = Sample.of_seeds([(1, 2.0), (2, 3.0)]).times(Sample.of_seeds([(2, 5.0)]))
    assert both.by_seed == ((2, 15.0),)


def test_a_row_of_the_spread_says_the_same_as_its_seeds() -> None:
    values = [10.0, 11.0, 9.0, 10.5]
    seeds = [4, 2, 3, 1]
    none = pl.Series(UNCERTAINTY, [None] * 4, pl.Float64)
    frame = pl.DataFrame({"k": "a", "seed": seeds, "value": values}).with_columns(none)
    (row,) = spreads(frame, ["k"]).to_dicts()
    assert Sample.of_row(row) == Sample.of_seeds(zip(seeds, values, strict=True))
    assert Sample.of_row(row).values == (10.5, 11.0, 9.0, 10.0)
    assert (row["value"], row["seeds"]) == (Sample.of(values).value, 4)
    assert Sample.of_row({"value": 3.0}) == one(3.0)


_RATE: Named = ("file-transfer", "16 MiB", "throughput", "MB/s")
_USE: Named = ("file-transfer", "16 MiB", "cpu", "percent of the loaded core")
_WORK: Named = ("file-transfer", "16 MiB", "cpu_seconds_per_mb", "s/MB")
_RTT: Named = ("ping", "56 B", "rtt_mean", "ms")
_RTT_USE: Named = ("ping", "56 B", "cpu", "percent of the loaded core")
_SPEED: Named = ("openssl-speed", "64 B", "throughput", "MB/s")
_DONE: Named = ("openssl-speed", "64 B", "offloaded", "percent")


def _measured(of: Cell, seed: int, figures: dict[Named, float]) -> tuple[Cell, dict[Named, float]]:
    return of.model_copy(update={"seed": seed}), figures


@pytest.mark.parametrize(
    ("software", "hardware", "verdicts"),
    [
        # As SSH with AES-256-CBC: a little slower at the link, and a third of the CPU's work.
        ({_RATE: 11.84, _WORK: 0.06}, {_RATE: 11.77, _WORK: 0.02}, ["helps"]),
        ({_RATE: 11.84, _WORK: 0.06}, {_RATE: 11.4, _WORK: 0.02}, ["helps"]),
        ({_RATE: 11.84, _WORK: 0.06}, {_RATE: 10.4, _WORK: 0.02}, ["mixed"]),
        ({_RATE: 5.0, _USE: 97.6}, {_RATE: 6.75, _USE: 98.0}, ["helps"]),
        ({_RTT: 1.0, _RTT_USE: 10.0}, {_RTT: 1.0, _RTT_USE: 10.5}, ["loses"]),
        ({_RTT: 1.0, _RTT_USE: 10.0}, {_RTT: 1.0, _RTT_USE: 10.1}, ["makes no difference"]),
        ({_SPEED: 9.78}, {_SPEED: 9.55, _DONE: 0.0}, ["left to software"]),
        ({_SPEED: 9.78}, {_SPEED: 9.0, _DONE: 0.0}, ["loses"]),
        ({_RTT: 1.0, _RATE: 5.0}, {_RTT: 1.2, _RATE: 6.0}, ["loses", "helps"]),
    ],
)
@pytest.mark.parametrize("spread", [(1.0,), (0.9, 1.0, 1.1), (0.999, 1.0, 1.001)])
def test_advice_and_report_give_the_same_verdicts(
    tmp_path: Path,
    software: dict[Named, float],
    hardware: dict[Named, float],
    verdicts: list[str],
    spread: tuple[float, ...],
) -> None:
    store = Store(tmp_path / "store")
    none = {"protocol": "none", "cipher": "none", "mac": "none"}
    clear = {_RATE: 11.9, _USE: 20.0}
    measured = []
    for seed, factor in enumerate(spread, 1):
        measured.append(_measured(cell(**none), seed, clear))
        for of, figures in ((cell(), software), (cell("hardware"), hardware)):
            # Away from each other, so that the sides do not vary in the same direction.
            by = factor if of.implementation == "software" else 2 - factor
            told = {name: value if name == _DONE else value * by for name, value in figures.items()}
            measured.append(_measured(of, seed, told))
    Runs(store).add(*measured)
    results = load_results(store)
    report = {
        (each.identity.workload, each.identity.parameter): each.judged
        for each in offloads(Places.of(results.means).labelled(results.means))
    }
    advice = advise(store, Question("openvpn", "aes-256-cbc", "sha256"))
    told_there = {
        (row.identity.workload, row.identity.parameter): row.judged for row in advice.rows
    }
    assert {at: each.verdict for at, each in report.items()} == {
        at: each.verdict for at, each in told_there.items() if each
    }
    assert [each.at_link for each in report.values()] == [
        each.at_link for each in told_there.values() if each
    ]
    if max(spread) <= 1.001:
        assert [judged.verdict for judged in report.values()] == verdicts


def test_a_verdict_of_nothing_makes_no_difference() -> None:
    assert RowVerdict("throughput", None).verdict == "makes no difference"


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
