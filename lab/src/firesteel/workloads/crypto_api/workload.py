# SPDX-License-Identifier: Apache-2.0
"""The workload `crypto`."""

from collections.abc import Mapping, Sequence

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.site import Site
from firesteel.workloads.crypto_api.figures import SERIES, cell_figures
from firesteel.workloads.crypto_api.job import board_job, runs
from firesteel.workloads.crypto_api.proof import cell_proof
from firesteel.workloads.crypto_api.table import Crypto
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.presentation import Column


class _Crypto(OnOneBoard):
    name = "crypto"
    meaning = "Requests to the kernel's crypto API; for `crypto-api`."
    table = Crypto
    series = tuple(SERIES.values())
    protocol = CRYPTO_API
    script = SCRIPTS / "crypto-api" / "run.sh"
    columns = (Column(SERIES["encrypt"].name, "time_per_request_p50", "smallest request\nµs"),)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        return board_job(cell)

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(run.size, run.in_flight, run.name) for run in runs(cell)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)


CRYPTO = _Crypto()
