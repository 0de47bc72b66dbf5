# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's algorithms by block size, as `openssl speed` measures them.

It calls an algorithm again and again with blocks of one size for a number of seconds, by the wall's
clock, and says how many there were.  So this is the most that a program can reach that does nothing
else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from firesteel.base.toml import Many
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Parameter
from firesteel.protocols import user_space
from firesteel.protocols.kernel import driver_module
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of, window
from firesteel.workloads.load import load_values, offload_values, tick_values
from firesteel.workloads.one_board import SCRIPTS, OnOneBoard, Run
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.workload import Value, WorkloadTable, with_quick

_RESULT = re.compile(r"^\+R\d*:(\d+):(?:[^:\n]+:)+([\d.]+)$", re.MULTILINE)
"""With -mr: blocks, the algorithm, and seconds; results of public keys have a number, which differs
between versions.
"""

BlockSize = Annotated[int, Field(ge=16, le=65_536)]
Seconds = Annotated[int, Field(ge=1, le=60)]


def blocks_and_seconds(node: NodeResult, name: str, what: str, place: int = 0) -> tuple[int, float]:
    """The number of blocks in the run of that name, and the seconds; for public keys the number of
    operations, each with a `place` among the results.

    Raises `CellFailure`, which says `what` was measured, when the report has neither.
    """
    text = data_of(node, name).decode(errors="replace")
    results = [(int(blocks), float(seconds)) for blocks, seconds in _RESULT.findall(text)]
    if len(results) <= place or 0 in results[place]:
        raise CellFailure(f"openssl speed of {what} gave no result: {text.strip()[:200]}")
    return results[place]


class SpeedPlan(WorkloadPlan):
    """Blocks for `openssl speed`: their sizes in bytes, and seconds of virtual time for each."""

    workload = "speed"

    sizes: tuple[int, ...]
    """Bytes."""
    seconds: int
    """Virtual time for each size."""


@with_quick("sizes", "seconds")
class Speed(WorkloadTable):
    """The blocks of every cell; see `SpeedPlan`."""

    planned = SpeedPlan

    sizes: Many[BlockSize]
    """Block sizes, bytes."""
    seconds: Seconds = 1
    """Virtual time for each size."""


_SERIES = Series("openssl-speed", "OpenSSL by block size", costs=("time_per_request",))
"""Of means: openssl times no single request."""


class _Speed(OnOneBoard[tuple[int, float]]):
    name = "speed"
    meaning = "`openssl speed`; for `openssl`."
    table = Speed
    series = (_SERIES,)
    protocol = OPENSSL
    script = SCRIPTS / "speed" / "run.sh"
    columns = (Column(_SERIES.name, "throughput", "largest block\nMB/s", last=True),)

    def variables(self, cell: Cell, site: Site) -> Mapping[str, str]:
        """Through the kernel all cores are its driver's, which would give some to programs
        otherwise.
        """
        variables = user_space.variables(cell, site.measured(cell))
        if cell.implementation == "hardware-kernel":
            variables["DRIVER"] = driver_module(cell, "none")
        return {**variables, "SECONDS_EACH": str(cell.needed(SpeedPlan).seconds)}

    def runs(self, cell: Cell) -> Sequence[Run]:
        options = OPENSSL.options(cell)
        return [
            Run(f"speed-{size}", f"{size} {options}", _SERIES, Parameter(size_bytes=size))
            for size in cell.needed(SpeedPlan).sizes
        ]

    def read(self, cell: Cell, node: NodeResult, run: Run) -> tuple[int, float]:
        """Blocks and seconds; the cores must have had their share of large blocks."""
        size = run.parameter.size_bytes or 0
        blocks, seconds = blocks_and_seconds(node, run.name, f"{size} B")
        if cell.on_cores and size >= LARGE:
            check_share(cell, node, run.name, blocks * size)
        return blocks, seconds

    def totals(
        self, cell: Cell, node: NodeResult, reports: Sequence[tuple[int, float]]
    ) -> dict[str, int]:
        return {"speed_blocks": sum(blocks for blocks, _ in reports), **cores_proof(cell, node)}

    def values(
        self, cell: Cell, boards: TopologyRun, run: Run, report: tuple[int, float]
    ) -> Iterator[Value]:
        (blocks, seconds), node = report, boards.nodes[cell.measured]
        size, during = blocks * (run.parameter.size_bytes or 0), window(node, run.name)
        yield "throughput", size / seconds / 1e6
        yield "time_per_request", seconds / blocks * 1e6
        yield "cpu", 100 * during.busy / during.elapsed
        yield from tick_values(during)
        yield from load_values(cell, boards, run.name)
        yield from offload_values(cell, node, run.name, size)


SPEED = _Speed()
