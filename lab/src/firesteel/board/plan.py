# SPDX-License-Identifier: Apache-2.0
"""Which node of a topology loads, which serves, and which tunnel carries their traffic."""

from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.network import (
    Tunnel,
    TunnelEnd,
    address_on,
    check_apart,
    inside_hop,
    links_of,
    network,
    nodes_behind,
    tunnel_between,
    way,
)
from firesteel.board.topology import Topology


@dataclass(frozen=True)
class Side:
    """A tunnel as one of its two nodes has it.

    Each node numbers its tunnels from 0: `number` is this node's, `number_there` the other's.
    `initiates` says which of the two asks for it.
    """

    number: int
    number_there: int
    here: TunnelEnd
    there: TunnelEnd
    initiates: bool


@dataclass(frozen=True)
class Plan:
    """The parts of a topology's nodes.

    `client` measures against the address `target` of `server`; `clients` are all that load, with
    `client` as the first.  Without a protocol that needs one
    there are no `tunnels`; the first of them is that of the client's traffic, whose near end is on
    the client's side.  So both nodes where it ends number it 0.
    """

    clients: tuple[str, ...]
    server: str
    target: str
    tunnels: tuple[Tunnel, ...] = ()

    @property
    def client(self) -> str:
        """The one that measures, and gives orders to all other nodes."""
        return self.clients[0]

    def sides(self, node: str) -> list[Side]:
        """The node's tunnels, in the order of their numbers."""
        found: list[Side] = []
        for tunnel in self._of(node):
            here, there = tunnel.ends(node)
            number_there = self._of(there.node).index(tunnel)
            found.append(Side(len(found), number_there, here, there, here == tunnel.near))
        return found

    def _of(self, node: str) -> list[Tunnel]:
        return [tunnel for tunnel in self.tunnels if node in tunnel.nodes]


def plan(topology: Topology, name: str, *, tunnels: bool) -> Plan:
    """The plan for a topology of that name, with its tunnels or without.

    Raises `FiresteelError` when it has no client and server that reach each other, or no tunnel
    between them.
    """
    clients, server = _clients_and_server(topology, name)
    client = clients[0]
    _check_reached(topology, name, client)
    link = _nearest_link(topology, client, server)
    target = address_on(topology, server, link)
    for other in clients[1:]:
        if _nearest_link(topology, other, server) != link:
            raise _not_alike(name, client, other, "reach the server by different links of its own")
    if not tunnels:
        return Plan(clients, server, target)
    made = _tunnels(topology, name, _pairs(topology, name, client, server))
    carrying = _carrying(topology, made, client, server)
    if carrying is None:
        raise FiresteelError(
            f"Topology {name}: no tunnel is on the way from the client `{client}` to the server "
            f"`{server}`; there are: {', '.join(_in_words(each) for each in made) or 'none'}."
        )
    others = tuple(each for each in made if set(each.nodes) != set(carrying.nodes))
    if carrying.far.is_alone and carrying.far.node == server:
        target = carrying.far.inside
    planned = Plan(clients, server, target, (carrying, *others))
    for each in clients:
        if not _is_between(topology, carrying, each, server):
            raise _not_alike(name, client, each, "do not reach the server by the same tunnel")
        _check_alone(topology, name, planned, each)
    return planned


def _not_alike(name: str, client: str, other: str, how: str) -> FiresteelError:
    return FiresteelError(
        f"Topology {name}: the clients `{client}` and `{other}` {how}; all of `clients` must go "
        "one way."
    )


def inside_routes(topology: Topology, planned: Plan, node: str) -> dict[str, str]:
    """The next hop's address to each inside address of tunnels for a node behind one of their ends.

    A gateway sends packets of its own from its inside address where the tunnel is a device, and a
    host sends all of them from there: who is behind the other end must answer.  A node that ends
    tunnels itself reaches the addresses inside of these by them.
    """
    own = {end.inside for side in planned.sides(node) for end in (side.here, side.there)}
    return {
        f"{inside}/32": inside_hop(topology, node, end)
        for tunnel in planned.tunnels
        for end in (tunnel.near, tunnel.far)
        if node in nodes_behind(topology, end)
        for inside in (tunnel.near.inside, tunnel.far.inside)
        if inside not in own
    }


