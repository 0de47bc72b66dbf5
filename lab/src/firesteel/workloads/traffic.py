# SPDX-License-Identifier: Apache-2.0
"""Traffic between hosts: pings, files and the like, measured in one boot, directly or through a
tunnel.

Every node sends its counters before the first and after the last measurement.  They show that the
traffic went the way it was meant to go.  Only the tunnel of the client's traffic counts, at its end
on the measured node, or else on the client's side.  Counters have its content, and the frames on
the wire at the same time.  Counters of the measured board's crypto cores count too.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from firesteel.base.errors import FiresteelError
from firesteel.boards import network as board_network
from firesteel.boards.job import Job, JobFile, script
from firesteel.boards.network import Plan, address, addresses, inside_routes, network_commands
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.result import NodeResult, PortCounters, TopologyRun
from firesteel.boards.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.between_hosts import (
    LARGEST_FRAME,
    BetweenHosts,
    TunnelProtocol,
    tunnel_settings,
)
from firesteel.protocols.kernel import driver_module, kernel_software
from firesteel.protocols.offload import cores_growth, cores_proof, engines, is_choice, offloaded
from firesteel.protocols.protocol import HABITS, Protocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site, settings_file, start_offset
from firesteel.protocols.window import CellFailure, data_of, mark_of
from firesteel.workloads.workload import Session, Workload

_SCRIPTS = BOARD_FILES / "jobs"

_EVERYWHERE = ("run.sh", "functions.sh", "account.sh", "kernel-software.sh")
_CLIENT, _OTHERS = ("orders.sh", "measure.sh"), ("follow.sh",)
"""What nodes have, whatever is measured.  A record depends on what its nodes are sent, so each is
sent what it needs.
"""

_FIRST_ORDERS_PORT = 7000
_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
_QUEUE = re.compile(r"^qdisc \S+ \S+ dev (\S+) root .*\n Sent .*\(dropped (\d+),", re.MULTILINE)
_LEAST_SHARE = 0.9
"""Of what a tunnel carries: the rest are packets so small that software costs less."""

_ENDS = ("proof.before", "proof.after")


def between_hosts(cell: Cell) -> BetweenHosts:
    """The cell's protocol; `FiresteelError` when it carries nothing between hosts."""
    protocol = protocol_of(cell)
    if not isinstance(protocol, BetweenHosts):
        raise FiresteelError(f"Cell {cell.label}: {protocol.name} carries no traffic.")
    return protocol


def roles(cell: Cell, topology: Topology) -> Plan:
    """The parts that nodes have; `FiresteelError` when the topology has no such."""
    tunnels = isinstance(protocol_of(cell), TunnelProtocol)
    return board_network.plan(topology, cell.topology, tunnels=tunnels)


def client_of(cell: Cell, run: TopologyRun) -> NodeResult:
    """What the client reported."""
    return run.nodes[roles(cell, run.topology).client]


class TrafficPart(Workload, ABC):
    """A workload of the client while its way to the server is up, for cells with a plan of it.  It
    measures protocols that carry packets, unless `measures` names others.

    What the client does of it is board/jobs/measure-NAME.sh, and with `serves` the server does
    serve-NAME.sh before.  With `overloads` it sends more than the measured board can take, whose
    software then helps the cores: it sees to their share itself.
    """

    serves = True
    overloads = False

    def measures(self, protocol: Protocol) -> bool:
        """What carries packets."""
        return isinstance(protocol, BetweenHosts) and protocol.carries_packets

    def lost(self, _cell: Cell, _run: TopologyRun) -> int:
        """Known losses of frames: a part that `overloads` loses some."""
        return 0

    def scripts(self, _cell: Cell) -> tuple[str, ...]:
        """What nodes need of board/jobs/ for it."""
        return (f"measure-{self.name}.sh", *((f"serve-{self.name}.sh",) if self.serves else ()))

    @abstractmethod
    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        """These scripts' variables on a node; each says what its own mean."""

    def actors(self, _cell: Cell, _plan: Plan) -> tuple[str, ...]:
        """Nodes that do something at the client's orders: `act_NAME` of its script.  Where there
        are any, the variable NAME_OTHERS has the ports of those that take orders.
        """
        return ()

    @abstractmethod
    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        """Bytes that the clients together must have received and sent for it, at the least."""


