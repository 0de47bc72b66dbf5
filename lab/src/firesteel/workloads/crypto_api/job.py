# SPDX-License-Identifier: Apache-2.0
"""What the script of a crypto-api cell is given: a line for each run of the module cryptobench."""

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.model.cell import Cell
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.workloads.crypto_api.table import CryptoPlan, Direction
from firesteel.workloads.one_board import BoardJob, kernel_files, kernel_variables

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
        """What its output is called."""
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


def board_job(cell: Cell) -> BoardJob:
    """What the board's script is given."""
    lines = (f"{run.name} {_settings(cell, run)}\n" for run in runs(cell))
    return BoardJob(kernel_variables(cell), lines, kernel_files())


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
