# SPDX-License-Identifier: Apache-2.0
"""Addresses, routes and tunnels of a topology, and the shell commands that set them in a guest.

Link number L is the network 10.0.L.0/24; a node has the same host part on each of its links.
Nodes reach links that they are not on through nodes that forward, by the fewest hops.  Each hop is
nearer to the link than the one before, so no packet goes in a circle.

A tunnel's packets travel between its ends on the way of the fewest hops.  Behind an end lie the
networks that the other end reaches through it; packets between what is behind the one and what is
behind the other take the tunnel.  Behind a host there is nothing: it has an address inside the
tunnel instead, and so has a gateway that is on no other network.  A node may end several tunnels:
it has one inside address for all of them, and what each leads to is reached through no other.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from itertools import permutations

from firesteel.base.errors import FiresteelError
from firesteel.board.job import JobFile
from firesteel.board.topology import Port, Topology

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
    """Each node's address on its first port, by name; a host that is alone has none."""
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
        for forwarder in _forwarders(topology, link, node):
            for beyond in links_of(topology, forwarder):
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
    """The nodes that a packet from `node` to the network of a link passes, from `node` itself to
    the one that is on that link; None where no route leads there.
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


def _forwarders(topology: Topology, link: int, besides: str) -> list[str]:
    return [
        name
        for name in topology.links[link].nodes
        if name != besides and topology.nodes[name].forwards
    ]


@dataclass(frozen=True)
class TunnelEnd:
    """One end of a tunnel.

    `here` is its address on the wire and `inside` the one in the tunnel.  `networks` are reached
    through the tunnel: those behind it, or the inside address alone.  `hop` is the address of the
    next node on the way to the other end, which may be the other end itself.
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
    """The nodes, besides the end itself, that are on the networks behind it."""
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
