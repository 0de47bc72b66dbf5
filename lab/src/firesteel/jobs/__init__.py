# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the nodes of a cell do, and the figures read from what they report."""

from firesteel.board.job import Job
from firesteel.board.result import TopologyRun
from firesteel.cell import Cell
from firesteel.figure import Figure
from firesteel.jobs import crypto_api, disk, figures, handshakes, job, proof, speed

__all__ = ["cell_figures", "cell_jobs", "cell_proof"]


def cell_jobs(cell: Cell) -> dict[str, Job]:
    """The job of each node of the cell's topology, by node name.

    Raises `FiresteelError` when what the cell says does not go together.
    """
    if cell.protocol == "crypto-api":
        return crypto_api.cell_jobs(cell)
    if cell.protocol == "dm-crypt":
        return disk.cell_jobs(cell)
    if cell.protocol == "openssl":
        return speed.cell_jobs(cell)
    if cell.handshakes:
        return handshakes.cell_jobs(cell)
    return job.cell_jobs(cell)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    if cell.protocol == "crypto-api":
        return crypto_api.cell_figures(cell, run)
    if cell.protocol == "dm-crypt":
        return disk.cell_figures(cell, run)
    if cell.protocol == "openssl":
        return speed.cell_figures(cell, run)
    if cell.handshakes:
        return handshakes.cell_figures(cell, run)
    return figures.cell_figures(cell, run)


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters which show that the work went the way it was meant to, by name.

    Raises `CellFailure` when they show that it did not.
    """
    if cell.protocol == "crypto-api":
        return crypto_api.cell_proof(cell, run)
    if cell.protocol == "dm-crypt":
        return disk.cell_proof(cell, run)
    if cell.protocol == "openssl":
        return speed.cell_proof(cell, run)
    if cell.handshakes:
        return handshakes.cell_proof(cell, run)
    return proof.cell_proof(cell, run)
