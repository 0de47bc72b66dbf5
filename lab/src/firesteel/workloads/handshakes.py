# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS: the measured node serves, the other host has the clients.

With OpenVPN as in the 2015 thesis (published/README.md, tables 5.1 and 5.2): one client, then many,
all of which renegotiate every second.  With nginx, clients that connect again and again.  It is the
server's key whose kind is said; clients, where they have keys, have usual ones.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from firesteel.base.errors import FiresteelError
from firesteel.board.job import Job, JobFile
from firesteel.board.network import address, network_commands
from firesteel.board.profile import BOARD_FILES
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell, HandshakePlan, Key
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.model.saturation import SATURATED
from firesteel.protocols import pki, user_space
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.offload import check_idle, cores_growth, engine_growth
from firesteel.protocols.rate import Rate, of_counts, of_turns
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.protocols.window import data_of, mark_of, window
from firesteel.workloads.load import load_values
from firesteel.workloads.rows import Value, rows

_SCRIPTS = BOARD_FILES / "jobs"
_SHARED = ("functions.sh", "orders.sh")
_ORDERS_PORT = 7000

_STAMP = r"^(\d+\.\d+) \w+ "
_BEGUN = re.compile(_STAMP + r"TLS: soft reset", re.MULTILINE)
_DONE = re.compile(_STAMP + r"Control Channel: TLS", re.MULTILINE)
_DONE_BY = re.compile(r"(\d+) (\d+\.\d+)")
_CONNECTIONS = re.compile(r"^(\d+) connections in \d+ real seconds", re.MULTILINE)

_WARM_UP, _WARM_UP_SECONDS = 2, 4
"""Handshakes of each client, after its first one, that are not measured.  One is enough where it
takes that many seconds: then the server has been busy since the first ones.
"""

_PARTS = 5
"""Of the time in which all clients are measured, to tell how sure their rate is."""

PROGRAMS = ("openvpn", "nginx")
"""Whose handshakes are measured."""

_LEAST_OPERATIONS: Mapping[tuple[str, str], tuple[str, int]] = {
    ("openvpn", "rsa"): ("pk_exponentiations", 6),
    ("nginx", "rsa"): ("pk_exponentiations", 1),
    ("nginx", "ecdsa"): ("pk_points", 1),
}
"""What the public-key core counts of a handshake, and how many there are at the least.

OpenVPN has seven: the signature and its check, a key of the group, the shared secret, and what is
verified of the client; without the signature there would be five.  nginx with RSA: the signature,
which alone is one of these.  With ECDSA on P-256 software signs in half of the core's time: what is
left for the core is X25519's shared secret.
"""


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The jobs of server and client.

    Raises `FiresteelError` when topology, profile and implementation do not go together.
    """
    client = _client(cell, site.topology)
    return {node: _job(cell, site, client, node) for node in (cell.measured, client)}


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    cell_proof(cell, run)
    figures: list[Figure] = []
    for key in _plan(cell).keys:
        figures += rows(
            cell, "tls-connection-time", Parameter(key=key), _values_of_one(cell, run, key)
        )
        figures += rows(cell, "tls-connections", Parameter(key=key), _values(cell, run, key))
    return figures


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `handshakes.KEY` of all clients together; `cores.NAME.COUNTER`.

    Raises `CellFailure` when there was no handshake, when the public-key core did not do its
    part of the handshakes of a hardware cell, and when the cores did anything in another cell.
    """
    node = run.nodes[cell.measured]
    proof: dict[str, int] = {}
    for key in _plan(cell).keys:
        proof[f"handshakes.{key}"] = count = _count(cell, run, key)
        # Each client may have one under way at either end
        _check_share(cell, node, f"{key}-all", key, count, count - _plan(cell).clients)
        alone = _count_alone(cell, run, key)
        _check_share(cell, node, f"{key}-one", key, alone, alone - 1)
    growth = cores_growth(node, "proof.before", "proof.after")
    check_idle(cell, growth)
    return proof | growth


def _check_share(cell: Cell, node: NodeResult, name: str, key: Key, count: int, whole: int) -> None:
    """Raises `CellFailure` when a hardware cell's core did not do its part of `count` handshakes
    between two marks, of which `whole` were so from beginning to end.
    """
    counter, each = _least(cell, key)
    growth = cores_growth(node, f"{name}.begin", f"{name}.end")
    done, wanted = engine_growth(growth, counter), max(whole, 1) * each
    if cell.implementation == "hardware" and done < wanted:
        raise CellFailure(
            f"Cell {cell.label}: the public-key core counted {done} {counter} for {count} "
            f"handshakes with {key} ({name}); at least {wanted} are expected."
        )


