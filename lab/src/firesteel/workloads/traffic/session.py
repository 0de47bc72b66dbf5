# SPDX-License-Identifier: Apache-2.0
"""The session of traffic between hosts: the guest scripts of board/jobs/, and their settings."""

from collections.abc import Iterable, Sequence

from firesteel.board.job import Job, JobFile
from firesteel.board.network import Plan, inside_routes, network_commands
from firesteel.board.profile import BOARD_FILES
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.between_hosts import BetweenHosts, TunnelProtocol
from firesteel.protocols.site import Site
from firesteel.workloads.traffic.part import TrafficPart
from firesteel.workloads.traffic.proof import traffic_proof
from firesteel.workloads.traffic.roles import between_hosts, roles
from firesteel.workloads.traffic.settings import settings, tunnel_files
from firesteel.workloads.workload import Session, Workload

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
