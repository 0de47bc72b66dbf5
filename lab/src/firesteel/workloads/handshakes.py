# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS, logins by SSH, tunnels by IKE and WireGuard: the measured node serves, the
other host has the clients.

It is the server's key whose kind is said; clients, where they have keys, have usual ones.  What a
program says of its handshakes is its protocol's to know (`protocols.tls_server`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias

from pydantic import Field, create_model, model_validator

from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Many, Table, check_distinct
from firesteel.board.job import Job, JobFile
from firesteel.board.network import address, network_commands
from firesteel.board.profile import BOARD_FILES, Profile
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import KEY_ALONE, Figure, Parameter
from firesteel.model.metrics import SATURATED
from firesteel.protocols import pki, user_space
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.offload import check_idle, cores_growth, engine_growth, is_choice_of_keys
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import PROTOCOLS, protocol_named, protocol_of
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.tls_server import PARTS, Clients, Ends, Key, TlsServer
from firesteel.protocols.variables import settings_file
from firesteel.protocols.window import data_of, mark_of, window
from firesteel.workloads.load import load_values, tick_values
from firesteel.workloads.presentation import Bars, Column, Section
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.series import Series
from firesteel.workloads.workload import Solo, WorkloadTable

_SCRIPTS = BOARD_FILES / "jobs"

_TRIAL = 4
"""Operations that the provider may take to try a core that it then leaves alone."""

_SHARED = ("functions.sh", "account.sh", "orders.sh")
_ORDERS_PORT = 7000

_WARM_UP, _WARM_UP_SECONDS = 2, 4
"""Handshakes of each client, after its first one, that are not measured.  One is enough where it
takes that many seconds: then the server has been busy since the first ones.
"""

_SERVERS = {each.name: each.handshakes for each in PROTOCOLS if each.handshakes}
"""The programs whose handshakes are measured."""


class HandshakePlan(WorkloadPlan):
    """Handshakes of TLS: the kinds of the server's key; `alone` of one client at a time, where the
    program counts them; then `clients` at once for `seconds` of virtual time.
    """

    workload = "handshakes"
    of_data = False

    keys: tuple[Key, ...]
    """Types of the server's key."""
    alone: int
    """Number of handshakes of a single client."""
    clients: int
    """Number of clients at once."""
    seconds: int
    """Virtual time for all clients."""

    def label(self, protocol: str) -> str:
        """A program that carries packets too is said to be measured by its handshakes."""
        return self.workload if isinstance(protocol_named(protocol), BetweenHosts) else ""


ClientCount = Annotated[int, Field(ge=1, le=64)]
Number = Annotated[int, Field(ge=1, le=1000)]
Seconds = Annotated[int, Field(ge=1, le=600)]


class _Keys(Table):
    """The kinds of the server's key, by program."""

    @model_validator(mode="after")
    def _fit(self) -> Self:
        for name in _SERVERS:
            check_distinct(f"keys.{name}", getattr(self, name) or ())
        return self


class _Lengths(Table):
    """For how many seconds all clients are measured, by program."""


if TYPE_CHECKING:
    Keys: TypeAlias = _Keys
    Lengths: TypeAlias = _Lengths
else:
    Keys = create_model(
        "Keys",
        __base__=_Keys,
        **{
            name: (Many[Literal[server.keys]] | None, Field(None, description=server.keys_meaning))
            for name, server in _SERVERS.items()
        },
    )
    Lengths = create_model(
        "Lengths",
        __base__=_Lengths,
        **dict.fromkeys(_SERVERS, (Seconds | None, Field(None, description="Seconds."))),
    )


class QuickHandshakes(Table):
    """What `--quick` changes."""

    alone: Number | None = None
    seconds: Lengths = Lengths()


