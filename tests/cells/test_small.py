# SPDX-License-Identifier: Apache-2.0
"""Small cells of what the other tests do not run: five boards on a switch, keys set by hand, and
OpenVPN between gateways.  Each must succeed, which takes counters that fit each other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.build.places import CHECKOUT
from firesteel.record import Record
from firesteel.store import Store

PINGS = 3
SIZE = 1000

PAYLOAD = PINGS * (SIZE + 28)
"""Bytes of the echo requests, and of the replies, with their IPv4 and ICMP headers."""

EXPERIMENT = f"""
title = "Small"
topology = "{{topology}}"
measured = "{{measured}}"

[[configurations]]
protocol = "{{protocol}}"
suite = "{{suite}}"

[ping]
sizes = [{SIZE}]
count = {PINGS}
"""


def measure(directory: Path, **values: str) -> Record:
    """The record of the one cell with these values."""
    experiment = directory / "small.toml"
    experiment.write_text(EXPERIMENT.format(**values))
    program = [sys.executable, "-P", "-m", "firesteel", "run", str(experiment)]
    done = subprocess.run(
        [*program, "--store", str(directory / "store")],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT / "lab" / "src")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    store = Store(directory / "store")
    (record,) = store.records(store.journal())
    assert record is not None
    answered = {figure.metric: figure.value for figure in record.measurement.figures}
    assert answered["rtt_mean"] > 0
    return record


def test_five_boards_on_a_switch_forward(tmp_path: Path) -> None:
    record = measure(
        tmp_path,
        topology="three-hosts-gateway-host",
        measured="gateway",
        protocol="none",
        suite="none:none",
    )
    assert record.measurement.proof["retransmissions"] == 0


@pytest.mark.parametrize(
    ("topology", "measured", "protocol"),
    [("host-host", "board", "ipsec"), ("host-gateway-gateway-host", "gateway-a", "openvpn")],
    ids=["ipsec-keys-by-hand", "openvpn-between-gateways"],
)
def test_a_tunnel_without_a_cipher_carries_the_pings(
    tmp_path: Path, topology: str, measured: str, protocol: str
) -> None:
    record = measure(
        tmp_path, topology=topology, measured=measured, protocol=protocol, suite="none:none"
    )
    proof = record.measurement.proof
    for way in ("rx", "tx"):
        assert proof[f"payload_{way}_bytes"] == PAYLOAD
        assert PAYLOAD <= proof[f"tunnel_{way}_bytes"] < proof[f"wire_{way}_bytes"]
        assert PINGS <= proof[f"tunnel_{way}_packets"] <= proof[f"wire_{way}_frames"]
