# SPDX-License-Identifier: Apache-2.0
"""Traffic between hosts: pings, files and the like, measured in one boot."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from firesteel.base.errors import FiresteelError
from firesteel.board import plan as board_plan
from firesteel.board.job import Job, JobFile
from firesteel.board.network import address, addresses, network_commands
from firesteel.board.plan import Plan, Side, inside_routes
from firesteel.board.profile import BOARD_FILES, Profile
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.between_hosts import (
    LARGEST_FRAME,
    BetweenHosts,
    Carried,
    TunnelProtocol,
    tunnel_settings,
)
from firesteel.protocols.kernel import driver_module, kernel_software
from firesteel.protocols.offload import cores_growth, cores_proof, engines, is_choice, offloaded
from firesteel.protocols.protocol import HABITS
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site, settings_file, start_offset
from firesteel.protocols.window import CellFailure, data_of, mark_of
from firesteel.workloads.workload import Session, Workload


def between_hosts(cell: Cell) -> BetweenHosts:
    """The cell's protocol; `FiresteelError` when it carries nothing between hosts."""
    protocol = protocol_of(cell)
    if not isinstance(protocol, BetweenHosts):
        raise FiresteelError(f"Cell {cell.label}: {protocol.name} carries no traffic.")
    return protocol


def roles(cell: Cell, topology: Topology) -> Plan:
    """The parts that the nodes of `topology` have in the cell.

    Raises `FiresteelError` when the topology has no place for the cell's protocol.
    """
    tunnels = isinstance(protocol_of(cell), TunnelProtocol)
    return board_plan.plan(topology, cell.topology, tunnels=tunnels)


def client_of(cell: Cell, run: TopologyRun) -> NodeResult:
    """What the client reported."""
    return run.nodes[roles(cell, run.topology).client]


class TrafficPart(Workload, ABC):
    """A workload of the session `traffic.session.Traffic`, asked of cells with a plan of it alone.

    What the client does of it is board/jobs/measure-NAME.sh; what the server does before, if there
    is anything, is serve-NAME.sh, one of its `scripts`.
    """

    overloads = False
    """Whether it sends more than the measured board can take, whose software then helps the cores:
    it sees to their share itself.
    """

    def lost(self, cell: Cell, run: TopologyRun) -> int:
        """Frames that it knows to have been lost: those of a part that `overloads`."""
        del cell, run
        return 0

    def scripts(self, cell: Cell) -> tuple[str, ...]:
        """What nodes need of board/jobs/ for it."""
        del cell
        return (f"measure-{self.name}.sh",)

    @abstractmethod
    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        """These scripts' variables on a node; each says what its own mean."""

    def actors(self, cell: Cell, plan: Plan) -> tuple[str, ...]:
        """Nodes that do something at the client's orders: `act_NAME` of its script.  Where there
        are any, the variable NAME_OTHERS has the ports of those that take orders.
        """
        del cell, plan
        return ()

    @abstractmethod
    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        """Bytes that the clients together must have received and sent for it, at the least."""


_FIRST_ORDERS_PORT = 7000


def settings(
    cell: Cell,
    site: Site,
    plan: Plan,
    protocol: BetweenHosts,
    parts: Sequence[TrafficPart],
    node: str,
) -> JobFile:
    """The file `/job/settings` of a node; board/jobs/run.sh says what each variable means, and
    the scripts of `parts`, which are those that the cell measures.
    """
    topology = site.topology
    others = [name for name in topology.nodes if name != plan.client]
    ports = {name: _FIRST_ORDERS_PORT + topology.index(name) for name in others}
    variables: dict[str, str] = {
        "PART": {plan.client: "client", plan.server: "server"}.get(node, "none"),
        "CLIENT": addresses(topology)[plan.client],
        "ORDERS_PORT": str(ports.get(node, "")),
        "ORDERS_PORTS": " ".join(str(port) for port in ports.values()),
        "TARGET": plan.target,
        "WIRE_RATE": str(topology.ports(node)[0].link.rate_bit_s),
    }
    for part in parts:
        variables |= part.variables(cell, plan, node)
        if actors := part.actors(cell, plan):
            others = [str(ports[each]) for each in actors if each in ports]
            variables[f"{part.name.upper()}_OTHERS"] = " ".join(others)
    variables |= {
        "MEASURED": " ".join(part.name for part in parts),
        "ACTS": " ".join(part.name for part in parts if node in part.actors(cell, plan)),
        "TUNNEL": protocol.script(cell) if isinstance(protocol, TunnelProtocol) else "none",
        "TUNNELS": " ".join(str(side.number) for side in plan.sides(node)),
        "AS_IN_2015": " ".join(_habits(cell, node)),
        **_kernel_software(cell, protocol, node),
        **start_offset(cell),
        **user_space.NONE,
    }
    if node == cell.measured and cell.implementation == "hardware":
        variables |= _cores(cell, site.measured(cell))
    return settings_file(variables | protocol.settings(cell, topology, plan, node))


