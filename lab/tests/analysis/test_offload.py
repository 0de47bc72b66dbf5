# SPDX-License-Identifier: Apache-2.0
"""Whether offload helps: pairs, their ratios, and the verdict by the rule that is told."""

import re
from typing import Any

import polars as pl
import pytest
from made_pairs import both, found, row
from made_results import results_in

from firesteel.advice.answer import answer_of_pairs
from firesteel.analysis.intervals import BY_SEED, Comparison, Sample
from firesteel.analysis.sheet import ratio
from firesteel.analysis.verdict import COST_OF_CHOICE, RowVerdict
from firesteel.report.findings import further, reservations
from firesteel.report.offload import RULE, configurations_grid, kinds_grid, rows_grid
from firesteel.terminal.grid import Mark


def compared(software: float, hardware: float) -> Comparison:
    return Comparison("throughput", Sample.of([software]), Sample.of([hardware]))


NO_COMPARISON = results_in(pl.DataFrame([row("loss", 0.0, experiment="ping")]))
"""Of a figure that nobody published."""


@pytest.mark.parametrize(
    ("speed", "work", "verdict"),
    [
        (1.5, 0.5, "helps"),
        (1.0, 0.5, "helps"),
        (1.5, 1.0, "helps"),
        (1.5, None, "helps"),
        (1.019, 0.981, "makes no difference"),
        (0.7, 1.0, "loses"),
        (1.0, 1.03, "loses"),
        (0.7, 1.4, "loses"),
        (1.3, 1.1, "mixed"),
        (0.9, 0.5, "mixed"),
    ],
)
def test_the_verdict_is_by_the_rule(speed: float, work: float | None, verdict: str) -> None:
    assert RowVerdict("throughput", speed, work).verdict == verdict


def test_the_rule_names_the_slack() -> None:
    assert "more than 2\N{NO-BREAK SPACE}%" in RULE
    assert f"at most {COST_OF_CHOICE * 100:g}\N{NO-BREAK SPACE}% longer" in RULE


def test_times_count_the_other_way_round() -> None:
    (pair,) = found(*both("rtt_mean", 2.0, 1.0, experiment="ping"))
    assert pair.speed == 2
    assert pair.verdict == "helps"


def test_cpu_work_is_told_or_follows_from_use_and_speed() -> None:
    rate = both("throughput", 5.0, 10.0)
    (told,) = found(*rate, *both("cpu", 90, 90), *both("cpu_seconds_per_mb", 0.2, 0.05))
    (computed,) = found(*rate, *both("cpu", 90, 90))
    (unknown,) = found(*rate)
    assert (told.work, computed.work, unknown.work) == (0.25, 0.5, None)
    ping_rows = [*both("rtt_mean", 1.0, 2.0), *both("cpu", 50, 50)]
    (ping,) = found(*(each | {"experiment": "ping"} for each in ping_rows))
    assert ping.work == 2, "twice as long at the same use"


def test_a_row_without_software_of_its_own_board_is_no_pair() -> None:
    software, hardware = both("throughput", 5.0, 10.0)
    assert found(hardware) == []
    assert found(software | {"board": "a"}, hardware | {"board": "b"}) == []
    boards = [row | {"board": name} for row in (software, hardware) for name in "ab"]
    assert [pair.label for pair in found(*boards)] == [
        "IPsec AES-256-GCM, hardware [a]",
        "IPsec AES-256-GCM, hardware [b]",
    ]


def test_nothing_to_divide_by_is_no_fault() -> None:
    (pair,) = found(*both("throughput", 0.0, 10.0), *both("cpu", 0.0, 10.0))
    assert (pair.speed, pair.work, pair.verdict) == (None, None, "makes no difference")


def seeds(
    row: dict[str, Any], low: float | None, high: float | None, first: int = 1
) -> dict[str, Any]:
    """The row with five seeds whose mean has that interval; one seed has none."""
    if low is None or high is None:
        return row
    mean = (low + high) / 2
    # Of -2, -1, 0, 1 and 2 half of the interval is 2.776 * sqrt(10 / 4) / sqrt(5).
    step = (high - low) / 2 / (2.7764 * 2.5**0.5 / 5**0.5)
    values = enumerate((mean + number * step for number in range(-2, 3)), first)
    return row | {BY_SEED: [{"seed": seed, "value": value} for seed, value in values]}


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    # The means differ by 1; half of the interval of the difference is 1.4, then 0.6.
    [(9.5, 12.5, "makes no difference"), (10.5, 11.5, "helps"), (None, None, "helps")],
)
def test_a_difference_in_the_noise_between_seeds_is_none(
    low: float | None, high: float | None, verdict: str
) -> None:
    software, hardware = both("throughput", 10.0, 11.0)
    exact = low is None
    (pair,) = found(
        seeds(software, None if exact else 9.5, None if exact else 10.5),
        seeds(hardware, low, high, first=11),
    )
    assert pair.verdict == verdict
    sheet = rows_grid([pair])
    assert sheet
    told = sheet.rows[0][-1]
    assert isinstance(told, Mark)
    assert ("within noise" in told.text) == (verdict != "helps")


