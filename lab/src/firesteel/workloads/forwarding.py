# SPDX-License-Identifier: Apache-2.0
"""Forwarding by frame size, after RFC 2544: what a gateway passes on without losing a frame.

The client sends frames at a steady rate, in trials of so many frames each, and the server counts
what comes.  `packet_rate` is the highest rate at which none is lost, found by bisection, and
`back_to_back` the longest burst at the rate of the wire.  What a packet takes is measured in one
more stream at the highest rate; how long it takes, also under light load.

A rate also counts as too high if frames arrive more slowly than they are sent, however long queues
are.  `packet_rate` is limited by the CPU's time for all of a packet's work, because the kernel may
postpone work beyond a trial's end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many
from firesteel.boards.network import Plan
from firesteel.boards.result import NodeResult, TopologyRun, Transit
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.offload import LARGE, check_share, offloaded_percent
from firesteel.protocols.window import CellFailure, busy_by_cpu, data_of, ends_of, mark_of
from firesteel.workloads.load import load_values
from firesteel.workloads.presentation import Column, Lines, Section, Series
from firesteel.workloads.traffic import TrafficPart, client_of, roles, snmp_growth
from firesteel.workloads.workload import Value, WorkloadTable, rows, with_quick

_FRAMING = 18
"""Bytes of a frame besides its IPv4 packet: Ethernet header and FCS."""

_PORT, _FRAMES_PORT = 7100, 9
"""The server's, for its count and for frames."""

_LIGHT_RATE, _LIGHT_FRAMES = 1000, 400
"""The stream under light load: frames a second, and how many."""

_SINGLE = "single"
"""The window of a stream of one frame, which has all else that those of others have: marks, and
what client and server tell each other."""

_MOST_BUSY = 1.01
"""Of the time in which a board had frames; what is more is other work, or was put off."""

_PUT_OFF, _PUT_OFF_FRAMES = 0.05, 10_000
"""What the kernel may put off until frames have gone, of the work of so many.  It frees a route for
each packet that IPsec encrypts, by RCU: in small portions while there is other work, until so many
wait.
"""

FrameSize = Annotated[int, Field(ge=64, le=1518)]
"""Bytes of an Ethernet frame with its FCS."""

Frames = Annotated[int, Field(ge=1600, le=1_000_000)]


class ForwardingPlan(WorkloadPlan):
    """Frames that are forwarded: their sizes in bytes, and frames of the longest trial."""

    workload = "forwarding"

    sizes: tuple[int, ...]
    """Bytes, with FCS."""
    frames: int
    """Duration of the longest trial, and of the measured stream."""


@with_quick("sizes", "frames")
class Forwarding(WorkloadTable):
    """The frames of every cell; see `ForwardingPlan`."""

    planned = ForwardingPlan

    sizes: Many[FrameSize]
    """Frame sizes, bytes, with FCS."""
    frames: Frames = 50_000
    """Frames of the longest trial and of the measured stream."""


_SERIES = Series("forwarding", "Forwarding by frame size")


