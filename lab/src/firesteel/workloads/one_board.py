# SPDX-License-Identifier: Apache-2.0
"""What cells that are measured within one board share."""

from firesteel.base.errors import FiresteelError
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell


def only_node(cell: Cell, topology: Topology) -> str:
    """The one node of the cell's topology; `FiresteelError` when there are more."""
    nodes = list(topology.nodes)
    if len(nodes) != 1:
        raise FiresteelError(
            f"Cell {cell.label}: it is measured on one board, and the topology `{cell.topology}` "
            f"has {len(nodes)}; allowed is `one-board` or another of one node."
        )
    return nodes[0]
