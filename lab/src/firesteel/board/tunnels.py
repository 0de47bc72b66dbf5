# SPDX-License-Identifier: Apache-2.0
"""Tunnels of a topology: the addresses of their ends, and what lies behind each end.

A tunnel's packets travel between its ends on the way of the fewest hops.  Behind an end lie the
networks that the other end reaches through it; packets between what is behind the one and what is
behind the other take the tunnel.  Behind a host there is nothing: it has an address inside the
tunnel instead, and so has a gateway that is on no other network.  A node may end several tunnels:
it has one inside address for all of them, and what each leads to is reached through no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from itertools import permutations

from firesteel.base.errors import FiresteelError
from firesteel.board.network import address_on, hops, links_of, network, routes, way
from firesteel.board.topology import Topology

INSIDE_NETWORK = "10.1.0"
"""The first three numbers of the addresses inside a tunnel; host parts are those on links."""


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