class Handshakes(WorkloadTable):
    """The handshakes of every cell; see `HandshakePlan`."""

    keys: Keys
    """Types of the server's key, by program."""
    alone: Number
    """Number of handshakes of a single client, one after the other."""
    clients: ClientCount
    """Number of clients that are then served at once."""
    seconds: Lengths
    """Virtual time for which all clients are measured, by program."""
    quick: QuickHandshakes = QuickHandshakes()
    """Keys that `--quick` replaces."""

    def check(self, protocol: Protocol, suites: tuple[str, ...]) -> None:
        """Each protocol has keys, and a suite that counts."""
        for table in ("keys", "seconds"):
            if not getattr(getattr(self, table), protocol.name):
                raise ValueError(f"the key `handshakes.{table}.{protocol.name}` is missing")
        _SERVERS[protocol.name].check_suites(protocol.name, suites)

    def plan(self, protocol: Protocol, quick: bool) -> HandshakePlan:
        """What a cell of that protocol does."""
        name = protocol.name
        return HandshakePlan(
            keys=getattr(self.keys, name),
            alone=(self.quick.alone if quick else None) or self.alone,
            clients=self.clients,
            seconds=(getattr(self.quick.seconds, name) if quick else None)
            or getattr(self.seconds, name),
        )


_ONE = Series("tls-connection-time", "One handshake")
_MANY = Series("tls-connections", "Many handshakes")


class _Handshakes(Solo):
    name = "handshakes"
    meaning = f"Handshakes; for {', '.join(f'`{name}`' for name in _SERVERS)}."
    table = Handshakes
    series = (_ONE, _MANY)
    columns = (
        Column(_MANY.name, "connections", "handshakes\n1/min"),
        Column(_ONE.name, "connection_time", "one handshake\ns"),
    )
    sections = (
        Section(
            "handshakes",
            "Handshakes: rate and time of one",
            Bars(_MANY, "connections", "handshakes a minute", by_parameter=True),
            dict.fromkeys((_ONE.name, _MANY.name), ""),
        ),
    )

    def measures(self, protocol: Protocol) -> bool:
        return protocol.handshakes is not None

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """Of server and client."""
        client = _client(cell, site.topology)
        return {node: _job(cell, site, client, node) for node in (cell.measured, client)}

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """`handshakes.KEY` of all clients together; `cores.NAME.COUNTER`.

        It fails when there was no handshake, when the public-key core did not do its part of the
        handshakes of a hardware cell, and when the cores did anything in another cell.
        """
        node, plan = run.nodes[cell.measured], cell.needed(HandshakePlan)
        proof: dict[str, int] = {}
        for key in plan.keys:
            proof[f"handshakes.{key}"] = count = _together(cell, run, key).count
            # Each client may have one under way at either end
            _check_share(cell, node, f"{key}-all", key, count, count - plan.clients)
            alone = _count_alone(cell, run, key)
            _check_share(cell, node, f"{key}-one", key, alone, alone - 1)
        _check_count(cell, run)
        growth = cores_growth(node, "proof.before", "proof.after")
        check_idle(cell, growth)
        return proof | growth

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        figures: list[Figure] = []
        for key in cell.needed(HandshakePlan).keys:
            figures += rows(cell, _ONE.name, Parameter(key=key), _values_of_one(cell, run, key))
            figures += rows(cell, _MANY.name, Parameter(key=key), _values(cell, run, key))
        return figures

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        """All clients' handshakes with the first kind of keys come first."""
        del figures
        keys = cell.needed(HandshakePlan).keys
        return tuple(f"{key}-{which}" for key in keys for which in ("all", "one"))

    def missing(self, cell: Cell, profile: Profile) -> Iterator[str]:
        del cell
        if not user_space.has_public_key_core(profile):
            yield "public-key core (`pk`)"

    def with_cores(self, cell: Cell, site: Site) -> list[str]:
        """Clients, where they have a public-key core."""
        return [
            node
            for node, profile in site.profiles.items()
            if node != cell.measured and user_space.has_public_key_core(profile)
        ]


def _check_count(cell: Cell, run: TopologyRun) -> None:
    """Raises `CellFailure` when the server counts less handshakes than its clients."""
    node, keys = run.nodes[cell.measured], cell.needed(HandshakePlan).keys
    before, after = (
        _server(cell).counted(node.data.get(f"proof.{when}", b"").decode(errors="replace"))
        for when in ("before", "after")
    )
    if before is None or after is None:
        return
    count = sum(_together(cell, run, key).count + _count_alone(cell, run, key) for key in keys)
    if after - before < count:
        raise CellFailure(
            f"Cell {cell.label}: clients count {count} handshakes, the server {after - before}."
        )


