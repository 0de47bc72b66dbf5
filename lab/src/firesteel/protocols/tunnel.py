# SPDX-License-Identifier: Apache-2.0
"""Which protocols are tunnels, and so what the plan for a cell's topology is."""

from firesteel.base.errors import FiresteelError
from firesteel.board import plan as board_plan
from firesteel.board.plan import Plan
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell

_TUNNELS = ("openvpn", "ipsec")
_DIRECT = ("none", "ssh")
"""Protocols that run between client and server themselves."""


def plan(cell: Cell, topology: Topology) -> Plan:
    """The parts that the nodes of `topology` have in `cell`.

    Raises `FiresteelError` when the topology has no place for the cell's protocol.
    """
    if cell.protocol not in _TUNNELS + _DIRECT:
        raise FiresteelError(
            f"Cell {cell.label}: the protocol `{cell.protocol}` is unknown; allowed are "
            f"{', '.join(_TUNNELS + _DIRECT)}."
        )
    return board_plan.plan(topology, cell.topology, tunnels=cell.protocol in _TUNNELS)
