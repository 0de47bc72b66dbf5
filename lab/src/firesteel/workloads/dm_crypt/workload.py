# SPDX-License-Identifier: Apache-2.0
"""The workload `disk`."""

from collections.abc import Mapping, Sequence

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.dm_crypt import DM_CRYPT
from firesteel.protocols.site import Site
from firesteel.workloads.dm_crypt.figures import SERIES, cell_figures
from firesteel.workloads.dm_crypt.job import board_job, runs
from firesteel.workloads.dm_crypt.proof import cell_proof
from firesteel.workloads.dm_crypt.table import Disk
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.presentation import Column


class _Disk(OnOneBoard):
    name = "disk"
    meaning = "A disk in memory; for `dm-crypt`."
    table = Disk
    series = tuple(SERIES.values())
    protocol = DM_CRYPT
    script = SCRIPTS / "disk" / "run.sh"
    columns = (Column(SERIES["sequential-read"].name, "throughput", "disk read\nMB/s"),)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        return board_job(cell)

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(run.block, run.depth, run.name) for run in runs(cell)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)


DISK = _Disk()
