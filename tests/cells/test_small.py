# SPDX-License-Identifier: Apache-2.0
"""Small cells of what the other tests do not run: five boards on a switch, keys set by hand,
OpenVPN between gateways, road warriors, a hub of two tunnels.  Each must succeed, which takes
counters that fit each other.
"""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

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


def ping(directory: Path, **values: str) -> Record:
    """The record of the one cell with these values."""
    # As users run them: what is expected here depends on no cost.
    (record,) = measure(directory, EXPERIMENT.format(**values), clock="cycles")
    answered = {figure.metric: figure.value for figure in record.figures}
    assert answered["rtt_mean"] > 0
    return record


def test_five_boards_on_a_switch_forward(tmp_path: Path) -> None:
    record = ping(
        tmp_path,
        topology="three-hosts-gateway-host",
        measured="gateway",
        protocol="none",
        suite="none:none",
    )
    # No frame is lost; hosts this fast may repeat an order before the gateway has passed it on.
    assert record.proof["nic_dropped"] == 0


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("topology", "measured", "protocol", "suite"),
    [
        ("host-host", "board", "ipsec", "none:none"),
        ("host-gateway-gateway-host", "gateway-a", "openvpn", "none:none"),
        ("road-warrior", "gateway", "ipsec", "none:none"),
        ("road-warrior", "laptop", "openvpn", "none:none"),
        ("hub", "hub", "ipsec", "none:none"),
        ("hub", "hub", "ipsec", "aes-256-gcm:gcm"),
        ("hub", "hub", "openvpn", "none:none"),
        ("host-gateway-gateway-host", "gateway-a", "openvpn-dco", "aes-256-gcm:gcm"),
        ("hub", "hub", "openvpn-dco", "chacha20-poly1305:poly1305"),
        ("hub", "hub", "wireguard", "chacha20-poly1305:poly1305"),
        ("host-gateway-gateway-host", "gateway-a", "wireguard-go", "chacha20-poly1305:poly1305"),
        ("host-gateway-gateway-host", "gateway-a", "ipsec-user-space", "aes-256-gcm:gcm"),
    ],
    ids=[
        "ipsec-keys-by-hand",
        "openvpn-between-gateways",
        "ipsec-of-a-road-warrior",
        "openvpn-of-a-road-warrior",
        "ipsec-keys-by-hand-of-a-hub",
        "ipsec-of-a-hub",
        "openvpn-of-a-hub",
        "openvpn-dco-between-gateways",
        "openvpn-dco-of-a-hub",
        "wireguard-of-a-hub",
        "wireguard-in-user-space",
        "ipsec-in-user-space",
    ],
)
def test_a_tunnel_carries_the_pings(
    tmp_path: Path, topology: str, measured: str, protocol: str, suite: str
) -> None:
    record = ping(tmp_path, topology=topology, measured=measured, protocol=protocol, suite=suite)
    proof = record.proof
    for way in ("rx", "tx"):
        assert proof[f"payload_{way}_bytes"] == PAYLOAD
        assert PAYLOAD <= proof[f"tunnel_{way}_bytes"] < proof[f"wire_{way}_bytes"]
        assert PINGS <= proof[f"tunnel_{way}_packets"] <= proof[f"wire_{way}_frames"]
