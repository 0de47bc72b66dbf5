# SPDX-License-Identifier: Apache-2.0
"""What a cell's seed makes of its topology and of the instants at which it measures.

Boards differ from each other in what nobody chooses: addresses, keys, and when something begins.
The emulator's own seed has the random numbers of kernels and programs follow (session keys, ports,
where memory lies); what is the lab's to choose follows here.
"""

import hashlib

from firesteel.board.topology import Topology, load_topology
from firesteel.cell import Cell

_LONGEST_US = 10_000
"""A few ticks of the guests' clocks."""


def cell_topology(cell: Cell) -> Topology:
    """The cell's topology, with the addresses of its seed; the profiles are the file's."""
    return load_topology(cell.topology).with_seed(cell.seed)


def start_offset(cell: Cell) -> dict[str, str]:
    """`START_OFFSET`: for how many seconds scripts pause before each thing that they measure; `0`
    for seed 1.
    """
    if cell.seed == 1:
        return {"START_OFFSET": "0"}
    digest = hashlib.sha256(f"start offset {cell.seed}".encode()).digest()
    microseconds = 1 + int.from_bytes(digest[:8]) % (_LONGEST_US - 1)
    return {"START_OFFSET": f"{microseconds / 1e6:.6f}"}
