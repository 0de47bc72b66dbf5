# SPDX-License-Identifier: Apache-2.0
"""Flood pings from the client: round-trip times by payload size."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Count, Many, Table
from firesteel.board.network import Plan
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.window import data_of, window
from firesteel.workloads.load import cpu_values, load_values, offload_values
from firesteel.workloads.presentation import BySize, Column, Lines, Section
from firesteel.workloads.rows import rows
from firesteel.workloads.series import Series
from firesteel.workloads.traffic.part import TrafficPart
from firesteel.workloads.traffic.roles import client_of
from firesteel.workloads.workload import WorkloadTable

PayloadSize = Annotated[int, Field(ge=16, le=65_507)]
"""Bytes of payload of an echo request; 16 hold the time stamp from which the RTT is taken."""


class PingPlan(WorkloadPlan):
    """Flood pings from the board: payload sizes in bytes and echo requests per size."""

    workload = "ping"
    always_named = True

    sizes: tuple[int, ...]
    """Bytes."""
    count: int | tuple[int, ...]
    """Echo requests of each size: one number for all sizes, or one for each."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Echo requests, by size."""
        return (self.count,) * len(self.sizes) if isinstance(self.count, int) else self.count


class QuickPing(Table):
    """What `--quick` changes of the pings."""

    sizes: tuple[PayloadSize, ...] | None = None
    count: Many[Count] | None = None