@pytest.mark.parametrize(
    ("software_cpu", "hardware_cpu", "verdict"),
    [
        ((10.0, 8.0, 12.0), (10.5, 8.0, 13.0), "makes no difference"),
        ((10.0, 9.9, 10.1), (10.5, 10.4, 10.6), "loses"),
        ((10.0, None, None), (10.5, None, None), "loses"),
    ],
)
def test_work_that_follows_from_cpu_use_may_be_in_the_noise_too(
    software_cpu: tuple[float, float | None, float | None],
    hardware_cpu: tuple[float, float | None, float | None],
    verdict: str,
) -> None:
    exact = software_cpu[1] is None
    rows = [
        seeds(each, None if exact else 0.99, None if exact else 1.01, first)
        for first, each in zip((1, 11), both("rtt_mean", 1.0, 1.0, experiment="ping"), strict=True)
    ]
    for how, (value, low, high) in (("software", software_cpu), ("hardware", hardware_cpu)):
        first = 1 if how == "software" else 11
        rows.append(seeds(row("cpu", value, how, experiment="ping"), low, high, first))
    (pair,) = found(*rows)
    assert pair.work == pytest.approx(1.05, rel=2e-3)
    assert (pair.verdict, pair.judged.work_in_noise) == (verdict, verdict != "loses")


def test_the_answer_names_what_is_left_to_software() -> None:
    left = found(*both("throughput", 9.78, 9.55), row("offloaded", 0.0, "hardware"))
    good = found(*both("throughput", 5.0, 10.0), row("offloaded", 100.0, "hardware"))
    (first, *_) = answer_of_pairs(good + left).sentences
    assert re.match("Of 2 rows: 1 gains, 1 .*left to software", first)
    told = further(NO_COMPARISON, good + left)
    (pair,) = left
    assert told[0].startswith("Left to software")
    assert told[0].endswith(f": {pair.what} (costs 2.4\N{NO-BREAK SPACE}%).")
    sheet = rows_grid(left)
    assert sheet
    assert sheet.rows[0][-1] == Mark(f"{pair.verdict} (costs 2.4\N{NO-BREAK SPACE}%)", "plain")


def test_the_answer_says_what_it_did_not_count_and_does_not_know() -> None:
    good = found(*both("throughput", 5.0, 10.0))
    other = found(*both("throughput", 5.0, 4.0, protocol="openvpn"))
    assert reservations(good, good, seeds=3) == []
    (told,) = reservations(good + other, good, seeds=3)
    assert told.endswith(" not counted: OpenVPN AES-256-GCM, hardware.")
    (told,) = reservations(good, good, seeds=1)
    assert "one seed" in told
    assert "2\N{NO-BREAK SPACE}%" in told
    assert reservations([], [], seeds=1) == []


def test_what_loses_is_named() -> None:
    good = found(*both("throughput", 5.0, 10.0))
    bad = found(*both("throughput", 5.0, 4.0, protocol="openvpn"))
    assert "published counterpart" in further(NO_COMPARISON, good)[0]
    lost = "OpenVPN AES-256-GCM, hardware, 16 MiB (speed 0.80\N{MULTIPLICATION SIGN})"
    assert further(NO_COMPARISON, good * 2 + bad)[0] == f"Offload loses in {lost}."


def test_a_run_without_figures_says_so() -> None:
    (told,) = further([], [])
    assert "no figures" in told


def test_only_the_cores_with_the_driver_s_choice_count() -> None:
    software, hardware = both("throughput", 5.0, 10.0)
    others = [hardware | {"completion": "poll"}, hardware | {"implementation": "virtio-crypto"}]
    assert [pair.counts for pair in found(software, hardware, *others)] == [True, False, False]


def test_decrypting_is_named() -> None:
    (pair,) = found(
        *both("throughput", 5.0, 10.0, experiment="kernel-crypto-decrypt", parameter="64 B")
    )
    assert pair.what == "IPsec AES-256-GCM, hardware, decrypting, 64 B"


def test_sheets_have_a_row_for_each_kind_configuration_and_pair() -> None:
    pings = [
        each
        for size, hardware in (("56 B", 1.1), ("1000 B", 0.5))
        for each in both("rtt_mean", 1.0, hardware, experiment="ping", parameter=size)
    ]
    those = found(*both("throughput", 5.0, 10.0), *pings)
    kinds = kinds_grid(answer_of_pairs(those))
    configurations, rows = configurations_grid(those), rows_grid(those)
    assert kinds
    assert configurations
    assert rows
    assert [each[0] for each in kinds.rows] == ["File transfer, IPsec", "Flood ping, IPsec"]
    assert len(configurations.rows) == 1
    assert configurations.rows[0][1] == Mark("helps in 2; loses in 1 (56 B)", "bad")
    assert len(rows.rows) == 3
    assert kinds_grid(answer_of_pairs([])) is None
    assert configurations_grid([]) is rows_grid([]) is None


def test_numbers_are_short() -> None:
    assert [ratio(each) for each in (None, 0.0123, 0.5, 45.0)] == ["–", "0.012", "0.50", "45.0"]


def test_software_as_installed_is_no_baseline_and_no_offload() -> None:
    slow = row("throughput", 5, "software-as-installed", completion="")
    (pair,) = found(slow, *both("throughput", 10, 11), slow)
    assert (pair.software.value, pair.hardware.value) == (10, 11)
    assert found(slow, row("throughput", 11, "hardware")) == []
    assert found(slow, row("throughput", 10)) == []


def test_the_link_s_bound_of_a_file_is_that_of_the_usual_way_in_the_clear() -> None:
    clear = [
        row("throughput", 11.7, protocol="none", cipher="none", mac="none"),
        row("link_use", 99.0, protocol="none", cipher="none", mac="none", unit="percent"),
    ]
    ssh = {"protocol": "ssh", "parameter": "16 MiB, by sftp"}
    speed = both("throughput", 11.65, 11.65, **ssh)
    (pair,) = found(*clear, *speed, *both("cpu_seconds_per_mb", 0.1, 0.02, **ssh))
    assert pair.identity.clear.parameter.text == "16 MiB"
    assert pair.identity.clear in {each.identity for each in results_in(pl.DataFrame(clear))}
