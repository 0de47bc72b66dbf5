# SPDX-License-Identifier: Apache-2.0
"""Bulk throughput by message size: streams of messages over TCP and UDP, as ttcp measured them.

Every client sends messages of one size for some seconds, as fast as they go, or has the server send
them.  The received bytes count, from the receiver's report of each tenth of a second.  The first
ones are left out, in which TCP looks for its rate, and the last.  Several clients send at the same
time, and what arrived from all of them is added up.  Reports are iperf3's: the client's JSON, which
contains the server's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from firesteel.base.toml import Many
from firesteel.boards.network import Plan
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.between_hosts import FIRST_FLOW_PORT
from firesteel.protocols.window import LEAST_WINDOW, CellFailure, data_of, mark_of, window
from firesteel.workloads.load import cpu_values, load_values, offload_values
from firesteel.workloads.presentation import Column, Lines, Section, Series
from firesteel.workloads.traffic import TrafficPart, roles
from firesteel.workloads.workload import Value, WorkloadTable, rows, with_quick

_LEAST_COVERED = 0.7
"""Of the time that is asked for: an interval that is longer than others may lie across its ends."""

_ROUNDING = 0.02
"""Seconds by which an interval may lie outside: reports are made by a timer that a busy board
serves late.
"""


class _Sum(BaseModel):
    start: float = 0
    end: float = 0
    seconds: float = 0
    bytes: int = 0
    packets: int = 0
    lost_packets: int = 0
    retransmits: int = 0


class _Interval(BaseModel):
    sum: _Sum


class _Ending(BaseModel):
    sum_sent: _Sum = _Sum()


class _Side(BaseModel):
    """What one end of the stream says."""

    intervals: tuple[_Interval, ...] = ()
    end: _Ending = _Ending()
    error: str = ""


class _Report(_Side):
    server_output_json: _Side | None = None


@dataclass(frozen=True)
class Flow:
    """What arrived: `arrived` bytes in all; in the time that was asked for, `rate` bytes a second,
    and of `messages` datagrams so many `lost`.  `retransmitted` are the sender's TCP segments.
    """

    arrived: int
    rate: float
    messages: int
    lost: int
    retransmitted: int


def flow_of(text: bytes, name: str, *, sent: bool, between: tuple[float, float]) -> Flow:
    """A stream that the client `sent`, or else received; figures are of the seconds `between`.

    Raises `CellFailure` when the stream broke off, or nothing arrived.
    """
    try:
        report = _Report.model_validate_json(text)
    except ValidationError:
        said = text.decode(errors="replace").strip()[:200]
        raise CellFailure(f"{name}: this is no report of iperf3: {said}") from None
    server = report.server_output_json or _Side(error="the server says nothing")
    if error := report.error or server.error:
        raise CellFailure(f"{name}: iperf3 failed: {error}.")
    receiver, sender = (server, report) if sent else (report, server)
    first, last = between[0] - _ROUNDING, between[1] + _ROUNDING
    intervals = [interval.sum for interval in receiver.intervals]
    parts = [each for each in intervals if each.start >= first and each.end <= last]
    seconds = sum(part.seconds for part in parts)
    if seconds < _LEAST_COVERED * (between[1] - between[0]):
        raise CellFailure(
            f"{name}: the receiver reports {seconds:.3f} s of those from {between[0]:g} to "
            f"{between[1]:g}."
        )
    if not sum(part.bytes for part in parts):
        raise CellFailure(f"{name}: nothing arrived.")
    return Flow(
        arrived=sum(each.bytes for each in intervals),
        rate=sum(part.bytes for part in parts) / seconds,
        messages=sum(part.packets for part in parts),
        lost=sum(part.lost_packets for part in parts),
        retransmitted=sender.end.sum_sent.retransmits,
    )


Transport = Literal["tcp", "udp"]
Direction = Literal["send", "receive"]

MessageSize = Annotated[int, Field(ge=64, le=65_536)]

_LARGEST_DATAGRAM = 65_507
"""Bytes of payload that UDP takes."""

_FIRST_PORT = 5401
_WARM_UP = 0.4
"""Seconds."""
_END = 0.1
"""Seconds before the end in which nothing is measured, as then clients may already stop."""

_MOST_WINDOW = 1.02
"""How long the measured node's window is at the most, as a share of the client's, if its marks are
in time."""
_LATE_NS = 50_000_000
"""By how much the beginning may then be late."""

_OF_OTHERS = ("peer_cpu", "link_use")
"""What other nodes did: in the client's window, not in the whole stream."""


