# SPDX-License-Identifier: Apache-2.0
"""Cells of tunnels that clients make again and again: what both ends have, and what came of it."""

import base64
import configparser
import re
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from workloads.made_handshakes import cell, run
from workloads.sites import jobs_of

from firesteel.board.job import JobFile
from firesteel.board.result import TopologyRun
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


def counting(made: TopologyRun, before: str, after: str, key: str = "rsa-2048") -> TopologyRun:
    """The run, with what the server's node sends as proof; its windows are of that kind of key."""

    def called(name: str) -> str:
        return name.replace("rsa-2048", key)

    nodes = {}
    for name, node in made.nodes.items():
        marks = tuple(replace(mark, name=called(mark.name)) for mark in node.marks)
        data = {called(item): value for item, value in node.data.items()}
        nodes[name] = replace(node, marks=marks, data=data)
    told = {"proof.before": before.encode(), "proof.after": after.encode()}
    board = nodes["board"]
    nodes["board"] = replace(board, data=board.data | told)
    return replace(made, nodes=nodes)


def charon(count: int) -> str:
    return f"""\
[charon]
counters for all connections:
 ike-auth-in-req      : {count}
 ike-auth-in-resp     : 1
 ike-auth-out-resp    : {count}
"""


def device(packets: int) -> str:
    return f"[tun]\nrx_bytes:1\nrx_packets:{packets}\ntx_bytes:1\ntx_packets:1\n"


# ---- IKE ----


def test_one_tunnel_by_ike_takes_as_long_as_all_by_their_number() -> None:
    made = counting(run(0, "made\n" * 8, OPENED), charon(2), charon(2 + 75 + 8))
    values = {figure.metric: figure.value for figure in cell_figures(of_ike(), made)}
    assert values["connection_time"] == pytest.approx(4 / 8)
    assert values["connections"] == pytest.approx(75)
    assert values["cpu_seconds_per_connection"] == pytest.approx(15 / 75)


def test_charon_has_answered_all_that_its_clients_count() -> None:
    made = run(0, "made\n" * 8, OPENED)
    assert cell_proof(of_ike(), counting(made, charon(2), charon(85)))["handshakes.rsa-2048"] == 75
    with pytest.raises(CellFailure, match="clients count 83 handshakes, the server 82"):
        cell_proof(of_ike(), counting(made, charon(2), charon(84)))
    with pytest.raises(CellFailure, match="charon does not say"):
        cell_proof(of_ike(), counting(made, charon(2), "[charon]\n"))


def test_the_core_has_a_part_in_each_tunnel_by_ike() -> None:
    counts = charon(0), charon(83)
    made = counting(run(75 + 20, "made\n" * 8, OPENED), *counts)
    assert cell_proof(of_ike("hardware"), made)["cores.crypto0.pk_exponentiations"] == 95
    made = counting(run(20 + 64, "made\n" * 8, OPENED), *counts)
    with pytest.raises(CellFailure, match="64 pk_exponentiations for 75 handshakes"):
        cell_proof(of_ike("hardware"), made)


# ---- WireGuard ----


def configuration(file: JobFile) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False)
    parser.read_string(file.content.decode())
    return parser


def public(private: str) -> str:
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def test_the_server_knows_each_client_and_each_client_the_server() -> None:
    jobs = jobs_of(of_wireguard())
    server = jobs["board"].files["/job/wireguard-0.conf"]
    assert server.mode == 0o600
    text = server.content.decode()
    keys = set()
    for number in range(1, CLIENTS + 1):
        client = configuration(jobs["peer"].files[f"/job/wireguard-{number}.conf"])
        keys.add(own := public(client["Interface"]["PrivateKey"]))
        assert f"PublicKey = {own}\nAllowedIPs = 10.9.{number}.2/32\n" in text
        assert client["Peer"]["PublicKey"] == public(
            configuration(server)["Interface"]["PrivateKey"]
        )
        assert client["Peer"]["AllowedIPs"] == f"10.9.{number}.1/32"
    assert len(keys) == CLIENTS == text.count("[Peer]")


def test_nobody_has_certificates_of_a_key_by_itself() -> None:
    files = jobs_of(of_wireguard())["board"].files
    assert [path for path in files if path.endswith(("node.pem", "node.key"))] == []


def test_one_handshake_of_wireguard_takes_as_long_as_ping_waits() -> None:
    told = "64 bytes from 10.9.1.1: icmp_seq=1 ttl=64 time=5.50 ms\n"
    told += "64 bytes from 10.9.1.1: icmp_seq=1 ttl=64 time=4.5 ms\n"
    made = counting(run(0, told, OPENED), device(10), device(10 + 2 * (75 + 2)), "x25519")
    values = {figure.metric: figure.value for figure in cell_figures(of_wireguard(), made)}
    assert values["connection_time"] == pytest.approx(0.005)
    assert values["connections"] == pytest.approx(75)
    few = counting(run(0, told, OPENED), device(10), device(10 + 2 * (75 + 1)), "x25519")
    with pytest.raises(CellFailure, match="clients count 77 handshakes, the server 76"):
        cell_proof(of_wireguard(), few)
    with pytest.raises(CellFailure, match="does not say how many packets"):
        cell_proof(of_wireguard(), counting(run(0, told, OPENED), "", device(1), "x25519"))
    with pytest.raises(CellFailure, match="has no times"):
        cell_figures(
            of_wireguard(),
            counting(run(0, "made\n", OPENED), device(0), device(200), "x25519"),
        )


@pytest.mark.parametrize(
    ("protocol", "key"), [("wireguard", "rsa-2048"), ("nginx", "x25519"), ("ike", "x25519")]
)
def test_a_key_that_a_server_cannot_have_is_refused(protocol: str, key: str) -> None:
    server = protocol_named(protocol).handshakes
    assert server is not None
    allowed = re.escape(repr(server.keys[0]))
    with pytest.raises(ValueError, match=rf"{protocol}\.0\n +Input should be {allowed}"):
        Keys.model_validate({protocol: key})


def test_the_program_of_wireguard_has_no_handshakes_that_are_measured() -> None:
    assert protocol_named("wireguard-go").handshakes is None
