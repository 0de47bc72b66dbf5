# SPDX-License-Identifier: Apache-2.0
"""The rule of docs/advice.md: from figures to yes, no, no difference, or it depends."""

import pytest

from firesteel.advice.verdict import DECIDING, Answer, Row, Verdict, answer, nearest, threshold
from firesteel.direction import better


def row(
    metric: str,
    software: float,
    hardware: float,
    parameter: str = "1000 B",
    experiment: str = "ping",
) -> Row:
    return Row(experiment, parameter, metric, "unit", ((software, hardware),))


@pytest.mark.parametrize(
    ("metric", "hardware", "expected"),
    [
        ("throughput", 100.6, "better"),
        ("throughput", 100.5, "same"),
        ("throughput", 100.0, "same"),
        ("throughput", 99.5, "same"),
        ("throughput", 99.4, "worse"),
        ("rtt_mean", 99.4, "better"),
        ("rtt_mean", 99.5, "same"),
        ("rtt_mean", 100.5, "same"),
        ("rtt_mean", 100.6, "worse"),
        ("cpu_seconds_per_mb", 50.0, "better"),
        ("cpu_seconds_per_connection", 200.0, "worse"),
        ("connections", 200.0, "better"),
        ("latency", 200.0, "worse"),
        ("cpu", 1.0, ""),
    ],
)
def test_half_a_percent_is_noise_and_each_metric_has_its_good_side(
    metric: str, hardware: float, expected: Verdict
) -> None:
    assert row(metric, 100, hardware).verdict == expected


def test_all_that_decides_is_better_one_way() -> None:
    assert [metric for metric in DECIDING if better(metric) is None] == []


def test_nothing_is_divided_by_zero() -> None:
    assert row("throughput", 0, 0).verdict == "same"
    assert row("rtt_mean", 0, 1).verdict == "worse"
    assert row("rtt_mean", 0, 1).ratio is None


def test_with_several_seeds_the_mean_counts_and_all_must_agree() -> None:
    def seeds(*pairs: tuple[float, float]) -> Row:
        return Row("ping", "56 B", "rtt_mean", "ms", pairs)

    agreed = seeds((10, 9), (12, 10))
    assert (agreed.software, agreed.hardware, agreed.verdict) == (11, 9.5, "better")
    assert seeds((10, 5), (10, 10.1)).verdict == "same"
    assert seeds((10, 11), (10, 12)).verdict == "worse"
    assert seeds((1000, 1001), (1000, 1002)).verdict == "same"


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ((2, 1.001), "yes"),
        ((2, 3), "yes"),
        ((0.5, 1.001), "no"),
        ((0.5, 0.6), "no"),
        ((1, 0.999), "no difference"),
        ((2, 0.5), "it depends"),
        ((2, 0.5, 1), "it depends"),
    ],
)
def test_all_figures_decide_together(rates: tuple[float, ...], expected: Answer) -> None:
    assert answer(row("throughput", 1, rate) for rate in rates) == expected


def test_what_is_only_told_does_not_decide() -> None:
    assert answer([row("cpu", 100, 1), row("throughput", 1, 1)]) == "no difference"


SIZES = ("56 B", "1000 B", "8000 B")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (1, "56 B"),
        (56, "56 B"),
        (236, "56 B"),
        (237, "1000 B"),
        (1400, "1000 B"),
        (4000, "8000 B"),
        (65_536, "8000 B"),
    ],
)
def test_the_nearest_size_is_so_by_ratio(asked: int, expected: str) -> None:
    rows = [row("rtt_mean", 1, 1, size) for size in SIZES]
    assert [each.parameter for each in nearest(rows, asked)] == [expected]


def test_of_two_sizes_as_near_the_smaller_counts() -> None:
    rows = [row("rtt_mean", 1, 1, size) for size in ("100 B", "400 B")]
    assert [each.parameter for each in nearest(rows, 200)] == ["100 B"]


def test_each_experiment_has_its_nearest_and_files_have_none() -> None:
    rows = [
        row("rtt_mean", 1, 1, "56 B"),
        row("throughput", 1, 1, "16 MiB", "file-transfer"),
        row("connections", 1, 1, "rsa-2048", "tls-connections"),
        row("latency", 1, 1, "4 KiB, sector 512 B", "disk-random-read"),
        row("latency", 1, 1, "4 KiB, sector 4096 B", "disk-random-read"),
        row("latency", 1, 1, "128 KiB, sector 512 B", "disk-random-read"),
    ]
    found = [(each.experiment, each.parameter) for each in nearest(rows, 3000)]
    assert found == [
        ("ping", "56 B"),
        ("disk-random-read", "4 KiB, sector 512 B"),
        ("disk-random-read", "4 KiB, sector 4096 B"),
    ]


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        ((0.5, 2, 2), "1000 B"),
        ((0.5, 1, 2), "1000 B"),
        ((0.5, 0.5, 2), "8000 B"),
        ((2, 2, 0.5), None),
        ((2, 0.5, 2), "8000 B"),
        ((0.5, 1, 1), None),
        ((2, 1, 1), "56 B"),
    ],
)
def test_the_size_from_which_on_it_pays(hardware: tuple[float, ...], expected: str | None) -> None:
    rows = [row("throughput", 1, rate, size) for rate, size in zip(hardware, SIZES, strict=True)]
    assert threshold(rows) == expected


def test_no_size_helps_where_something_without_one_is_worse() -> None:
    rows = [
        row("rtt_mean", 2, 1),
        row("throughput", 2, 1, "16 MiB", "file-transfer"),
    ]
    assert threshold(rows) is None