class Traffic(Session):
    """Pings, files and the like from a client to a server, in the order in which they go."""

    name = "traffic"

    def __init__(self, parts: Sequence[TrafficPart]) -> None:
        self._parts = tuple(parts)

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """In the order in which they are measured."""
        return self._parts

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """Of all nodes of the topology."""
        plan = roles(cell, site.topology)
        parts = self._measured(cell)
        return {node: _job(cell, site, plan, parts, node) for node in site.topology.nodes}

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """The counters by name.  `retransmissions` are TCP segments that the server sent again, and
        `nic_dropped` the frames for which network cards of any node had no room.
        `cores.NAME.COUNTER` is a counter of the measured board's window of cores NAME, zero if
        unused, and `NODE.cores.NAME.COUNTER` is another node's.

        With a tunnel: `payload_*` counts the programs' traffic through it, and `tunnel_*` is the
        tunnel's own count.  `wire_*` counts frames and bytes on its wire, `queue_dropped` packets
        that did not get there, and `udp_*` datagrams.  Raises `CellFailure` if counters contradict
        each other: the tunnel did not carry the traffic, or there was other traffic.  Also if the
        cores did not do their part, or did any part in software.
        """
        plan, parts, protocol = roles(cell, run.topology), self._measured(cell), between_hosts(cell)
        measured = run.nodes[cell.measured]
        cores = cores_proof(cell, measured, kernel=protocol.asks_kernel)
        proof = {
            "retransmissions": snmp_growth(run.nodes[plan.server], "Tcp", "RetransSegs"),
            "nic_dropped": sum(map(_nic_dropped, run.nodes.values())),
            **cores,
        }
        for node, result in run.nodes.items():
            if node != cell.measured:
                growth = cores_growth(result, *_ENDS)
                proof |= {f"{node}.{name}": count for name, count in growth.items()}
        clients = [run.nodes[node] for node in plan.clients]
        each = [part.payload(cell, clients) for part in parts]
        payload = sum(received for received, _ in each), sum(sent for _, sent in each)
        if isinstance(protocol, TunnelProtocol):
            lost = sum(part.lost(cell, run) for part in parts)
            proof |= _tunnel_proof(cell, protocol, plan, run, payload, lost)
            carried = proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]
        else:
            protocol.check_path(cell, _sections(measured, "proof.after"))
            carried = sum(payload)
        if not any(part.overloads for part in parts):
            _check_share(cell, protocol, measured, cores, carried)
        return proof

    def _measured(self, cell: Cell) -> list[TrafficPart]:
        """What the cell has a plan of."""
        planned = {plan.workload for plan in cell.plans}
        return [part for part in self._parts if part.name in planned]


# ---- jobs ----


def _job(cell: Cell, site: Site, plan: Plan, parts: Sequence[TrafficPart], node: str) -> Job:
    topology, protocol = site.topology, between_hosts(cell)
    scripts = [*_EVERYWHERE, *(_CLIENT if node == plan.client else _OTHERS), *protocol.scripts]
    for part in parts:
        scripts += part.scripts(cell)
    if isinstance(protocol, TunnelProtocol):
        scripts.append("tunnels.sh")
    files = {f"/job/{name}": script(_SCRIPTS / name) for name in scripts}
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = _settings(cell, site, plan, parts, node)
    if isinstance(protocol, TunnelProtocol):
        for side in plan.sides(node):
            told = tunnel_settings(side) | protocol.tunnel(cell, topology, side)
            files[f"/job/tunnel-{side.number}"] = settings_file(told)
    network = network_commands(topology, node)
    for inside, hop in inside_routes(topology, plan, node).items():
        network += f"ip route add {inside} via {hop}\n"
    files["/job/network"] = JobFile(network.encode())
    engine = user_space.engine_files(cell) if node == cell.measured else {}
    return Job(files | engine | protocol.files(cell, plan, node))


