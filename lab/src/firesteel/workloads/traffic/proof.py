# SPDX-License-Identifier: Apache-2.0
"""Counters which show that a cell's traffic went the way it was meant to go.

Every node sends its counters before the first and after the last measurement.  What counts are
those of one tunnel, that of the client's traffic, at its end on the measured node, or else on the
client's side: what it carried, and what was on the wire meanwhile; and those of the measured
board's crypto cores, which say what the hardware did of the work.
"""

import math
import re
from collections.abc import Mapping, Sequence

from firesteel.board.network import Plan, Side, address
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import LARGEST_FRAME, BetweenHosts, Carried, TunnelProtocol
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.offload import cores_growth, cores_proof, engines, is_choice, offloaded
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.window import data_of, mark_of
from firesteel.workloads.traffic.part import TrafficPart
from firesteel.workloads.traffic.roles import roles

_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
_QUEUE = re.compile(r"^qdisc \S+ \S+ dev (\S+) root .*\n Sent .*\(dropped (\d+),", re.MULTILINE)
_LEAST_SHARE = 0.9
"""Of what a tunnel carries: the rest are packets so small that software costs less."""


def traffic_proof(cell: Cell, run: TopologyRun, parts: Sequence[TrafficPart]) -> dict[str, int]:
    """The counters by name; `retransmissions` are the server's TCP segments sent again,
    `nic_dropped` the frames that all nodes' network cards had no room for, `cores.NAME.COUNTER`
    what the window of cores NAME of the measured board counted, zeros if it was not used, and
    `NODE.cores.NAME.COUNTER` what those of another node did.

    With a tunnel: `payload_*`, what the programs sent and received through it; `tunnel_*`, what
    the tunnel says that it carried; `wire_*`, frames and bytes on its wire, and `queue_dropped`
    packets that did not get there; `udp_*`, datagrams.
    Raises `CellFailure` when they do not fit each other: the tunnel did not carry the traffic, or
    other traffic was beside it; and when the cores did not do their part, or any in software.
    """
    plan = roles(cell, run.topology)
    server = run.nodes[plan.server]
    measured = run.nodes[cell.measured]
    cores = cores_proof(cell, measured)
    proof = {
        "retransmissions": snmp_growth(server, "Tcp", "RetransSegs"),
        "nic_dropped": _nic_dropped(run),
        **cores,
        **_other_cores(cell, run),
    }
    payload = _payload(cell, [run.nodes[node] for node in plan.clients], parts)
    protocol = protocol_of(cell)
    overloaded = any(part.overloads for part in parts)
    if not isinstance(protocol, TunnelProtocol):
        if isinstance(protocol, BetweenHosts):
            protocol.check_path(cell, _sections(measured, "proof.after"))
        if not overloaded:
            _check_share(cell, measured, cores, sum(payload))
        return proof
    lost = sum(part.lost(cell, run) for part in parts)
    tunnel = _tunnel_proof(cell, protocol, plan, run, payload, lost)
    if not overloaded:
        carried = tunnel["tunnel_rx_bytes"] + tunnel["tunnel_tx_bytes"]
        _check_share(cell, measured, cores, carried)
    return proof | tunnel


def _payload(
    cell: Cell, clients: Sequence[NodeResult], parts: Sequence[TrafficPart]
) -> tuple[int, int]:
    """Bytes that clients must have received and sent inside the tunnel, at the least."""
    each = [part.payload(cell, clients) for part in parts]
    return sum(received for received, _ in each), sum(sent for _, sent in each)


def _nic_dropped(run: TopologyRun) -> int:
    """Frames that reached a network card of any node and found no room in it."""
    before, after = (
        sum(
            port.rx_dropped
            for node in run.nodes.values()
            for port in mark_of(node, f"proof.{when}").ports.values()
        )
        for when in ("before", "after")
    )
    return after - before


def _other_cores(cell: Cell, run: TopologyRun) -> dict[str, int]:
    return {
        f"{node}.{name}": count
        for node, result in run.nodes.items()
        if node != cell.measured
        for name, count in cores_growth(result, "proof.before", "proof.after").items()
    }


