# SPDX-License-Identifier: Apache-2.0
"""Runs recorded on virtual boards: 20 pings of each size and a file of 2 MiB, host to host."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from firesteel.board.profile import load_profile
from firesteel.board.result import Mark, NodeResult, PortCounters, TopologyRun, read_probe_log
from firesteel.board.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.transfer import TransferPlan

Protocol = Literal["ipsec", "openvpn"]
CPU = b"irq_ns 0\nsoftirq_ns 0\ncpu  0 0 0 0 0 0 0 0 0 0\nintr 0 \nctxt 0\n"
"""What goes with a mark at which nothing had happened yet."""

_RECORDED = Path(__file__).parent / "recorded"


def cell(protocol: Protocol) -> Cell:
    """The cell that was run."""
    return Cell(
        topology="host-host",
        profiles={"board": "socrates", "peer": "peer"},
        measured="board",
        protocol=protocol,
        cipher="aes-256-cbc",
        mac="sha256",
        implementation="software",
        plans=(
            PingPlan(sizes=(56, 1000, 8000, 16000), count=20),
            TransferPlan(size=2 << 20),
        ),
    )


def run(protocol: Protocol, board: str = "socrates") -> TopologyRun:
    """What its nodes reported, the board as if it had that profile."""
    nodes = {}
    for name, profile in (("board", board), ("peer", "peer")):
        log = read_probe_log(_RECORDED / protocol / f"{name}.jsonl")
        nodes[name] = NodeResult(name, log.marks, log.data, "", load_profile(profile))
    return TopologyRun(nodes, "0" * 64, load_topology("host-host"))


def with_data(whole: TopologyRun, item: str, content: bytes | None) -> TopologyRun:
    """The run with another data item of the board's, or without it."""
    board = whole.nodes["board"]
    data = {name: value for name, value in board.data.items() if name != item}
    if content is not None:
        data[item] = content
    return replace(whole, nodes=whole.nodes | {"board": replace(board, data=data)})


def with_window(whole: TopologyRun, name: str, other: str, times: int) -> TopologyRun:
    """The run with a window of every node again, by another name and so many times as long."""
    nodes = {}
    for node, result in whole.nodes.items():
        first, last = result.mark(f"{name}.begin"), result.mark(f"{name}.end")
        marks = (
            *result.marks,
            replace(first, name=f"{other}.begin"),
            replace(_extrapolated(first, last, times), name=f"{other}.end"),
        )
        data = result.data | {f"{other}.{end}.cpu": CPU for end in ("begin", "end")}
        nodes[node] = replace(result, marks=marks, data=data)
    return replace(whole, nodes=nodes)


def _extrapolated(first: Mark, last: Mark, times: int) -> Mark:
    """The instant that is so many times as far from the first."""
    ports = {
        name: PortCounters(
            **{
                field: _grown(getattr(first.ports[name], field), value, times)
                for field, value in vars(port).items()
            }
        )
        for name, port in last.ports.items()
    }
    numbers = {
        field: _grown(getattr(first, field), getattr(last, field), times)
        for field in ("time_ns", "instructions", "idle_ns", "stalled_ns", "user_ns")
    }
    return replace(last, ports=ports, **numbers)


def _grown(first: Any, last: Any, times: int) -> Any:
    if isinstance(last, tuple):
        return tuple(_grown(one, two, times) for one, two in zip(first, last, strict=True))
    return first + times * (last - first)


def without_a_reply(ping: bytes) -> bytes:
    """What ping would have printed without the last of 20 replies."""
    lines = ping.split(b"\n")
    last = next(line for line in reversed(lines) if b"icmp_seq=" in line)
    return b"\n".join(line for line in lines if line is not last).replace(
        b" 20 received, 0% packet loss", b" 19 received, 5% packet loss"
    )


def without_tunnel(cell: Cell) -> Cell:
    """The cell as it would be in the clear."""
    return cell.model_copy(update={"protocol": "none", "cipher": "none", "mac": "none"})


def without_mark(whole: TopologyRun, name: str) -> TopologyRun:
    """The run without one of the board's marks."""
    board = whole.nodes["board"]
    marks = tuple(mark for mark in board.marks if mark.name != name)
    return replace(whole, nodes=whole.nodes | {"board": replace(board, marks=marks)})


def with_wire_bytes(whole: TopologyRun, name: str, more: int) -> TopologyRun:
    """The run with more bytes received on the board's wire up to one of its marks."""
    return _with_ports(
        whole, "board", name, lambda port: replace(port, rx_bytes=port.rx_bytes + more)
    )


def with_large_frames(whole: TopologyRun, name: str) -> TopologyRun:
    """The run with ten frames of the largest class received up to one of the board's marks."""
    return _with_ports(
        whole,
        "board",
        name,
        lambda port: replace(port, rx_sizes=(*port.rx_sizes[:-1], port.rx_sizes[-1] + 10)),
    )


def with_frames_lost(whole: TopologyRun, frames: int) -> TopologyRun:
    """The run with fewer frames sent on the board's wire."""
    return _with_ports(
        whole, "board", "proof.after", lambda port: replace(port, tx_frames=port.tx_frames - frames)
    )


def with_queue_drops(whole: TopologyRun, device: str, packets: int) -> TopologyRun:
    """The run with packets dropped by the queue in front of a network card of the board's."""
    for when, dropped in (("before", 2), ("after", 2 + packets)):
        section = (
            "[queues]\n"
            "qdisc noqueue 0: dev lo root refcnt 2\n"
            " Sent 0 bytes 0 pkt (dropped 9, overlimits 0 requeues 0)\n"
            f"qdisc pfifo_fast 0: dev {device} root refcnt 2 bands 3\n"
            f" Sent 123 bytes 4 pkt (dropped {dropped}, overlimits 0 requeues 8)\n"
        )
        item = f"proof.{when}"
        whole = with_data(whole, item, whole.nodes["board"].data[item] + section.encode())
    return whole


def with_drops(whole: TopologyRun, node: str, name: str, more: int) -> TopologyRun:
    """The run with more frames dropped by a node's network card up to one of its marks."""
    return _with_ports(
        whole, node, name, lambda port: replace(port, rx_dropped=port.rx_dropped + more)
    )


def with_core_counts(
    whole: TopologyRun, node: str, name: str, counts: dict[str, int]
) -> TopologyRun:
    """The run with a node's cores having counted so much up to one of its marks."""

    def count(mark: Mark) -> Mark:
        return replace(mark, cores={core: old | counts for core, old in mark.cores.items()})

    return _with_mark(whole, node, name, count)


def with_cores(whole: TopologyRun, node: str, cores: dict[str, dict[str, int]]) -> TopologyRun:
    """The run with a node having cores: their counters in all of its marks."""
    for name in ("proof.before", "proof.after"):
        whole = _with_mark(whole, node, name, lambda mark: replace(mark, cores=cores))
    return whole


def _with_ports(
    whole: TopologyRun, node: str, name: str, change: Callable[[PortCounters], PortCounters]
) -> TopologyRun:
    def changed(mark: Mark) -> Mark:
        return replace(
            mark, ports={port: change(counters) for port, counters in mark.ports.items()}
        )

    return _with_mark(whole, node, name, changed)


def _with_mark(
    whole: TopologyRun, node: str, name: str, change: Callable[[Mark], Mark]
) -> TopologyRun:
    before = whole.nodes[node]
    marks = tuple(change(mark) if mark.name == name else mark for mark in before.marks)
    return replace(whole, nodes=whole.nodes | {node: replace(before, marks=marks)})
