# SPDX-License-Identifier: Apache-2.0
"""Addresses and routes of a topology, and the shell commands that set them in a guest.

Link number L is the network 10.0.L.0/24; a node has the same host part on each of its links.
Nodes reach links that they are not on through gateways, by the fewest hops.
"""

from collections import deque

from firesteel.board.job import JobFile
from firesteel.board.topology import Port, Topology


def address(topology: Topology, node: str, port: Port) -> str:
    """The IPv4 address of a node on the link of its `port`."""
    return f"10.0.{port.link_number}.{topology.host_part(node)}"


def addresses(topology: Topology) -> dict[str, str]:
    """Each node's address on its first port, by name; a host that is alone has none."""
    first = {node: topology.ports(node)[:1] for node in topology.nodes}
    return {node: address(topology, node, port) for node in first for port in first[node]}


def routes(topology: Topology, node: str) -> dict[int, str]:
    """The next hop's address to each link that `node` is not on, by the link's number."""
    own = {port.link_number: "" for port in topology.ports(node)}
    hops = dict(own)
    queue = deque(own)
    while queue:
        link = queue.popleft()
        for gateway in _gateways(topology, link, node):
            for port in topology.ports(gateway):
                if port.link_number not in hops:
                    hops[port.link_number] = hops[link] or _address_on(topology, gateway, link)
                    queue.append(port.link_number)
    return {link: hop for link, hop in sorted(hops.items()) if link not in own}


def network_commands(topology: Topology, node: str) -> str:
    """Shell lines that name the guest, set its addresses and routes, and let gateways forward."""
    lines = [f"hostname {node}", "ip link set lo up"]
    for port in topology.ports(node):
        lines.append(f"ip address add {address(topology, node, port)}/24 dev {port.interface}")
        lines.append(f"ip link set {port.interface} up")
    lines += [
        f"ip route add 10.0.{link}.0/24 via {hop}" for link, hop in routes(topology, node).items()
    ]
    if topology.nodes[node].role == "gateway":
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


def _gateways(topology: Topology, link: int, besides: str) -> list[str]:
    return [
        name
        for name in topology.links[link].nodes
        if name != besides and topology.nodes[name].role == "gateway"
    ]


def _address_on(topology: Topology, node: str, link: int) -> str:
    port = next(port for port in topology.ports(node) if port.link_number == link)
    return address(topology, node, port)
