# SPDX-License-Identifier: Apache-2.0
"""Runs recorded on virtual boards, and others made of them: 20 pings of each size and a file of
2 MiB, host to host.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from made_cells import made

from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, NodeResult, PortCounters, TopologyRun, read_probe_log
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.transfer import TransferPlan

Protocol = Literal["ipsec", "openvpn"]
CPU = b"irq_ns 0\nsoftirq_ns 0\ncpu  0 0 0 0 0 0 0 0 0 0\nintr 0 \nctxt 0\n"
"""What goes with a mark at which nothing had happened yet."""

_RECORDED = Path(__file__).parent / "recorded"


def cell(protocol: str, **changes: Any) -> Cell:
    """The cell that was run."""
    plans = (PingPlan(sizes=(56, 1000, 8000, 16000), count=20), TransferPlan(size=2 << 20))
    return made(protocol, "aes-256-cbc:sha256", *plans, **changes)


def run(protocol: Protocol, board: str = "socrates") -> TopologyRun:
    """What its nodes reported, the board as if it had that profile."""
    nodes = {}
    for name, profile in (("board", board), ("peer", "peer")):
        log = read_probe_log(_RECORDED / protocol / f"{name}.jsonl")
        nodes[name] = NodeResult(name, log.marks, log.data, "", load_profile(profile))
    return TopologyRun(nodes, "0" * 64, load_topology("host-host"))


def board_run(log: str, profile: str) -> TopologyRun:
    """What the board of that profile reported whose log lies at that place in `recorded`."""
    read = read_probe_log(_RECORDED / log)
    board = NodeResult("board", read.marks, read.data, "", load_profile(profile))
    return TopologyRun({"board": board}, "0" * 64, load_topology("one-board"))


def with_aes_bytes(run: TopologyRun, done: Mapping[str, float]) -> TopologyRun:
    """The run as if the cores had worked on so many bytes before each of the marks in `done`."""
    board = run.nodes["board"]
    total = 0
    marks: list[Mark] = []
    for mark in board.marks:
        total += int(done.get(mark.name, 0))
        counted = mark.cores.get("crypto0", {}) | {"aes_bytes": total}
        marks.append(replace(mark, cores=mark.cores | {"crypto0": counted} if mark.cores else {}))
    return replace(run, nodes={"board": replace(board, marks=tuple(marks))})


def with_node(whole: TopologyRun, node: str, **changes: Any) -> TopologyRun:
    """The run with something of a node's otherwise."""
    return replace(whole, nodes=whole.nodes | {node: replace(whole.nodes[node], **changes)})


def with_data(
    whole: TopologyRun, item: str, content: bytes | None, node: str = "board"
) -> TopologyRun:
    """The run with another data item of a node's, or without it."""
    data = {name: value for name, value in whole.nodes[node].data.items() if name != item}
    if content is not None:
        data[item] = content
    return with_node(whole, node, data=data)


def with_mark(
    whole: TopologyRun, name: str, change: Callable[[Mark], Mark], node: str = "board"
) -> TopologyRun:
    """The run with a mark of a node's otherwise."""
    marks = (change(mark) if mark.name == name else mark for mark in whole.nodes[node].marks)
    return with_node(whole, node, marks=tuple(marks))


def with_ports(
    whole: TopologyRun, more: Mapping[str, int], name: str = "proof.after", node: str = "board"
) -> TopologyRun:
    """The run with more counted by each of a node's ports up to one of its marks."""

    def changed(port: PortCounters) -> PortCounters:
        return replace(port, **{key: getattr(port, key) + add for key, add in more.items()})

    def change(mark: Mark) -> Mark:
        return replace(mark, ports={key: changed(port) for key, port in mark.ports.items()})

    return with_mark(whole, name, change, node)


def with_core_counts(
    whole: TopologyRun, node: str, name: str, counts: dict[str, int]
) -> TopologyRun:
    """The run with a node's cores having counted so much up to one of its marks."""

    def count(mark: Mark) -> Mark:
        return replace(mark, cores={core: old | counts for core, old in mark.cores.items()})

    return with_mark(whole, name, count, node)


def with_window(whole: TopologyRun, name: str, other: str, times: int) -> TopologyRun:
    """The run with a window of every node again, by another name and so many times as long."""
    for node, result in whole.nodes.items():
        first, last = result.mark(f"{name}.begin"), result.mark(f"{name}.end")
        ports = {
            port: PortCounters(**_grown(vars(first.ports[port]), vars(after), times))
            for port, after in last.ports.items()
        }
        names = ("time_ns", "instructions", "idle_ns", "stalled_ns", "user_ns")
        begun, ended = ({key: getattr(each, key) for key in names} for each in (first, last))
        numbers = _grown(begun, ended, times)
        marks = (
            *result.marks,
            replace(first, name=f"{other}.begin"),
            replace(last, name=f"{other}.end", ports=ports, **numbers),
        )
        data = result.data | {f"{other}.{end}.cpu": CPU for end in ("begin", "end")}
        whole = with_node(whole, node, marks=marks, data=data)
    return whole


def _grown(first: Any, last: Any, times: int) -> Any:
    """What is so many times as far from the first."""
    if isinstance(last, dict):
        return {key: _grown(first[key], value, times) for key, value in last.items()}
    if isinstance(last, tuple):
        return tuple(_grown(one, two, times) for one, two in zip(first, last, strict=True))
    return first + times * (last - first)
