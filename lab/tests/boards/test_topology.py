# SPDX-License-Identifier: Apache-2.0
"""Topologies number nodes and ports as their files say, and refuse what cannot be wired."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.boards.network import addresses
from firesteel.boards.profile import profile_names
from firesteel.boards.topology import (
    Topology,
    load_profiles,
    load_topology,
    topology_digest,
    topology_names,
)

NODES = '[nodes.a]\nrole = "host"\nprofile = "peer"\n[nodes.b]\nrole = "host"\nprofile = "peer"\n'
WIRE = '[[links]]\nname = "wire"\nkind = "point-to-point"\nnodes = ["a", "b"]\n'


def read(tmp_path: Path, text: str) -> Topology:
    (tmp_path / "t.toml").write_text(text)
    return load_topology("t", tmp_path)


def test_every_file_of_the_checkout_is_valid() -> None:
    assert profile_names() == [
        "am437x",
        "am62x",
        "clients",
        "clients-a53",
        "dthev2",
        "freescale",
        "gateway-a53",
        "gateway-a53-noncoherent",
        "gateway-a53-plain",
        "miltchev2002",
        "peer",
        "sa2ul",
        "sa3ul",
        "socrates",
        "socrates-1600",
        "socrates-1600-2pk",
        "socrates-1600-4pk",
        "socrates-2cm",
        "socrates-2pk",
        "socrates-4pk",
        "socrates-dual",
        "socrates-hash",
        "socrates-noncoherent",
        "socrates-sd",
        "socrates-virtio",
        "socrates-waiting",
    ]
    for name in topology_names():
        assert set(load_profiles(load_topology(name))) == set(load_topology(name).nodes)


def test_ports_are_numbered_in_the_order_of_links() -> None:
    ports = load_topology("host-gateway-gateway-host").ports("gateway-b")
    assert [(port.interface, port.link.name, port.link_number) for port in ports] == [
        ("eth0", "lan-b", 1),
        ("eth1", "wan", 2),
    ]


def test_a_host_may_be_alone(tmp_path: Path) -> None:
    topology = load_topology("one-board")
    assert (list(topology.nodes), topology.links) == (["board"], ())
    assert addresses(topology) == {}
    with pytest.raises(FiresteelError, match="0 nodes; .* 1 to 8"):
        read(tmp_path, "links = []\n[nodes]\n")


def test_another_seed_has_other_addresses_that_are_unique_and_fixed() -> None:
    usual = load_topology("three-hosts-gateway-host")
    seen = set()
    for seed in range(1, 300):
        topology = usual.with_seed(seed)
        macs = [port.mac for node in topology.nodes for port in topology.ports(node)]
        hosts = [topology.host_part(node) for node in topology.nodes]
        assert len(set(macs)) == 6
        assert len(set(hosts)) == 5
        assert all(1 <= host <= 254 for host in hosts)
        assert addresses(topology) == addresses(usual.with_seed(seed))
        seen |= {(tuple(macs), tuple(hosts))}
    assert len(seen) > 290
    assert usual.with_seed(1) == usual
    assert usual.with_seed(7).override(profiles={}) == usual.with_seed(7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NODES, "node `a` is on no link"),
        ("nodes = {}\n", "there are 0 nodes; allowed are 1 to 8"),
        (NODES + WIRE.replace('"b"', '"c"'), "names the node `c`; the nodes are: a, b"),
        (NODES + WIRE.replace('"b"', '"a"'), "link `wire` names a node twice"),
        (NODES + WIRE.replace('"a", "b"', '"a"'), "has 1 nodes; a point-to-point link has 2"),
        (NODES + WIRE + WIRE, "several links are called `wire`"),
        ('client = "c"\n' + NODES + WIRE, "`client` names the node `c`; the nodes are: a, b"),
        ('client = "a"\nserver = "a"\n' + NODES + WIRE, "`a` is a client and `server`"),
        ('client = "a"\nclients = ["a"]\n' + NODES + WIRE, "`client` and `clients` are both set"),
        ('clients = ["a", "c"]\n' + NODES + WIRE, "`clients` names the node `c`; the nodes are"),
        ('clients = ["a", "a"]\n' + NODES + WIRE, "`clients` has a more than once"),
        ('clients = ["a"]\nserver = "a"\n' + NODES + WIRE, "`a` is a client and `server`"),
        ('tunnels = [["a", "c"]]\n' + NODES + WIRE, "`tunnels` names the node `c`"),
        ('tunnels = [["a", "a"]]\n' + NODES + WIRE, "`tunnels` has one from `a` to itself"),
        (
            'tunnels = [["a", "b"], ["b", "a"]]\n' + NODES + WIRE,
            "`tunnels` has more than one between `[ab]` and `[ab]`; two nodes have at most one",
        ),
        (
            'tunnels = [["a", "b"]]\n' + NODES.replace('"host"', '"router"', 1) + WIRE,
            "`tunnels` names the router `a`; a tunnel ends at a host or a gateway",
        ),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FiresteelError, match=message) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "t.toml") in str(caught.value)


def test_override_changes_what_it_names_and_checks_it() -> None:
    topology = load_topology("host-host")
    fast = topology.override(profiles={"board": "peer"}, links={"wire": {"rate_bit_s": 10**9}})
    assert fast.nodes["board"].profile == "peer"
    assert fast.links[0].rate_bit_s == 10**9
    assert topology.links[0].rate_bit_s == 10**8
    with pytest.raises(FiresteelError, match="`bord`; .*: board, peer"):
        topology.override(profiles={"bord": "peer"})
    with pytest.raises(FiresteelError, match=r"links\.0\.rate_bit_s"):
        topology.override(links={"wire": {"rate_bit_s": -1}})


def test_who_does_what_is_no_part_of_what_boards_agree_on_but_is_kept(tmp_path: Path) -> None:
    """It is in their jobs.  A topology that leaves it to the defaults is told as before."""
    usual = read(tmp_path, NODES + WIRE)
    turned = read(tmp_path, 'client = "b"\nserver = "a"\ntunnels = [["b", "a"]]\n' + NODES + WIRE)
    profiles = load_profiles(usual)
    assert topology_digest(turned, profiles) == topology_digest(usual, profiles)
    assert set(usual.model_dump(mode="json")) == {"nodes", "links"}
    again = Topology.model_validate_json(turned.model_dump_json())
    assert again == turned.override(profiles={}) == turned != usual


def test_digest_follows_what_is_said_not_what_it_is_called() -> None:
    topology = load_topology("host-host")
    digest = topology_digest(topology, load_profiles(topology))
    renamed = topology.override(profiles={"board": "peer"})
    assert topology_digest(renamed, load_profiles(topology)) == digest
    assert topology_digest(renamed, load_profiles(renamed)) != digest
    slower = topology.override(links={"wire": {"latency_ns": 30_000}})
    assert topology_digest(slower, load_profiles(topology)) != digest
    assert len(digest) == 64
