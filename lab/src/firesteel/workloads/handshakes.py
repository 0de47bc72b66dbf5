# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS, logins by SSH, tunnels by IKE and WireGuard: the measured node serves, the
other host has the clients.

It is the server's key whose kind is said; clients, where they have keys, have usual ones.  What a
program says of its handshakes is its protocol's to know (`protocols.tls_server`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias

from pydantic import Field, create_model, model_validator

from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many, Table, check_distinct
from firesteel.boards.job import Job, JobFile, script
from firesteel.boards.network import address, network_commands
from firesteel.boards.profile import BOARD_FILES, Profile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.topology import Topology
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import KEY_ALONE, Figure, Parameter
from firesteel.model.metrics import SATURATED
from firesteel.protocols import pki, user_space
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.offload import check_idle, cores_growth, engine_growth, is_choice_of_keys
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import PROTOCOLS, protocol_named
from firesteel.protocols.site import Site, settings_file, start_offset
from firesteel.protocols.tls_server import PARTS, Clients, Ends, Key
from firesteel.protocols.window import CellFailure, data_of, mark_of, window
from firesteel.workloads.load import load_values, tick_values
from firesteel.workloads.presentation import Bars, Column, Section, Series
from firesteel.workloads.workload import Solo, Value, WorkloadTable, rows

_SCRIPTS = BOARD_FILES / "jobs"

_TRIAL = 4
"""Operations that the provider may take to try a core that it then leaves alone."""

_SHARED = ("functions.sh", "account.sh")
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


