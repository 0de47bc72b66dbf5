# SPDX-License-Identifier: Apache-2.0
"""Rates of many clients, and how sure they are."""

import random

import pytest

from firesteel.protocols.tls_server import Rate, of_counts, of_turns


def test_one_round_of_a_busy_server_tells_nothing_of_its_uncertainty() -> None:
    times = [[0.0, 12.0], [1.0, 13.0]]
    assert of_turns(times, 5, shared=True) == Rate(2 / 12, 2 / 12)
    assert of_turns([[1.0], []], 5, shared=True) == Rate(0.0, 0.0)


def test_counts_at_instants_the_same_time_apart() -> None:
    told = of_counts([(0.0, 7), (1.0, 107), (2.0, 207), (3.0, 307)])
    assert told.value == pytest.approx(100)
    assert told.uncertainty == pytest.approx(1 / 3), "one more or less"
    assert of_counts([(0.0, 0), (1.0, 90), (2.0, 200)]).uncertainty == pytest.approx(
        12.706 * 10, rel=1e-3
    )


@pytest.mark.parametrize("shared", [True, False])
def test_the_interval_has_the_true_rate_in_nineteen_of_twenty_windows(shared: bool) -> None:
    """Clients by their own clocks, each with a period that changes now and then; and clients in
    turn at a server that takes now more, now less time for all.
    """
    draw = random.Random(1)
    hits, windows = 0, 400
    for _ in range(windows):
        times = []
        paces = [draw.gauss(1.2, 0.05) for _ in range(30)]
        for client in range(10):
            at, each = client * 0.1, [client * 0.1]
            pace = draw.gauss(1.2, 0.05)
            for turn in range(30):
                at += paces[turn] if shared else pace
                each.append(at)
            times.append(each)
        told = of_turns(times, 5, shared=shared)
        hits += abs(told.value - 10 / 1.2) <= told.uncertainty
    # The larger of two intervals has it more often.
    assert 0.92 <= hits / windows <= (0.98 if shared else 1)
