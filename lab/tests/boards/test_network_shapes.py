# SPDX-License-Identifier: Apache-2.0
"""On topologies of any shape routes lead everywhere, and tunnels cover what lies behind them."""

from ipaddress import ip_address, ip_network
from itertools import combinations, permutations

from boards.made_topologies import graphs, trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firesteel.base.errors import FiresteelError
from firesteel.boards.network import (
    Plan,
    Tunnel,
    address,
    check_apart,
    inside_hop,
    inside_routes,
    links_of,
    network,
    nodes_behind,
    routes,
    tunnel_between,
)
from firesteel.boards.topology import Topology

shapes = settings(deadline=None, max_examples=60)


def owners(made: Topology) -> dict[str, str]:
    """The node of each address."""
    return {address(made, node, port): node for node in made.nodes for port in made.ports(node)}


def passed(made: Topology, node: str, target: str) -> list[str]:
    """The nodes that a packet passes which starts at `node`, by the routes of each alone; it may
    pass no node twice, and hosts do not forward it.
    """
    found = [node]
    while all(ip_address(target) not in ip_network(network(x)) for x in links_of(made, found[-1])):
        if len(found) > 1 and not made.nodes[found[-1]].forwards:
            return []
        hops = [
            hop
            for link, hop in routes(made, found[-1]).items()
            if ip_address(target) in ip_network(network(link))
        ]
        if not hops:
            return []
        found.append(owners(made)[hops[0]])
        assert len(set(found)) == len(found), "a packet goes in a circle"
    last = owners(made)[target]
    return found if found[-1] == last else [*found, last]


def connected(made: Topology, start: str) -> set[str]:
    """The nodes that `start` is connected with by forwarding ones, found without any route."""
    seen, left = {start}, [start]
    while left:
        node = left.pop()
        if node != start and not made.nodes[node].forwards:
            continue
        near = {other for link in links_of(made, node) for other in made.links[link].nodes}
        left += near - seen
        seen |= near
    return seen


@shapes
@given(graphs())
def test_all_that_are_connected_reach_each_other(made: Topology) -> None:
    for one, other in permutations(made.nodes, 2):
        targets = [address(made, other, port) for port in made.ports(other)]
        reached = [passed(made, one, target) for target in targets]
        assert any(reached) == (other in connected(made, one))
        assert all(way[1:-1] == [x for x in way[1:-1] if made.nodes[x].forwards] for way in reached)


def tunnel_of(made: Topology, data: st.DataObject) -> Tunnel:
    ends = [name for name, node in made.nodes.items() if node.role != "router"]
    pairs = [pair for pair in permutations(ends, 2) if pair[1] in connected(made, pair[0])]
    assume(pairs)
    return tunnel_between(made, *data.draw(st.sampled_from(pairs)))


@shapes
@given(trees(), st.data())
def test_selectors_cover_exactly_the_networks_behind_the_ends(
    made: Topology, data: st.DataObject
) -> None:
    """In a tree: those links that are cut off from the other end when the end is taken out, and
    that are reached at all.
    """
    tunnel = tunnel_of(made, data)
    for end, other in ((tunnel.near, tunnel.far), (tunnel.far, tunnel.near)):
        with_end = reached_links(made, other.node, without="")
        without = reached_links(made, other.node, without=end.node)
        behind = {network(link) for link in with_end - without}
        assert set(end.networks) == (behind or {f"{end.inside}/32"})


def reached_links(made: Topology, start: str, without: str) -> set[int]:
    """The links that `start` reaches, or is on, when a node forwards nothing."""
    seen, left = {start}, [start]
    links: set[int] = set()
    while left:
        node = left.pop()
        if node == without or (node != start and not made.nodes[node].forwards):
            continue
        links |= set(links_of(made, node))
        near = {other for link in links_of(made, node) for other in made.links[link].nodes}
        left += near - seen
        seen |= near
    return links