def _settings(
    cell: Cell, site: Site, plan: Plan, parts: Sequence[TrafficPart], node: str
) -> JobFile:
    """The file `/job/settings` of a node; board/jobs/run.sh says what each variable means, and
    the scripts of `parts`, which are those that the cell measures.
    """
    topology, protocol = site.topology, between_hosts(cell)
    others = [name for name in topology.nodes if name != plan.client]
    ports = {name: str(_FIRST_ORDERS_PORT + topology.index(name)) for name in others}
    variables: dict[str, str] = {
        "PART": {plan.client: "client", plan.server: "server"}.get(node, "none"),
        "CLIENT": addresses(topology)[plan.client],
        "ORDERS_PORT": ports.get(node, ""),
        "ORDERS_PORTS": " ".join(ports.values()),
        "TARGET": plan.target,
        "WIRE_RATE": str(topology.ports(node)[0].link.rate_bit_s),
    }
    for part in parts:
        variables |= part.variables(cell, plan, node)
        if actors := part.actors(cell, plan):
            variables[f"{part.name.upper()}_OTHERS"] = _words(map(ports.get, actors))
    habits = _habits(cell, node)
    variables |= {
        "MEASURED": _words(part.name for part in parts),
        "ACTS": _words(part.name for part in parts if node in part.actors(cell, plan)),
        "TUNNEL": protocol.script(cell) if isinstance(protocol, TunnelProtocol) else "none",
        "TUNNELS": _words(str(side.number) for side in plan.sides(node)),
        "AS_IN_2015": _words(habits),
        "KERNEL_SOFTWARE": "",
        **start_offset(cell),
        **user_space.NONE,
    }
    if protocol.asks_kernel and "no-neon" not in habits:
        # Peers always have the fastest, so that they hinder nobody
        fastest = cell.model_copy(update={"implementation": "software"})
        variables |= kernel_software(cell if node == cell.measured else fastest)
    if node == cell.measured and cell.implementation == "hardware":
        if user_space.reached(cell) or user_space.through_kernel(cell):
            variables |= user_space.variables(cell, site.measured(cell))
        else:
            variables["DRIVER"] = driver_module(cell)
    return settings_file(variables | protocol.settings(cell, topology, plan, node))


def _words(words: Iterable[str | None]) -> str:
    return " ".join(filter(None, words))


def _habits(cell: Cell, node: str) -> list[str]:
    """Those of the cell's habits that are this node's."""
    of_peers = node != cell.measured
    return [habit for habit in cell.as_in_2015 or () if HABITS[habit].of_peers == of_peers]


# ---- what counters show ----


def _nic_dropped(node: NodeResult) -> int:
    """Frames that reached a network card of the node and found no room in it."""
    before, after = (
        sum(port.rx_dropped for port in mark_of(node, end).ports.values()) for end in _ENDS
    )
    return after - before


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
    sections = [_sections(node, end) for end in _ENDS]
    protocol.check_path(cell, sections[1])
    earlier, later = (protocol.counts(each, side) for each in sections)
    carried = later - earlier
    (interface,) = (
        port.interface
        for port in topology.ports(at)
        if address(topology, at, port) == side.here.here
    )
    before, after = (mark_of(node, end).ports[interface] for end in _ENDS)
    last = node.marks[-1].ports[interface]
    dropped = [_queue_dropped(each.get("queues", ""), interface) for each in sections]
    # What the client sends is received at the far end
    payload_rx, payload_tx = payload[::-1] if at == tunnel.far.node else payload
    proof = {
        "payload_rx_bytes": payload_rx,
        "payload_tx_bytes": payload_tx,
        "tunnel_rx_bytes": carried.rx_bytes,
        "tunnel_rx_packets": carried.rx_packets,
        "tunnel_tx_bytes": carried.tx_bytes,
        "tunnel_tx_packets": carried.tx_packets,
        **_on_the_wire(before, after),
        "queue_dropped": dropped[1] - dropped[0],
        "overload_lost": overload_lost,
    }
    proof |= protocol.further_counts(lambda layer, counter: snmp_growth(node, layer, counter))
    # A busy node may still forward between the mark and its tunnel's count.
    late = _on_the_wire(before, last)
    for way, verb in (("rx", "received"), ("tx", "sent")):
        if why := _contradiction(protocol, proof, late, way):
            raise CellFailure(
                f"Cell {cell.label}: the tunnel did not carry what was {verb}: {why}."
            )
    return proof


