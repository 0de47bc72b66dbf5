# SPDX-License-Identifier: Apache-2.0
"""Cells in hardware on a board whose cores are so slow that driver and library leave all to
software: each is a measurement, in which the cores did next to nothing.
"""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.protocols.offload import UNTOUCHED

_SLOW = """
[vary]
"cores.*.timing.clock_hz" = ["1 MHz"]
"""

_TUNNEL = """
title = "A file through a tunnel"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "{protocol}"
suite = "{suite}"
implementation = "hardware"

[ping]
sizes = [1000]
count = 3

[transfer]
size = "2 MiB"
"""

_BLOCKS = """
title = "Large blocks"
topology = "one-board"
measured = "board"

[[configurations]]
protocol = "{protocol}"
suite = "{suite}"
implementation = "hardware"

[{workload}]
sizes = [4096]
{more}
"""

_HANDSHAKES = """
title = "Handshakes"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "nginx"
suite = "aes-256-gcm:gcm"
implementation = "hardware"

[handshakes]
keys = { nginx = "rsa-2048" }
alone = 1
clients = 2
seconds = { nginx = 1 }
"""


def _shares(directory: Path, experiment: str) -> list[float]:
    (record,) = measure(directory, experiment + _SLOW, clock="cycles")
    return [each.value for each in record.figures if each.metric == "offloaded"]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("protocol", "suite"),
    [("ipsec", "aes-256-gcm:gcm"), ("openvpn", "aes-256-cbc:none"), ("ssh", "aes-256-cbc:none")],
)
def test_tunnels(tmp_path: Path, protocol: str, suite: str) -> None:
    experiment = _TUNNEL.format(protocol=protocol, suite=suite)
    if protocol == "ssh":
        experiment = experiment.replace("[ping]\nsizes = [1000]\ncount = 3\n", "")
    shares = _shares(tmp_path, experiment)
    assert shares
    assert max(shares) <= UNTOUCHED


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("protocol", "suite", "workload", "more"),
    [
        ("openssl", "aes-256-cbc:none", "speed", "seconds = 1"),
        ("crypto-api", "aes-256-cbc:none", "crypto", "requests = 50\nin_flight = [1]"),
    ],
)
def test_large_blocks(tmp_path: Path, protocol: str, suite: str, workload: str, more: str) -> None:
    experiment = _BLOCKS.format(protocol=protocol, suite=suite, workload=workload, more=more)
    shares = _shares(tmp_path, experiment)
    assert shares
    assert max(shares) <= UNTOUCHED


def test_handshakes(tmp_path: Path) -> None:
    (record,) = measure(tmp_path, _HANDSHAKES + _SLOW, clock="cycles")
    assert record.proof["handshakes.rsa-2048"] > 0
    assert record.proof["cores.crypto0.pk_operations"] <= 4  # Trials
