# SPDX-License-Identifier: Apache-2.0
"""Ratio of hardware to software: ours beside the published ratios."""

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest
from made_results import exact, unsure
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.judge.compare import compare, load_published
from firesteel.judge.intervals import Comparison, Sample
from firesteel.judge.replication.ratios import WORK, Ratio, frame, ratios, summaries
from firesteel.judge.results import load_results
from firesteel.judge.rows import Result
from firesteel.model.metrics import METRICS
from firesteel.show.compare import show_ratios
from firesteel.store.store import Store

IPSEC = {"protocol": "ipsec", "cipher": "aes-256-cbc", "mac": "sha256"}


def as_published(change: Callable[[Result], float] = lambda _: 1.0) -> list[Result]:
    """Every row of the thesis, so many times as large as published."""
    return compare(
        exact(each.result, each.result.value * change(each.result))
        for each in load_published()
        if each.source == "delhaye2015"
        and each.result.identity.implementation
        and each.result.metric in METRICS
    )


def of(found: list[Ratio], kind: str, **row: str) -> Ratio:
    (ratio,) = (
        each
        for each in found
        if each.kind == kind and all(each.columns[key] == value for key, value in row.items())
    )
    return ratio


def test_every_published_pair_has_its_ratio() -> None:
    found = ratios(as_published())
    assert all(each.deviation == pytest.approx(0) and each.same_direction for each in found)
    openvpn = {"protocol": "openvpn", "cipher": "aes-256-cbc"}
    published = [
        of(found, "throughput", **openvpn, mac="none"),
        of(found, "throughput", **openvpn, mac="sha256"),
        of(found, "throughput", **IPSEC),
        of(found, "throughput", protocol="ssh", mac="sha256"),
        of(found, "handshake", parameter="rsa-4096"),
        of(found, "handshake rate", parameter="rsa-4096"),
        of(found, "round trip", **IPSEC, parameter="16000 B"),
        of(found, "CPU work", **IPSEC),
        of(found, "CPU work", parameter="rsa-4096"),
    ]
    expected = (
        *(3.35 / 4.78, 2.84 / 3.87, 5.8 / 6.47, 10.39 / 8.19),
        *(1.436743 / 0.183533, 115.5 / 19.6, 7.975 / 6.929),
        *(17.25 / 5.8 / (74.64 / 6.47), 4.34 / 115.5 / (81.97 / 19.6)),
    )
    assert [each.published for each in published] == pytest.approx(expected)


def test_a_ratio_s_deviation_is_of_the_ratio_alone() -> None:
    twice = ratios(as_published(lambda _: 2.0))
    assert [each.deviation for each in twice] == pytest.approx([0] * len(twice))
    faster = ratios(
        as_published(lambda each: 2.0 if each.identity.implementation == "hardware" else 1.0)
    )
    assert of(faster, "throughput", **IPSEC).deviation == pytest.approx(100)
    assert not of(faster, "throughput", **IPSEC).same_direction
    assert of(faster, "handshake", parameter="rsa-1024").deviation == pytest.approx(-50)
    assert of(faster, "handshake", parameter="rsa-1024").same_direction  # 1.03, a gain still
    assert of(faster, "CPU work", **IPSEC).deviation == pytest.approx(0)  # twice of twice as much


def test_a_ratio_that_seeds_leave_open_has_no_direction() -> None:
    ratio = of(ratios(as_published()), "throughput", protocol="ssh", mac="sha256")
    assert ratio.same_direction
    open_still = Comparison("throughput", Sample.of([8.0, 9.0]), Sample.of([11.0, 9.0]))
    assert not replace(ratio, of_ours=open_still).same_direction


def test_medians_are_of_each_kind_and_of_all() -> None:
    found = ratios(
        as_published(
            lambda each: (
                1.5
                if (each.identity.implementation, each.metric) == ("hardware", "rtt_mean")
                else 1
            )
        )
    )
    told = {each.kind: each for each in summaries(found)}
    assert told["round trip"].median == pytest.approx(100 / 3)
    assert told["throughput"].median == pytest.approx(0)
    assert told["all"].pairs == len(found) == sum(each.pairs for each in told.values()) / 2
    assert (told["handshake"].predicted, told["handshake"].median_predicted) == (0, None)
    assert told["throughput"].predicted < told["throughput"].pairs
    # Half as long again is worse for hardware
    assert (told["round trip"].favours, told["throughput"].favours) == (0, 0)


def test_ratios_that_favour_hardware_more_than_published_ones_are_counted() -> None:
    """Of CPU work, the smaller ratio favours hardware."""
    means = load_results(Store(RECORDED), "thesis").means
    found = [each for each in ratios(compare(means)) if each.converged]
    counted = sum((each.deviation < 0) == (each.kind == WORK) for each in found)
    assert summaries(found)[-1].favours == counted


def test_ratios_are_tidy_rows() -> None:
    found = ratios(as_published())
    rows = frame(found)
    assert rows.height == len(found)
    row = rows.filter(pl.col("kind") == "handshake", pl.col("parameter") == "rsa-4096").to_dicts()[
        0
    ]
    assert row["fitted"] == "software and hardware"
    assert row["ratio"] == pytest.approx(row["published"])
    assert frame([]).columns == rows.columns


def test_the_terminal_shows_every_pair_and_the_medians() -> None:
    console = Console(width=80, record=True)
    show_ratios(console, as_published())
    text = console.export_text()
    assert text.count("+0 %") == len(ratios(as_published()))
    lines = [
        line for line in text.splitlines() if line.startswith("IPsec AES-256-CBC:SHA-256, 128 MiB ")
    ]
    assert [line.split()[4:] for line in lines] == [
        ["0.90", "0.90", "+0", "%", "software"],
        ["0.26", "0.26", "+0", "%", "software"],
    ]
    (whole,) = (line for line in text.splitlines() if line.startswith("all "))
    assert whole.split()[1:3] == [str(len(ratios(as_published()))), "0"]
    partly = Console(width=80, record=True)
    show_ratios(partly, unsure(as_published(), "rtt_mean"))
    text = partly.export_text()
    assert "(≈)" in text
    assert not any(line.startswith("round trip ") for line in text.splitlines())
    silent = Console(width=80, record=True)
    show_ratios(silent, [])
    assert silent.export_text() == ""
