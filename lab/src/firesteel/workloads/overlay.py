# SPDX-License-Identifier: Apache-2.0
"""What is laid over the jobs of a cell besides scripts: driver, provider, programs.

None of it is part of the image, so that cells in software do not depend on it.
"""

from collections.abc import Mapping

from firesteel.board.job import Job, JobFile
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.kernel import driver_files
from firesteel.protocols.protocol import Built
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.workloads.registry import session_of


def nodes_with_cores(cell: Cell, site: Site) -> list[str]:
    """The nodes whose cores are used: the measured one if the cell says so, and others that the
    session gives them to.
    """
    measured = [cell.measured] if cell.on_cores else []
    return measured + session_of(cell).with_cores(cell, site)


def with_driver(by_node: Mapping[str, Job], drivers: Mapping[str, bytes]) -> dict[str, Job]:
    """The jobs, those of nodes that have one with their driver: `modprobe firesteel` loads it."""
    return _with_files(by_node, {node: driver_files(each) for node, each in drivers.items()})


def with_provider(
    cell: Cell, site: Site, by_node: Mapping[str, Job], built: Mapping[str, Built]
) -> dict[str, Job]:
    """The cell's jobs, those of nodes whose programs are to have the cores by the OpenSSL provider,
    or by what the measured program preloads in its place, with it.
    """
    nodes, own = session_of(cell).with_cores(cell, site), {}
    if user_space.reached(cell):
        protocol = protocol_of(cell)
        if protocol.preload:
            own = {cell.measured: protocol.front_end(built[cell.measured])}
        else:
            nodes = [cell.measured, *nodes]
    files = {node: user_space.files(cell, built[node].provider) for node in nodes} | own
    return _with_files(by_node, files)


def with_programs(
    cell: Cell, by_node: Mapping[str, Job], built: Mapping[str, Built]
) -> dict[str, Job]:
    """The cell's jobs, all of them with the programs that its protocol brings."""
    protocol = protocol_of(cell)
    return _with_files(by_node, {node: protocol.programs(built[node]) for node in by_node})


def _with_files(
    by_node: Mapping[str, Job], files: Mapping[str, Mapping[str, JobFile]]
) -> dict[str, Job]:
    return dict(by_node) | {
        node: Job({**by_node[node].files, **more}) for node, more in files.items()
    }
