# SPDX-License-Identifier: Apache-2.0
"""Numbers are shown with the digits that they have."""

import pytest
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.judge.compare import compare
from firesteel.judge.results import load_results
from firesteel.model import names
from firesteel.show.compare import show_comparison
from firesteel.show.run import show_figures
from firesteel.store.store import Store
from firesteel.workloads import titles


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.012, "0.012"),
        (0.13, "0.130"),
        (1.2, "1.20"),
        (12.3, "12.3"),
        (123.0, "123"),
        (1234.0, "1234"),
    ],
)
def test_percentiles_have_the_digits_that_ping_prints(value: float, shown: str) -> None:
    assert names.number(value, "rtt_p99") == shown


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (47.2, "47 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 00 min"),
        (86_399, "23 h 59 min"),
        (2543 * 60 + 3, "1 d 18 h"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, said: str) -> None:
    assert names.duration(seconds) == said


@pytest.mark.parametrize(
    ("metric", "at", "told"),
    [
        ("throughput", "", "throughput, MB/s"),
        ("throughput", "8 MiB", "throughput, 8 MiB, MB/s"),
        ("packets_sent", "", "packets sent"),
        ("core_operations_per_connection", "", "core operations per connection"),
    ],
)
def test_a_unit_is_said_once(metric: str, at: str, told: str) -> None:
    assert names.quantity(metric, at) == told


def test_handshakes_are_called_by_program_and_exchange_of_keys_wherever_they_are_shown() -> None:
    results = load_results(Store(RECORDED), "thesis")
    shown = Console(width=80, record=True)
    show_figures(shown, results)
    show_comparison(shown, results, compare(results.means))
    text = shown.export_text()
    handshakes = text[text.index("One handshake") :]
    assert "OpenVPN, DHE-RSA, hardware" in handshakes
    assert "OpenVPN, DHE-RSA, hardware, versus software" in text
    assert "OpenVPN AES-256-CBC:none" not in handshakes[: handshakes.index("Flood ping")]
    habits = ("openvpn", "aes-256-cbc", "none", "hardware", "adaptive", "af-alg")
    told = titles.measured("tls-connections", *habits)
    assert told == "OpenVPN, DHE-RSA, hardware with af-alg"