class StreamPlan(WorkloadPlan):
    """Streams of messages: of which transports, message sizes in bytes, which way, and for how
    long each flows, in seconds.
    """

    workload = "stream"

    sizes: tuple[int, ...]
    """Bytes."""
    transports: tuple[Transport, ...]
    """What carries the messages."""
    direction: Direction
    """`send`: from the clients to the server."""
    seconds: int
    """Virtual time for each size."""
    # Not said of a single one, whose records stay what they are.
    flows: int = Field(default=1, exclude_if=lambda flows: flows == 1)
    """Connections that each client has at once. In IPsec each has its own tunnel."""

    @property
    def tunnels(self) -> int:
        """One for each flow."""
        return self.flows

    def label(self, _protocol: str) -> str:
        """Beside cells of the same protocol that fetch files."""
        return self.workload

    @property
    def streams(self) -> tuple[tuple[Transport, int], ...]:
        """Transport and size of each, in the order in which they are measured."""
        return tuple(
            (transport, size)
            for transport in self.transports
            for size in self.sizes
            if transport == "tcp" or size <= _LARGEST_DATAGRAM
        )


Seconds = Annotated[int, Field(ge=1, le=60)]


@with_quick("sizes", "transports", "seconds")
class Stream(WorkloadTable):
    """The streams of every cell; see `StreamPlan`."""

    planned = StreamPlan

    sizes: Many[MessageSize]
    """Message sizes, bytes; above 65507 for TCP only."""
    transports: Many[Transport] = ("tcp", "udp")
    """Protocols that carry the messages."""
    direction: Direction = "send"
    """`send`: from clients to server; `receive`: from server to clients."""
    seconds: Seconds = 3
    """Virtual time for each size."""
    flows: Annotated[int, Field(ge=1, le=16)] = 1
    """Simultaneous TCP connections per client; in IPsec each connection uses its own tunnel."""

    @model_validator(mode="after")
    def _fits_datagrams(self) -> Self:
        for told in (self.values(quick) for quick in (False, True)):
            if "udp" in told["transports"] and min(told["sizes"]) > _LARGEST_DATAGRAM:
                raise ValueError(
                    f"`transports` has udp, whose messages have {_LARGEST_DATAGRAM} bytes at most"
                )
            if "udp" in told["transports"] and self.flows > 1:
                raise ValueError('several `flows` need `transports` "tcp"')
        return self


_SERIES: Mapping[Transport, Series] = {
    "tcp": Series("tcp-stream", "TCP stream by message size"),
    "udp": Series("udp-stream", "UDP stream by message size"),
}


class _Stream(TrafficPart):
    name = "stream"
    meaning = "Streams of messages from iperf3."
    table = Stream
    series = tuple(_SERIES.values())
    columns = tuple(
        Column(
            series.name,
            "throughput",
            f"{transport.upper()}, largest\nMB/s",
            last=True,
        )
        for transport, series in _SERIES.items()
    )
    sections = tuple(
        Section(
            series.name,
            f"Bulk throughput: {series.title}",
            Lines(series, "throughput", "throughput", "MB/s", "message size", "bytes a message"),
            {series.name: "All figures of the streams: CPU use, loss, what each client got"},
        )
        for series in _SERIES.values()
    )

    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        streams = cell.needed(StreamPlan)
        each = len(streams.streams)
        first = {client: _FIRST_PORT + n * each for n, client in enumerate(plan.clients)}
        way = "-R" if streams.direction == "receive" else ""
        flows = f"-P {streams.flows} --cport {FIRST_FLOW_PORT}" if streams.flows > 1 else ""
        ports = range(_FIRST_PORT, _FIRST_PORT + each * len(plan.clients))
        return {
            "STREAMS": " ".join(f"{transport}-{size}" for transport, size in streams.streams),
            "STREAM_SECONDS": str(streams.seconds),
            "STREAM_WARM_UP": str(_WARM_UP),
            "STREAM_MEASURED": f"{streams.seconds - _WARM_UP - _END:g}",
            "STREAM_WAY": " ".join(filter(None, (way, flows))),
            "STREAM_PORT": str(first.get(node, "")),
            "STREAM_PORTS": " ".join(map(str, ports)),
        }

    def actors(self, _cell: Cell, plan: Plan) -> tuple[str, ...]:
        return plan.clients

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        plan = cell.needed(StreamPlan)
        flows = (flow for each in plan.streams for flow in _flows(cell, clients, each))
        arrived = sum(flow.arrived for flow in flows)
        return (arrived, 0) if plan.direction == "receive" else (0, arrived)

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        figures: list[Figure] = []
        for transport, size in cell.needed(StreamPlan).streams:
            values = _values(cell, run, (transport, size))
            parameter = Parameter(size_bytes=size)
            figures += rows(cell, _SERIES[transport].name, parameter, values)
        return figures

    def windows(self, cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        """TCP's before UDP's, the largest first."""
        streams = cell.needed(StreamPlan).streams
        return tuple(map(_window_of, sorted(streams, key=lambda each: (each[0], -each[1]))))


def _window_of(stream: tuple[Transport, int]) -> str:
    """What the window of a stream is called, and iperf3's report."""
    transport, size = stream
    return f"stream-{transport}-{size}"


def _flows(cell: Cell, clients: Sequence[NodeResult], stream: tuple[Transport, int]) -> list[Flow]:
    """What arrived of each client's."""
    plan, name = cell.needed(StreamPlan), _window_of(stream)
    return [
        flow_of(
            data_of(client, name),
            f"{client.name}'s {name}",
            sent=plan.direction == "send",
            between=(_WARM_UP, plan.seconds - _END),
        )
        for client in clients
    ]


def _values(cell: Cell, run: TopologyRun, stream: tuple[Transport, int]) -> Iterator[Value]:
    plan, name = roles(cell, run.topology), _window_of(stream)
    clients = [run.nodes[client] for client in plan.clients]
    flows = _flows(cell, clients, stream)
    yield "throughput", sum(flow.rate for flow in flows) / 1e6
    yield from _work(cell, run, name, clients[0], flows)
    if stream[0] == "tcp":
        yield "retransmissions", sum(flow.retransmitted for flow in flows)
    else:
        yield "loss", 100 * sum(flow.lost for flow in flows) / sum(flow.messages for flow in flows)
    if len(flows) > 1:
        rates = [flow.rate for flow in flows]
        yield "fairness", sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))
        yield "least_share", 100 * min(rates) / sum(rates)


