# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS: the measured node serves, the other host has the clients.

With OpenVPN as in the 2015 thesis (published/README.md, tables 5.1 and 5.2): one client, then many,
all of which renegotiate every second.  With nginx, clients that connect again and again.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import pairwise

from firesteel.board.job import Job, JobFile
from firesteel.board.network import address, network_commands
from firesteel.board.profile import BOARD_FILES
from firesteel.board.result import TopologyRun
from firesteel.board.topology import Topology, load_topology
from firesteel.cell import Cell, HandshakePlan, Key
from firesteel.errors import FiresteelError
from firesteel.figure import CPU_UNIT, Figure
from firesteel.jobs import pki, user_space
from firesteel.jobs.failure import CellFailure
from firesteel.jobs.rows import Value, rows
from firesteel.jobs.share import cores_growth, engine_growth
from firesteel.jobs.window import data_of, window

_SCRIPTS = BOARD_FILES / "jobs"
_SHARED = ("functions.sh", "orders.sh")
_ORDERS_PORT = 7000

_STAMP = r"^(\d+\.\d+) \w+ "
_BEGUN = re.compile(_STAMP + r"TLS: soft reset", re.MULTILINE)
_DONE = re.compile(_STAMP + r"Control Channel: TLS", re.MULTILINE)
_CONNECTIONS = re.compile(r"^(\d+) connections in \d+ real seconds", re.MULTILINE)

_LEAST_OPERATIONS: Mapping[str, int] = {"openvpn": 3, "nginx": 1}
"""Of the public-key core for a handshake: the signature; with DHE also a key of the group, and the
shared secret.  What verifies the client may be too small."""


