# SPDX-License-Identifier: Apache-2.0
"""Where cells of tests are measured: on the topologies and profiles of this checkout."""

from firesteel.board.catalog import Catalog
from firesteel.board.job import Job
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.workloads.cells import cell_jobs


def jobs_of(cell: Cell) -> dict[str, Job]:
    """The job of each node."""
    return cell_jobs(cell, site_of(cell, Catalog()))
