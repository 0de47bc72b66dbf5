# SPDX-License-Identifier: Apache-2.0
"""The CPU time that traffic leaves for other work.  A program does fixed computations, first on the
idle board and then, in the same boot, during traffic of a constant rate.

The program counts primes with the sieve of Eratosthenes.  The rate during the work is a figure too;
a cell whose tunnel could not sustain the rate has no figures.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import BitRate, bits_of
from firesteel.boards.network import Plan
from firesteel.boards.result import Mark, NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.between_hosts import BetweenHosts, FileAccess
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.window import CellFailure, data_of, ends_of, mark_of, window
from firesteel.workloads.load import cpu_values
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.stream import Flow, flow_of
from firesteel.workloads.traffic import TrafficPart, between_hosts, roles
from firesteel.workloads.workload import Value, WorkloadTable, rows, with_quick

_TRAFFIC = "sieve-traffic"
_MARGIN = 0.1
"""Seconds: iperf3 reports so often, and counts from a little after its start."""

_LIMIT, _PRIMES = 1_000_000, 78_498
"""Of the sieve, and how many primes are below it."""

_FIRST_PORT = 5301
_IDLE, _BESIDE = "sieve-idle", "sieve-beside"

Seconds = Annotated[int, Field(ge=1, le=60)]
Rounds = Annotated[int, Field(ge=1, le=10_000)]


class SievePlan(WorkloadPlan):
    """The work, and the rate of the simultaneous traffic in bit/s, the sum of all clients."""

    workload = "sieve"

    rounds: int
    """Times that the primes below a million are counted."""
    rate_bit_s: int
    """Payload."""
    seconds: int
    """For how long the traffic flows."""

    @property
    def payload(self) -> int:
        """Bytes of all the traffic."""
        return self.rate_bit_s // 8 * self.seconds

    def label(self, _protocol: str) -> str:
        """Beside cells of the same protocol that measure what it carries itself."""
        return self.workload


@with_quick("rounds", "seconds")
class Sieve(WorkloadTable):
    """The work of every cell; see `SievePlan`."""

    planned = SievePlan

    rate: BitRate
    """Rate of the traffic's payload, which every configuration must reach."""
    rounds: Rounds = 60
    """How often the board counts the primes below a million."""
    seconds: Seconds = 5
    """Duration of the traffic, longer than the work takes."""

    def values(self, quick: bool) -> dict[str, Any]:
        """With the rate as a number."""
        told = super().values(quick)
        return told | {"rate_bit_s": bits_of(told.pop("rate"))}


_SERIES = Series("sieve", "Work beside constant traffic")


