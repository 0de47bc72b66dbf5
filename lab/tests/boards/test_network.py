# SPDX-License-Identifier: Apache-2.0
"""Addresses and routes follow from the topology."""

import pytest
from boards.made_topologies import topology

from firesteel.base.errors import FiresteelError
from firesteel.boards.network import (
    Plan,
    addresses,
    inside_routes,
    network_commands,
    plan,
)
from firesteel.boards.topology import Topology, load_topology, topology_names


def test_addresses_are_by_link_and_node() -> None:
    assert addresses(load_topology("host-gateway-gateway-host")) == {
        "host-a": "10.0.0.1",
        "gateway-a": "10.0.0.2",
        "gateway-b": "10.0.1.3",
        "host-b": "10.0.1.4",
    }


def test_only_a_gateway_forwards() -> None:
    topology = load_topology("three-hosts-gateway-host")
    assert network_commands(topology, "gateway").splitlines() == [
        "hostname gateway",
        "ip link set lo up",
        "ip address add 10.0.0.4/24 dev eth0",
        "ip link set eth0 up",
        "ip address add 10.0.1.4/24 dev eth1",
        "ip link set eth1 up",
        "echo 1 >/proc/sys/net/ipv4/ip_forward",
    ]
    assert "forward" not in network_commands(topology, "host-1")
    assert "ip route add 10.0.1.0/24 via 10.0.0.4\n" in network_commands(topology, "host-1")


def planned(made: Topology) -> Plan:
    return plan(made, "made", tunnels=True)


def ends(made: Topology) -> tuple[str, str]:
    tunnel = planned(made).tunnels[0]
    return tunnel.near.node, tunnel.far.node


def test_the_first_host_asks_the_last_unless_others_are_named() -> None:
    links = "h1 g1", "g1 h2", "g1 h3"
    for keys, expected in (
        ({}, ("h1", "h3")),
        ({"client": "h3"}, ("h3", "h2")),
        ({"server": "h1"}, ("h2", "h1")),
        ({"client": "g1", "server": "h2"}, ("g1", "h2")),
    ):
        made = plan(topology(*links, **keys), "made", tunnels=False)
        assert (made.client, made.server, made.tunnels) == (*expected, ())


@pytest.mark.parametrize(
    ("links", "tunnel"),
    [
        (["h1 h2"], ("h1", "h2")),
        (["h1 r1", "r1 h2"], ("h1", "h2")),
        (["h1 g1", "g1 g2", "g2 h2"], ("g1", "g2")),
        (["h1 g2", "g2 r1", "r1 g1", "g1 h2"], ("g2", "g1")),
    ],
)
def test_a_tunnel_follows_from_two_gateways_or_none(
    links: list[str], tunnel: tuple[str, str]
) -> None:
    assert ends(topology(*links)) == tunnel


def test_hosts_at_the_ends_are_asked_inside_the_tunnel_and_others_where_they_are() -> None:
    assert planned(topology("h1 h2")).target == "10.1.0.2"
    assert planned(topology("h1 g1", "g1 h2", tunnels=["g1 h2"])).target == "10.1.0.3"
    assert planned(topology("h1 r1", "r1 g1", "g1 h2", tunnels=["h1 g1"])).target == "10.0.2.4"


def test_who_is_behind_an_end_answers_inside_addresses_through_it() -> None:
    made = topology("h1 g1", "g1 g2", "g2 r1", "r1 h2", "g2 h3", server="h2")
    routes = {node: inside_routes(made, planned(made), node) for node in made.nodes}
    inside = "10.1.0.2/32", "10.1.0.3/32"
    assert routes == {
        "h1": dict.fromkeys(inside, "10.0.0.2"),
        "g1": {},
        "g2": {},
        "r1": dict.fromkeys(inside, "10.0.2.3"),
        "h2": dict.fromkeys(inside, "10.0.3.4"),
        "h3": dict.fromkeys(inside, "10.0.4.3"),
    }
    assert inside_routes(made, plan(made, "made", tunnels=False), "h1") == {}


