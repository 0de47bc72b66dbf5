# SPDX-License-Identifier: Apache-2.0
"""Counters which show that a cell's traffic went the way it was meant to go.

Every node sends its counters before the first and after the last measurement.  What counts are
those of the tunnel's end at the measured node, or else at the client's side: what the tunnel
carried, and what was on the wire meanwhile; and those of the measured board's crypto cores, which
say what the hardware did of the work.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.board.network import address
from firesteel.board.plan import Plan
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.tunnels import TunnelEnd
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.offload import cores_growth, cores_proof, offloaded
from firesteel.protocols.tunnel import plan
from firesteel.protocols.window import data_of, mark_of
from firesteel.workloads.ping import parse_ping
from firesteel.workloads.transfer import fetched

_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
_ASSOCIATION = re.compile(r"^src (\S+) dst (\S+)$", re.MULTILINE)
_CURRENT = re.compile(r"lifetime current:\s+(\d+)\(bytes\), (\d+)\(packets\)")
_DEVICE = re.compile(r"^([rt]x)_(bytes|packets):(\d+)$", re.MULTILINE)

_LEAST_SHARE = 0.9
"""Of what a tunnel carries: the rest are packets so small that software costs less."""

_OTHER_BYTES = 400 * 1514
"""Bytes on the wire beside the tunnel's that a run may have: ARP, IKE, orders to other nodes."""

_ESP_BYTES = 14 + 20 + 8 + 16 + 17 + 16
"""The most that ESP adds to a packet on the wire: Ethernet and outer IPv4 headers, SPI and
sequence number, IV, padding and trailer, ICV (RFC 4303)."""

_FRAGMENT_BYTES = 14 + 20
"""What each further fragment of a packet adds: ESP may push a full one over the wire's MTU."""

_ECHO_HEADERS = 28
"""Bytes of the IPv4 and ICMP headers of an echo request or reply."""


@dataclass(frozen=True)
class _Counts:
    """Bytes and packets that the tunnel took in and sent, at one instant or between two."""

    rx_bytes: int = 0
    rx_packets: int = 0
    tx_bytes: int = 0
    tx_packets: int = 0

    def __sub__(self, other: "_Counts") -> "_Counts":
        return _Counts(
            self.rx_bytes - other.rx_bytes,
            self.rx_packets - other.rx_packets,
            self.tx_bytes - other.tx_bytes,
            self.tx_packets - other.tx_packets,
        )


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """The counters by name; `retransmissions` are the server's TCP segments sent again,
    `nic_dropped` the frames that all nodes' network cards had no room for, `cores.NAME.COUNTER`
    what the window of cores NAME of the measured board counted, zeros if it was not used, and
    `NODE.cores.NAME.COUNTER` what those of another node did.

    With a tunnel: `payload_*`, what the programs sent and received through it; `tunnel_*`, what
    the tunnel says that it carried; `wire_*`, frames and bytes on its wire; `udp_*`, datagrams.
    Raises `CellFailure` when they do not fit each other: the tunnel did not carry the traffic, or
    other traffic was beside it; and when the cores did not do their part, or any in software.
    """
    parts = plan(cell, run.topology)
    server = run.nodes[parts.server]
    measured = run.nodes[cell.measured]
    cores = cores_proof(cell, measured)
    proof = {
        "retransmissions": _snmp_growth(server, "Tcp", "RetransSegs"),
        "nic_dropped": _nic_dropped(run),
        **cores,
        **_other_cores(cell, run),
    }
    if cell.protocol == "ssh" and cell.transfer:
        client = run.nodes[parts.client]
        _check_share(cell, measured, cores, sum(fetched(cell.transfer, client)))
    if not parts.tunnels:
        return proof
    tunnel = _tunnel_proof(cell, parts, run)
    carried = tunnel["tunnel_rx_bytes"] + tunnel["tunnel_tx_bytes"]
    _check_share(cell, measured, cores, carried)
    return proof | tunnel


def payload(cell: Cell, client: NodeResult) -> tuple[int, int]:
    """Bytes that the client must have received and sent inside the tunnel, at the least.

    What it sent are echo requests, what it received the replies that came, and the files.
    """
    received, sent = sum(fetched(cell.transfer, client)) if cell.transfer else 0, 0
    for size in cell.ping.sizes if cell.ping else ():
        count = cell.ping.count if cell.ping else 0
        ping = parse_ping(data_of(client, f"ping-{size}"), size, count)
        received += len(ping.times) * (size + _ECHO_HEADERS)
        sent += ping.sent * (size + _ECHO_HEADERS)
    return received, sent


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


