# SPDX-License-Identifier: Apache-2.0
"""The workload `disk`."""

from collections.abc import Mapping, Sequence

from firesteel.board.job import Job
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.dm_crypt import DM_CRYPT
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site
from firesteel.workloads.dm_crypt.figures import SERIES, cell_figures
from firesteel.workloads.dm_crypt.job import cell_jobs, runs
from firesteel.workloads.dm_crypt.proof import cell_proof
from firesteel.workloads.dm_crypt.table import Disk
from firesteel.workloads.presentation import Column
from firesteel.workloads.workload import Solo, largest_first


class _Disk(Solo):
    name = "disk"
    meaning = "A disk in memory; for `dm-crypt`."
    table = Disk
    series = tuple(SERIES.values())
    columns = (Column(SERIES["sequential-read"].name, "throughput", "disk read\nMB/s"),)

    def measures(self, protocol: Protocol) -> bool:
        return protocol is DM_CRYPT

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        return cell_jobs(cell, site)

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        del figures
        return largest_first([(run.block, run.depth, run.name) for run in runs(cell)])


DISK = _Disk()
