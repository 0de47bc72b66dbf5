# SPDX-License-Identifier: Apache-2.0
"""Streams, and work beside traffic, on boards: three hosts load at once behind the gateway that
works, streams of two lengths come at one rate, and each kind of traffic flows beside the work.
"""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

THREE_HOSTS = """
title = "Three hosts send through a tunnel beside work on the gateway"
topology = "three-lans-gateway-host"
measured = "gateway"

[[configurations]]
protocol = "ipsec"
suite = "none:none"

[sieve]
rate = "6 Mbit/s"
rounds = 20
seconds = 2

[stream]
sizes = [1024]
transports = "tcp"
seconds = 1
"""

ALONE = """
title = "A stream"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "ipsec"
suite = "none:none"

[stream]
sizes = [1024]
transports = "{transport}"
direction = "{direction}"
seconds = {seconds}
"""

# A file comes in pieces, each of which is several percent of what comes in a second.
BESIDE = """
title = "Work beside traffic"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "{protocol}"
suite = "aes-256-gcm:gcm"
implementation = "hardware"

[sieve]
rate = "8 Mbit/s"
rounds = 100
seconds = 5
"""

LINK = 100e6 / 8e6
"""MB/s."""


def figures(record: Record, series: str) -> dict[str, float]:
    return {figure.metric: figure.value for figure in record.figures if figure.workload == series}


@pytest.mark.thorough
def test_three_hosts_load_a_gateway_at_once(tmp_path: Path) -> None:
    (record,) = measure(tmp_path, THREE_HOSTS)
    tcp = figures(record, "tcp-stream")
    # Each host has a link of its own, and the one behind the gateway carries all
    assert LINK < tcp["throughput"] < 3 * LINK
    assert 33.4 > tcp["least_share"] > 10
    sieve = figures(record, "sieve")
    assert sieve["traffic"] == pytest.approx(0.75, rel=0.02)
    assert 1 < sieve["slowdown"] < 2


@pytest.mark.thorough
def test_the_rate_of_a_stream_does_not_hang_on_its_length(tmp_path: Path) -> None:
    rates = []
    for seconds in (1, 3):
        stream = ALONE.format(transport="tcp", direction="receive", seconds=seconds)
        (record,) = measure(tmp_path / str(seconds), stream)
        rates.append(figures(record, "tcp-stream")["throughput"])
    assert rates[0] == pytest.approx(rates[1], rel=0.01)


def test_datagrams_that_a_board_sends_arrive(tmp_path: Path) -> None:
    (record,) = measure(tmp_path, ALONE.format(transport="udp", direction="send", seconds=1))
    udp = figures(record, "udp-stream")
    assert 0.3 * LINK < udp["throughput"] < LINK
    assert udp["loss"] < 5


@pytest.mark.matrix
@pytest.mark.parametrize("protocol", ["ssh", "https"])
def test_a_port_and_a_slow_file_flow_beside_the_sieve(tmp_path: Path, protocol: str) -> None:
    (record,) = measure(tmp_path, BESIDE.format(protocol=protocol))
    sieve = figures(record, "sieve")
    assert sieve["traffic"] == pytest.approx(1.0, rel=0.05)
    assert 1 < sieve["slowdown"] < 2