@shapes
@given(graphs(), st.data())
def test_what_the_ends_send_each_other_stays_out_of_their_tunnel(
    made: Topology, data: st.DataObject
) -> None:
    """Or the tunnel's packets would go into the tunnel."""
    tunnel = tunnel_of(made, data)
    for end, other in ((tunnel.near, tunnel.far), (tunnel.far, tunnel.near)):
        outside = [ip_address(end.here), ip_address(other.here)]
        for selector in map(ip_network, end.networks + other.networks):
            assert not any(each in selector for each in outside)
        assert passed(made, end.node, other.here)[-1] == other.node
        assert owners(made)[end.hop] in passed(made, end.node, other.here)


@shapes
@given(graphs(), st.data())
def test_who_is_behind_an_end_reaches_it_by_the_hop_for_inside_addresses(
    made: Topology, data: st.DataObject
) -> None:
    tunnel = tunnel_of(made, data)
    for end in (tunnel.near, tunnel.far):
        for node in nodes_behind(made, end):
            at = node
            for _ in made.nodes:
                at = owners(made)[inside_hop(made, at, end)]
                if at == end.node:
                    break
            assert at == end.node


def tunnels_of(made: Topology, data: st.DataObject) -> list[Tunnel]:
    """Tunnels between any nodes, several of which may end at one, that do not overlap."""
    ends = [name for name, node in made.nodes.items() if node.role != "router"]
    pairs = [pair for pair in combinations(ends, 2) if pair[1] in connected(made, pair[0])]
    assume(len(pairs) > 1)
    drawn = data.draw(st.lists(st.sampled_from(pairs), min_size=2, max_size=5, unique=True))
    made_up: list[Tunnel] = []
    for pair in drawn:
        more = [*made_up, tunnel_between(made, *pair)]
        try:
            check_apart(more)
        except FiresteelError:
            continue
        made_up = more
    assume(len(made_up) > 1)
    return made_up


@shapes
@given(graphs(), st.data())
def test_no_two_tunnels_of_a_node_lead_to_the_same_address(
    made: Topology, data: st.DataObject
) -> None:
    """Nor does one lead to the other's end, or its packets would go into the other."""
    tunnels = tunnels_of(made, data)
    for node in made.nodes:
        there = [tunnel.ends(node)[1] for tunnel in tunnels if node in tunnel.nodes]
        for one, other in permutations(there, 2):
            assert not set(one.networks) & set(other.networks)
            assert one.node not in passed(made, node, other.here)


@shapes
@given(graphs(), st.data())
def test_ends_and_nodes_of_several_tunnels_agree_on_their_numbers(
    made: Topology, data: st.DataObject
) -> None:
    planned = Plan(("",), "", "", tuple(tunnels_of(made, data)))
    for node in made.nodes:
        sides = planned.sides(node)
        assert [side.number for side in sides] == list(range(len(sides)))
        for side in sides:
            other = planned.sides(side.there.node)[side.number_there]
            assert (other.here, other.there) == (side.there, side.here)
            assert other.number_there == side.number
            assert other.initiates != side.initiates


@shapes
@given(trees(), st.data())
def test_addresses_inside_of_several_tunnels_lead_to_a_node_that_ends_one(
    made: Topology, data: st.DataObject
) -> None:
    planned = Plan(("",), "", "", tuple(tunnels_of(made, data)))
    own = {
        node: {
            f"{end.inside}/32" for side in planned.sides(node) for end in (side.here, side.there)
        }
        for node in made.nodes
    }
    for node in made.nodes:
        routed = inside_routes(made, planned, node)
        assert not set(routed) & own[node]
        for inside in routed:
            seen = [node]
            while inside not in own[seen[-1]]:
                seen.append(owners(made)[inside_routes(made, planned, seen[-1])[inside]])
                assert len(set(seen)) == len(seen), "a packet goes in a circle"
