# SPDX-License-Identifier: Apache-2.0
"""Which node of a cell's topology is the client, which the server, and what runs between them."""

from firesteel.base.errors import FiresteelError
from firesteel.board import network as board_network
from firesteel.board.network import Plan
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import BetweenHosts, TunnelProtocol
from firesteel.protocols.registry import protocol_of


def between_hosts(cell: Cell) -> BetweenHosts:
    """The cell's protocol; `FiresteelError` when it carries nothing between hosts."""
    protocol = protocol_of(cell)
    if not isinstance(protocol, BetweenHosts):
        raise FiresteelError(f"Cell {cell.label}: {protocol.name} carries no traffic.")
    return protocol


def roles(cell: Cell, topology: Topology) -> Plan:
    """The parts that the nodes of `topology` have in the cell.

    Raises `FiresteelError` when the topology has no place for the cell's protocol.
    """
    tunnels = isinstance(protocol_of(cell), TunnelProtocol)
    return board_network.plan(topology, cell.topology, tunnels=tunnels)


def client_of(cell: Cell, run: TopologyRun) -> NodeResult:
    """What the client reported."""
    return run.nodes[roles(cell, run.topology).client]
