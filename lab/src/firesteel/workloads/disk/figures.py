# SPDX-License-Identifier: Apache-2.0
"""From the outputs of a disk's cell to figures; docs/disk.md says what they mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.window import Window, data_of, window
from firesteel.workloads.disk.job import Run, overhead_name
from firesteel.workloads.disk.output import Output, parse_output
from firesteel.workloads.disk.proof import cell_outputs
from firesteel.workloads.disk.table import DiskPlan, Pattern
from firesteel.workloads.load import load_values, offload_values
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.series import Series

SERIES: Mapping[Pattern, Series] = {
    pattern: Series(
        f"disk-{pattern}",
        f"Disk, {pattern.replace('-', ' ')}",
        same=Parameter(in_flight=1, pattern=pattern),
    )
    for pattern in get_args(Pattern)
}
"""Those of each pattern of accesses."""


@dataclass(frozen=True)
class _Overhead:
    """What starting and ending fio's job adds between two marks: time and busy time in ns."""

    elapsed: float
    busy: float


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when an output is incomplete or the disk was not encrypted as it should.
    """
    node = run.nodes[cell.measured]
    overheads = {sector: _overhead(node, sector) for sector in cell.needed(DiskPlan).sector_sizes}
    figures: list[Figure] = []
    for each, output in cell_outputs(cell, run):
        values = (
            *_metrics(output, window(node, each.name), overheads[each.sector]),
            *load_values(cell, run, each.name),
            *offload_values(cell, node, each.name, output.size),
        )
        figures += rows(cell, SERIES[each.pattern].name, _parameter(each), values)
    return figures


def _overhead(node: NodeResult, sector: int) -> _Overhead:
    """From a run of a single I/O, whose own time fio gives exactly."""
    name = overhead_name(sector)
    output = parse_output(data_of(node, name), name, "read")
    if output.ios != 1:
        raise CellFailure(f"Run {name}: fio did {output.ios} I/Os; 1 is expected.")
    during = window(node, name)
    return _Overhead(during.elapsed - output.latency_mean, during.busy - output.latency_mean)


def _parameter(run: Run) -> Parameter:
    return Parameter(
        size_bytes=run.block, in_flight=run.depth, sector_bytes=run.sector, pattern=run.pattern
    )


def _metrics(output: Output, during: Window, overhead: _Overhead) -> Iterator[Value]:
    elapsed = during.elapsed - overhead.elapsed
    busy = during.busy - overhead.busy
    yield "throughput", output.size / elapsed * 1e3
    yield "iops", output.ios / elapsed * 1e9
    yield "latency", output.latency_mean / 1e3
    yield "latency_p99", output.latency_p99 / 1e3
    yield "cpu", 100 * busy / elapsed
    yield "cpu_seconds_per_mb", busy / 1e9 / (output.size / 1e6)
    yield "context_switches", during.context_switches
