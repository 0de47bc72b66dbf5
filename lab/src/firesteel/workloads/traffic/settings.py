# SPDX-License-Identifier: Apache-2.0
"""The settings of a node's job scripts: shell variables."""

from collections.abc import Sequence

from firesteel.board.job import JobFile
from firesteel.board.network import Plan, addresses
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.between_hosts import BetweenHosts, TunnelProtocol, tunnel_settings
from firesteel.protocols.habits import HABITS
from firesteel.protocols.kernel import driver_module, kernel_software
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.workloads.traffic.part import TrafficPart

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