def _check_share(cell: Cell, node: NodeResult, name: str, key: Key, count: int, whole: int) -> None:
    """Raises `CellFailure` when a hardware cell's core did not do its part of `count` handshakes
    between two marks, of which `whole` were so from beginning to end, and the provider did not
    choose software for the rest.
    """
    counter, done, each = _done(cell, node, name, key)
    wanted = max(whole, 1) * each
    if cell.implementation != "hardware" or done >= wanted:
        return
    if not is_choice_of_keys(node, max(done - _TRIAL, 0), wanted, each):
        raise CellFailure(
            f"Cell {cell.label}: the public-key core counted {done} {counter} for {count} "
            f"handshakes with {key} ({name}); at least {wanted} are expected."
        )


def _done(cell: Cell, node: NodeResult, name: str, key: Key) -> tuple[str, int, int]:
    """The counter of what the public-key core has for handshakes with a kind of key, its growth
    between two marks, and how much one handshake needs at the least.
    """
    counter, each = _server(cell).work[pki.algorithm(key)]
    growth = cores_growth(node, f"{name}.begin", f"{name}.end")
    return counter, engine_growth(growth, counter), each


def _offloaded(cell: Cell, node: NodeResult, name: str, key: Key, count: int) -> Iterator[Value]:
    """How much of `count` handshakes between two marks the core did; trials are none of it, where
    they may be all that there was.
    """
    if cell.implementation != "hardware":
        return
    _, done, each = _done(cell, node, name, key)
    useful = done if done >= count * each else max(done - _TRIAL, 0)
    if _server(cell).work_is_opening:
        useful = 0
    yield "offloaded", min(100.0, 100 * useful / (count * each))


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
    server, plan, topology = cell.measured, cell.needed(HandshakePlan), site.topology
    program = _server(cell)
    variables = {
        "PART": "server" if node == server else "client",
        "PROGRAM": program.program,
        **program.variables,
        "KEYS": " ".join(plan.keys),
        "CLIENTS": str(plan.clients),
        "HANDSHAKES": str(plan.alone),
        "SECONDS_ALL": str(plan.seconds),
        "WARM_UP": str(_WARM_UP),
        "WARM_UP_SECONDS": str(_WARM_UP_SECONDS),
        "PARTS": str(PARTS),
        "PART_SECONDS": f"{plan.seconds / PARTS:g}",
        "TARGET": address(topology, server, topology.ports(server)[0]),
        "CLIENT": address(topology, client, topology.ports(client)[0]),
        "ORDERS_PORT": str(_ORDERS_PORT),
        "ORDERS_PORTS": str(_ORDERS_PORT) if node == client else "",
        **start_offset(cell),
        **_cores_variables(cell, site, node),
    }
    scripts = {name: _SCRIPTS / name for name in (*_SHARED, *program.shared_scripts)}
    own = ("run.sh", f"{program.program}.sh", *program.scripts)
    scripts |= {name: _SCRIPTS / "handshakes" / name for name in own}
    files = {f"/job/{name}": JobFile(path.read_bytes()) for name, path in scripts.items()}
    files |= program.files(node, Ends(server, client, plan.clients, cell.seed))
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = settings_file(variables)
    files["/job/network"] = JobFile(network_commands(topology, node).encode())
    files["/job/ca.pem"] = JobFile(pki.identity(node).authority)
    for key in plan.keys:
        if key != KEY_ALONE:
            kind: pki.Key = key if node == server else "rsa-2048"
            files |= _key_files(key, pki.identity(node, kind, cell.seed))
    return Job(files)