def _least(cell: Cell, key: Key) -> tuple[str, int]:
    return _LEAST_OPERATIONS[cell.protocol, key.partition("-")[0]]


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


def _job(cell: Cell, site: Site, client: str, node: str) -> Job:
    server, plan, topology = cell.measured, _plan(cell), site.topology
    variables = {
        "PART": "server" if node == server else "client",
        "PROGRAM": cell.protocol,
        "KEYS": " ".join(plan.keys),
        "CLIENTS": str(plan.clients),
        "HANDSHAKES": str(plan.alone),
        "SECONDS_ALL": str(plan.seconds),
        "WARM_UP": str(_WARM_UP),
        "WARM_UP_SECONDS": str(_WARM_UP_SECONDS),
        "PARTS": str(_PARTS),
        "PART_SECONDS": f"{plan.seconds / _PARTS:g}",
        "TARGET": address(topology, server, topology.ports(server)[0]),
        "CLIENT": address(topology, client, topology.ports(client)[0]),
        "ORDERS_PORT": str(_ORDERS_PORT),
        "ORDERS_PORTS": str(_ORDERS_PORT) if node == client else "",
        **start_offset(cell),
        **_cores_variables(cell, site, node),
    }
    scripts = {name: _SCRIPTS / name for name in _SHARED}
    scripts |= {path.name: path for path in (_SCRIPTS / "handshakes").glob("*.sh")}
    files = {f"/job/{name}": JobFile(path.read_bytes()) for name, path in scripts.items()}
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = settings_file(variables)
    files["/job/network"] = JobFile(network_commands(topology, node).encode())
    files["/job/ca.pem"] = JobFile(pki.identity(node).authority)
    for key in plan.keys:
        kind: Key = key if node == server else "rsa-2048"
        files |= _key_files(key, pki.identity(node, kind, cell.seed))
    return Job(files)


def _cores_variables(cell: Cell, site: Site, node: str) -> dict[str, str]:
    if node == cell.measured:
        return user_space.variables(cell, site.measured(cell))
    return user_space.client_variables(cell, node, site.profiles[node])


def _key_files(key: Key, identity: pki.Identity) -> dict[str, JobFile]:
    files = {
        f"/job/{key}/node.pem": JobFile(identity.certificate),
        f"/job/{key}/node.key": JobFile(identity.key, 0o600),
    }
    group = _SCRIPTS / "handshakes" / f"dh-{key.removeprefix('rsa-')}.pem"
    if group.exists():
        files[f"/job/{key}/dh.pem"] = JobFile(group.read_bytes())
    return files


def _values_of_one(cell: Cell, run: TopologyRun, key: Key) -> Iterator[Value]:
    """Of one client, whose handshakes come one after the other, with pauses or without."""
    name = f"{key}-one"
    seconds = _connection_time(cell, run, key)
    measured_ns = seconds * _count_alone(cell, run, key) * 1e9
    yield "connection_time", seconds
    during = window(run.nodes[cell.measured], name)
    yield "cpu_in_handshake", min(100 * during.busy / measured_ns, 100)
    yield from load_values(cell, run, name, measured_ns)


def _values(cell: Cell, run: TopologyRun, key: Key) -> Iterator[Value]:
    """Of many clients at once."""
    node, count = run.nodes[cell.measured], _count(cell, run, key)
    during = window(node, f"{key}-all")
    rate = _rate(cell, run, key)
    connections, share = 60 * rate.value, rate.uncertainty / rate.value
    cpu = 100 * during.busy / during.elapsed
    work = during.busy / 1e9 / (during.elapsed / 1e9 * rate.value)
    yield "connections", connections, 60 * rate.uncertainty
    # CPU use varies as handshakes do; the work of one varies by what is under way at either end.
    yield "cpu", cpu, None if _is_saturated(cell, run, key) else cpu * share
    if cpu > 0:
        per_cpu = connections / cpu
        yield "connections_per_cpu", per_cpu, per_cpu / count
    yield "cpu_seconds_per_connection", work, work / count
    yield from load_values(cell, run, f"{key}-all")
    if cell.implementation == "hardware":
        growth = cores_growth(node, f"{key}-all.begin", f"{key}-all.end")
        operations = engine_growth(growth, "pk_operations")
        yield "core_operations_per_connection", operations / count


