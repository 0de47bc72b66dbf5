# SPDX-License-Identifier: Apache-2.0
"""The job of a crypto-api cell: a script, and a line for each run of the module cryptobench."""

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.board.job import Job, JobFile
from firesteel.board.profile import BOARD_FILES
from firesteel.model.cell import Cell
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.kernel import KERNEL_SOFTWARE, driver_module, kernel_software
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.workloads.crypto_api.table import CryptoPlan, Direction
from firesteel.workloads.one_board import only_node

_SCRIPT = BOARD_FILES / "jobs" / "crypto-api" / "run.sh"

_MOST_BYTES = 16 << 20
"""Bytes of all requests of a run, beyond which there are fewer requests, but 16 at least."""


@dataclass(frozen=True)
class Run:
    """One run of the module: `each` times every request by itself."""

    direction: Direction
    size: int
    in_flight: int
    requests: int
    each: bool

    @property
    def name(self) -> str:
        """What its report is called."""
        last = "each" if self.each else str(self.in_flight)
        return f"{self.direction}-{self.size}-{last}"


def runs(cell: Cell) -> Iterator[Run]:
    """The runs of a cell, in order: for each direction and size one that times each request by
    itself, and one for each number of requests in flight.
    """
    plan = cell.needed(CryptoPlan)
    for direction in plan.directions:
        if direction not in CRYPTO_API.algorithm(cell).directions:
            continue
        for size in plan.sizes:
            requests = min(plan.requests, max(_MOST_BYTES // size, 16))
            yield Run(direction, size, 1, requests, each=True)
            for in_flight in plan.in_flight:
                yield Run(direction, size, in_flight, requests, each=False)


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of the one board.

    Raises `FiresteelError` when suite, implementation, profile and topology do not go together.
    """
    node = only_node(cell, site.topology)
    lines = [f"{run.name} {_settings(cell, run)}\n" for run in runs(cell)]
    files = {
        "/job/run": JobFile(_SCRIPT.read_bytes()),
        "/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes()),
        "/job/settings": settings_file(
            {"DRIVER": driver_module(cell), **kernel_software(cell), **start_offset(cell)}
        ),
        "/job/runs": JobFile("".join(lines).encode()),
    }
    return {node: Job(files)}


def _settings(cell: Cell, run: Run) -> str:
    told = CRYPTO_API.algorithm(cell)
    values = {
        "kind": told.kind,
        "algorithm": CRYPTO_API.kernel_name(cell),
        "reference": told.reference,
        "key": told.key,
        "auth_key": told.auth_key,
        "size": told.padded(run.size),
        "ad": told.ad,
        "head": told.head,
        "decrypt": int(run.direction == "decrypt"),
        "requests": run.requests,
        "in_flight": run.in_flight,
        "each": int(run.each),
    }
    return " ".join(f"{key}={value}" for key, value in values.items())