def _on_the_wire(before: PortCounters, after: PortCounters) -> dict[str, int]:
    """What a port has counted since."""
    return {
        "wire_rx_frames": after.rx_frames - before.rx_frames,
        "wire_rx_bytes": after.rx_bytes - before.rx_bytes,
        "wire_tx_frames": after.tx_frames - before.tx_frames,
        "wire_tx_bytes": after.tx_bytes - before.tx_bytes,
    }


def _queue_dropped(text: str, interface: str) -> int:
    """Packets that found no room in the kernel's queue in front of a network card."""
    return sum(int(dropped) for device, dropped in _QUEUE.findall(text) if device == interface)


def _check_share(
    cell: Cell, protocol: BetweenHosts, node: NodeResult, cores: dict[str, int], carried: int
) -> None:
    """In hardware the measured board's cores did their part of what the tunnel carried, or the
    stack chose software for it.
    """
    done, least = offloaded(cell, node, cores), math.ceil(carried * _LEAST_SHARE)
    if cell.implementation != "hardware" or done >= least:
        return
    wanted = engines(cell, node.profile)
    if not is_choice(cell, node, done, least, wanted, kernel=protocol.asks_kernel):
        raise CellFailure(
            f"Cell {cell.label}: the cores worked on {done} of {carried} bytes; "
            f"at least {_LEAST_SHARE:.0%} are expected; software may do small packets, and "
            "what its driver or library says that it does faster."
        )


def _contradiction(
    protocol: TunnelProtocol, proof: Mapping[str, int], late: Mapping[str, int], way: str
) -> str:
    """Why the payload was not in the tunnel, the tunnel not on the wire, or something else of size
    with it; nothing if all is well.  `late` counts the wire to the end of the job.
    """
    inside, carried = proof[f"payload_{way}_bytes"], proof[f"tunnel_{way}_bytes"]
    wire, frames = late[f"wire_{way}_bytes"], late[f"wire_{way}_frames"]
    # What a tunnel has taken in may be more than the wire behind it takes.
    lost = (proof["queue_dropped"] + proof["overload_lost"]) * LARGEST_FRAME if way == "tx" else 0
    if carried < inside:
        return f"it counts {carried} bytes, the programs {inside}"
    if wire + lost < carried:
        return f"it counts {carried} bytes, the wire only {wire}"
    return protocol.contradiction({**proof, f"wire_{way}_frames": frames}, way)


def _sections(node: NodeResult, item: str) -> dict[str, str]:
    parts = _SECTION.split(data_of(node, item).decode(errors="replace"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def snmp_growth(node: NodeResult, protocol: str, counter: str) -> int:
    """What a counter of /proc/net/snmp grew by, from before the first measurement to after the
    last.
    """
    before, after = (_snmp(_sections(node, end).get("snmp", ""), protocol) for end in _ENDS)
    if counter not in before or counter not in after:
        raise CellFailure(f"Node {node.name} does not report its {protocol} counter {counter}.")
    return after[counter] - before[counter]


def _snmp(text: str, protocol: str) -> dict[str, int]:
    lines = [line.split()[1:] for line in text.splitlines() if line.startswith(f"{protocol}:")]
    return {name: int(value) for name, value in zip(*lines, strict=True)} if len(lines) == 2 else {}