def _is_saturated(cell: Cell, run: TopologyRun, key: Key) -> bool:
    """Whether the server was saturated: its CPU and its core, one after the other."""
    node, name = run.nodes[cell.measured], f"{key}-all"
    during = window(node, name)
    growth = cores_growth(node, f"{name}.begin", f"{name}.end") if cell.on_cores else {}
    busy = during.busy + engine_growth(growth, "pk_busy_ns")
    return 100 * busy / during.elapsed >= SATURATED


def _is_openvpn(cell: Cell) -> bool:
    """Or nginx: the two write different logs, and a third program would be read as neither."""
    if cell.protocol not in PROGRAMS:
        raise FiresteelError(
            f"Cell {cell.label}: handshakes of {cell.protocol} are not measured; allowed are "
            f"{', '.join(PROGRAMS)}."
        )
    return cell.protocol == "openvpn"


def _rate(cell: Cell, run: TopologyRun, key: Key) -> Rate:
    """Handshakes a second of many clients at once."""
    if _is_openvpn(cell):
        times = _times(cell, run, key).values()
        return of_turns(list(times), _PARTS, shared=_is_saturated(cell, run, key))
    return of_counts(_opened(cell, run, key))


def _connection_time(cell: Cell, run: TopologyRun, key: Key) -> float:
    """Seconds that one handshake takes when nothing else is to be done.

    OpenVPN's client tells when it begins and ends one; of the others there are as many as there
    are in a time.
    """
    text = _text(cell, run, f"{key}-one")
    if _is_openvpn(cell):
        return _mean_renegotiation(text, key)
    count = _count_alone(cell, run, key)
    return window(run.nodes[cell.measured], f"{key}-one").elapsed / 1e9 / count


def _count_alone(cell: Cell, run: TopologyRun, key: Key) -> int:
    """Handshakes of one client; of OpenVPN those after the first."""
    text = _text(cell, run, f"{key}-one")
    if _is_openvpn(cell):
        count = len(_DONE.findall(text)) - 1
    else:
        found = _CONNECTIONS.search(text)
        count = int(found[1]) if found else 0
    if count < 1:
        raise CellFailure(f"No handshake of one client with {key}: {text.strip()[:200]}")
    return count


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


def _times(cell: Cell, run: TopologyRun, key: Key) -> dict[str, list[float]]:
    """When the handshakes of each of OpenVPN's clients were done, in order, in seconds: the last
    one before the window, and those since.
    """
    lines = _text(cell, run, f"{key}-all").splitlines()
    found = [_DONE_BY.fullmatch(line) for line in lines]
    times: dict[str, list[float]] = {}
    for line, match in zip(lines, found, strict=True):
        if not match:
            raise CellFailure(f"The clients' handshakes with {key} have no times: {line[:200]}")
        times.setdefault(match[1], []).append(float(match[2]))
    return {client: sorted(each) for client, each in times.items()}


def _count(cell: Cell, run: TopologyRun, key: Key) -> int:
    """Handshakes of many clients at once."""
    if _is_openvpn(cell):
        count = sum(len(times) - 1 for times in _times(cell, run, key).values())
    else:
        (_, first), *_, (_, last) = _opened(cell, run, key)
        count = last - first
    if count < 1:
        raise CellFailure(
            f"No handshake with {key}: {_text(cell, run, f'{key}-all').strip()[:200]}"
        )
    return count


def _opened(cell: Cell, run: TopologyRun, key: Key) -> list[tuple[float, int]]:
    """How many connections nginx's clients had begun, and when, in seconds."""
    lines = _text(cell, run, f"{key}-all").split()
    if len(lines) != _PARTS + 1 or not all(line.isdecimal() for line in lines):
        raise CellFailure(f"The clients' connections with {key} are missing: {lines[:2]}")
    client = run.nodes[_client(cell, run.topology)]
    marks = [mark_of(client, f"{key}-all.part{part}") for part in range(_PARTS + 1)]
    return [(mark.time_ns / 1e9, int(line)) for mark, line in zip(marks, lines, strict=True)]


def _text(cell: Cell, run: TopologyRun, name: str) -> str:
    client = run.nodes[_client(cell, run.topology)]
    return data_of(client, name).decode(errors="replace")


def _plan(cell: Cell) -> HandshakePlan:
    if cell.handshakes is None:
        raise FiresteelError(f"Cell {cell.label}: the table `handshakes` is missing.")
    return cell.handshakes