class _ByProgram(Table):
    """A value for each program."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for name, value in self:
            if isinstance(value, tuple):
                check_distinct(f"keys.{name}", value)
        return self


if TYPE_CHECKING:
    Keys: TypeAlias = _ByProgram
    Lengths: TypeAlias = _ByProgram
else:
    Keys = create_model(
        "Keys",
        __base__=_ByProgram,
        __doc__="The kinds of the server's key, by program.",
        **{
            name: (Many[Literal[server.keys]] | None, Field(None, description=server.keys_meaning))
            for name, server in _SERVERS.items()
        },
    )
    Lengths = create_model(
        "Lengths",
        __base__=_ByProgram,
        __doc__="For how many seconds all clients are measured, by program.",
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
    """Number of consecutive handshakes of a single client."""
    clients: ClientCount
    """Number of simultaneous clients after that."""
    seconds: Lengths
    """Virtual time for all clients, by program."""
    quick: QuickHandshakes = QuickHandshakes()
    """Keys that `--quick` replaces."""

    def check(self, protocol: Protocol, suites: tuple[str, ...]) -> None:
        """Each protocol has keys, and a suite that counts."""
        for table in ("keys", "seconds"):
            if not getattr(getattr(self, table), protocol.name):
                raise ValueError(f"the key `handshakes.{table}.{protocol.name}` is missing")
        _SERVERS[protocol.name].check_suites(protocol.name, suites)

    def plans(self, protocol: Protocol, quick: bool) -> Sequence[HandshakePlan]:
        """Settings of the protocol are included."""
        told, name = self.values(quick), protocol.name
        seconds = [getattr(each, name) for each in (told["seconds"], self.seconds)]
        return (
            HandshakePlan(
                keys=getattr(self.keys, name),
                alone=told["alone"],
                clients=self.clients,
                seconds=seconds[0] or seconds[1],
            ),
        )


_ONE = Series("tls-connection-time", "One handshake")
_MANY = Series("tls-connections", "Many handshakes")


class _Handshakes(Solo):
    name = "handshakes"
    meaning = "Handshakes of servers, such as `nginx` and `ike`."
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

        It fails if there was no handshake, or if the server counts fewer handshakes than its
        clients.  It also fails if the public-key core did not do its part in a hardware cell, or if
        the cores did anything in another cell.
        """
        node, seen = run.nodes[cell.measured], _seen(cell, run)
        for each in seen:
            # Each client may have one under way at either end
            count = each.together.count
            each.check_share("all", count, count - cell.needed(HandshakePlan).clients)
            each.check_share("one", each.alone, each.alone - 1)
        counted = [
            _SERVERS[cell.protocol].counted(
                node.data.get(f"proof.{when}", b"").decode(errors="replace")
            )
            for when in ("before", "after")
        ]
        if counted[0] is not None and counted[1] is not None:
            by_clients = sum(each.together.count + each.alone for each in seen)
            if (by_server := counted[1] - counted[0]) < by_clients:
                raise CellFailure(
                    f"Cell {cell.label}: clients count {by_clients} handshakes, the server "
                    f"{by_server}."
                )
        growth = cores_growth(node, "proof.before", "proof.after")
        check_idle(cell, growth)
        return {f"handshakes.{each.key}": each.together.count for each in seen} | growth

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        figures: list[Figure] = []
        for each in _seen(cell, run):
            parameter = Parameter(key=each.key)
            figures += rows(cell, _ONE.name, parameter, _values_of_one(each))
            figures += rows(cell, _MANY.name, parameter, _values(each))
        return figures

    def windows(self, cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        """All clients' handshakes with the first kind of keys come first."""
        keys = cell.needed(HandshakePlan).keys
        return tuple(f"{key}-{which}" for key in keys for which in ("all", "one"))

    def missing(self, _cell: Cell, profile: Profile) -> Iterator[str]:
        if not user_space.has_public_key_core(profile):
            yield "public-key core (`pk`)"

    def with_cores(self, cell: Cell, site: Site) -> list[str]:
        """Clients, where they have a public-key core."""
        return [
            node
            for node, profile in site.profiles.items()
            if node != cell.measured and user_space.has_public_key_core(profile)
        ]


def _client(cell: Cell, topology: Topology) -> str:
    hosts = [name for name, node in topology.nodes.items() if node.role == "host"]
    others = [name for name in hosts if name != cell.measured]
    if len(topology.nodes) != 2 or len(others) != 1:
        raise FiresteelError(
            f"Cell {cell.label}: handshakes need a topology of `{cell.measured}` and one "
            f"other host; `{cell.topology}` has {', '.join(topology.nodes)}."
        )
    return others[0]


def _job(cell: Cell, site: Site, client: str, node: str) -> Job:
    server, plan, topology = cell.measured, cell.needed(HandshakePlan), site.topology
    program = _SERVERS[cell.protocol]
    if node == server:
        cores = user_space.variables(cell, site.measured(cell))
    else:
        cores = user_space.client_variables(site.profiles[node])
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
        **cores,
    }
    own = ("run.sh", f"{program.program}.sh", *program.scripts)
    part = "orders.sh" if node == client else "follow.sh"
    scripts = [_SCRIPTS / name for name in (*_SHARED, part, *program.shared_scripts)]
    scripts += [_SCRIPTS / "handshakes" / name for name in own]
    files = {f"/job/{path.name}": script(path) for path in scripts}
    files |= program.files(node, Ends(server, client, plan.clients, cell.seed))
    files["/job/run"] = files.pop("/job/run.sh")
    files["/job/settings"] = settings_file(variables)
    files["/job/network"] = JobFile(network_commands(topology, node).encode())
    files["/job/ca.pem"] = JobFile(pki.identity(node).authority)
    for key in plan.keys:
        if key != KEY_ALONE:
            identity = pki.identity(node, key if node == server else "rsa-2048", cell.seed)
            files[f"/job/{key}/node.pem"] = JobFile(identity.certificate)
            files[f"/job/{key}/node.key"] = JobFile(identity.key, 0o600)
        group = _SCRIPTS / "handshakes" / f"dh-{key.removeprefix('rsa-')}.pem"
        if group.exists():
            files[f"/job/{key}/dh.pem"] = JobFile(group.read_bytes())
    return Job(files)


