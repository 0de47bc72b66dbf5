# SPDX-License-Identifier: Apache-2.0
"""Traffic of a constant rate beside work: messages by iperf3, where a protocol carries packets or
other programs' connections, and otherwise one file that comes slowly.
"""

from collections.abc import Sequence

from firesteel.base.errors import FiresteelError
from firesteel.board.network import Plan
from firesteel.board.result import Mark, NodeResult
from firesteel.model.cell import Cell
from firesteel.protocols.file_access import FileAccess
from firesteel.protocols.window import data_of, mark_of
from firesteel.workloads.iperf3 import Flow, flow_of
from firesteel.workloads.traffic.roles import between_hosts

_TRAFFIC = "sieve-traffic"
_MARGIN = 0.1
"""Seconds: iperf3 reports so often, and counts from a little after its start."""


def scripts(cell: Cell) -> tuple[str, ...]:
    """What nodes need of board/jobs/ for it."""
    way = _by_way(cell)
    return ("serve-transfer.sh", *way.scripts) if way else ()


def variables(cell: Cell, plan: Plan, whole: int) -> dict[str, str]:
    """The scripts' variables, for `whole` bytes.

    Raises `FiresteelError` where the measured node is not the client by whose program files come
    and connections go.
    """
    way = _by_way(cell)
    if not way:
        return {"SIEVE_BY": "", "SIEVE_FILE": ""}
    if plan.clients != (cell.measured,):
        raise FiresteelError(
            f"Cell {cell.label}: beside {cell.protocol} work is measured of its client, "
            f"`{plan.client}`."
        )
    size = "" if way.forwards_ports else str(whole)
    return {
        "SIEVE_BY": way.name,
        "SIEVE_FILE": size,
        "TRANSFER_SIZES": size,
        "FILES_SERVER": way.server,
    }


def most_off(cell: Cell) -> float:
    """By how much the rate may be off; of a file larger pieces come."""
    return 0.05 if _by_file(cell) else 0.02


def payload(
    cell: Cell, clients: Sequence[NodeResult], whole: int, seconds: float
) -> tuple[int, int]:
    """Bytes that the clients received and sent: a `whole` file, or streams of `seconds`."""
    if _by_file(cell):
        return whole, 0
    return 0, sum(_flow(client, (0.0, seconds)).arrived for client in clients)


def rate(
    cell: Cell,
    clients: Sequence[NodeResult],
    between: tuple[Mark, Mark],
    whole: int,
    seconds: float,
) -> float | None:
    """The payload in bytes a second between two marks; None when it ended before the second."""
    if _by_file(cell):
        return _rate_of_file(clients[0], between, whole)
    first, last = (mark.time_ns / 1e9 for mark in between)
    total = 0.0
    for client in clients:
        begun = mark_of(client, f"{_TRAFFIC}.begin").time_ns / 1e9
        if last - begun > seconds:
            return None
        total += _flow(client, (first - begun + _MARGIN, last - begun - _MARGIN)).rate
    return total


def _rate_of_file(client: NodeResult, between: tuple[Mark, Mark], size: int) -> float | None:
    """Of all bytes on the wire a part was the file's, always the same."""
    begin, end = (mark_of(client, f"{_TRAFFIC}.{which}") for which in ("begin", "end"))
    first, last = between
    if last.time_ns > end.time_ns:
        return None
    share = size / (_received(end) - _received(begin))
    elapsed = (last.time_ns - first.time_ns) / 1e9
    return (_received(last) - _received(first)) * share / elapsed


def _received(mark: Mark) -> int:
    return sum(port.rx_bytes for port in mark.ports.values())


def _flow(client: NodeResult, between: tuple[float, float]) -> Flow:
    return flow_of(
        data_of(client, _TRAFFIC), f"{client.name}'s {_TRAFFIC}", sent=True, between=between
    )


def _by_way(cell: Cell) -> FileAccess | None:
    protocol = between_hosts(cell)
    return None if protocol.carries_packets else protocol.access(None)


def _by_file(cell: Cell) -> bool:
    way = _by_way(cell)
    return way is not None and not way.forwards_ports