def test_a_hub_numbers_its_tunnels_from_that_of_the_traffic() -> None:
    made = topology("h1 g1", "g1 h2 g2 h3", "g2 h4", tunnels=["h2 g1", "g1 g2", "h3 g1"])
    found = planned(made)
    assert (found.client, found.server, found.target) == ("h1", "h4", "10.0.2.6")
    sides = [(each.number, each.number_there, each.there.node) for each in found.sides("g1")]
    assert sides == [(0, 0, "g2"), (1, 0, "h2"), (2, 0, "h3")]
    assert [each.initiates for each in found.sides("g1")] == [True, False, False]
    (spoke,) = found.sides("h3")
    assert (spoke.number, spoke.number_there, spoke.there.node) == (0, 2, "g1")


@pytest.mark.parametrize(
    ("links", "tunnels"),
    [
        (["h1 g1", "g1 g2", "g2 g3", "g3 h2"], ["g1 g2", "g2 g3"]),
        (["h1 g1", "g1 h2"], ["h1 g1", "g1 h2"]),
    ],
)
def test_traffic_that_would_pass_two_tunnels_is_refused(
    links: list[str], tunnels: list[str]
) -> None:
    with pytest.raises(FiresteelError, match="exactly one may be on their way"):
        planned(topology(*links, tunnels=tunnels))


def test_the_topologies_of_the_checkout_have_a_plan() -> None:
    found = {}
    for name in topology_names():
        if name == "one-board":
            continue
        made = plan(load_topology(name), name, tunnels=True)
        tunnel = made.tunnels[0]
        found[name] = (made.client, tunnel.near.node, tunnel.far.node, made.server)
    assert found == {
        "board-serves": ("peer", "peer", "board", "board"),
        "host-host": ("board", "board", "peer", "peer"),
        "hub": ("client", "hub", "branch", "server"),
        "host-gateway-gateway-host": ("host-a", "gateway-a", "gateway-b", "host-b"),
        "road-warrior": ("laptop", "laptop", "gateway", "server"),
        "three-hosts-gateway-host": ("host-1", "gateway", "host-b", "host-b"),
        "three-lans-gateway-host": ("host-1", "gateway", "host-b", "host-b"),
    }


def test_several_clients_load_and_the_first_of_them_measures() -> None:
    made = planned(topology("h1 h2 g1", "g1 h3", tunnels=["g1 h3"], clients=("h2", "h1")))
    assert (made.clients, made.client, made.server) == (("h2", "h1"), "h2", "h3")
    assert planned(load_topology("three-hosts-gateway-host")).clients == (
        *("host-1", "host-2", "host-3"),
    )


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (topology("h1 g1"), "has 1 hosts; measuring needs a client and a server"),
        (topology("h1 h2", "h2 h3"), "node `h3` has no route to the client `h1` on `link-0`"),
        (topology("h1 g1", "g1 h2"), r'has 1 gateways .* as `tunnels = \[\["g1", "h2"\]\]`'),
        (
            topology("h1 g1", "g1 h2", "g1 h3", tunnels=["h2 g1"]),
            "no tunnel is on the way from the client `h1` to the server `h3`; there are: `h2` to",
        ),
        (
            topology("h1 g1", "g1 g2", "g2 g3", "g3 h2", tunnels=["g1 g2", "g1 g3"]),
            "`g1` reaches `g3` through `g2` and ends a tunnel to each",
        ),
        (
            topology("h1 g1", "h4 g1", "g1 h2", tunnels=["h1 h2"], clients=("h1", "h4")),
            "clients `h1` and `h4` do not reach the server by the same tunnel; all of `clients`",
        ),
        (
            topology(
                "h1 g1 h4", "g1 h2", "h4 g1 h2", clients=("h1", "h4"), server="h2", tunnels=[]
            ),
            "clients `h1` and `h4` reach the server by different links",
        ),
        # From h1 the next hop is g3, from g2 it is g1
        (topology("h1 g3 g1", "g1 g3 g2", "g2 h2", tunnels=["g1 g2"]), "no tunnel is on the way"),
    ],
)
def test_what_cannot_be_is_refused(made: Topology, message: str) -> None:
    with pytest.raises(FiresteelError, match=f"^Topology made.*{message}"):
        planned(made)
