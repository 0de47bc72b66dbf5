# SPDX-License-Identifier: Apache-2.0
"""Made-up cells of streams and of work beside traffic, and runs of them around what iperf3 reported
on virtual boards without a tunnel: 64-byte messages for one second.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from made_cells import made
from workloads.made_handshakes import CPU

from firesteel.boards.profile import load_profile
from firesteel.boards.result import SIZE_CLASSES, Mark, NodeResult, PortCounters, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.workloads.sieve import SievePlan
from firesteel.workloads.stream import StreamPlan

_RECORDED = Path(__file__).parent / "recorded" / "stream"
_SIZES = (0,) * len(SIZE_CLASSES)
_NONE = PortCounters(0, 0, 0, 0, 0, 0, 0, _SIZES, _SIZES)


def report(transport: str) -> dict[str, Any]:
    """What iperf3 reported of that stream."""
    told: dict[str, Any] = json.loads((_RECORDED / f"{transport}-64.json").read_bytes())
    return told


def streams(topology: str = "host-host", **changes: Any) -> Cell:
    plan = StreamPlan(sizes=(64,), transports=("tcp", "udp"), direction="send", seconds=1)
    return made("none", "none:none", plan.model_copy(update=changes), topology=topology)


def work(topology: str = "host-host", of: tuple[str, str] = ("none", "none:none")) -> Cell:
    return made(*of, SievePlan(rounds=1, rate_bit_s=8_000_000, seconds=5), topology=topology)


def work_beside(protocol: str, topology: str = "host-host") -> Cell:
    """Beside a protocol of programs."""
    return work(topology, (protocol, "aes-256-gcm:gcm"))


def stream_run(of: Cell, reports: Mapping[str, Mapping[str, Any]]) -> TopologyRun:
    """Streams of a second each, one after the other; `reports` by client and window."""
    times = {
        f"{name}.{which}": 1.0 + number + at
        for number, name in enumerate(("stream-tcp-64", "stream-udp-64"))
        for which, at in (("begin", 0.4), ("end", 0.9))
    }
    data = {
        client: {name: json.dumps(each).encode() for name, each in told.items()}
        for client, told in reports.items()
    }
    return _run(of, dict.fromkeys(load_topology(of.topology).nodes, times), data)


def busy_gateway_run(of: Cell, told: Mapping[str, Any], *, go: float) -> TopologyRun:
    """A stream of a second from 1.0 on, through a gateway that makes its marks after it; the order
    to begin, too, if `go` is late.
    """
    window = "stream-tcp-64"
    times = {f"{window}.begin": 1.4, f"{window}.end": 1.9}
    late = {"proof.before": 0.9, f"{window}.go": go}
    late |= {f"{window}.begin": 2.1, f"{window}.end": 2.100002, "proof.after": 3.0}
    nodes = dict.fromkeys(load_topology(of.topology).nodes, times) | {of.measured: late}
    run = _run(of, nodes, {"host-a": {window: json.dumps(told).encode()}})
    gateway = run.nodes[of.measured]
    marks = tuple(
        replace(
            mark,
            ports={
                name: replace(port, rx_bytes=8000 if mark.time_ns > 2e9 else 0)
                for name, port in mark.ports.items()
            },
        )
        for mark in gateway.marks
    )
    return replace(run, nodes=run.nodes | {of.measured: replace(gateway, marks=marks)})


def sieve_run(*, took: float, rate: float, said: str = "78498") -> TopologyRun:
    """The work took 1 s alone, and `took` seconds from half a second after traffic of `rate` bit/s
    began.
    """
    board = {"sieve-idle.begin": 1.0, "sieve-idle.end": 2.0, "sieve-traffic.begin": 3.0}
    board |= {"sieve-beside.begin": 3.5, "sieve-beside.end": 3.5 + took}
    told = {name: said.encode() for name in ("sieve-idle", "sieve-beside")}
    told["sieve-traffic"] = json.dumps(constant(rate)).encode()
    return _run(work(), {"board": board, "peer": {}}, {"board": told})


def file_run(*, took: float, rate: float) -> TopologyRun:
    """The same beside a file of 5 MB at that rate, for whose bytes the wire carried 5 % more."""
    starts = {"sieve-idle.begin": 1.0, "sieve-idle.end": 2.0, "sieve-traffic.begin": 3.0}
    times = starts | {"sieve-beside.begin": 3.5, "sieve-beside.end": 3.5 + took}
    times["sieve-traffic.end"] = 3.0 + 40e6 / rate
    told = dict.fromkeys(("sieve-idle", "sieve-beside"), b"78498")
    run = _run(work(), {"board": times, "peer": {}}, {"board": told})
    return replace(run, nodes=run.nodes | {"board": _receiving(run.nodes["board"], rate)})


def _receiving(node: NodeResult, rate: float) -> NodeResult:
    marks = []
    for mark in node.marks:
        received = round(max(mark.time_ns / 1e9 - 3.0, 0) * rate / 8 * 1.05)
        ports = {name: replace(port, rx_bytes=received) for name, port in mark.ports.items()}
        marks.append(replace(mark, ports=ports))
    return replace(node, marks=tuple(marks))


def constant(rate: float) -> dict[str, Any]:
    """What iperf3 reports of 5 s at a rate."""
    intervals = [
        {"sum": {"start": n / 10, "end": (n + 1) / 10, "seconds": 0.1, "bytes": int(rate / 80)}}
        for n in range(50)
    ]
    return {"intervals": intervals, "server_output_json": {"intervals": intervals}}


def _run(
    of: Cell, times: Mapping[str, Mapping[str, float]], data: Mapping[str, Mapping[str, bytes]]
) -> TopologyRun:
    topology, nodes = load_topology(of.topology), {}
    for name, profile in of.profiles.items():
        ports = {port.interface: _NONE for port in topology.ports(name)}
        marks = tuple(_mark(mark, at, ports) for mark, at in times[name].items())
        told = {f"{mark}.cpu": CPU for mark in times[name]} | dict(data.get(name, {}))
        nodes[name] = NodeResult(name, marks, told, "", load_profile(profile))
    return TopologyRun(nodes, "0" * 64, topology)


def _mark(name: str, at: float, ports: Mapping[str, PortCounters]) -> Mark:
    """The CPU is busy for a quarter of the time."""
    time_ns = round(at * 1e9)
    return Mark(name, time_ns, 0, time_ns * 3 // 4, 0, 0, dict(ports), {})
