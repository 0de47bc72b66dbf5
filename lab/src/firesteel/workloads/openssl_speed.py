# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's algorithms by block size, as `openssl speed` measures them.

It calls an algorithm again and again with blocks of one size for a number of seconds, by the wall's
clock, and says how many there were.  So this is what a program can have that does nothing else.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from firesteel.base.schema import Many
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols import user_space
from firesteel.protocols.kernel import driver_module
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of, window
from firesteel.workloads.load import load_values, offload_values, tick_values
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.workload import WorkloadTable, with_quick

_RESULT = re.compile(r"^\+R:(\d+):[^:]+:([\d.]+)$", re.MULTILINE)
"""With -mr: blocks, the algorithm, and seconds."""

BlockSize = Annotated[int, Field(ge=16, le=65_536)]
Seconds = Annotated[int, Field(ge=1, le=60)]


def blocks_and_seconds(node: NodeResult, name: str, what: str) -> tuple[int, float]:
    """How many blocks there were in the run of that name, and in how many seconds.

    Raises `CellFailure`, which says `what` was measured, when the report has neither.
    """
    text = data_of(node, name).decode(errors="replace")
    found = _RESULT.search(text)
    if not found or int(found[1]) == 0 or float(found[2]) == 0:
        raise CellFailure(f"openssl speed of {what} gave no result: {text.strip()[:200]}")
    return int(found[1]), float(found[2])


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


class _Speed(OnOneBoard):
    name = "speed"
    meaning = "`openssl speed`; for `openssl`."
    table = Speed
    series = (_SERIES,)
    protocol = OPENSSL
    script = SCRIPTS / "speed" / "run.sh"
    columns = (Column(_SERIES.name, "throughput", "largest block\nMB/s", last=True),)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        """Through the kernel all cores are its driver's, which would give some to programs
        otherwise.
        """
        plan, options = cell.needed(SpeedPlan), OPENSSL.options(cell)
        variables = user_space.variables(cell, site.measured(cell))
        if cell.implementation == "hardware-kernel":
            variables["DRIVER"] = driver_module(cell, "none")
        lines = (f"{_name(size)} {size} {options}\n" for size in plan.sizes)
        return BoardJob(lines, {**variables, "SECONDS_EACH": str(plan.seconds)})

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(size, 1, _name(size)) for size in cell.needed(SpeedPlan).sizes]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """`speed_blocks` of all runs together; `cores.NAME.COUNTER`.

        It fails when the cores had no part in a hardware cell, not their share of large blocks, or
        a part in software.
        """
        node = run.nodes[cell.measured]
        blocks = 0
        for size in cell.needed(SpeedPlan).sizes:
            done, _ = blocks_and_seconds(node, _name(size), f"{size} B")
            blocks += done
            if cell.on_cores and size >= LARGE:
                check_share(cell, node, _name(size), done * size)
        return {"speed_blocks": blocks, **cores_proof(cell, node)}

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        figures: list[Figure] = []
        for size in cell.needed(SpeedPlan).sizes:
            values = _values(cell, run, size)
            figures += rows(cell, _SERIES.name, Parameter(size_bytes=size), values)
        return figures


def _values(cell: Cell, run: TopologyRun, size: int) -> Iterator[Value]:
    node, name = run.nodes[cell.measured], _name(size)
    blocks, seconds = blocks_and_seconds(node, name, f"{size} B")
    during = window(node, name)
    yield "throughput", blocks * size / seconds / 1e6
    yield "time_per_request", seconds / blocks * 1e6
    yield "cpu", 100 * during.busy / during.elapsed
    yield from tick_values(during)
    yield from load_values(cell, run, name)
    yield from offload_values(cell, node, name, blocks * size)


def _name(size: int) -> str:
    """What the run of that size is called."""
    return f"speed-{size}"


SPEED = _Speed()