@dataclass(frozen=True)
class _Seen:
    """What was seen of handshakes with one kind of key, in two windows: `one` client whose
    handshakes come one after the other, with pauses or without, and `all` clients at once.
    """

    cell: Cell
    run: TopologyRun
    key: Key

    @property
    def node(self) -> NodeResult:
        """The server's."""
        return self.run.nodes[self.cell.measured]

    @property
    def client(self) -> NodeResult:
        """The node with the clients."""
        return self.run.nodes[_client(self.cell, self.run.topology)]

    def name(self, which: str) -> str:
        """That of a window, and of what clients report of it."""
        return f"{self.key}-{which}"

    def text(self, which: str) -> str:
        """What clients report."""
        return data_of(self.client, self.name(which)).decode(errors="replace")

    @cached_property
    def alone(self) -> int:
        """Handshakes of one client, of which there is one at least."""
        text = self.text("one")
        count = _SERVERS[self.cell.protocol].alone(text)
        if count < 1:
            raise CellFailure(f"No handshake of one client with {self.key}: {text.strip()[:200]}")
        return count

    @cached_property
    def together(self) -> Clients:
        """What all clients report, which is a handshake at least."""
        text, client = self.text("all"), self.client

        def part_at(part: int) -> float:
            return mark_of(client, f"{self.name('all')}.part{part}").time_ns / 1e9

        clients = _SERVERS[self.cell.protocol].together(text, self.key, part_at)
        if clients.count < 1:
            raise CellFailure(f"No handshake with {self.key}: {text.strip()[:200]}")
        return clients

    def growth(self, which: str, counter: str) -> int:
        """That of a counter of the server's cores."""
        name = self.name(which)
        return engine_growth(cores_growth(self.node, f"{name}.begin", f"{name}.end"), counter)

    def check_share(self, which: str, count: int, whole: int) -> None:
        """Raises `CellFailure` if a hardware cell's core did not do its part of `count` handshakes,
        of which `whole` were complete, and the provider did not choose software for the rest.
        """
        if self.cell.implementation != "hardware":
            return
        counter, each = _SERVERS[self.cell.protocol].work[pki.algorithm(self.key)]
        done, wanted = self.growth(which, counter), max(whole, 1) * each
        if done >= wanted:
            return
        if not is_choice_of_keys(self.node, max(done - _TRIAL, 0), wanted, each):
            raise CellFailure(
                f"Cell {self.cell.label}: the public-key core counted {done} {counter} for {count} "
                f"handshakes with {self.key} ({self.name(which)}); at least {wanted} are expected."
            )

    def offloaded(self, which: str, count: int) -> Iterator[Value]:
        """How much of `count` handshakes the core did; trials are none of it, where they may be all
        that there was.
        """
        server = _SERVERS[self.cell.protocol]
        if self.cell.implementation != "hardware":
            return
        counter, each = server.work[pki.algorithm(self.key)]
        done = self.growth(which, counter)
        useful = done if done >= count * each else max(done - _TRIAL, 0)
        yield (
            "offloaded",
            0.0 if server.work_is_opening else min(100, 100 * useful / (count * each)),
        )


def _seen(cell: Cell, run: TopologyRun) -> list[_Seen]:
    return [_Seen(cell, run, key) for key in cell.needed(HandshakePlan).keys]


def _values_of_one(seen: _Seen) -> Iterator[Value]:
    """Of one client."""
    count, during = seen.alone, window(seen.node, seen.name("one"))
    server = _SERVERS[seen.cell.protocol]
    seconds = server.seconds_alone(seen.text("one"), seen.key, during.elapsed / 1e9)
    measured_ns = seconds * count * 1e9
    yield "connection_time", seconds
    yield from seen.offloaded("one", count)
    yield "cpu_in_handshake", min(100 * during.busy / measured_ns, 100 * len(during.by_cpu))
    yield from load_values(seen.cell, seen.run, seen.name("one"), measured_ns)


def _values(seen: _Seen) -> Iterator[Value]:
    """Of many clients at once."""
    count, during = seen.together.count, window(seen.node, seen.name("all"))
    # The server was saturated: its CPU, of several the busiest, and its core, one after the other.
    core_busy = seen.growth("all", "pk_busy_ns") if seen.cell.on_cores else 0
    is_saturated = 100 * (max(during.by_cpu) + core_busy) / during.elapsed >= SATURATED
    rate = seen.together.rate_saturated if is_saturated else seen.together.rate
    connections, share = 60 * rate.value, rate.uncertainty / rate.value
    cpu = 100 * during.busy / during.elapsed
    work = during.busy / 1e9 / (during.elapsed / 1e9 * rate.value)
    yield "connections", connections, 60 * rate.uncertainty
    # CPU use varies as handshakes do; the work of one varies by what is under way at either end.
    yield "cpu", cpu, None if is_saturated else cpu * share
    yield from tick_values(during)
    yield "elapsed", during.elapsed / 1e9
    if cpu > 0:
        per_cpu = connections / cpu
        yield "connections_per_cpu", per_cpu, per_cpu / count
    yield "cpu_seconds_per_connection", work, work / count
    yield from load_values(seen.cell, seen.run, seen.name("all"))
    if seen.cell.implementation == "hardware":
        operations = seen.growth("all", "pk_operations")
        yield "core_operations_per_connection", operations / count
    yield from seen.offloaded("all", count)


HANDSHAKES = _Handshakes()