def _clients_and_server(topology: Topology, name: str) -> tuple[tuple[str, ...], str]:
    hosts = topology.of_role("host")
    server = topology.server
    clients = topology.clients or ((topology.client,) if topology.client else ())
    left = [node for node in hosts if node not in (*clients, server)]
    if len(left) < (not clients) + (server is None):
        raise FiresteelError(
            f"Topology {name} has {len(hosts)} hosts; measuring needs a client and a server, which "
            "are the first host and the last unless `client` and `server` name others."
        )
    return clients or (left[0],), server or left[-1]


def _check_reached(topology: Topology, name: str, client: str) -> None:
    """All others take orders from the client, at its first address."""
    first = links_of(topology, client)[0]
    for node in topology.nodes:
        if way(topology, node, first) is None:
            raise FiresteelError(
                f"Topology {name}: node `{node}` has no route to the client `{client}` on "
                f"`{topology.links[first].name}`; all nodes between them must be gateways or "
                "routers."
            )


def _nearest_link(topology: Topology, client: str, server: str) -> int:
    """The server's link by which it is reached in the fewest hops."""
    return min(
        links_of(topology, server),
        key=lambda link: len(way(topology, client, link) or topology.nodes),
    )


def _pairs(topology: Topology, name: str, client: str, server: str) -> list[tuple[str, str]]:
    """The ends of all tunnels: those that the topology has, or those that it must mean."""
    if topology.tunnels is not None:
        return [(near, far) for near, far in topology.tunnels]
    gateways = topology.of_role("gateway")
    if not gateways:
        return [(client, server)]
    if len(gateways) == 2:
        return [(gateways[0], gateways[1])]
    raise FiresteelError(
        f"Topology {name} has {len(gateways)} gateways and does not name the ends of a tunnel; say "
        f'between which nodes it runs, as `tunnels = [["{gateways[0]}", "{server}"]]`.'
    )


def _tunnels(topology: Topology, name: str, pairs: list[tuple[str, str]]) -> list[Tunnel]:
    try:
        tunnels = [tunnel_between(topology, *pair) for pair in pairs]
        check_apart(tunnels)
    except FiresteelError as error:
        raise FiresteelError(f"Topology {name}: {error}") from None
    return tunnels


def _carrying(topology: Topology, tunnels: list[Tunnel], client: str, server: str) -> Tunnel | None:
    """The tunnel with the client on its one side and the server on the other, the client's end
    near.
    """
    for tunnel in tunnels:
        for each in (tunnel, Tunnel(near=tunnel.far, far=tunnel.near)):
            if _is_between(topology, each, client, server):
                return each
    return None


def _check_alone(topology: Topology, name: str, planned: Plan, client: str) -> None:
    """The proof that a tunnel carried the traffic is of one, so no second one may carry it too."""
    server = planned.server
    nodes = way(topology, client, _nearest_link(topology, client, server)) or []
    carrying, *others = planned.tunnels
    for other in others:
        if {*other.nodes} <= {*nodes, server}:
            raise FiresteelError(
                f"Topology {name}: packets of the client `{client}` to the server `{server}` pass "
                f"two tunnels, {_in_words(carrying)} and {_in_words(other)}; exactly one may be on "
                "their way."
            )


def _is_between(topology: Topology, tunnel: Tunnel, client: str, server: str) -> bool:
    """Whether packets of both go into the tunnel: each is an end that is alone, or reaches the
    other through the end that it is behind.
    """
    sides = ((tunnel.near, client, server), (tunnel.far, server, client))
    for end, node, other in sides:
        if end.is_alone and node != end.node:
            return False
        if not end.is_alone:
            passed = way(topology, node, _nearest_link(topology, node, other)) or []
            own = network(_nearest_link(topology, other, node))
            if own not in end.networks or end.node not in passed[1:]:
                return False
    return True


def _in_words(tunnel: Tunnel) -> str:
    return f"`{tunnel.near.node}` to `{tunnel.far.node}`"