def _tunnel_proof(
    cell: Cell,
    protocol: TunnelProtocol,
    plan: Plan,
    run: TopologyRun,
    payload: tuple[int, int],
    overload_lost: int,
) -> dict[str, int]:
    tunnel = plan.tunnels[0]
    at = cell.measured if cell.measured in tunnel.nodes else tunnel.near.node
    side, node, topology = plan.sides(at)[0], run.nodes[at], run.topology
    protocol.check_path(cell, _sections(node, "proof.after"))
    carried = _tunnel_growth(protocol, side, node)
    port = next(
        port for port in topology.ports(at) if address(topology, at, port) == side.here.here
    )
    before = mark_of(node, "proof.before").ports[port.interface]
    after = mark_of(node, "proof.after").ports[port.interface]
    payload_rx, payload_tx = payload
    if at == tunnel.far.node:  # What the client sends is received here
        payload_rx, payload_tx = payload_tx, payload_rx
    proof = {
        "payload_rx_bytes": payload_rx,
        "payload_tx_bytes": payload_tx,
        "tunnel_rx_bytes": carried.rx_bytes,
        "tunnel_rx_packets": carried.rx_packets,
        "tunnel_tx_bytes": carried.tx_bytes,
        "tunnel_tx_packets": carried.tx_packets,
        "wire_rx_frames": after.rx_frames - before.rx_frames,
        "wire_rx_bytes": after.rx_bytes - before.rx_bytes,
        "wire_tx_frames": after.tx_frames - before.tx_frames,
        "wire_tx_bytes": after.tx_bytes - before.tx_bytes,
        "queue_dropped": _queue_dropped(node, port.interface),
        "overload_lost": overload_lost,
    }
    proof |= protocol.further_counts(
        lambda snmp_protocol, counter: snmp_growth(node, snmp_protocol, counter)
    )
    for way in ("rx", "tx"):
        _check_way(cell, protocol, proof, way)
    return proof


def _queue_dropped(node: NodeResult, interface: str) -> int:
    """Packets that found no room in the kernel's queue in front of a network card."""
    before, after = (
        sum(
            int(dropped)
            for device, dropped in _QUEUE.findall(
                _sections(node, f"proof.{when}").get("queues", "")
            )
            if device == interface
        )
        for when in ("before", "after")
    )
    return after - before


def _check_share(cell: Cell, node: NodeResult, cores: dict[str, int], carried: int) -> None:
    """In hardware the measured board's cores did their part of what the tunnel carried, or the
    stack chose software for it.
    """
    done, least = offloaded(cell, node, cores), math.ceil(carried * _LEAST_SHARE)
    if cell.implementation != "hardware" or done >= least:
        return
    if not is_choice(cell, node, done, least, engines(cell, node.profile)):
        raise CellFailure(
            f"Cell {cell.label}: the cores worked on {done} of {carried} bytes; "
            f"at least {_LEAST_SHARE:.0%} are expected; software may do small packets, and "
            "what its driver or library says that it does faster."
        )


def _check_way(cell: Cell, protocol: TunnelProtocol, proof: Mapping[str, int], way: str) -> None:
    """The payload was in the tunnel, the tunnel on the wire, and nothing else of size with it."""
    inside, carried = proof[f"payload_{way}_bytes"], proof[f"tunnel_{way}_bytes"]
    wire = proof[f"wire_{way}_bytes"]
    # What a tunnel has taken in may be more than the wire behind it takes.
    lost = (proof["queue_dropped"] + proof["overload_lost"]) * LARGEST_FRAME if way == "tx" else 0
    if carried < inside:
        raise _not_carried(cell, way, f"it counts {carried} bytes, the programs {inside}")
    if wire + lost < carried:
        raise _not_carried(cell, way, f"it counts {carried} bytes, the wire only {wire}")
    if why := protocol.contradiction(proof, way):
        raise _not_carried(cell, way, why)


def _not_carried(cell: Cell, way: str, why: str) -> CellFailure:
    verb = {"rx": "received", "tx": "sent"}[way]
    return CellFailure(f"Cell {cell.label}: the tunnel did not carry what was {verb}: {why}.")


def _tunnel_growth(protocol: TunnelProtocol, side: Side, node: NodeResult) -> Carried:
    before, after = (_sections(node, f"proof.{when}") for when in ("before", "after"))
    return protocol.counts(after, side) - protocol.counts(before, side)


def _sections(node: NodeResult, item: str) -> dict[str, str]:
    parts = _SECTION.split(data_of(node, item).decode(errors="replace"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def snmp_growth(node: NodeResult, protocol: str, counter: str) -> int:
    """What a counter of /proc/net/snmp grew by, from before the first measurement to after the
    last.
    """
    before, after = (
        _snmp(_sections(node, f"proof.{when}").get("snmp", ""), protocol)
        for when in ("before", "after")
    )
    if counter not in before or counter not in after:
        raise CellFailure(f"Node {node.name} does not report its {protocol} counter {counter}.")
    return after[counter] - before[counter]


def _snmp(text: str, protocol: str) -> dict[str, int]:
    lines = [line.split()[1:] for line in text.splitlines() if line.startswith(f"{protocol}:")]
    if len(lines) != 2:
        return {}
    return {name: int(value) for name, value in zip(*lines, strict=True)}
