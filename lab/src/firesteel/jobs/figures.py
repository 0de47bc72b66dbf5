# SPDX-License-Identifier: Apache-2.0
"""From what the nodes of a cell reported to figures.

Round-trip times and throughput are the client's; everything about the CPU and the wire is the
measured node's, between the same instants.
"""

from collections.abc import Callable, Iterator

from firesteel.board.result import SIZE_CLASSES, TopologyRun
from firesteel.board.topology import load_topology
from firesteel.cell import Cell
from firesteel.figure import CPU_UNIT, Figure
from firesteel.jobs.ping import parse_ping
from firesteel.jobs.proof import cell_proof
from firesteel.jobs.transfer import parse_transfer
from firesteel.jobs.tunnel import plan
from firesteel.jobs.window import Window, data_of, window

_PERCENTILES = (50, 90, 99)

_Put = Callable[[str, str, float], Figure]


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when a node's report is incomplete or the tunnel did not carry the
    traffic; then there are none.
    """
    proof = cell_proof(cell, run)
    client = run.nodes[plan(cell, load_topology(cell.topology)).client]
    measured = run.nodes[cell.measured]
    figures: list[Figure] = []
    for size in cell.ping.sizes if cell.ping else ():
        name = f"ping-{size}"
        count = cell.ping.count if cell.ping else 0
        put = _row(cell, "ping", f"{size} B")
        ping = parse_ping(data_of(client, name), size, count)
        figures += [
            put("rtt_mean", "ms", ping.mean),
            put("rtt_min", "ms", ping.minimum),
            put("rtt_max", "ms", ping.maximum),
            *(put(f"rtt_p{p}", "ms", ping.percentile(p)) for p in _PERCENTILES),
            put("loss", "percent", ping.loss),
            *_cpu_figures(put, window(measured, name)),
        ]
    if cell.transfer:
        size = cell.transfer.size
        put = _row(cell, "file-transfer", in_words(size))
        transfer = parse_transfer(data_of(client, "transfer"), size)
        during = window(measured, "transfer")
        figures += [
            put("throughput", "MB/s", transfer.throughput),
            *_cpu_figures(put, during),
            put("cpu_seconds_per_mb", "s/MB", during.busy / 1e9 / (size / 1e6)),
            put("retransmissions", "packets", proof["retransmissions"]),
            *_size_figures(cell, during),
        ]
    return figures


def in_words(size: int) -> str:
    """A size as the published figures have it: `128 MiB`, or in bytes if it is no whole number."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def _row(cell: Cell, experiment: str, parameter: str) -> _Put:
    def put(metric: str, unit: str, value: float) -> Figure:
        return Figure(
            experiment=experiment,
            protocol=cell.protocol,
            cipher=cell.cipher,
            mac=cell.mac,
            implementation=cell.implementation,
            parameter=parameter,
            metric=metric,
            unit=unit,
            value=value,
        )

    return put


def _cpu_figures(put: _Put, during: Window) -> Iterator[Figure]:
    parts = {
        "cpu": during.busy,
        "cpu_user": during.user,
        "cpu_system": during.system,
        "cpu_softirq": during.softirq,
        "cpu_irq": during.irq,
    }
    for metric, time in parts.items():
        yield put(metric, CPU_UNIT, 100 * time / during.elapsed)
    yield put("context_switches", "1", during.context_switches)
    yield put("interrupts", "1", during.interrupts)
    yield put("packets_sent", "packets", during.packets_sent)
    yield put("packets_received", "packets", during.packets_received)


def _size_figures(cell: Cell, during: Window) -> Iterator[Figure]:
    total = sum(during.sizes)
    for (low, high), count in zip(SIZE_CLASSES, during.sizes, strict=True):
        if count:
            parameter = f"{low} B and more" if high is None else f"{low}-{high} B"
            yield _row(cell, "packet-sizes", parameter)("frequency", "percent", 100 * count / total)
