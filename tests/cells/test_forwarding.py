# SPDX-License-Identifier: Apache-2.0
"""What a gateway forwards: the rate that is found is the highest without loss, however long a trial
is, and packets take what they took.
"""

from pathlib import Path

import pytest
from lab_run import measure

pytestmark = pytest.mark.thorough

_EXPERIMENT = """
title = "Forwarding"
topology = "host-gateway-gateway-host"
measured = "gateway-a"
link = "1 Gbit/s"

[[configurations]]
protocol = "ipsec"
suite = "{suite}"
implementation = "{implementation}"

[forwarding]
sizes = [{size}]
frames = {frames}
"""

_RESOLUTION = 0.015
"""The search's is 0.003; and a burst of work that was put off may be in one stream and not in the
other."""


def _forward(
    directory: Path,
    frames: int,
    *,
    size: int = 256,
    suite: str = "none:none",
    implementation: str = "software",
) -> dict[str, float]:
    values = {"size": size, "suite": suite, "implementation": implementation}
    (record,) = measure(directory, _EXPERIMENT.format(frames=frames, **values))
    return {each.metric: each.value for each in record.figures}


def test_a_trial_four_times_as_long_finds_the_same_rate(tmp_path: Path) -> None:
    short, long = (_forward(tmp_path / str(frames), frames) for frames in (3200, 12_800))
    assert long["packet_rate"] == pytest.approx(short["packet_rate"], rel=_RESOLUTION)
    assert long["instructions_per_packet"] == pytest.approx(
        short["instructions_per_packet"], rel=0.02
    )
    # At the highest rate the processor has nothing left, and what it does is forwarding.
    for found in (short, long):
        needed = found["packet_rate"] * found["instructions_per_packet"]
        assert needed == pytest.approx(554_000_000, rel=0.02)
        assert found["cpu"] > 98
        assert found["latency_min"] <= found["latency_mean"] <= found["latency_max"]
        assert 200 < found["back_to_back"] < 400


def test_the_cores_do_what_a_gateway_with_cores_encrypts(tmp_path: Path) -> None:
    found = _forward(tmp_path, 1600, size=1024, suite="aes-256-gcm:gcm", implementation="hardware")
    assert found["offloaded"] >= 95
