# SPDX-License-Identifier: Apache-2.0
"""The workload `disk`."""

from collections.abc import Mapping, Sequence

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site
from firesteel.workloads.disk.figures import SERIES, cell_figures
from firesteel.workloads.disk.job import board_job, runs
from firesteel.workloads.disk.proof import cell_proof
from firesteel.workloads.disk.table import Disk
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.presentation import Column


class _Disk(OnOneBoard):
    name = "disk"
    meaning = "A disk in memory; for `dm-crypt` and `fscrypt`."
    table = Disk
    series = tuple(SERIES.values())
    script = SCRIPTS / "disk" / "run.sh"
    columns = (Column(SERIES["sequential-read"].name, "throughput", "disk read\nMB/s"),)

    def measures(self, protocol: Protocol) -> bool:
        """What encrypts disks, or their files."""
        return isinstance(protocol, DiskProtocol)

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
