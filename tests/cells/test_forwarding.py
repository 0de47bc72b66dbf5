# SPDX-License-Identifier: Apache-2.0
"""What a gateway forwards: the rate that is found is the highest without loss, however long a trial
is, and packets take what they took.
"""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

_BOARD = """
[cpu]
model = "cortex-a15"
instructions_per_second = 55_400_000

[memory]
mebibytes = 1024
"""
"""A tenth of the usual gateway, so that few frames come in the time that late ones have."""

_EXPERIMENT = """
title = "Forwarding"
topology = "host-gateway-gateway-host"
measured = "gateway-a"
profiles = {{ gateway-a = "{board}" }}
link = "1 Gbit/s"

[[configurations]]
protocol = "ipsec"
suite = "none:none"

[forwarding]
sizes = [256]
frames = {frames}
"""

_RESOLUTION = 0.025
"""Finer than this, what the kernel does now and then counts: it takes this slow board ten times the
share of its time that it takes the usual one, and falls into few of the short trials.
"""


def _forward(directory: Path, frames: int) -> Record:
    directory.mkdir()
    board = directory / "slow.toml"
    board.write_text(_BOARD)
    (record,) = measure(directory, _EXPERIMENT.format(board=board, frames=frames))
    return record


def test_a_trial_four_times_as_long_finds_the_same_rate(tmp_path: Path) -> None:
    short, long = (
        {each.metric: each.value for each in _forward(tmp_path / str(n), n).measurement.figures}
        for n in (6400, 25_600)
    )
    assert long["packet_rate"] == pytest.approx(short["packet_rate"], rel=_RESOLUTION)
    assert long["instructions_per_packet"] == pytest.approx(
        short["instructions_per_packet"], rel=0.02
    )
    # At the highest rate the processor has nothing left, and what it does is forwarding.
    for found in (short, long):
        needed = found["packet_rate"] * found["instructions_per_packet"]
        assert needed == pytest.approx(55_400_000, rel=0.03)
        assert found["cpu"] > 97
        assert found["latency_min"] <= found["latency_mean"] <= found["latency_max"]
        assert 200 < found["back_to_back"] < 400