class _Forwarding(TrafficPart):
    name = "forwarding"
    overloads = True
    meaning = "Frames that a gateway forwards, as in RFC 2544."
    table = Forwarding
    series = (_SERIES,)
    columns = (
        Column(_SERIES.name, "packet_rate", "{} frames\n1/s"),
        Column(_SERIES.name, "instructions_per_packet", "{} frames\ninstructions"),
        Column(_SERIES.name, "packet_rate", "largest frames\n1/s", last=True),
    )
    sections = (
        Section(
            "forwarding",
            "Forwarding: highest rate without loss",
            Lines(_SERIES, "packet_rate", "packets a second", "1/s", "frame size", "bytes a frame"),
            {_SERIES.name: "All figures of forwarding: what a packet takes, latency, bursts"},
        ),
    )

    def variables(self, cell: Cell, plan: Plan, _node: str) -> dict[str, str]:
        _check_place(cell, plan)
        asked = cell.needed(ForwardingPlan)
        return {
            "FORWARDING_SIZES": " ".join(map(str, asked.sizes)),
            "FORWARDING_FRAMES": str(asked.frames),
            "FORWARDING_PORT": str(_PORT),
            "FRAMES_PORT": str(_FRAMES_PORT),
            "LIGHT_RATE": str(_LIGHT_RATE),
            "LIGHT_FRAMES": str(_LIGHT_FRAMES),
        }

    def payload(self, cell: Cell, _clients: Sequence[NodeResult]) -> tuple[int, int]:
        plan = cell.needed(ForwardingPlan)
        return 0, plan.frames * sum(size - _FRAMING for size in plan.sizes)

    def lost(self, cell: Cell, run: TopologyRun) -> int:
        client = client_of(cell, run)
        sizes = cell.needed(ForwardingPlan).sizes
        return sum(sum(_lost(data_of(client, f"trials-{size}"))) for size in sizes)

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        _check_others(cell, run)
        figures: list[Figure] = []
        busy: dict[int, float] = {}
        for size in cell.needed(ForwardingPlan).sizes:
            stream = _stream(cell, run, size)
            busy[size] = stream.busy / stream.taken
            values = _values(cell, run, stream)
            figures += rows(cell, _SERIES.name, Parameter(size_bytes=size), values)
        least, most = min(busy), max(busy)
        if least < most:
            by_byte = ("busy_per_byte", (busy[most] - busy[least]) / (most - least))
            figures += rows(cell, _SERIES.name, Parameter(), [by_byte])
        return figures

    def windows(self, cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        """The largest frames come first; the first stream of each size counts."""
        return tuple(map(_window, reversed(cell.needed(ForwardingPlan).sizes)))


def _check_place(cell: Cell, plan: Plan) -> None:
    """Raises `FiresteelError` when frames of the client's generator would not go through what is
    measured: its own tunnel has no part in them, and hosts forward nothing.
    """
    ends = {node for tunnel in plan.tunnels for node in tunnel.nodes}
    if cell.measured in (plan.client, plan.server) or plan.client in ends:
        raise FiresteelError(
            f"Cell {cell.label}: forwarding is measured on a gateway between hosts; "
            f"`{cell.measured}` of the topology `{cell.topology}` is not a gateway, or the tunnel "
            f"ends at the host `{plan.client}`."
        )


def _check_others(cell: Cell, run: TopologyRun) -> None:
    """Raises `CellFailure` when frames were lost elsewhere than by the measured node, whose rate
    would then have been found.
    """
    for node in run.nodes.values():
        first, last = (mark_of(node, f"proof.{which}").ports for which in ("before", "after"))
        lost = sum(
            last[port].rx_dropped - before.rx_dropped + last[port].tx_dropped - before.tx_dropped
            for port, before in first.items()
        )
        if lost and node.name != cell.measured:
            raise CellFailure(
                f"Cell {cell.label}: {lost} frames were lost by {node.name}, which is not measured."
            )
    server = run.nodes[roles(cell, run.topology).server]
    if lost := snmp_growth(server, "Udp", "RcvbufErrors"):
        raise CellFailure(
            f"Cell {cell.label}: the program that counts frames on {server.name} missed {lost}."
        )


@dataclass(frozen=True)
class _Stream:
    """Frames of one size at the highest rate, how long the measured board had them, and what all of
    them but one took of it, `taken` in number; times in ns.
    """

    name: str
    size: int
    rate: int
    transit: Transit
    taken: int
    instructions: int
    busy: int
    busiest: int
    stalled: int

    @property
    def payload(self) -> int:
        """Bytes of all frames."""
        return self.transit.frames * (self.size - _FRAMING)


def _window(size: int) -> str:
    """What a stream of that size is called; of such names the board says how long frames took."""
    return f"transit-{size}"


def _stream(cell: Cell, run: TopologyRun, size: int) -> _Stream:
    rate, frames, attempt = _numbers(client_of(cell, run), _window(size), 3)
    name = _window(size) if attempt == 1 else f"{_window(size)}-{attempt}"
    transit, node = _transit(cell, run, name, size, frames), run.nodes[cell.measured]
    whole, one = _taken(node, name), _taken(node, _SINGLE)
    took = (all_ - less for all_, less in zip(whole, one, strict=True))
    return _Stream(name, size, rate, transit, frames - 1, *took)


def _taken(node: NodeResult, name: str) -> tuple[int, int, int, int]:
    """Instructions, for how long the CPUs were busy together and the busiest of them was, and for
    how long they stood still in one.
    """
    first, last = ends_of(node, name)
    instructions, by_cpu = last.instructions - first.instructions, busy_by_cpu(first, last)
    return instructions, sum(by_cpu), max(by_cpu), last.stalled_ns - first.stalled_ns


def _transit(cell: Cell, run: TopologyRun, name: str, size: int, frames: int) -> Transit:
    transit = run.nodes[cell.measured].transits.get(name)
    if transit is None or transit.frames != frames:
        passed = f"{transit.frames} of one length" if transit else "another number"
        raise CellFailure(
            f"Cell {cell.label}: of {frames} frames of {size} bytes {cell.measured} passed on "
            f"{passed}."
        )
    return transit


def _values(cell: Cell, run: TopologyRun, stream: _Stream) -> Iterator[Value]:
    transit = stream.transit
    rate = min(stream.rate, int(1e9 * stream.taken / stream.busiest))
    yield "packet_rate", rate
    yield "throughput", rate * (stream.size - _FRAMING) / 1e6
    yield "latency_mean", transit.total_ns / 1e3 / transit.frames
    yield "latency_min", transit.least_ns / 1e3
    yield "latency_p50", transit.median_ns / 1e3
    yield "latency_p99", transit.p99_ns / 1e3
    yield "latency_max", transit.most_ns / 1e3
    if stream.rate >= _LIGHT_RATE:
        name = f"transit-light-{stream.size}"
        light = _transit(cell, run, name, stream.size, _LIGHT_FRAMES)
        yield "latency_light_load", light.total_ns / 1e3 / light.frames
    yield "back_to_back", _numbers(client_of(cell, run), f"burst-{stream.size}", 1)[0]
    yield "instructions_per_packet", stream.instructions / stream.taken
    yield "busy_per_packet", stream.busy / 1e3 / stream.taken
    yield "stalled_per_packet", stream.stalled / 1e3 / stream.taken
    yield "cpu", _cpu(cell, stream, run.nodes[cell.measured].profile.cpu.count)
    yield from load_values(cell, run, stream.name, transit.elapsed_ns)
    if cell.on_cores:
        yield "offloaded", _offloaded(cell, run.nodes[cell.measured], stream)


def _cpu(cell: Cell, stream: _Stream, cpus: int) -> float:
    """Raises `CellFailure` when the CPUs were busy for longer than they had work."""
    frames = stream.transit.frames
    busy = stream.busy / stream.transit.elapsed_ns
    most = cpus * (_MOST_BUSY + _PUT_OFF * min(1, _PUT_OFF_FRAMES / frames))
    if busy > most:
        raise CellFailure(
            f"Cell {cell.label}: for {frames} frames of {stream.size} bytes the CPU was "
            f"busy {busy:.1%} of the time in which {cell.measured} had them; with what can be put "
            f"off it is {most:.1%} at the most."
        )
    return min(100 * busy, 100 * cpus)


def _offloaded(cell: Cell, node: NodeResult, stream: _Stream) -> float:
    """Raises `CellFailure` when the cores did not do their part of large packets, and the driver
    did not choose software for them.
    """
    share = offloaded_percent(cell, node, stream.name, stream.payload)
    if stream.size >= LARGE:
        check_share(cell, node, stream.name, stream.payload)
    return share


def _lost(trials: bytes) -> Iterator[int]:
    """Of each trial; its line has the rate, frames, those that were lost, and how fast all came."""
    for line in trials.decode(errors="replace").splitlines():
        match line.split():
            case [_, _, lost, _] if lost.isdigit():
                yield int(lost)
            case _:
                raise CellFailure(f"The client's line of a trial is not as expected: {line[:200]}")


def _numbers(client: NodeResult, item: str, count: int) -> list[int]:
    text = data_of(client, item).decode(errors="replace")
    words = text.split()
    if len(words) != count or not all(word.isdigit() and int(word) for word in words):
        raise CellFailure(f"The client's data {item} are no {count} numbers: {text.strip()[:200]}")
    return [int(word) for word in words]


FORWARDING = _Forwarding()
