# SPDX-License-Identifier: Apache-2.0
"""The rule of docs/advice.md: from figures to yes, no, equal, inconclusive, or it depends."""

import pytest

from firesteel.judge.advice.advice import Decision, decide, nearest, threshold
from firesteel.judge.rows import Pair, Row
from firesteel.judge.verdict import Offload, RowVerdict, Verdict
from firesteel.model.identity import Identity
from firesteel.workloads.registry import parameter_of


def identity(workload: str, parameter: str) -> Identity:
    suite = ("ipsec", "aes-256-gcm", "gcm")
    return Identity(workload, parameter_of(workload, parameter), *suite, "hardware")


def offload(of: Identity, judged: RowVerdict) -> Offload:
    return Offload(Pair(Row(of.in_software, {}), Row(of, {})), judged)


def row(
    metric: str,
    software: float,
    hardware: float,
    parameter: str = "1000 B",
    experiment: str = "ping",
) -> Offload:
    """A row whose speed is that of these figures."""
    ratio = software / hardware if metric in ("rtt_mean", "latency") else hardware / software
    return offload(identity(experiment, parameter), RowVerdict(metric, ratio, speed_margin=0.0))


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (("helps", "equal"), "yes"),
        (("helps", "inconclusive"), "yes"),
        (("loses", "equal"), "no"),
        (("loses", "inconclusive"), "no"),
        (("equal",), "equal"),
        (("equal", "inconclusive"), "inconclusive"),
        (("helps", "loses"), "it depends"),
        (("mixed",), "it depends"),
    ],
)
def test_all_rows_decide_together(verdicts: tuple[Verdict, ...], expected: Decision) -> None:
    rows = [offload(identity("ping", "1 B"), JUDGED[verdict]) for verdict in verdicts]
    assert [each.verdict for each in rows] == list(verdicts)
    assert decide(rows) == expected


JUDGED: dict[Verdict, RowVerdict] = {
    "helps": RowVerdict("throughput", 2.0, speed_margin=0.0),
    "equal": RowVerdict("throughput", 1.0, speed_margin=0.0),
    "inconclusive": RowVerdict("throughput", 1.0, speed_margin=0.03),
    "mixed": RowVerdict("throughput", 0.5, 0.5, "", 0.0, 0.0),
    "loses": RowVerdict("throughput", 0.5, speed_margin=0.0),
}


SIZES = ("56 B", "1000 B", "8000 B")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (28, "56 B"),
        (56, "56 B"),
        (236, "56 B"),
        (237, "1000 B"),
        (1400, "1000 B"),
        (4000, "8000 B"),
        (16_000, "8000 B"),
    ],
)
def test_the_nearest_size_is_so_by_ratio(asked: int, expected: str) -> None:
    rows = [row("rtt_mean", 1, 1, size) for size in SIZES]
    assert [each.identity.parameter.text for each in nearest(rows, asked)] == [expected]


@pytest.mark.parametrize("asked", [1, 27, 16_001, 376_000])
def test_no_size_tells_of_one_far_from_all(asked: int) -> None:
    """As of one 47 times as large."""
    rows = [row("rtt_mean", 1, 1, size) for size in SIZES]
    assert nearest(rows, asked) == []


def test_each_experiment_has_its_nearest_and_files_have_none() -> None:
    rows = [
        row("rtt_mean", 1, 1, "56 B"),
        row("throughput", 1, 1, "16 MiB", "file-transfer"),
        row("connections", 1, 1, "rsa-2048", "tls-connections"),
        row("latency", 1, 1, "4 KiB, sector 512 B", "disk-random-read"),
        row("latency", 1, 1, "4 KiB, sector 4096 B", "disk-random-read"),
        row("latency", 1, 1, "128 KiB, sector 512 B", "disk-random-read"),
    ]
    found = [(each.identity.workload, each.identity.parameter.text) for each in nearest(rows, 3000)]
    assert found == [
        ("disk-random-read", "4 KiB, sector 512 B"),
        ("disk-random-read", "4 KiB, sector 4096 B"),
    ]


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        ((0.5, 2, 2), ("1000 B", "56 B")),
        ((0.5, 1, 2), ("1000 B", "56 B")),
        ((0.5, 0.5, 2), ("8000 B", "1000 B")),
        ((2, 2, 0.5), None),
        ((2, 0.5, 2), ("8000 B", "1000 B")),
        ((0.5, 1, 1), None),
        # Below the smallest size nothing was measured
        ((2, 1, 1), None),
    ],
)
def test_the_size_from_which_on_it_pays(
    hardware: tuple[float, ...], expected: tuple[str, str] | None
) -> None:
    rows = [row("throughput", 1, rate, size) for rate, size in zip(hardware, SIZES, strict=True)]
    assert threshold(rows) == expected


def test_no_size_helps_where_something_without_one_is_worse() -> None:
    rows = [
        row("rtt_mean", 2, 1),
        row("throughput", 2, 1, "16 MiB", "file-transfer"),
    ]
    assert threshold(rows) is None
