# SPDX-License-Identifier: Apache-2.0
"""A cell's jobs, and the figures read from what its nodes report."""

from collections.abc import Sequence

from firesteel.board.job import Job
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.site import Site
from firesteel.workloads.possible import check_possible
from firesteel.workloads.registry import session_of, workloads_of


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of each node of the cell's topology, by node name.

    Raises `FiresteelError` when what the cell says does not go together.
    """
    session = session_of(cell)
    check_possible(cell, site, session.workloads[0].missing)
    return session.jobs(cell, site)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    proof = cell_proof(cell, run)
    return [
        figure for workload in workloads_of(cell) for figure in workload.figures(cell, run, proof)
    ]


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters which show that the work went the way it was meant to, by name.

    Raises `CellFailure` when they show that it did not.
    """
    return session_of(cell).proof(cell, run)


def cell_windows(cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
    """The names of all windows of a cell with these figures, the main one first: of several
    workloads, the main one of the last.
    """
    return tuple(
        window
        for workload in reversed(workloads_of(cell))
        for window in workload.windows(cell, figures)
    )
