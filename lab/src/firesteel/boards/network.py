# SPDX-License-Identifier: Apache-2.0
"""Addresses, routes and tunnels of a topology, and the shell commands that set them in a guest.

Link number L is the network 10.0.L.0/24; a node's host part is the same on all its links.  Nodes
reach links that they are not on through nodes that forward, by the fewest hops.  Each hop is nearer
to the link than the one before, so no packet goes in a circle.

A tunnel's packets travel between its ends on the way of the fewest hops.  An end covers every
network that the other end reaches through it.  Packets between networks behind different ends take
the tunnel.  Behind a host there is nothing: it has an address inside the tunnel instead, and so has
a gateway that is on no other network.  A node may end several tunnels: it has one inside address
for all of them, and what each leads to is reached through no other.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from itertools import permutations

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import JobFile
from firesteel.boards.topology import Port, Topology

INSIDE_NETWORK = "10.1.0"
"""The first three numbers of the addresses inside a tunnel; host parts are those on links."""


@dataclass(frozen=True)
class Hop:
    """The next node on the way to a link, and the link on which it is reached."""

    node: str
    link: int


def network(link: int) -> str:
    """The IPv4 network of the link of that number."""
    return f"10.0.{link}.0/24"


def address(topology: Topology, node: str, port: Port) -> str:
    """The IPv4 address of a node on the link of its `port`."""
    return f"10.0.{port.link_number}.{topology.host_part(node)}"


def address_on(topology: Topology, node: str, link: int) -> str:
    """The IPv4 address of a node on the link of that number, which it is on."""
    port = next(port for port in topology.ports(node) if port.link_number == link)
    return address(topology, node, port)


def addresses(topology: Topology) -> dict[str, str]:
    """Each node's address on its first port, by name; a host without links has no address."""
    first = {node: topology.ports(node)[:1] for node in topology.nodes}
    return {node: address(topology, node, port) for node in first for port in first[node]}


def links_of(topology: Topology, node: str) -> list[int]:
    """The numbers of the links that a node is on, in the order of its ports."""
    return [port.link_number for port in topology.ports(node)]


def hops(topology: Topology, node: str) -> Mapping[int, Hop]:
    """The next hop to each link that `node` is not on and can reach, by the link's number."""
    own = links_of(topology, node)
    first: dict[int, Hop | None] = dict.fromkeys(own)
    queue = deque(own)
    while queue:
        link = queue.popleft()
        for forwarder in topology.links[link].nodes:
            forwards = forwarder != node and topology.nodes[forwarder].forwards
            for beyond in links_of(topology, forwarder) if forwards else ():
                if beyond not in first:
                    first[beyond] = first[link] or Hop(forwarder, link)
                    queue.append(beyond)
    return {link: hop for link, hop in sorted(first.items()) if hop}


def routes(topology: Topology, node: str) -> dict[int, str]:
    """The next hop's address to each link that `node` is not on, by the link's number."""
    return {
        link: address_on(topology, hop.node, hop.link) for link, hop in hops(topology, node).items()
    }


def way(topology: Topology, node: str, link: int) -> list[str] | None:
    """The nodes on the way of a packet from `node` to the network of a link, including `node` and
    the node on that link; None if there is no route.
    """
    passed = [node]
    while link not in links_of(topology, passed[-1]):
        hop = hops(topology, passed[-1]).get(link)
        if hop is None:
            return None
        passed.append(hop.node)
    return passed


def network_commands(topology: Topology, node: str) -> str:
    """Shell lines that name the guest, set its addresses and routes, and let it forward packets
    unless it is a host.
    """
    lines = [f"hostname {node}", "ip link set lo up"]
    for port in topology.ports(node):
        lines.append(f"ip address add {address(topology, node, port)}/24 dev {port.interface}")
        lines.append(f"ip link set {port.interface} up")
    lines += [
        f"ip route add {network(link)} via {hop}" for link, hop in routes(topology, node).items()
    ]
    if topology.nodes[node].forwards:
        lines.append("echo 1 >/proc/sys/net/ipv4/ip_forward")
    return "".join(line + "\n" for line in lines)


def shell_files(topology: Topology, node: str) -> dict[str, JobFile]:
    """Files by which a guest's login shell sets the network, and knows all nodes by name."""
    names = "127.0.0.1 localhost\n"
    names += "".join(f"{ip} {name}\n" for name, ip in addresses(topology).items())
    profile = network_commands(topology, node) + "PS1='\\h:\\w# '\n"
    return {
        "/etc/hosts": JobFile(names.encode()),
        "/etc/profile": JobFile(profile.encode()),
    }


@dataclass(frozen=True)
class TunnelEnd:
    """One end of a tunnel.

    `here` is its address on the wire and `inside` the one in the tunnel.  `networks` are reached
    through the tunnel: the networks behind it, or only the inside address.  `hop` is the address of
    the next node on the way to the other end, which may be the other end itself.
    """

    node: str
    here: str
    inside: str
    networks: tuple[str, ...]
    hop: str

    @property
    def is_alone(self) -> bool:
        """Whether nothing lies behind it, so that programs use its inside address."""
        return self.networks == (f"{self.inside}/32",)


