# SPDX-License-Identifier: Apache-2.0
"""Where cells of tests are measured: on the topologies and profiles of this checkout."""

import shlex
from collections.abc import Iterable

from made_cells import made

from firesteel.boards.catalog import Catalog
from firesteel.boards.job import Job
from firesteel.model.cell import Cell, Implementation
from firesteel.model.figure import Figure
from firesteel.protocols.site import site_of
from firesteel.workloads.cells import cell_jobs
from firesteel.workloads.transfer import TransferPlan


def jobs_of(cell: Cell) -> dict[str, Job]:
    """The job of each node."""
    return cell_jobs(cell, site_of(cell, Catalog()))


def variables_of(job: Job, name: str = "settings") -> dict[str, str]:
    """What scripts are told by a file of a job."""
    content = job.files[f"/job/{name}"].content.decode()
    return dict(word.split("=", 1) for word in shlex.split(content))


def settings(cell: Cell, node: str = "board") -> dict[str, str]:
    """What a node's scripts are told."""
    return variables_of(jobs_of(cell)[node])


def value(figures: Iterable[Figure], series: str, parameter: str, metric: str) -> float:
    """The one figure of that name."""
    wanted = (series, parameter, metric)
    (found,) = [
        each.value
        for each in figures
        if (each.workload, each.parameter.text, each.metric) == wanted
    ]
    return found


def file_cell(
    protocol: str,
    suite: str,
    topology: str,
    implementation: Implementation = "software",
    by: str | None = None,
) -> Cell:
    """A file of 1 MiB, where the node `board` is measured, on the topology's own profiles."""
    plan, how = TransferPlan(size=1 << 20, by=by), {"implementation": implementation}
    return made(protocol, suite, plan, topology=topology, **how)