class _Sieve(TrafficPart):
    """Beside messages by iperf3, where a protocol carries packets or other programs' connections,
    and otherwise beside one file that comes slowly.
    """

    name = "sieve"
    meaning = "Fixed work, without and with traffic at a constant rate."
    table = Sieve
    series = (_SERIES,)
    columns = (
        Column(_SERIES.name, "run_time", "work beside\ntraffic, s"),
        Column(_SERIES.name, "slowdown", "slow-\ndown"),
    )

    def measures(self, protocol: Protocol) -> bool:
        return isinstance(protocol, BetweenHosts)

    def servers(self, protocol: Protocol) -> frozenset[str]:
        """That which its traffic comes from, where streams have no tunnel to flow through."""
        if isinstance(protocol, BetweenHosts) and not protocol.carries_packets:
            return protocol.servers
        return frozenset()

    def scripts(self, cell: Cell) -> tuple[str, ...]:
        way = _way(cell)
        return (*super().scripts(cell), *(("serve-transfer.sh", *way.scripts) if way else ()))

    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        sieve, way = cell.needed(SievePlan), _way(cell)
        ports = {client: str(_FIRST_PORT + n) for n, client in enumerate(plan.clients)}
        variables = {
            "SIEVE_WORK": f"{_LIMIT} {sieve.rounds}",
            "SIEVE_RUNS": "yes" if node == cell.measured else "",
            "SIEVE_PORT": ports.get(node, ""),
            "SIEVE_PORTS": " ".join(ports.values()),
            "SIEVE_RATE": str(sieve.rate_bit_s // len(plan.clients)),
            "SIEVE_SECONDS": str(sieve.seconds),
            "SIEVE_BY": way.name if way else "",
            "SIEVE_FILE": str(sieve.payload) if _by_file(cell) else "",
        }
        if not way:
            return variables
        if plan.clients != (cell.measured,):
            raise FiresteelError(
                f"Cell {cell.label}: with {cell.protocol}, work is measured only on its client, "
                f"`{plan.client}`."
            )
        file = variables["SIEVE_FILE"]
        return variables | {"TRANSFER_SIZES": file, "FILES_SERVER": way.server}

    def actors(self, cell: Cell, plan: Plan) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*plan.clients, cell.measured)))

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        sieve = cell.needed(SievePlan)
        if _by_file(cell):
            return sieve.payload, 0
        return 0, sum(_flow(client, (0.0, sieve.seconds)).arrived for client in clients)

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        return rows(cell, _SERIES.name, Parameter(), _values(cell, run))

    def windows(self, _cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        return (_BESIDE, _IDLE)


def _way(cell: Cell) -> FileAccess | None:
    """How files come, of protocols that carry no packets."""
    protocol = between_hosts(cell)
    return None if protocol.carries_packets else protocol.access(None)


def _by_file(cell: Cell) -> bool:
    way = _way(cell)
    return way is not None and not way.forwards_ports


def _values(cell: Cell, run: TopologyRun) -> Iterator[Value]:
    node = run.nodes[cell.measured]
    for name in (_IDLE, _BESIDE):
        said = data_of(node, name).decode(errors="replace").strip()
        if said != str(_PRIMES):
            raise CellFailure(
                f"Node {node.name}: sieve says `{said[:80]}`, of {_PRIMES} primes below {_LIMIT}."
            )
    idle, beside = window(node, _IDLE), window(node, _BESIDE)
    clients = [run.nodes[client] for client in roles(cell, run.topology).clients]
    yield "run_time", beside.elapsed / 1e9
    yield "slowdown", beside.elapsed / idle.elapsed
    yield "idle_run_time", idle.elapsed / 1e9
    yield "traffic", _rate(cell, node, clients) / 1e6
    yield from cpu_values(beside)


def _rate(cell: Cell, node: NodeResult, clients: Sequence[NodeResult]) -> float:
    """The payload of all clients in bytes a second while the work was done.

    Raises `CellFailure` when it is not what was asked for, or ended before the work.
    """
    plan, by_file = cell.needed(SievePlan), _by_file(cell)
    first, last = ends_of(node, _BESIDE)
    if by_file:
        total = _rate_of_file(clients[0], first, last, plan.payload)
    else:
        total = _rate_of_streams(clients, first, last, plan.seconds)
    if total is None:
        raise CellFailure(
            f"Cell {cell.label}: the work beside traffic took "
            f"{(last.time_ns - first.time_ns) / 1e9:.2f} s, and the traffic ended before; it needs "
            f"more than {plan.seconds} `seconds`."
        )
    # Of a file larger pieces come.
    if abs(total * 8 / plan.rate_bit_s - 1) > (0.05 if by_file else 0.02):
        raise CellFailure(
            f"Cell {cell.label}: {total * 8 / 1e6:.2f} Mbit/s flowed beside the work, and "
            f"{plan.rate_bit_s / 1e6:.2f} were asked for."
        )
    return total


def _rate_of_streams(
    clients: Sequence[NodeResult], first: Mark, last: Mark, seconds: float
) -> float | None:
    """Between two marks; None when a stream ended before the second."""
    total = 0.0
    for client in clients:
        begun = mark_of(client, f"{_TRAFFIC}.begin").time_ns / 1e9
        since, until = first.time_ns / 1e9 - begun, last.time_ns / 1e9 - begun
        if until > seconds:
            return None
        total += _flow(client, (since + _MARGIN, until - _MARGIN)).rate
    return total


def _rate_of_file(client: NodeResult, first: Mark, last: Mark, size: int) -> float | None:
    """The same of a file: of all bytes on the wire a part was its, always the same."""
    begin, end = ends_of(client, _TRAFFIC)
    if last.time_ns > end.time_ns:
        return None
    share = size / (_received(end) - _received(begin))
    return (_received(last) - _received(first)) * share / ((last.time_ns - first.time_ns) / 1e9)


def _received(mark: Mark) -> int:
    return sum(port.rx_bytes for port in mark.ports.values())


def _flow(client: NodeResult, between: tuple[float, float]) -> Flow:
    name = f"{client.name}'s {_TRAFFIC}"
    return flow_of(data_of(client, _TRAFFIC), name, sent=True, between=between)


SIEVE = _Sieve()