@dataclass(frozen=True)
class Tunnel:
    """Two ends; `near` is the one that asks for the tunnel."""

    near: TunnelEnd
    far: TunnelEnd

    def __str__(self) -> str:
        return f"`{self.near.node}` to `{self.far.node}`"

    @property
    def nodes(self) -> tuple[str, str]:
        """The two nodes where it ends."""
        return self.near.node, self.far.node

    def ends(self, node: str) -> tuple[TunnelEnd, TunnelEnd]:
        """The end at a node, which is one of the two, and the other one."""
        return (self.near, self.far) if node == self.near.node else (self.far, self.near)


def tunnel_between(topology: Topology, near: str, far: str) -> Tunnel:
    """The tunnel between two nodes; `FiresteelError` when no route connects them."""
    passed, last = _shortest(topology, near, far)
    first = hops(topology, near)[last].link if len(passed) > 1 else last
    return Tunnel(_end(topology, near, far, first, last), _end(topology, far, near, last, first))


def check_apart(tunnels: Sequence[Tunnel]) -> None:
    """Raises `FiresteelError` when two tunnels of a node lead to the same network, or the packets
    of one would have to go into the other.
    """
    for one, other in permutations(tunnels, 2):
        for node in set(one.nodes) & set(other.nodes):
            (_, there), (_, beyond) = one.ends(node), other.ends(node)
            at = ip_address(beyond.here)
            through = any(at in ip_network(behind) for behind in there.networks)
            if through or set(there.networks) & set(beyond.networks):
                raise FiresteelError(
                    f"`{node}` reaches `{beyond.node}` through `{there.node}` and ends a tunnel to "
                    "each; the other ends of a node's tunnels must not lie behind each other."
                )


def nodes_behind(topology: Topology, end: TunnelEnd) -> list[str]:
    """The nodes on the networks behind the end, except the end itself."""
    return [
        node
        for node in topology.nodes
        if node != end.node
        and any(network(link) in end.networks for link in links_of(topology, node))
    ]


def inside_hop(topology: Topology, node: str, end: TunnelEnd) -> str:
    """The next hop's address from a node behind an end to that end, and so into the tunnel."""
    own = links_of(topology, end.node)
    # All go to the same link of the end, so that no two nodes send packets to each other
    link = next(link for link in own if network(link) in end.networks)
    if link in links_of(topology, node):
        return address_on(topology, end.node, link)
    return routes(topology, node)[link]


def _shortest(topology: Topology, one: str, other: str) -> tuple[list[str], int]:
    """The nodes passed from one node to the other's nearest link, and that link."""
    found = [
        (passed, link)
        for link in links_of(topology, other)
        if (passed := way(topology, one, link)) is not None
    ]
    if not found:
        raise FiresteelError(
            f"No route connects `{one}` and `{other}`, the ends of a tunnel; all nodes between "
            "them must be gateways or routers."
        )
    return min(found, key=lambda each: len(each[0]))


def _end(topology: Topology, node: str, other: str, here: int, there: int) -> TunnelEnd:
    """The end of a tunnel at a node; `here` is the link on which it is, `there` the other's."""
    inside = f"{INSIDE_NETWORK}.{topology.host_part(node)}"
    behind = [
        network(link)
        for link in range(len(topology.links))
        if node in (way(topology, other, link) or [])
    ]
    on_link = there in links_of(topology, node)
    hop = address_on(topology, other, there) if on_link else routes(topology, node)[there]
    return TunnelEnd(
        node, address_on(topology, node, here), inside, tuple(behind or [f"{inside}/32"]), hop
    )


@dataclass(frozen=True)
class Side:
    """A tunnel from the view of one of its two nodes.

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
    `client` as the first.  `tunnels` is empty if no protocol needs them.  The first carries the
    client's traffic, and its near end is on the client's side.  So both nodes where it ends number
    it 0.
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
    pairs = _pairs(topology, name, client, server)
    try:
        made = [tunnel_between(topology, *pair) for pair in pairs]
        check_apart(made)
    except FiresteelError as error:
        raise FiresteelError(f"Topology {name}: {error}") from None
    carrying = _carrying(topology, made, client, server)
    if carrying is None:
        raise FiresteelError(
            f"Topology {name}: no tunnel is on the way from the client `{client}` to the server "
            f"`{server}`; there are: {', '.join(str(each) for each in made) or 'none'}."
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

    A gateway whose tunnel is a device sends its own packets from its inside address.  A host sends
    all packets from there, so that nodes behind the other end can answer.  A node that ends tunnels
    itself reaches the addresses inside of these by them.
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
                f"two tunnels, {carrying} and {other}; exactly one may be on "
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