def cell_jobs(cell: Cell) -> dict[str, Job]:
    """The jobs of server and client.

    Raises `FiresteelError` when topology, profile and implementation do not go together.
    """
    topology = load_topology(cell.topology)
    client = _client(cell, topology)
    return {node: _job(cell, topology, client, node) for node in (cell.measured, client)}


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    cell_proof(cell, run)
    figures: list[Figure] = []
    for key in _plan(cell).keys:
        seconds = ("connection_time", "s", _connection_time(cell, run, key))
        figures += rows(cell, "tls-connection-time", key, [seconds])
        figures += rows(cell, "tls-connections", key, _values(cell, run, key))
    return figures


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `handshakes.KEY` of all clients together; `cores.NAME.COUNTER`.

    Raises `CellFailure` when there was no handshake, when the public-key core had not its part in
    the handshakes of a hardware cell, and when the cores had any in software.
    """
    node = run.nodes[cell.measured]
    proof: dict[str, int] = {}
    for key in _plan(cell).keys:
        proof[f"handshakes.{key}"] = count = _count(cell, run, key)
        growth = cores_growth(node, f"{key}-all.begin", f"{key}-all.end")
        done = engine_growth(growth, "pk_operations")
        # One may have been under way at either end
        wanted = (count - 2) * _LEAST_OPERATIONS[cell.protocol]
        if cell.implementation == "hardware" and (done == 0 or done < wanted):
            raise CellFailure(
                f"Cell {cell.label}: the public-key core had {done} operations for {count} "
                f"handshakes with {key}; expected are {wanted} at least."
            )
    growth = cores_growth(node, "proof.before", "proof.after")
    if cell.implementation != "hardware" and any(growth.values()):
        raise CellFailure(f"Cell {cell.label}: the cores had a part in it.")
    return proof | growth


def _client(cell: Cell, topology: Topology) -> str:
    hosts = [name for name, node in topology.nodes.items() if node.role == "host"]
    others = [name for name in hosts if name != cell.measured]
    if len(topology.nodes) != 2 or len(others) != 1:
        raise FiresteelError(
            f"Cell {cell.label}: handshakes are measured between two hosts, of which "
            f"`{cell.measured}` is one; the topology `{cell.topology}` has "
            f"{', '.join(topology.nodes)}."
        )
    return others[0]


def _job(cell: Cell, topology: Topology, client: str, node: str) -> Job:
    server, plan = cell.measured, _plan(cell)
    hardware = cell.implementation == "hardware" and node == server
    variables = {
        "PART": "server" if node == server else "client",
        "PROGRAM": cell.protocol,
        "KEYS": " ".join(plan.keys),
        "CLIENTS": str(plan.clients),
        "HANDSHAKES": str(plan.alone),
        "SECONDS_ALL": str(plan.seconds),
        "TARGET": address(topology, server, topology.ports(server)[0]),
        "CLIENT": address(topology, client, topology.ports(client)[0]),
        "ORDERS_PORT": str(_ORDERS_PORT),
        "ORDERS_PORTS": str(_ORDERS_PORT) if node == client else "",
        "DRIVER": user_space.driver(cell) if hardware else "",
        "PROVIDER": user_space.environment(cell) if hardware else "",
    }
    settings = "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())
    scripts = {name: _SCRIPTS / name for name in _SHARED}
    scripts |= {path.name: path for path in (_SCRIPTS / "handshakes").glob("*.sh")}
    files = {f"/job/{name}": JobFile(path.read_bytes()) for name, path in scripts.items()}
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = JobFile(settings.encode())
    files["/job/network"] = JobFile(network_commands(topology, node).encode())
    files["/job/ca.pem"] = JobFile(pki.identity(node).authority)
    for key in plan.keys:
        files |= _key_files(node, key)
    return Job(files)


def _key_files(node: str, key: Key) -> dict[str, JobFile]:
    identity = pki.identity(node, key)
    files = {
        f"/job/{key}/node.pem": JobFile(identity.certificate),
        f"/job/{key}/node.key": JobFile(identity.key, 0o600),
    }
    group = _SCRIPTS / "handshakes" / f"dh-{key.removeprefix('rsa-')}.pem"
    if group.exists():
        files[f"/job/{key}/dh.pem"] = JobFile(group.read_bytes())
    return files


def _values(cell: Cell, run: TopologyRun, key: Key) -> Iterator[Value]:
    """Of many clients at once."""
    during = window(run.nodes[cell.measured], f"{key}-all")
    connections = _count(cell, run, key) / (during.elapsed / 60e9)
    cpu = 100 * during.busy / during.elapsed
    yield "connections", "1/min", connections
    yield "cpu", CPU_UNIT, cpu
    yield "connections_per_cpu", "1/min per percent", connections / cpu
    yield "cpu_seconds_per_connection", "s", during.busy / 1e9 / _count(cell, run, key)


def _connection_time(cell: Cell, run: TopologyRun, key: Key) -> float:
    """Seconds that one handshake takes when nothing else is to be done.

    OpenVPN's client tells when it begins and ends one; of the others there are as many as there
    are in a time.
    """
    text = _text(cell, run, f"{key}-one")
    if cell.protocol == "openvpn":
        return _mean_renegotiation(text, key)
    found = _CONNECTIONS.search(text)
    if not found or int(found[1]) == 0:
        raise CellFailure(f"No connection with {key}: {text.strip()[:200]}")
    return window(run.nodes[cell.measured], f"{key}-one").elapsed / 1e9 / int(found[1])


def _mean_renegotiation(log: str, key: Key) -> float:
    """From a client's log with times in seconds; the first handshake is not one of them."""
    events = [(float(match[1]), False) for match in _BEGUN.finditer(log)]
    events += [(float(match[1]), True) for match in _DONE.finditer(log)]
    events.sort()
    took = [
        end - begin
        for (begin, begins_done), (end, ends_done) in pairwise(events)
        if ends_done and not begins_done
    ]
    if not took:
        raise CellFailure(f"OpenVPN's client with {key} never renegotiated.")
    return sum(took) / len(took)


def _count(cell: Cell, run: TopologyRun, key: Key) -> int:
    """Handshakes of many clients at once."""
    text = _text(cell, run, f"{key}-all")
    if cell.protocol == "openvpn":
        counts = [int(text)] if text.strip().isdigit() else []
    else:
        counts = [int(match[1]) for match in _CONNECTIONS.finditer(text)]
    if not sum(counts):
        raise CellFailure(f"No handshake with {key}: {text.strip()[:200]}")
    return sum(counts)


def _text(cell: Cell, run: TopologyRun, name: str) -> str:
    client = run.nodes[_client(cell, load_topology(cell.topology))]
    return data_of(client, name).decode(errors="replace")


def _plan(cell: Cell) -> HandshakePlan:
    if cell.handshakes is None:
        raise FiresteelError(f"Cell {cell.label}: it says nothing of handshakes.")
    return cell.handshakes
