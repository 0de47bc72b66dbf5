# SPDX-License-Identifier: Apache-2.0
"""From the outputs of a crypto-api cell to figures; docs/cryptobench.md says what they mean."""

from collections.abc import Iterator, Mapping

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.workloads.crypto_api.job import Run
from firesteel.workloads.crypto_api.output import Output, percentile
from firesteel.workloads.crypto_api.proof import cell_outputs
from firesteel.workloads.crypto_api.table import Direction
from firesteel.workloads.load import load_values, offload_values
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.series import Series

_MEDIANS = ("cpu_time_per_request_p50", "time_per_request_p50")
"""What the kernel does besides, now and then, is not in them."""

SERIES: Mapping[Direction, Series] = {
    "encrypt": Series(
        "kernel-crypto",
        "Kernel crypto",
        costs=_MEDIANS,
        same=Parameter(in_flight=1, direction="encrypt"),
    ),
    "decrypt": Series(
        "kernel-crypto-decrypt",
        "Kernel crypto, decrypting",
        costs=_MEDIANS,
        same=Parameter(in_flight=1, direction="decrypt"),
    ),
}
"""Those of requests in each direction."""

_TIME_PERCENTILES = (50, 99)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when an output is incomplete or the requests went elsewhere.
    """
    figures: list[Figure] = []
    for each, output in cell_outputs(cell, run):
        values = _each_request(output) if each.each else _together(cell, run, each, output)
        figures += rows(cell, SERIES[each.direction].name, _parameter(each), values)
    return figures


def _parameter(run: Run) -> Parameter:
    return Parameter(size_bytes=run.size, in_flight=run.in_flight, direction=run.direction)


def _each_request(output: Output) -> Iterator[Value]:
    """From submitting a request to its completion."""
    instructions = [each.instructions for each in output.each]
    busy = [each.busy_ns for each in output.each]
    times = [each.time_ns for each in output.each]
    yield "instructions_per_request", sum(instructions) / output.requests
    yield "instructions_per_request_p50", percentile(instructions, 50)
    yield "cpu_time_per_request", sum(busy) / output.requests / 1e3
    yield "cpu_time_per_request_p50", percentile(busy, 50) / 1e3
    yield "time_per_request", sum(times) / output.requests / 1e3
    for percent in _TIME_PERCENTILES:
        yield f"time_per_request_p{percent}", percentile(times, percent) / 1e3


def _together(cell: Cell, boards: TopologyRun, run: Run, output: Output) -> Iterator[Value]:
    """From the first request to the end of the last."""
    yield "throughput", run.size * output.requests / output.time_ns * 1e3
    yield "cpu", 100 * output.busy_ns / output.time_ns
    yield from load_values(cell, boards, run.name, output.time_ns)
    if run.in_flight > 1:
        yield "instructions_per_request", output.instructions / output.requests
        yield "cpu_time_per_request", output.busy_ns / output.requests / 1e3
    node = boards.nodes[cell.measured]
    yield from offload_values(cell, node, run.name, output.bytes_with_warm_up)
