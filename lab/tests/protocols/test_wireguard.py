# SPDX-License-Identifier: Apache-2.0
"""WireGuard's ends know each other's keys and networks, and its device's counters are its proof."""

import base64
import configparser

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from made_cells import without
from workloads import recorded_runs as recorded
from workloads.sites import jobs_of, settings, variables_of

from firesteel.boards.job import Job
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import TunnelProtocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_proof
from firesteel.workloads.ping import PingPlan


def cell(topology: str = "host-host", seed: int = 1, protocol: str = "wireguard") -> Cell:
    nodes = load_topology(topology).nodes
    return recorded.cell(
        protocol,
        cipher="chacha20-poly1305",
        mac="poly1305",
        topology=topology,
        profiles=dict.fromkeys(nodes, "peer"),
        measured=next(iter(nodes)),
        seed=seed,
    )


def configuration(job: Job, number: int = 0) -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read_string(job.files[f"/job/wireguard-{number}.conf"].content.decode())
    return parser


def know_each_other(near: configparser.ConfigParser, far: configparser.ConfigParser) -> None:
    for one, other in ((near, far), (far, near)):
        private = base64.b64decode(other["Interface"]["PrivateKey"])
        public = X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
        assert one["Peer"]["PublicKey"] == base64.b64encode(public).decode()
        assert one["Peer"]["Endpoint"].endswith(f":{other['Interface']['ListenPort']}")


@pytest.mark.parametrize(
    ("topology", "ends", "behind"),
    [
        ("host-host", ["board", "peer"], "10.1.0.2/32"),
        ("host-gateway-gateway-host", ["gateway-a", "gateway-b"], "10.0.1.0/24"),
    ],
)
def test_each_end_has_the_key_and_the_networks_of_the_other(
    topology: str, ends: list[str], behind: str
) -> None:
    jobs = jobs_of(cell(topology))
    assert [node for node, job in jobs.items() if "/job/wireguard-0.conf" in job.files] == ends
    near, far = (configuration(jobs[node]) for node in ends)
    know_each_other(near, far)
    assert behind in near["Peer"]["AllowedIPs"].split(", ")
    (other,) = {configuration(jobs_of(cell(topology, seed=2))[ends[0]])["Interface"]["PrivateKey"]}
    assert other != near["Interface"]["PrivateKey"], "each seed has keys of its own"


def test_each_tunnel_of_a_hub_has_a_port_and_a_peer() -> None:
    jobs = jobs_of(cell("hub"))
    hub = [configuration(jobs["hub"], number) for number in (0, 1)]
    for near, spoke in zip(hub, ("branch", "laptop"), strict=True):
        know_each_other(near, configuration(jobs[spoke]))
    assert len({near["Interface"]["ListenPort"] for near in hub}) == 2
    told = variables_of(jobs_of(cell())["board"], "tunnel-0")
    read = ("INSIDE_HERE", "INSIDE_THERE", "TUNNEL_ROUTES")
    assert [told[name] for name in read] == ["10.1.0.1", "10.1.0.2", ""]
    others = jobs_of(recorded.cell("openvpn")).values()
    assert not any("/job/tunnel-wireguard.sh" in job.files for job in others)


def test_the_proof_is_that_of_the_device_and_the_wire() -> None:
    """OpenVPN's device had the same name, and a packet of its own on the wire is as large."""
    of = without(cell(), PingPlan)
    of = of.model_copy(update={"profiles": {"board": "socrates", "peer": "peer"}})
    proof = cell_proof(of, recorded.run("openvpn"))
    assert proof["tunnel_rx_bytes"] >= proof["payload_rx_bytes"] >= 2 << 20
    with pytest.raises(CellFailure, match="no tunnel device"):
        cell_proof(of, recorded.run("ipsec"))


@pytest.mark.parametrize(
    ("protocol", "made_by"), [("wireguard", "kernel"), ("wireguard-go", "program")]
)
def test_the_device_has_to_be_of_whom_it_was_meant_to_be(protocol: str, made_by: str) -> None:
    of = cell(protocol=protocol)
    tunnel = protocol_of(of)
    assert isinstance(tunnel, TunnelProtocol)
    assert settings(of)["WIREGUARD_BY"] == made_by
    told = {"kernel": "DEVTYPE=wireguard\nINTERFACE=tun0\n", "program": "INTERFACE=tun0\n"}
    tunnel.check_path(of, {"device": told.pop(made_by)})
    with pytest.raises(CellFailure, match=f"not made by the {made_by}"):
        tunnel.check_path(of, {"device": told.popitem()[1]})