def _work(
    cell: Cell, run: TopologyRun, name: str, client: NodeResult, flows: Sequence[Flow]
) -> Iterator[Value]:
    """What the measured node did meanwhile; nothing if it said too late when the stream began."""
    measured = run.nodes[cell.measured]
    during, asked = window(measured, name), window(client, name).elapsed
    if _is_in_time(measured, name, during.elapsed, asked):
        size = sum(flow.rate for flow in flows) * during.elapsed / 1e9
        load = load_values(cell, run, name)
    elif _since_go(measured, name) >= LEAST_WINDOW * (asked + _WARM_UP * 1e9):
        measured, size = _whole_stream(measured, name, sum(flow.arrived for flow in flows))
        run = replace(run, nodes={**run.nodes, measured.name: measured})
        during = window(measured, name)
        lasted = max(cell.needed(StreamPlan).seconds * 10**9, *during.by_cpu)
        during = replace(during, elapsed=min(during.elapsed, lasted))
        load = (
            value
            for value in load_values(cell, run, name, during.elapsed)
            if value[0] not in _OF_OTHERS
        )
    else:
        return
    yield from cpu_values(during)
    yield from load
    yield "cpu_seconds_per_mb", during.busy / 1e3 / size
    yield from offload_values(cell, measured, name, round(size))


# ---- a node that was too busy to make its marks in time ----


def _is_in_time(node: NodeResult, name: str, elapsed: int, asked: int) -> bool:
    """Whether the node's window, of `elapsed` ns, is the client's, of `asked` ns.

    A gateway that forwards all that its CPU can take may run no program meanwhile, and so obeys the
    client's orders only after the stream.
    """
    if not LEAST_WINDOW * asked <= elapsed <= _MOST_WINDOW * asked:
        return False
    begin = mark_of(node, f"{name}.begin").time_ns
    go = [mark for mark in node.marks if mark.name == f"{name}.go"]
    return not go or begin - go[0].time_ns <= _WARM_UP * 1e9 + _LATE_NS


def _since_go(node: NodeResult, name: str) -> int:
    """From the order to begin the stream to its window's end, by the node's marks, in ns."""
    return mark_of(node, f"{name}.end").time_ns - mark_of(node, f"{name}.go").time_ns


def _whole_stream(node: NodeResult, name: str, arrived: int) -> tuple[NodeResult, float]:
    """The node with a window that begins with the stream, and how many of the `arrived` bytes it
    carried in that window: as many as its ports received of all that they did for the stream.
    """
    names = [mark.name for mark in node.marks]
    first, last = names.index(f"{name}.go"), names.index(f"{name}.end")
    received = [sum(port.rx_bytes for port in mark.ports.values()) for mark in node.marks]
    share = (received[last] - received[first]) / (received[last + 1] - received[first - 1])
    begin = f"{name}.begin"
    marks = [mark for mark in node.marks if mark.name != begin]
    marks[first] = replace(marks[first], name=begin)
    data = {**node.data, f"{begin}.cpu": data_of(node, f"{name}.go.cpu")}
    return replace(node, marks=tuple(marks), data=data), arrived * share


STREAM = _Stream()
