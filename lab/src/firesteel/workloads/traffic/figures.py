# SPDX-License-Identifier: Apache-2.0
"""From what the nodes of a cell reported to figures.

Round-trip times and throughput are the client's; everything about the CPU and the wire is the
measured node's, between the same instants.
"""

from collections.abc import Iterator

from firesteel.board.result import SIZE_CLASSES, TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.protocols.tunnel import plan
from firesteel.protocols.window import Window, data_of, window
from firesteel.workloads.load import check_possible, load_values
from firesteel.workloads.ping import parse_ping
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.traffic.proof import cell_proof
from firesteel.workloads.transfer import transfer_of, windows_of

_PERCENTILES = (50, 90, 99)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when a node's report is incomplete or the tunnel did not carry the
    traffic; then there are none.
    """
    proof = cell_proof(cell, run)
    client = run.nodes[plan(cell, run.topology).client]
    measured = run.nodes[cell.measured]
    figures: list[Figure] = []
    for size in cell.ping.sizes if cell.ping else ():
        name = f"ping-{size}"
        count = cell.ping.count if cell.ping else 0
        ping = parse_ping(data_of(client, name), size, count)
        values = (
            ("rtt_mean", ping.mean),
            ("rtt_min", ping.minimum),
            ("rtt_max", ping.maximum),
            *((f"rtt_p{p}", ping.percentile(p)) for p in _PERCENTILES),
            ("loss", ping.loss),
            *_cpu_values(window(measured, name)),
            *load_values(cell, run, name),
        )
        figures += rows(cell, "ping", Parameter(size_bytes=size), values)
    if cell.transfer:
        transfer, during, busy = transfer_of(cell, client, measured)
        windows = windows_of(cell.transfer, client)
        check_possible(cell, run, client, transfer, windows)
        values = (
            ("throughput", transfer.throughput),
            *_cpu_values(during),
            *load_values(cell, run, windows[0]),
            ("cpu_seconds_per_mb", busy / 1e9 / (transfer.size / 1e6)),
            ("retransmissions", proof["retransmissions"]),
            ("transferred", transfer.size / (1 << 20)),
        )
        figures += rows(cell, "file-transfer", Parameter(file_bytes=cell.transfer.size), values)
        figures += _size_figures(cell, during)
    return figures


def _cpu_values(during: Window) -> Iterator[Value]:
    parts = {
        "cpu": during.busy,
        "cpu_user": during.user,
        "cpu_system": during.system,
        "cpu_softirq": during.softirq,
        "cpu_irq": during.irq,
    }
    for metric, time in parts.items():
        yield metric, 100 * time / during.elapsed
    yield "context_switches", during.context_switches
    yield "interrupts", during.interrupts
    yield "packets_sent", during.packets_sent
    yield "packets_received", during.packets_received


def _size_figures(cell: Cell, during: Window) -> Iterator[Figure]:
    total = sum(during.sizes)
    for (low, high), count in zip(SIZE_CLASSES, during.sizes, strict=True):
        if count:
            parameter = Parameter(class_bytes=low, class_bytes_most=high)
            share = ("frequency", 100 * count / total)
            yield from rows(cell, "packet-sizes", parameter, [share])
