# SPDX-License-Identifier: Apache-2.0
"""A cell's jobs: the guest scripts of board/jobs/, and their settings."""

from pathlib import Path

from firesteel.board.job import Job, JobFile
from firesteel.board.network import network_commands
from firesteel.board.plan import Plan, inside_routes
from firesteel.board.profile import BOARD_FILES
from firesteel.model.cell import Cell
from firesteel.protocols.site import Site
from firesteel.protocols.tunnel import plan
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
    files = _scripts(_SCRIPTS)
    files["/job/run"] = files.pop("/job/run.sh")
    tunnel = parts.tunnel(node)
    if tunnel and not tunnel.joins_neighbours:
        files |= _scripts(_SCRIPTS / "networks")
    files["/job/settings"] = settings(cell, site, parts, node)
    network = network_commands(topology, node)
    for inside, hop in inside_routes(topology, parts, node).items():
        network += f"ip route add {inside} via {hop}\n"
    files["/job/network"] = JobFile(network.encode())
    return Job(files | tunnel_files(cell, parts, node))


def _scripts(directory: Path) -> dict[str, JobFile]:
    paths = sorted(path for path in directory.iterdir() if path.is_file())
    return {f"/job/{path.name}": JobFile(path.read_bytes()) for path in paths}
