# SPDX-License-Identifier: Apache-2.0
"""The workload `crypto`."""

from collections.abc import Mapping, Sequence

from firesteel.board.job import Job
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site
from firesteel.workloads.crypto_api.figures import SERIES, cell_figures
from firesteel.workloads.crypto_api.job import cell_jobs, runs
from firesteel.workloads.crypto_api.proof import cell_proof
from firesteel.workloads.crypto_api.table import Crypto
from firesteel.workloads.presentation import Column
from firesteel.workloads.workload import Solo, largest_first


class _Crypto(Solo):
    name = "crypto"
    meaning = "Requests to the kernel's crypto API; for `crypto-api`."
    table = Crypto
    series = tuple(SERIES.values())
    columns = (Column(SERIES["encrypt"].name, "time_per_request_p50", "smallest request\nµs"),)

    def measures(self, protocol: Protocol) -> bool:
        return protocol is CRYPTO_API

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        return cell_jobs(cell, site)

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        del figures
        return largest_first([(run.size, run.in_flight, run.name) for run in runs(cell)])


CRYPTO = _Crypto()
