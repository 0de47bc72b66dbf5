# SPDX-License-Identifier: Apache-2.0
"""WireGuard's ends know each other's keys and networks, and its device's counters are its proof."""

import base64
import configparser
import shlex

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from made_cells import without
from workloads import recorded_runs as recorded
from workloads.sites import jobs_of

from firesteel.board.job import Job
from firesteel.board.topology import load_topology
from firesteel.experiment.experiment import load_experiment
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import TunnelProtocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_proof
from firesteel.workloads.ping import PingPlan

SCRIPT = "/job/tunnel-wireguard.sh"


def cell(topology: str = "host-host", seed: int = 1) -> Cell:
    nodes = load_topology(topology).nodes
    update = {
        "protocol": "wireguard",
        "cipher": "chacha20-poly1305",
        "mac": "poly1305",
        "topology": topology,
        "profiles": dict.fromkeys(nodes, "peer"),
        "measured": next(iter(nodes)),
        "seed": seed,
    }
    return recorded.cell("openvpn").model_copy(update=update)


def configuration(job: Job, number: int = 0) -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read_string(job.files[f"/job/wireguard-{number}.conf"].content.decode())
    return parser


def public(private: str) -> str:
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(private)).public_key()
    return base64.b64encode(key.public_bytes_raw()).decode()


@pytest.mark.parametrize(
    ("topology", "ends", "behind"),
    [
        ("host-host", ("board", "peer"), "10.1.0.2/32"),
        ("host-gateway-gateway-host", ("gateway-a", "gateway-b"), "10.0.1.0/24"),
    ],
)
def test_each_end_has_the_key_and_the_networks_of_the_other(
    topology: str, ends: tuple[str, str], behind: str
) -> None:
    jobs = jobs_of(cell(topology))
    assert {node for node, job in jobs.items() if "/job/wireguard-0.conf" in job.files} == set(ends)
    near, far = (configuration(jobs[node]) for node in ends)
    assert near["Peer"]["PublicKey"] == public(far["Interface"]["PrivateKey"])
    assert far["Peer"]["PublicKey"] == public(near["Interface"]["PrivateKey"])
    assert behind in near["Peer"]["AllowedIPs"].split(", ")
    assert near["Peer"]["Endpoint"].endswith(f":{far['Interface']['ListenPort']}")


def test_each_tunnel_of_a_hub_has_a_port_and_a_peer() -> None:
    jobs = jobs_of(cell("hub"))
    for number, spoke in enumerate(("branch", "laptop")):
        near, far = configuration(jobs["hub"], number), configuration(jobs[spoke])
        assert near["Peer"]["PublicKey"] == public(far["Interface"]["PrivateKey"])
        assert near["Peer"]["Endpoint"].endswith(f":{far['Interface']['ListenPort']}")
        assert far["Peer"]["Endpoint"].endswith(f":{near['Interface']['ListenPort']}")
    ports = {configuration(jobs["hub"], each)["Interface"]["ListenPort"] for each in (0, 1)}
    assert len(ports) == 2


def test_no_other_protocol_sends_its_script() -> None:
    assert not any(SCRIPT in job.files for job in jobs_of(recorded.cell("openvpn")).values())


def test_the_settings_have_what_the_script_reads() -> None:
    job = jobs_of(cell())["board"]
    words = shlex.split(job.files["/job/tunnel-0"].content.decode())
    told = dict(word.split("=", 1) for word in words)
    read = ("INSIDE_HERE", "INSIDE_THERE", "TUNNEL_ROUTES")
    assert [told[name] for name in read] == ["10.1.0.1", "10.1.0.2", ""]


def test_each_seed_has_keys_of_its_own() -> None:
    keys = {
        configuration(jobs_of(cell(seed=seed))["board"])["Interface"]["PrivateKey"]
        for seed in (1, 2)
    }
    assert len(keys) == 2


def test_the_proof_is_that_of_the_device_and_the_wire() -> None:
    """OpenVPN's device had the same name, and a packet of its own on the wire is as large."""
    of, run = without(cell(), PingPlan), recorded.run("openvpn")
    of = of.model_copy(update={"profiles": {"board": "socrates", "peer": "peer"}})
    proof = cell_proof(of, run)
    assert proof["tunnel_rx_bytes"] >= proof["payload_rx_bytes"] >= 2 << 20
    with pytest.raises(CellFailure, match="no tunnel device"):
        cell_proof(of, recorded.run("ipsec"))


def test_the_experiment_measures_it_beside_no_tunnel() -> None:
    cells = load_experiment("wireguard").cells(quick=True)
    assert [each.protocol for each in cells] == ["none", "wireguard"]
    assert {each.implementation for each in cells} == {"software"}


@pytest.mark.parametrize(
    ("protocol", "made_by"), [("wireguard", "kernel"), ("wireguard-go", "program")]
)
def test_the_device_has_to_be_of_whom_it_was_meant_to_be(protocol: str, made_by: str) -> None:
    of = cell().model_copy(update={"protocol": protocol})
    tunnel = protocol_of(of)
    assert isinstance(tunnel, TunnelProtocol)
    assert _settings(of)["WIREGUARD_BY"] == made_by
    told = {"kernel": "DEVTYPE=wireguard\nINTERFACE=tun0\n", "program": "INTERFACE=tun0\n"}
    for device, text in told.items():
        sections = {"device": text}
        if device == made_by:
            tunnel.check_path(of, sections)
        else:
            with pytest.raises(CellFailure, match=f"not made by the {made_by}"):
                tunnel.check_path(of, sections)


def _settings(of: Cell) -> dict[str, str]:
    words = shlex.split(jobs_of(of)["board"].files["/job/settings"].content.decode())
    return dict(word.split("=", 1) for word in words)
