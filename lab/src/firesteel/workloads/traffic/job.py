# SPDX-License-Identifier: Apache-2.0
"""A cell's jobs: the guest scripts of board/jobs/, and their settings."""

from firesteel.board.job import Job, JobFile
from firesteel.board.network import network_commands, routes
from firesteel.board.profile import BOARD_FILES
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols.site import Site
from firesteel.protocols.tunnel import INSIDE_NETWORK, Plan, plan
from firesteel.workloads.traffic.settings import settings, tunnel_files, tunnel_kind

_SCRIPTS = BOARD_FILES / "jobs"


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of each node of the cell's topology, by node name.

    Raises `FiresteelError` when protocol, cipher, MAC and topology do not go together.
    """
    tunnel_kind(cell)
    parts = plan(cell, site.topology)
    return {node: _job(cell, site, parts, node) for node in site.topology.nodes}


def _job(cell: Cell, site: Site, parts: Plan, node: str) -> Job:
    topology = site.topology
    scripts = sorted(path for path in _SCRIPTS.iterdir() if path.is_file())
    files = {f"/job/{path.name}": JobFile(path.read_bytes()) for path in scripts}
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = settings(cell, site, parts, node)
    network = network_commands(topology, node) + _inside_routes(cell, topology, parts, node)
    files["/job/network"] = JobFile(network.encode())
    return Job(files | tunnel_files(cell, parts, node))


def _inside_routes(cell: Cell, topology: Topology, parts: Plan, node: str) -> str:
    """Hosts behind gateways answer the gateways' addresses inside an OpenVPN tunnel."""
    hops = list(routes(topology, node).values())
    if cell.protocol != "openvpn" or parts.end(node) is not None or not hops:
        return ""
    return f"ip route add {INSIDE_NETWORK}.0/24 via {hops[0]}\n"