class Ping(WorkloadTable):
    """The pings of every cell; see `PingPlan`."""

    sizes: Annotated[tuple[PayloadSize, ...], Field(min_length=1)]
    """Payload sizes, bytes."""
    count: Many[Count]
    """Echo requests of each size: one number for all sizes, or one for each.  Short pings take the
    processor little time, beside which what the kernel does once a second counts, unless there are
    many."""
    quick: QuickPing = QuickPing()
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        for quick in (False, True):
            sizes, count = self._wanted(quick)
            if len(count) not in (1, len(sizes)):
                raise ValueError(
                    f"`count` has {len(count)} numbers{' under --quick' if quick else ''}, and the "
                    f"sizes are {len(sizes)}; give one number for all sizes or one for each"
                )
        return self

    def _wanted(self, quick: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Sizes and counts."""
        sizes = (self.quick.sizes if quick else None) or self.sizes
        return sizes, (self.quick.count if quick else None) or self.count

    def plan(self, protocol: Protocol, quick: bool) -> PingPlan:
        """What a cell does."""
        del protocol
        sizes, count = self._wanted(quick)
        return PingPlan(sizes=sizes, count=count[0] if len(count) == 1 else count)


_REPLY = re.compile(r"^(\d+) bytes from \S+: icmp_seq=\d+ ttl=\d+ time=([\d.]+) ms$")
_COUNTS = re.compile(r"^(\d+) packets transmitted, (\d+) received,.* packet loss", re.MULTILINE)
_SUMMARY = re.compile(r"^rtt min/avg/max/mdev = ([\d.]+)/([\d.]+)/([\d.]+)/[\d.]+ ms", re.MULTILINE)
_ICMP_HEADER = 8

_ECHO_HEADERS = 28
"""Bytes of the IPv4 and ICMP headers of an echo request or reply."""

_PERCENTILES = (50, 90, 99)


@dataclass(frozen=True)
class PingResult:
    """Round-trip times in ms; `times` has one for each reply, in order, to three digits."""

    sent: int
    minimum: float
    mean: float
    maximum: float
    times: tuple[float, ...]

    @property
    def loss(self) -> float:
        """Percent of requests without a reply."""
        return 100 * (self.sent - len(self.times)) / self.sent

    def percentile(self, percent: float) -> float:
        """The least time that `percent` of the replies did not exceed (nearest rank)."""
        ranked = sorted(self.times)
        return ranked[max(math.ceil(len(ranked) * percent / 100), 1) - 1]


def parse_ping(text: bytes, size: int, count: int) -> PingResult:
    """The result of `ping -n -c COUNT -s SIZE`.

    Raises `CellFailure` when the text is not that of this ping, or no reply came.
    """
    lines = text.decode(errors="replace")
    counts, summary = _COUNTS.search(lines), _SUMMARY.search(lines)
    if not counts or int(counts[1]) != count:
        raise CellFailure(f"ping -s {size}: its output does not say that it sent {count} requests.")
    replies = [reply for line in lines.splitlines() if (reply := _REPLY.match(line))]
    if len(replies) != int(counts[2]):
        raise CellFailure(f"ping -s {size}: {len(replies)} replies listed, {counts[2]} counted.")
    if not replies or not summary:
        raise CellFailure(f"ping -s {size}: none of {count} requests was answered.")
    if any(int(reply[1]) != size + _ICMP_HEADER for reply in replies):
        raise CellFailure(f"ping -s {size}: a reply has another size.")
    minimum, mean, maximum = (float(summary[i]) for i in (1, 2, 3))
    times = tuple(float(reply[2]) for reply in replies)
    return PingResult(count, minimum, mean, maximum, times)


_SERIES = Series("ping", "Flood ping")


class _Ping(TrafficPart):
    name = "ping"
    meaning = "Flood pings from the client; for protocols between boards."
    table = Ping
    series = (_SERIES,)
    columns = (Column(_SERIES.name, "rtt_mean", "{} ping\nmean ms", in_progress=True),)
    sections = (
        Section(
            "latency",
            "Latency: flood ping",
            Lines(
                _SERIES,
                "rtt_mean",
                quantity="mean round-trip time",
                unit="ms",
                size="payload size",
                size_unit="payload bytes",
            ),
            {_SERIES.name: "All figures of the pings: percentiles, CPU use"},
        ),
    )
    summary = BySize(_SERIES, "rtt_mean", "Flood ping: mean round-trip time, ms")

    def measures(self, protocol: Protocol) -> bool:
        return isinstance(protocol, BetweenHosts) and protocol.carries_packets

    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        del plan, node
        pings = cell.needed(PingPlan)
        return {
            "PINGS": " ".join(
                f"{size}:{count}" for size, count in zip(pings.sizes, pings.counts, strict=True)
            ),
        }

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        received, sent = 0, 0
        for size, ping in _results(cell, clients[0]):
            received += len(ping.times) * (size + _ECHO_HEADERS)
            sent += ping.sent * (size + _ECHO_HEADERS)
        return received, sent

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        measured = run.nodes[cell.measured]
        figures: list[Figure] = []
        for size, ping in _results(cell, client_of(cell, run)):
            name = _window_of(size)
            values = (
                ("rtt_mean", ping.mean),
                ("rtt_min", ping.minimum),
                ("rtt_max", ping.maximum),
                *((f"rtt_p{p}", ping.percentile(p)) for p in _PERCENTILES),
                ("loss", ping.loss),
                *cpu_values(window(measured, name)),
                *load_values(cell, run, name),
                *offload_values(cell, measured, name, _carried(size, ping)),
            )
            figures += rows(cell, _SERIES.name, Parameter(size_bytes=size), values)
        return figures

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        del figures
        plan = cell.plan(PingPlan)
        return tuple(_window_of(size) for size in sorted(plan.sizes, reverse=True)) if plan else ()


def _window_of(size: int) -> str:
    """What the window of the pings of that size is called, and ping's output."""
    return f"ping-{size}"


def _carried(size: int, ping: PingResult) -> int:
    """Bytes of all requests and replies of that size."""
    return (ping.sent + len(ping.times)) * (size + _ECHO_HEADERS)


def _results(cell: Cell, client: NodeResult) -> list[tuple[int, PingResult]]:
    plan = cell.needed(PingPlan)
    return [
        (size, parse_ping(data_of(client, _window_of(size)), size, count))
        for size, count in zip(plan.sizes, plan.counts, strict=True)
    ]


PING = _Ping()
