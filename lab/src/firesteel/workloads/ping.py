# SPDX-License-Identifier: Apache-2.0
"""Flood pings from the client: round-trip times by payload size."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from firesteel.base.toml import Count, Many
from firesteel.boards.network import Plan
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.window import CellFailure, data_of, window
from firesteel.workloads.load import cpu_values, load_values, offload_values
from firesteel.workloads.presentation import Column, Lines, Section, Series
from firesteel.workloads.traffic import TrafficPart, client_of
from firesteel.workloads.workload import WorkloadTable, rows, with_quick

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
    def pings(self) -> list[tuple[int, int]]:
        """Sizes, with how many requests each has."""
        counts = (self.count,) * len(self.sizes) if isinstance(self.count, int) else self.count
        return list(zip(self.sizes, counts, strict=True))


@with_quick("sizes", "count")
class Ping(WorkloadTable):
    """The pings of every cell; see `PingPlan`."""

    planned = PingPlan
    repeats = ("sizes", "count")

    sizes: Annotated[tuple[PayloadSize, ...], Field(min_length=1)]
    """Payload sizes, bytes."""
    count: Many[Count]
    """Echo requests of each size: one number for all sizes, or a number for each size."""

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        for quick in (False, True):
            told = super().values(quick)
            sizes, count = len(told["sizes"]), len(told["count"])
            if count not in (1, sizes):
                raise ValueError(
                    f"`count` has {count} numbers{' under --quick' if quick else ''}, and the "
                    f"sizes are {sizes}; give one number for all sizes or one for each"
                )
        return self

    def values(self, quick: bool) -> dict[str, Any]:
        """One number stands for all sizes."""
        told = super().values(quick)
        count = told["count"]
        return told | {"count": count[0] if len(count) == 1 else count}


_REPLY = re.compile(r"^(\d+) bytes from \S+: icmp_seq=\d+ ttl=\d+ time=([\d.]+) ms$", re.MULTILINE)
_COUNTS = re.compile(r"^(\d+) packets transmitted, (\d+) received,.* packet loss", re.MULTILINE)
_SUMMARY = re.compile(r"^rtt min/avg/max/mdev = ([\d.]+)/([\d.]+)/([\d.]+)/[\d.]+ ms", re.MULTILINE)
_ICMP_HEADER = 8

_ECHO_HEADERS = 28
"""Bytes of the IPv4 and ICMP headers of an echo request or reply."""


@dataclass(frozen=True)
class PingResult:
    """Round-trip times in ms; `times` has one for each reply, in order, to three digits."""

    sent: int
    times: tuple[float, ...]
    minimum: float
    mean: float
    maximum: float

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

    Raises `CellFailure` if the text is not this ping's output, or if no reply came.
    """
    lines = text.decode(errors="replace")
    counts, summary = _COUNTS.search(lines), _SUMMARY.search(lines)
    if not counts or int(counts[1]) != count:
        raise CellFailure(f"ping -s {size}: its output does not say that it sent {count} requests.")
    replies = _REPLY.findall(lines)
    if len(replies) != int(counts[2]):
        raise CellFailure(f"ping -s {size}: {len(replies)} replies listed, {counts[2]} counted.")
    if not replies or not summary:
        raise CellFailure(f"ping -s {size}: none of {count} requests was answered.")
    if any(int(bytes_) != size + _ICMP_HEADER for bytes_, _ in replies):
        raise CellFailure(f"ping -s {size}: a reply has another size.")
    times = tuple(float(time) for _, time in replies)
    return PingResult(count, times, *map(float, summary.groups()))


_SERIES = Series("ping", "Flood ping")


class _Ping(TrafficPart):
    name = "ping"
    serves = False
    meaning = "Flood pings from the client."
    table = Ping
    series = (_SERIES,)
    columns = (Column(_SERIES.name, "rtt_mean", "{} ping\nmean ms"),)
    sections = (
        Section(
            "latency",
            "Latency: flood ping",
            Lines(
                _SERIES, "rtt_mean", "mean round-trip time", "ms", "payload size", "payload bytes"
            ),
            {_SERIES.name: "All figures of the pings: percentiles, CPU use"},
        ),
    )

    def variables(self, cell: Cell, _plan: Plan, _node: str) -> dict[str, str]:
        return {"PINGS": " ".join(f"{size}:{count}" for size, count in cell.needed(PingPlan).pings)}

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        results = list(_results(cell, clients[0]))
        received = sum(len(ping.times) * (size + _ECHO_HEADERS) for size, ping in results)
        return received, sum(ping.sent * (size + _ECHO_HEADERS) for size, ping in results)

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        measured = run.nodes[cell.measured]
        figures: list[Figure] = []
        for size, ping in _results(cell, client_of(cell, run)):
            name = _window_of(size)
            carried = (ping.sent + len(ping.times)) * (size + _ECHO_HEADERS)
            values = (
                ("rtt_mean", ping.mean),
                ("rtt_min", ping.minimum),
                ("rtt_max", ping.maximum),
                *((f"rtt_p{percent}", ping.percentile(percent)) for percent in (50, 90, 99)),
                ("loss", ping.loss),
                *cpu_values(window(measured, name)),
                *load_values(cell, run, name),
                *offload_values(cell, measured, name, carried),
            )
            figures += rows(cell, _SERIES.name, Parameter(size_bytes=size), values)
        return figures

    def windows(self, cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        return tuple(map(_window_of, sorted(cell.needed(PingPlan).sizes, reverse=True)))


def _window_of(size: int) -> str:
    """What the window of the pings of that size is called, and ping's output."""
    return f"ping-{size}"


def _results(cell: Cell, client: NodeResult) -> Iterator[tuple[int, PingResult]]:
    for size, count in cell.needed(PingPlan).pings:
        yield size, parse_ping(data_of(client, _window_of(size)), size, count)


PING = _Ping()