def _tunnel_proof(cell: Cell, parts: Plan, run: TopologyRun) -> dict[str, int]:
    tunnel = parts.tunnels[0]
    end, _ = tunnel.end(cell.measured) or (tunnel.near, tunnel.far)
    node, topology = run.nodes[end.node], run.topology
    carried = _tunnel_growth(cell, end, node)
    port = next(
        port for port in topology.ports(node.name) if address(topology, node.name, port) == end.here
    )
    before = mark_of(node, "proof.before").ports[port.interface]
    after = mark_of(node, "proof.after").ports[port.interface]
    payload_rx, payload_tx = payload(cell, run.nodes[parts.client])
    if end == tunnel.far:  # What the client sends is received here
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
    }
    if cell.protocol == "openvpn":
        proof["udp_rx_datagrams"] = _snmp_growth(node, "Udp", "InDatagrams")
        proof["udp_tx_datagrams"] = _snmp_growth(node, "Udp", "OutDatagrams")
    for way in ("rx", "tx"):
        _check_way(cell, proof, way)
    return proof


def _check_share(cell: Cell, node: NodeResult, cores: dict[str, int], carried: int) -> None:
    """In hardware the measured board's cores did their part of what the tunnel carried."""
    done = offloaded(cell, node, cores)
    if cell.implementation == "hardware" and done < carried * _LEAST_SHARE:
        raise CellFailure(
            f"Cell {cell.label}: the cores worked on {done} of {carried} bytes; "
            f"at least {_LEAST_SHARE:.0%} are expected; software may do small packets."
        )


def _check_way(cell: Cell, proof: Mapping[str, int], way: str) -> None:
    """The payload was in the tunnel, the tunnel on the wire, and nothing else of size with it."""
    inside, carried = proof[f"payload_{way}_bytes"], proof[f"tunnel_{way}_bytes"]
    wire, frames = proof[f"wire_{way}_bytes"], proof[f"wire_{way}_frames"]
    if carried < inside:
        raise _not_carried(cell, way, f"it counts {carried} bytes, the programs {inside}")
    if wire < carried:
        raise _not_carried(cell, way, f"it counts {carried} bytes, the wire only {wire}")
    packets = proof[f"tunnel_{way}_packets"]
    most = carried + packets * (_ESP_BYTES + _FRAGMENT_BYTES) + _OTHER_BYTES
    if cell.protocol == "ipsec" and (wire > most or frames < packets):
        what = f"it counts {carried} bytes in {packets} packets, the wire {wire} in {frames} frames"
        raise _not_carried(cell, way, what)
    if cell.protocol == "openvpn" and proof[f"udp_{way}_datagrams"] < packets:
        datagrams = proof[f"udp_{way}_datagrams"]
        raise _not_carried(cell, way, f"it counts {packets} packets, UDP {datagrams} datagrams")


def _not_carried(cell: Cell, way: str, why: str) -> CellFailure:
    verb = {"rx": "received", "tx": "sent"}[way]
    return CellFailure(f"Cell {cell.label}: the tunnel did not carry what was {verb}: {why}.")


def _tunnel_growth(cell: Cell, end: TunnelEnd, node: NodeResult) -> _Counts:
    read = {"openvpn": _device_counts, "ipsec": _association_counts}[cell.protocol]
    before, after = (_sections(node, f"proof.{when}") for when in ("before", "after"))
    return read(after, end) - read(before, end)


def _sections(node: NodeResult, item: str) -> dict[str, str]:
    parts = _SECTION.split(data_of(node, item).decode(errors="replace"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _device_counts(sections: Mapping[str, str], end: TunnelEnd) -> _Counts:
    found = {
        f"{way}_{unit}": int(value) for way, unit, value in _DEVICE.findall(sections.get("tun", ""))
    }
    if len(found) != 4:
        raise CellFailure(f"Node {end.node} has no tunnel device.")
    return _Counts(**found)


def _association_counts(sections: Mapping[str, str], end: TunnelEnd) -> _Counts:
    parts = _ASSOCIATION.split(sections.get("xfrm", ""))
    total = _Counts()
    for destination, body in zip(parts[2::3], parts[3::3], strict=True):
        current = _CURRENT.search(body)
        if not current:
            raise CellFailure(f"Node {end.node}: an IPsec association has no counters.")
        size, packets = int(current[1]), int(current[2])
        if destination == end.here:
            total -= _Counts(rx_bytes=-size, rx_packets=-packets)
        else:
            total -= _Counts(tx_bytes=-size, tx_packets=-packets)
    return total


def _snmp_growth(node: NodeResult, protocol: str, counter: str) -> int:
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
