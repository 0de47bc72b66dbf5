# SPDX-License-Identifier: Apache-2.0
"""Whether offload helps: pairs, their ratios, and the verdict by the rule that is told."""

from typing import Any

import polars as pl
import pytest
from made_pairs import both, found, row
from made_results import results_in

from firesteel.judge.intervals import BY_SEED
from firesteel.judge.verdict import RowVerdict, answering
from firesteel.model.names import ratio
from firesteel.show.grid import Mark
from firesteel.show.report.offload import configurations_grid, rows_grid


@pytest.mark.parametrize(
    ("speed", "work", "verdict"),
    [
        (1.5, 0.5, "helps"),
        (1.0, 0.5, "helps"),
        (1.5, 1.0, "helps"),
        (1.5, None, "helps"),
        (1.019, 0.981, "equal"),
        (0.7, 1.0, "loses"),
        (1.0, 1.03, "loses"),
        (0.7, 1.4, "loses"),
        (1.3, 1.1, "mixed"),
        (0.9, 0.5, "mixed"),
    ],
)
def test_the_verdict_is_by_the_rule(speed: float, work: float | None, verdict: str) -> None:
    assert RowVerdict("throughput", speed, work, "", 0.0, 0.0).verdict == verdict


def test_times_count_the_other_way_round() -> None:
    (pair,) = found(*both("rtt_mean", 2.0, 1.0, experiment="ping"))
    assert pair.judged.speed == 2
    assert pair.verdict == "helps"


def test_cpu_work_is_told_or_follows_from_use_and_speed() -> None:
    rate = both("throughput", 5.0, 10.0)
    (told,) = found(*rate, *both("cpu", 90, 90), *both("cpu_seconds_per_mb", 0.2, 0.05))
    (computed,) = found(*rate, *both("cpu", 90, 90))
    (unknown,) = found(*rate)
    assert (told.judged.work, computed.judged.work, unknown.judged.work) == (0.25, 0.5, None)
    ping_rows = [*both("rtt_mean", 1.0, 2.0), *both("cpu", 50, 50)]
    (ping,) = found(*(each | {"experiment": "ping"} for each in ping_rows))
    assert ping.judged.work == 2, "twice as long at the same use"


def test_a_row_without_software_of_its_own_board_is_no_pair() -> None:
    software, hardware = both("throughput", 5.0, 10.0)
    assert found(hardware) == []
    assert found(software | {"board": "a"}, hardware | {"board": "b"}) == []
    boards = [row | {"board": name} for row in (software, hardware) for name in "ab"]
    assert [pair.label for pair in found(*boards)] == [
        "IPsec AES-256-GCM, hardware [a]",
        "IPsec AES-256-GCM, hardware [b]",
    ]


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
    [
        (9.5, 12.5, "inconclusive (speed 0.961 to 1.259)"),
        (10.5, 11.5, "helps"),
        (None, None, "helps"),
    ],
)
def test_a_difference_in_the_noise_between_seeds_is_inconclusive(
    low: float | None, high: float | None, verdict: str
) -> None:
    software, hardware = both("throughput", 10.0, 11.0)
    exact = low is None
    (pair,) = found(
        seeds(software, None if exact else 9.5, None if exact else 10.5),
        seeds(hardware, low, high, first=11),
    )
    grid = rows_grid([pair])
    assert grid
    told = grid.rows[0][-1]
    assert isinstance(told, Mark)
    assert told.text.startswith(verdict)


def test_rows_that_lose_are_listed_first() -> None:
    protocols = {"ssh": 2.0, "ipsec": 0.5, "openvpn": 1.0}
    pairs = found(
        *(
            row
            for name, rate in protocols.items()
            for row in both("throughput", 1.0, rate, protocol=name)
        )
    )
    for grid in (rows_grid(pairs), configurations_grid(pairs)):
        assert grid
        column = [each.title for each in grid.columns].index("offload")
        told = [line[column] for line in grid.rows]
        assert [each.text for each in told if isinstance(each, Mark)] == ["loses", "equal", "helps"]


def test_only_the_cores_with_the_driver_s_choice_count() -> None:
    software, hardware = both("throughput", 5.0, 10.0)
    others = [hardware | {"completion": "poll"}, hardware | {"implementation": "virtio-crypto"}]
    assert [pair.counts for pair in found(software, hardware, *others)] == [True, False, False]


@pytest.mark.parametrize(
    ("settings", "counted"),
    [(["rps all"], ["rps all"]), (["", "rps all"], [""]), (["irq 0", "irq 1", ""], [""])],
)
def test_cpus_that_are_set_count_where_nothing_was_measured_on_others(
    settings: list[str], counted: list[str]
) -> None:
    rows = both("throughput", 5.0, 10.0)
    pairs = found(*(row | {"affinity": each} for each in settings for row in rows))
    assert [pair.identity.affinity for pair in answering(pairs)] == counted


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
