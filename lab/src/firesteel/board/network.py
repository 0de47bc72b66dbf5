# SPDX-License-Identifier: Apache-2.0
"""Addresses and routes of a topology, and the shell commands that set them in a guest.

Link number L is the network 10.0.L.0/24; a node has the same host part on each of its links.
Nodes reach links that they are not on through nodes that forward, by the fewest hops.  Each hop is
nearer to the link than the one before, so no packet goes in a circle.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.board.job import JobFile
from firesteel.board.topology import Port, Topology


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
