# SPDX-License-Identifier: Apache-2.0
"""The roles in a cell: which node measures, which serves, and which nodes the tunnel connects."""

from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.network import address
from firesteel.board.topology import Port, Topology
from firesteel.model.cell import Cell

_TUNNELS = ("openvpn", "ipsec")
_DIRECT = ("none", "ssh")
"""Protocols that run between client and server themselves."""

INSIDE_NETWORK = "10.1.0"
"""The first three numbers of the addresses inside a tunnel; host parts are those on links."""


@dataclass(frozen=True)
class TunnelEnd:
    """One end of a tunnel.

    `here` is its address on the wire and `inside` the one in the tunnel; `network` is what lies
    behind it and is reached through the tunnel: the inside address alone for a host, the network
    of its own link for a gateway.
    """

    node: str
    here: str
    inside: str
    network: str


@dataclass(frozen=True)
class Plan:
    """The parts of a cell's nodes.

    `client` measures against the address `target` of `server`.  `ends` are the tunnel's two ends,
    the client's side first; none without a tunnel.
    """

    client: str
    server: str
    target: str
    ends: tuple[TunnelEnd, TunnelEnd] | None

    def end(self, node: str) -> tuple[TunnelEnd, TunnelEnd] | None:
        """Return a node's end of the tunnel and the other one, or nothing if it has none."""
        if self.ends is None or node not in (end.node for end in self.ends):
            return None
        near, far = self.ends
        return (near, far) if node == near.node else (far, near)


def plan(cell: Cell, topology: Topology) -> Plan:
    """The parts that the nodes of `topology` have in `cell`.

    The first host is the client, the last the server.  SSH is no tunnel: it runs between these two.
    A tunnel runs between the two gateways, or between client and server where there is no gateway.
    Raises `FiresteelError` when the topology has no place for the cell's tunnel.
    """
    hosts = [name for name, node in topology.nodes.items() if node.role == "host"]
    if len(hosts) < 2:
        raise FiresteelError(
            f"Topology {cell.topology} has {len(hosts)} hosts; measuring needs at least 2."
        )
    if cell.protocol not in _TUNNELS + _DIRECT:
        raise FiresteelError(
            f"Cell {cell.label}: the protocol `{cell.protocol}` is unknown; allowed are "
            f"{', '.join(_TUNNELS + _DIRECT)}."
        )
    client, server = hosts[0], hosts[-1]
    ends = _ends(cell, topology, client, server) if cell.protocol in _TUNNELS else None
    target = address(topology, server, topology.ports(server)[0])
    if ends and ends[1].node == server:
        target = ends[1].inside
    return Plan(client, server, target, ends)


def _ends(cell: Cell, topology: Topology, client: str, server: str) -> tuple[TunnelEnd, TunnelEnd]:
    gateways = [name for name, node in topology.nodes.items() if node.role == "gateway"]
    if len(gateways) not in (0, 2):
        raise FiresteelError(
            f"Topology {cell.topology} has {len(gateways)} gateways, so there is no place for a"
            f" tunnel ({cell.protocol}); tunnels run between two gateways or, without any, between"
            " two hosts."
        )
    if not gateways:
        return _host_end(topology, client, server), _host_end(topology, server, client)
    gateways.sort(key=lambda name: _shared_port(topology, name, client) is None)
    near, far = gateways
    return (
        _gateway_end(cell, topology, near, far, client),
        _gateway_end(cell, topology, far, near, server),
    )


def _inside(topology: Topology, node: str) -> str:
    return f"{INSIDE_NETWORK}.{topology.host_part(node)}"


def _shared_port(topology: Topology, node: str, other: str) -> Port | None:
    """The node's port on a link that the other is on too."""
    return next((port for port in topology.ports(node) if other in port.link.nodes), None)


def _host_end(topology: Topology, node: str, other: str) -> TunnelEnd:
    port = _shared_port(topology, node, other)
    if port is None:
        raise FiresteelError(f"Nodes {node} and {other} share no link for a tunnel.")
    inside = _inside(topology, node)
    return TunnelEnd(node, address(topology, node, port), inside, f"{inside}/32")


def _gateway_end(cell: Cell, topology: Topology, gateway: str, other: str, host: str) -> TunnelEnd:
    wire = _shared_port(topology, gateway, other)
    behind = _shared_port(topology, gateway, host)
    if wire is None or behind is None:
        raise FiresteelError(
            f"Topology {cell.topology}: gateway {gateway} must share a link with {other} and one"
            f" with {host}."
        )
    return TunnelEnd(
        gateway,
        address(topology, gateway, wire),
        _inside(topology, gateway),
        f"10.0.{behind.link_number}.0/24",
    )
