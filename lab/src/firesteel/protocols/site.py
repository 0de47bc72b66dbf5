# SPDX-License-Identifier: Apache-2.0
"""Where a cell is measured: its topology and profiles, and what its seed makes of them.

Boards differ from each other in what nobody chooses: addresses, keys, and when something begins.
The emulator's own seed has the random numbers of kernels and programs follow (session keys, ports,
where memory lies); what is the lab's to choose follows here.
"""

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.boards.catalog import Catalog
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import Topology
from firesteel.model.cell import Cell

_LONGEST_US = 10_000
"""A few ticks of the guests' clocks."""


@dataclass(frozen=True)
class Site:
    """A cell's topology, with the addresses of its seed and the names of the cell's profiles, and
    the profile of each node.
    """

    topology: Topology
    profiles: Mapping[str, Profile]

    def measured(self, cell: Cell) -> Profile:
        """The profile of the node whose figures are reported."""
        return self.profiles[cell.measured]


def site_of(cell: Cell, catalog: Catalog) -> Site:
    """Where the cell is measured, by the catalog; `FiresteelError` when it is not in there.

    This is the one place where a cell's rate of links is given to its topology.
    """
    topology = catalog.topology(cell.topology).with_seed(cell.seed)
    rate = cell.link_rate_bit_s
    links = {link.name: {"rate_bit_s": rate} for link in topology.links if rate is not None}
    topology = topology.override(profiles=cell.profiles, links=links)
    profiles = {name: catalog.profile(node.profile) for name, node in topology.nodes.items()}
    return Site(topology, profiles)


def start_offset(cell: Cell) -> dict[str, str]:
    """`START_OFFSET`: for how many seconds scripts pause before each thing that they measure; `0`
    for seed 1.
    """
    if cell.seed == 1:
        return {"START_OFFSET": "0"}
    digest = hashlib.sha256(f"start offset {cell.seed}".encode()).digest()
    microseconds = 1 + int.from_bytes(digest[:8]) % (_LONGEST_US - 1)
    return {"START_OFFSET": f"{microseconds / 1e6:.6f}"}


def settings_file(variables: Mapping[str, str]) -> JobFile:
    """`/job/settings`, which the scripts read with `.`; values may have any characters."""
    lines = (f"{name}={shlex.quote(value)}\n" for name, value in variables.items())
    return JobFile("".join(lines).encode())