def _cores_variables(cell: Cell, site: Site, node: str) -> dict[str, str]:
    if node == cell.measured:
        return user_space.variables(cell, site.measured(cell))
    return user_space.client_variables(site.profiles[node])


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
    node, count = run.nodes[cell.measured], _count_alone(cell, run, key)
    seconds = _seconds_alone(cell, run, key)
    measured_ns = seconds * count * 1e9
    yield "connection_time", seconds
    during = window(node, name)
    yield from _offloaded(cell, node, name, key, count)
    yield "cpu_in_handshake", min(100 * during.busy / measured_ns, 100)
    yield from load_values(cell, run, name, measured_ns)


def _values(cell: Cell, run: TopologyRun, key: Key) -> Iterator[Value]:
    """Of many clients at once."""
    node, clients = run.nodes[cell.measured], _together(cell, run, key)
    count = clients.count
    during = window(node, f"{key}-all")
    rate = clients.rate(shared=_is_saturated(cell, run, key))
    connections, share = 60 * rate.value, rate.uncertainty / rate.value
    cpu = 100 * during.busy / during.elapsed
    work = during.busy / 1e9 / (during.elapsed / 1e9 * rate.value)
    yield "connections", connections, 60 * rate.uncertainty
    # CPU use varies as handshakes do; the work of one varies by what is under way at either end.
    yield "cpu", cpu, None if _is_saturated(cell, run, key) else cpu * share
    yield from tick_values(during)
    yield "elapsed", during.elapsed / 1e9
    if cpu > 0:
        per_cpu = connections / cpu
        yield "connections_per_cpu", per_cpu, per_cpu / count
    yield "cpu_seconds_per_connection", work, work / count
    yield from load_values(cell, run, f"{key}-all")
    if cell.implementation == "hardware":
        growth = cores_growth(node, f"{key}-all.begin", f"{key}-all.end")
        operations = engine_growth(growth, "pk_operations")
        yield "core_operations_per_connection", operations / count
    yield from _offloaded(cell, node, f"{key}-all", key, count)


def _is_saturated(cell: Cell, run: TopologyRun, key: Key) -> bool:
    """Whether the server was saturated: its CPU and its core, one after the other."""
    node, name = run.nodes[cell.measured], f"{key}-all"
    during = window(node, name)
    growth = cores_growth(node, f"{name}.begin", f"{name}.end") if cell.on_cores else {}
    busy = during.busy + engine_growth(growth, "pk_busy_ns")
    return 100 * busy / during.elapsed >= SATURATED


def _server(cell: Cell) -> TlsServer:
    server = protocol_of(cell).handshakes
    if server is None:
        raise FiresteelError(
            f"Cell {cell.label}: handshakes of {cell.protocol} are not measured; allowed are "
            f"{', '.join(_SERVERS)}."
        )
    return server


def _count_alone(cell: Cell, run: TopologyRun, key: Key) -> int:
    """Handshakes of one client."""
    text = _text(cell, run, f"{key}-one")
    count = _server(cell).alone(text)
    if count < 1:
        raise CellFailure(f"No handshake of one client with {key}: {text.strip()[:200]}")
    return count


def _seconds_alone(cell: Cell, run: TopologyRun, key: Key) -> float:
    """What one handshake takes when nothing else is to be done."""
    name = f"{key}-one"
    _count_alone(cell, run, key)
    elapsed = window(run.nodes[cell.measured], name).elapsed / 1e9
    return _server(cell).seconds_alone(_text(cell, run, name), key, elapsed)


def _together(cell: Cell, run: TopologyRun, key: Key) -> Clients:
    """What many clients at once report, which is a handshake at least."""
    client = run.nodes[_client(cell, run.topology)]
    text = _text(cell, run, f"{key}-all")

    def part_at(part: int) -> float:
        return mark_of(client, f"{key}-all.part{part}").time_ns / 1e9

    clients = _server(cell).together(text, key, part_at)
    if clients.count < 1:
        raise CellFailure(f"No handshake with {key}: {text.strip()[:200]}")
    return clients


def _text(cell: Cell, run: TopologyRun, name: str) -> str:
    client = run.nodes[_client(cell, run.topology)]
    return data_of(client, name).decode(errors="replace")


HANDSHAKES = _Handshakes()
