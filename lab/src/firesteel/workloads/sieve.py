# SPDX-License-Identifier: Apache-2.0
"""What traffic leaves of a CPU for other work: fixed work of a program that only computes, first on
the idle board and then, in the same boot, beside traffic of a constant rate.

The program counts primes with the sieve of Eratosthenes.  Which rate really flowed while it ran
is a figure, and a cell whose tunnel could not hold the rate has none.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from firesteel.base.quantity import BitRate, bits_of
from firesteel.base.schema import Table
from firesteel.board.network import Plan
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.window import data_of, mark_of, window
from firesteel.workloads import sieve_traffic
from firesteel.workloads.load import cpu_values
from firesteel.workloads.presentation import Column
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.series import Series
from firesteel.workloads.traffic.part import TrafficPart
from firesteel.workloads.traffic.roles import roles
from firesteel.workloads.workload import WorkloadTable

_LIMIT, _PRIMES = 1_000_000, 78_498
"""Of the sieve, and how many primes are below it."""

_FIRST_PORT = 5301
_IDLE, _BESIDE = "sieve-idle", "sieve-beside"

Seconds = Annotated[int, Field(ge=1, le=60)]
Rounds = Annotated[int, Field(ge=1, le=10_000)]


class SievePlan(WorkloadPlan):
    """The work, and the rate of the traffic beside it in bit/s, which is that of all clients
    together.
    """

    workload = "sieve"

    rounds: int
    """How often the primes below a million are counted."""
    rate_bit_s: int
    """Payload."""
    seconds: int
    """For how long the traffic flows."""

    @property
    def payload(self) -> int:
        """Bytes of all the traffic."""
        return self.rate_bit_s // 8 * self.seconds

    def label(self, protocol: str) -> str:
        """Beside cells of the same protocol that measure what it carries itself."""
        del protocol
        return self.workload


class QuickSieve(Table):
    """What `--quick` changes."""

    rounds: Rounds | None = None
    seconds: Seconds | None = None


class Sieve(WorkloadTable):
    """The work of every cell; see `SievePlan`."""

    rate: BitRate
    """Of the traffic's payload, as `8 Mbit/s`; low enough for every protocol, however it is
    computed.
    """
    rounds: Rounds = 60
    """How often the primes below a million are counted."""
    seconds: Seconds = 5
    """For how long the traffic flows, which must be longer than the work takes beside it."""
    quick: QuickSieve = QuickSieve()
    """Keys that `--quick` replaces."""

    def plan(self, protocol: Protocol, quick: bool) -> SievePlan:
        """What a cell does."""
        del protocol
        return SievePlan(
            rounds=(self.quick.rounds if quick else None) or self.rounds,
            rate_bit_s=bits_of(self.rate),
            seconds=(self.quick.seconds if quick else None) or self.seconds,
        )


_SERIES = Series("sieve", "Work beside constant traffic")


class _Sieve(TrafficPart):
    name = "sieve"
    meaning = "Fixed work, alone and beside traffic of a constant rate; between hosts."
    table = Sieve
    series = (_SERIES,)
    columns = (
        Column(_SERIES.name, "run_time", "work beside\ntraffic, s", in_progress=True),
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
        return (*super().scripts(cell), "serve-sieve.sh", *sieve_traffic.scripts(cell))

    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        sieve = cell.needed(SievePlan)
        ports = {client: str(_FIRST_PORT + n) for n, client in enumerate(plan.clients)}
        return {
            "SIEVE_WORK": f"{_LIMIT} {sieve.rounds}",
            "SIEVE_RUNS": "yes" if node == cell.measured else "",
            "SIEVE_PORT": ports.get(node, ""),
            "SIEVE_PORTS": " ".join(ports.values()),
            "SIEVE_RATE": str(sieve.rate_bit_s // len(plan.clients)),
            "SIEVE_SECONDS": str(sieve.seconds),
            **sieve_traffic.variables(cell, plan, sieve.payload),
        }

    def actors(self, cell: Cell, plan: Plan) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*plan.clients, cell.measured)))

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        sieve = cell.needed(SievePlan)
        return sieve_traffic.payload(cell, clients, sieve.payload, sieve.seconds)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return rows(cell, _SERIES.name, Parameter(), _values(cell, run))

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        del figures
        return (_BESIDE, _IDLE) if cell.plan(SievePlan) else ()


def _values(cell: Cell, run: TopologyRun) -> Iterator[Value]:
    node = run.nodes[cell.measured]
    for name in (_IDLE, _BESIDE):
        _check_work(node, name)
    idle, beside = window(node, _IDLE), window(node, _BESIDE)
    clients = [run.nodes[client] for client in roles(cell, run.topology).clients]
    yield "run_time", beside.elapsed / 1e9
    yield "slowdown", beside.elapsed / idle.elapsed
    yield "idle_run_time", idle.elapsed / 1e9
    yield "traffic", _rate(cell, node, clients) / 1e6
    yield from cpu_values(beside)


def _check_work(node: NodeResult, name: str) -> None:
    said = data_of(node, name).decode(errors="replace").strip()
    if said != str(_PRIMES):
        raise CellFailure(
            f"Node {node.name}: sieve says `{said[:80]}`, of {_PRIMES} primes below {_LIMIT}."
        )


def _rate(cell: Cell, node: NodeResult, clients: Sequence[NodeResult]) -> float:
    """The payload of all clients in bytes a second while the work was done.

    Raises `CellFailure` when it is not what was asked for, or ended before the work.
    """
    plan = cell.needed(SievePlan)
    first, last = (mark_of(node, f"{_BESIDE}.{which}") for which in ("begin", "end"))
    total = sieve_traffic.rate(cell, clients, (first, last), plan.payload, plan.seconds)
    if total is None:
        raise CellFailure(
            f"Cell {cell.label}: the work beside traffic took "
            f"{(last.time_ns - first.time_ns) / 1e9:.2f} s, and the traffic ended before; it needs "
            f"more than {plan.seconds} `seconds`."
        )
    if abs(total * 8 / plan.rate_bit_s - 1) > sieve_traffic.most_off(cell):
        raise CellFailure(
            f"Cell {cell.label}: {total * 8 / 1e6:.2f} Mbit/s flowed beside the work, and "
            f"{plan.rate_bit_s / 1e6:.2f} were asked for."
        )
    return total


SIEVE = _Sieve()
