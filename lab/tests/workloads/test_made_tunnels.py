# SPDX-License-Identifier: Apache-2.0
"""Cells of tunnels that clients make again and again: what both ends have, and what came of it."""

import base64
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from workloads.made_handshakes import cell, run
from workloads.recorded_runs import with_data
from workloads.sites import jobs_of

from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.registry import protocol_named
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.handshakes import HandshakePlan, Keys

CLIENTS = 3
OPENED = "".join(f"{count}\n" for count in (30, 45, 60, 75, 90, 105))
"""Of 75 tunnels in a minute, what there were each 12 s."""


def of_ike(implementation: str = "software") -> Cell:
    return cell(implementation, "ike", cipher="aes-256-gcm", mac="gcm")


def of_wireguard() -> Cell:
    plan = HandshakePlan(keys=("x25519",), alone=2, clients=CLIENTS, seconds=60)
    suite = {"cipher": "chacha20-poly1305", "mac": "poly1305"}
    return cell(protocol="wireguard", handshakes=plan, **suite)


def counting(made: TopologyRun, before: str, after: str) -> TopologyRun:
    """The run, with what the server's node sends as proof."""
    made = with_data(made, "proof.before", before.encode())
    return with_data(made, "proof.after", after.encode())


def charon(count: int) -> str:
    told = (("ike-auth-in-req ", count), ("ike-auth-in-resp ", 1), ("ike-auth-out-resp ", count))
    lines = "".join(f" {name}    : {each}\n" for name, each in told)
    return f"[charon]\ncounters for all connections:\n{lines}"


def device(packets: int) -> str:
    return f"[tun]\nrx_bytes:1\nrx_packets:{packets}\ntx_bytes:1\ntx_packets:1\n"


def test_one_tunnel_by_ike_takes_as_long_as_all_by_their_number() -> None:
    made = run(0, "made\n" * 8, OPENED)
    good = counting(made, charon(2), charon(2 + 75 + 8))
    values = {figure.metric: figure.value for figure in cell_figures(of_ike(), good)}
    assert values["connection_time"] == pytest.approx(4 / 8)
    assert values["connections"] == pytest.approx(75)
    assert values["cpu_seconds_per_connection"] == pytest.approx(15 / 75)
    assert cell_proof(of_ike(), good)["handshakes.rsa-2048"] == 75
    for after, says in (
        (charon(84), "clients count 83 handshakes, the server 82"),
        ("[charon]\n", "charon does not say"),
    ):
        with pytest.raises(CellFailure, match=says):
            cell_proof(of_ike(), counting(made, charon(2), after))


def test_the_core_has_a_part_in_each_tunnel_by_ike() -> None:
    enough, few = (
        counting(run(done, "made\n" * 8, OPENED), charon(0), charon(83)) for done in (95, 84)
    )
    assert cell_proof(of_ike("hardware"), enough)["cores.crypto0.pk_exponentiations"] == 95
    with pytest.raises(CellFailure, match="64 pk_exponentiations for 75 handshakes"):
        cell_proof(of_ike("hardware"), few)


def test_the_server_knows_each_client_and_each_client_the_server() -> None:
    jobs = jobs_of(of_wireguard())
    server = jobs["board"].files["/job/wireguard-0.conf"]
    assert server.mode == 0o600
    text = server.content.decode()
    keys = set()
    for number in range(1, CLIENTS + 1):
        client = jobs["peer"].files[f"/job/wireguard-{number}.conf"].content.decode()
        keys.add(own := public(client))
        assert f"PublicKey = {own}\nAllowedIPs = 10.9.{number}.2/32\n" in text
        assert f"PublicKey = {public(text)}\nAllowedIPs = 10.9.{number}.1/32\n" in client
    assert len(keys) == CLIENTS == text.count("[Peer]")
    certified = [path for path in jobs["board"].files if path.endswith(("node.pem", "node.key"))]
    assert certified == []


def public(configuration: str) -> str:
    (private,) = re.findall("PrivateKey = (.*)", configuration)
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def test_one_handshake_of_wireguard_takes_as_long_as_ping_waits() -> None:
    line = "64 bytes from 10.9.1.1: icmp_seq=1 ttl=64 time={} ms\n"
    made = run(0, line.format("5.50") + line.format("4.5"), OPENED, "x25519")
    good = counting(made, device(10), device(10 + 2 * (75 + 2)))
    values = {figure.metric: figure.value for figure in cell_figures(of_wireguard(), good)}
    assert values["connection_time"] == pytest.approx(0.005)
    assert values["connections"] == pytest.approx(75)
    silent = run(0, "made\n", OPENED, "x25519")
    for bad, says in (
        (counting(made, device(10), device(162)), "clients count 77 handshakes, the server 76"),
        (counting(made, "", device(1)), "does not say how many packets"),
        (counting(silent, device(0), device(200)), "has no times"),
    ):
        with pytest.raises(CellFailure, match=says):
            cell_figures(of_wireguard(), bad)
    assert protocol_named("wireguard-go").handshakes is None


@pytest.mark.parametrize(
    ("protocol", "key"), [("wireguard", "rsa-2048"), ("nginx", "x25519"), ("ike", "x25519")]
)
def test_a_key_that_a_server_cannot_have_is_refused(protocol: str, key: str) -> None:
    server = protocol_named(protocol).handshakes
    assert server is not None
    allowed = re.escape(repr(server.keys[0]))
    with pytest.raises(ValueError, match=rf"{protocol}\.0\n +Input should be {allowed}"):
        Keys.model_validate({protocol: key})
