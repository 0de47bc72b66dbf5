# SPDX-License-Identifier: Apache-2.0
"""Who loads, who serves, and which tunnel carries it follow from a topology of any shape."""

import pytest
from board.made_topologies import topology

from firesteel.base.errors import FiresteelError
from firesteel.board.network import Plan, inside_routes, plan, tunnel_between
from firesteel.board.topology import Topology, load_topology, topology_names


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


def test_the_near_end_is_on_the_client_s_side_whoever_asks() -> None:
    made = topology("h1 g1", "g1 h2", tunnels=["h2 g1"])
    assert ends(made) == ("g1", "h2")


def test_hosts_at_the_ends_are_asked_inside_the_tunnel_and_others_where_they_are() -> None:
    assert planned(topology("h1 h2")).target == "10.1.0.2"
    assert planned(topology("h1 g1", "g1 h2", tunnels=["g1 h2"])).target == "10.1.0.3"
    assert planned(topology("h1 r1", "r1 g1", "g1 h2", tunnels=["h1 g1"])).target == "10.0.2.4"


def test_a_road_warrior_s_tunnel_passes_routers() -> None:
    made = topology("h1 r1", "r1 g1", "g1 h2", "g1 h3", tunnels=["h1 g1"])
    (tunnel,) = planned(made).tunnels
    assert (tunnel.near.here, tunnel.near.hop) == ("10.0.0.1", "10.0.0.2")
    assert (tunnel.far.here, tunnel.far.hop) == ("10.0.1.3", "10.0.1.2")
    assert tunnel.near.networks == ("10.1.0.1/32",)
    assert tunnel.far.networks == ("10.0.2.0/24", "10.0.3.0/24")


def test_networks_behind_further_routers_lie_behind_the_gateway() -> None:
    made = topology("h1 r1", "r1 g1", "g1 g2", "g2 r2", "r2 r3", "r3 h2")
    (tunnel,) = planned(made).tunnels
    assert tunnel.near.networks == ("10.0.0.0/24", "10.0.1.0/24")
    assert tunnel.far.networks == ("10.0.3.0/24", "10.0.4.0/24", "10.0.5.0/24")


def test_a_network_at_a_router_between_the_ends_is_behind_neither() -> None:
    made = topology("h1 g1", "g1 r1", "r1 h3", "r1 g2", "g2 h2", client="h1", server="h2")
    (tunnel,) = planned(made).tunnels
    assert [end.networks for end in (tunnel.near, tunnel.far)] == [
        ("10.0.0.0/24",),
        ("10.0.4.0/24",),
    ]


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


def test_several_tunnels_each_between_nodes_of_its_own() -> None:
    made = topology("h1 g1", "g1 g2", "g2 h2", "g2 h3", tunnels=["h3 h2", "g1 g2"], server="h2")
    assert ends(made) == ("g1", "g2"), "first is the one that carries the client's traffic"
    found = planned(made)
    (side,) = found.sides("h3")
    assert (side.here.node, side.there.node, side.initiates) == ("h3", "h2", True)
    assert found.sides("h1") == []


def test_a_hub_numbers_its_tunnels_from_that_of_the_traffic() -> None:
    made = topology("h1 g1", "g1 h2 g2 h3", "g2 h4", tunnels=["h2 g1", "g1 g2", "h3 g1"])
    found = planned(made)
    assert (found.client, found.server, found.target) == ("h1", "h4", "10.0.2.6")
    sides = [(each.number, each.number_there, each.there.node) for each in found.sides("g1")]
    assert sides == [(0, 0, "g2"), (1, 0, "h2"), (2, 0, "h3")]
    assert [each.initiates for each in found.sides("g1")] == [True, False, False]
    (spoke,) = found.sides("h3")
    assert (spoke.number, spoke.number_there, spoke.there.node) == (0, 2, "g1")


def test_behind_a_hub_lie_its_other_spokes() -> None:
    links = "h1 g1", "g1 g2", "g2 h2", "g2 g3", "g3 h3"
    made = topology(*links, tunnels=["g1 g2", "g2 g3"], server="h2")
    assert ends(made) == ("g1", "g2")
    first, second = planned(made).sides("g2")
    assert second.here.networks == ("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24")
    assert first.here.networks == ("10.0.2.0/24", "10.0.3.0/24", "10.0.4.0/24")
    assert second.there.networks == ("10.0.4.0/24",)


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


def test_a_node_reaches_addresses_inside_of_its_own_tunnels_by_these_alone() -> None:
    made = topology("h1 g1", "g1 g2", "g1 g3", "g3 h2", tunnels=["g1 g2", "g1 g3"])
    inside = {node: f"10.1.0.{made.host_part(node)}/32" for node in made.nodes}
    assert inside_routes(made, planned(made), "g1") == {}
    assert inside_routes(made, planned(made), "g3") == {inside["g2"]: "10.0.2.2"}
    assert set(inside_routes(made, planned(made), "h2")) == {inside[x] for x in ("g1", "g2", "g3")}


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


def test_a_tunnel_needs_a_route() -> None:
    with pytest.raises(FiresteelError, match="No route .*`h1` and `h3`"):
        tunnel_between(topology("h1 h2", "h2 h3"), "h1", "h3")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (topology("h1 g1"), "has 1 hosts; measuring needs a client and a server"),
        (topology("h1 h2", "h2 h3"), "node `h3` has no route to the client `h1` on `link-0`"),
        (topology("h1 h2", "h1 h3"), "node `h3` has no route to the client `h1` on `link-0`"),
        (topology("h1 g1", "g1 h2"), r'has 1 gateways .* as `tunnels = \[\["g1", "h2"\]\]`'),
        (topology("h1 g1", "g1 g2", "g2 g3", "g3 h2"), "has 3 gateways"),
        (
            topology("h1 g1", "g1 h2", "g1 h3", tunnels=["h2 g1"]),
            "no tunnel is on the way from the client `h1` to the server `h3`; there are: `h2` to",
        ),
        (topology("h1 g1", "g1 h2", tunnels=[]), "no tunnel is on the way .* there are: none"),
        (topology("g1 h1", "g1 g2", "h1 h2 g2"), "no tunnel is on the way"),
        (
            topology("h1 g1", "g1 g2", "g2 g3", "g3 h2", tunnels=["g1 g2", "g1 g3"]),
            "`g1` reaches `g3` through `g2` and ends a tunnel to each",
        ),
        (
            topology(
                "h1 g1", "g1 h2", "h4 h2", tunnels=["g1 h2"], clients=("h1", "h4"), server="h2"
            ),
            "has no route to the client",
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