def tunnel_files(
    cell: Cell, topology: Topology, plan: Plan, protocol: TunnelProtocol, node: str
) -> dict[str, JobFile]:
    """The settings of each of a node's tunnels, by guest path."""
    return {
        f"/job/tunnel-{side.number}": settings_file(
            tunnel_settings(side) | protocol.tunnel(cell, topology, side)
        )
        for side in plan.sides(node)
    }


def _cores(cell: Cell, profile: Profile) -> dict[str, str]:
    """How the measured node has the cores: by the provider, or by the kernel's driver."""
    if user_space.reached(cell) or user_space.through_kernel(cell):
        variables = user_space.variables(cell, profile)
    else:
        variables = {"DRIVER": driver_module(cell)}
    if "core-only" in (cell.as_in_2015 or ()):
        variables["DRIVER"] += " minimum=0"
    return variables


def _kernel_software(cell: Cell, protocol: BetweenHosts, node: str) -> dict[str, str]:
    """Peers always have the fastest, so that they hinder nobody; who has a habit without NEON code
    has none.
    """
    if not protocol.asks_kernel or "no-neon" in _habits(cell, node):
        return {"KERNEL_SOFTWARE": ""}
    fastest = cell.model_copy(update={"implementation": "software"})
    return kernel_software(cell if node == cell.measured else fastest)


def _habits(cell: Cell, node: str) -> list[str]:
    """Those of the cell's habits that are this node's."""
    of_peers = node != cell.measured
    return [habit for habit in cell.as_in_2015 or () if HABITS[habit].of_peers == of_peers]


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


_SCRIPTS = BOARD_FILES / "jobs"

_EVERYWHERE = (
    "run.sh",
    "functions.sh",
    "account.sh",
    "kernel-software.sh",
    "orders.sh",
    "measure.sh",
)
"""What every node has, whatever is measured; what a node is sent counts for the address of
records.
"""


class Traffic(Session):
    """Pings, files and the like from a client to a server, directly or through a tunnel."""

    name = "traffic"

    def __init__(self, parts: Sequence[TrafficPart]) -> None:
        self._parts = tuple(parts)

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """In the order in which they are measured."""
        return self._parts

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """Of all nodes of the topology."""
        protocol, plan = between_hosts(cell), roles(cell, site.topology)
        return {node: self._job(cell, site, plan, protocol, node) for node in site.topology.nodes}

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """See `traffic.proof`."""
        return traffic_proof(cell, run, self._measured(cell))

    def _measured(self, cell: Cell) -> list[TrafficPart]:
        """What the cell has a plan of."""
        planned = {plan.workload for plan in cell.plans}
        return [part for part in self._parts if part.name in planned]

    def _job(self, cell: Cell, site: Site, plan: Plan, protocol: BetweenHosts, node: str) -> Job:
        topology, parts = site.topology, self._measured(cell)
        files = _scripts((*_EVERYWHERE, *protocol.scripts))
        for part in parts:
            files |= _scripts(part.scripts(cell))
        files["/job/run"] = files.pop("/job/run.sh")
        files["/job/settings"] = settings(cell, site, plan, protocol, parts, node)
        if isinstance(protocol, TunnelProtocol):
            files |= _scripts(["tunnels.sh"])
            files |= tunnel_files(cell, topology, plan, protocol, node)
        network = network_commands(topology, node)
        for inside, hop in inside_routes(topology, plan, node).items():
            network += f"ip route add {inside} via {hop}\n"
        files["/job/network"] = JobFile(network.encode())
        engine = user_space.engine_files(cell) if node == cell.measured else {}
        return Job(files | engine | protocol.files(cell, plan, node))


def _scripts(names: Iterable[str]) -> dict[str, JobFile]:
    return {f"/job/{name}": JobFile((_SCRIPTS / name).read_bytes()) for name in names}
