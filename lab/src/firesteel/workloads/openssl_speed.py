# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's algorithms by block size, as `openssl speed` measures them.

It calls an algorithm again and again with blocks of one size for a number of seconds, by the wall's
clock, and says how many there were.  So this is what a program can have that does nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table, check_distinct
from firesteel.board.profile import Profile
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols import user_space
from firesteel.protocols.kernel import driver_module
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site
from firesteel.protocols.window import window
from firesteel.workloads.load import load_values, offload_values, tick_values
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.presentation import Column
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.series import Series
from firesteel.workloads.speed_report import blocks_and_seconds
from firesteel.workloads.workload import WorkloadTable


class SpeedPlan(WorkloadPlan):
    """Blocks for `openssl speed`: their sizes in bytes, and seconds of virtual time for each."""

    workload = "speed"

    sizes: tuple[int, ...]
    """Bytes."""
    seconds: int
    """Virtual time for each size."""


BlockSize = Annotated[int, Field(ge=16, le=65_536)]
Seconds = Annotated[int, Field(ge=1, le=60)]


class QuickSpeed(Table):
    """What `--quick` changes."""

    sizes: Many[BlockSize] | None = None
    seconds: Seconds | None = None


class Speed(WorkloadTable):
    """The blocks of every cell; see `SpeedPlan`."""

    sizes: Many[BlockSize]
    """Block sizes, bytes."""
    seconds: Seconds = 1
    """Virtual time for each size."""
    quick: QuickSpeed = QuickSpeed()
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_distinct("sizes", self.sizes)
        check_distinct("sizes", self.quick.sizes or ())
        return self

    def plan(self, protocol: Protocol, quick: bool) -> SpeedPlan:
        """What a cell does."""
        del protocol
        return SpeedPlan(
            sizes=(self.quick.sizes if quick else None) or self.sizes,
            seconds=(self.quick.seconds if quick else None) or self.seconds,
        )


def _cores(cell: Cell, profile: Profile) -> dict[str, str]:
    """The variables by which the script has the cores.

    Through the kernel all of them are its driver's, which would give some to programs otherwise.
    """
    variables = user_space.variables(cell, profile)
    if cell.implementation == "hardware-kernel":
        variables["DRIVER"] = driver_module(cell, "none")
    return variables


def _values(cell: Cell, run: TopologyRun, size: int) -> Iterator[Value]:
    blocks, seconds = _result(cell, run, size)
    node = run.nodes[cell.measured]
    during = window(node, _name(size))
    yield "throughput", blocks * size / seconds / 1e6
    yield "time_per_request", seconds / blocks * 1e6
    yield "cpu", 100 * during.busy / during.elapsed
    yield from tick_values(during)
    yield from load_values(cell, run, _name(size))
    yield from offload_values(cell, node, _name(size), blocks * size)


def _result(cell: Cell, run: TopologyRun, size: int) -> tuple[int, float]:
    """How many blocks of that size there were, and in how many seconds."""
    return blocks_and_seconds(run.nodes[cell.measured], _name(size), f"{size} B")


def _name(size: int) -> str:
    """What the run of that size is called."""
    return f"speed-{size}"


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
        plan, options = cell.needed(SpeedPlan), OPENSSL.options(cell)
        variables = {**_cores(cell, site.measured(cell)), "SECONDS_EACH": str(plan.seconds)}
        lines = (f"{_name(size)} {size} {options}\n" for size in plan.sizes)
        return BoardJob(variables, lines, {})

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
            done, _ = _result(cell, run, size)
            blocks += done
            if cell.on_cores and size >= LARGE:
                check_share(cell, node, _name(size), done * size)
        return {"speed_blocks": blocks, **cores_proof(cell, node)}

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        figures: list[Figure] = []
        for size in cell.needed(SpeedPlan).sizes:
            figures += rows(
                cell, _SERIES.name, Parameter(size_bytes=size), _values(cell, run, size)
            )
        return figures


SPEED = _Speed()
