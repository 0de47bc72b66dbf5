# SPDX-License-Identifier: Apache-2.0
"""A topology: boards, the links between them, and which of them do what.

Each is a file in `board/topologies/`.  Addresses and routes follow from it (`boards.network`), and
so do the ends of tunnels and what lies behind them (`boards.network`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import Measures
from firesteel.base.toml import Table, check_distinct
from firesteel.boards.cores import NAME
from firesteel.boards.profile import BOARD_FILES, Profile, load_profile

TOPOLOGIES = BOARD_FILES / "topologies"
"""Where the topologies of this checkout are."""

FEWEST_NODES = 1
MOST_NODES = 8
"""How many nodes the lockstep takes."""

Role = Literal["host", "gateway", "router"]
"""A host does not forward packets, a gateway and a router do; no tunnel ends at a router."""

Name = Annotated[str, Field(pattern=NAME)]

_HOSTS = 254
"""Host parts of a network of /24: 1 to 254."""


class Node(Table):
    """One board of a topology: its role in it, and the name of its profile."""

    role: Role
    """Gateways and routers forward packets; tunnels end at hosts and gateways."""
    profile: str
    """A file in `board/profiles/`; an experiment may override it."""

    @property
    def forwards(self) -> bool:
        """Whether packets for others pass through it."""
        return self.role != "host"


QUEUE_FRAMES = {"point-to-point": 2, "switch": 64}
"""How many frames wait for a cable by default, by the kind of its link."""


class Link(Measures):
    """What connects nodes.  A sending port that refuses frames leaves them in the guest's ring; by
    default it holds 2, as an Ethernet controller does.
    """

    name: Name
    """Unique within the topology."""
    kind: Literal["point-to-point", "switch"]
    """Cable between two nodes, or store-and-forward switch with a cable to each."""
    nodes: tuple[Name, ...]
    """Nodes on the link."""
    rate_bit_s: int = Field(default=100_000_000, ge=1_000_000, le=100_000_000_000)
    """Bit rate of each direction of each cable."""
    latency_ns: int = Field(default=20_000, ge=100, le=1_000_000_000)
    """Latency of a cable, one way."""
    queue_frames: int = Field(
        default_factory=lambda link: QUEUE_FRAMES.get(link.get("kind", ""), 2), ge=1, le=65_536
    )
    """Frames that can wait for a cable. A port refuses further frames (default 2), and a switch
    drops further frames (default 64).
    """

    @model_validator(mode="after")
    def _ends_fit_kind(self) -> Self:
        if len(set(self.nodes)) != len(self.nodes):
            raise ValueError(f"link `{self.name}` names a node twice; name each node once")
        if self.kind == "point-to-point" and len(self.nodes) != 2:
            raise ValueError(
                f"link `{self.name}` has {len(self.nodes)} nodes; a point-to-point link has 2"
            )
        if len(self.nodes) < 2:
            raise ValueError(f"link `{self.name}` has {len(self.nodes)} nodes; it needs 2 or more")
        return self


@dataclass(frozen=True)
class Port:
    """A node's end of a link: `interface` is what the guest calls it."""

    interface: str
    mac: str
    link: Link
    link_number: int


Pair = Annotated[tuple[Name, ...], Field(min_length=2, max_length=2)]


class Topology(Table):
    """Nodes by name, in order, and links; both orders count, because they number nodes and ports.

    Without `tunnels` there is one between the two gateways or, where there is no gateway, between
    client and server.
    """

    client: Name | None = None
    """Node that sends pings and fetches files; default: the first host."""
    clients: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    """Nodes that send streams at once; the first node acts as `client`."""
    server: Name | None = None
    """Node that answers; default: the last host."""
    tunnels: tuple[Pair, ...] | None = None
    """Pairs of nodes with a tunnel between them, the initiator first (see
    [Roles](../boards.md#roles)).
    """
    nodes: dict[Name, Node]
    """1 to 8 boards by name, numbered in this order."""
    links: tuple[Link, ...] = ()
    """Links, in the order that numbers each node's ports (`eth0`, `eth1`); with several boards,
    every board needs a link.
    """
    _seed: int = PrivateAttr(default=1)

    @model_serializer(mode="wrap")
    def _leave_out_defaults(self, handler: SerializerFunctionWrapHandler) -> Any:
        """So records of a topology that leaves its roles to the defaults say no more than it."""
        written = handler(self)
        return {key: value for key, value in written.items() if value is not None}

    @model_validator(mode="after")
    def _links_fit_nodes(self) -> Self:
        if not FEWEST_NODES <= len(self.nodes) <= MOST_NODES:
            raise ValueError(
                f"there are {len(self.nodes)} nodes; allowed are {FEWEST_NODES} to {MOST_NODES}"
            )
        names = [link.name for link in self.links]
        for link in self.links:
            if names.count(link.name) > 1:
                raise ValueError(f"several links are called `{link.name}`; names are unique")
            self._check_nodes(f"link `{link.name}`", *link.nodes)
        for node in self.nodes:
            if len(self.nodes) > 1 and not self.ports(node):
                raise ValueError(f"node `{node}` is on no link; each node needs at least one")
        return self

    @model_validator(mode="after")
    def _parts_fit_nodes(self) -> Self:
        clients = self.clients or ()
        self._check_nodes("`client`", *filter(None, (self.client,)))
        self._check_nodes("`server`", *filter(None, (self.server,)))
        self._check_nodes("`clients`", *clients)
        if clients and self.client is not None:
            raise ValueError("`client` and `clients` are both set; leave one of them out")
        if self.server in (*clients, self.client) and self.server is not None:
            raise ValueError(f"`{self.server}` is a client and `server`; they must differ")
        check_distinct("clients", clients)
        for near, far in self.tunnels or ():
            self._check_nodes("`tunnels`", near, far)
            if near == far:
                raise ValueError(f"`tunnels` has one from `{near}` to itself; its ends must differ")
            for node in (near, far):
                if self.nodes[node].role == "router":
                    raise ValueError(
                        f"`tunnels` names the router `{node}`; a tunnel ends at a host or a gateway"
                    )
        pairs = [frozenset(pair) for pair in self.tunnels or ()]
        for near, far in self.tunnels or ():
            if pairs.count(frozenset((near, far))) > 1:
                raise ValueError(
                    f"`tunnels` has more than one between `{near}` and `{far}`; two nodes have "
                    "at most one"
                )
        return self

    def _check_nodes(self, who: str, *nodes: str) -> None:
        for node in nodes:
            if node not in self.nodes:
                known = ", ".join(self.nodes)
                raise ValueError(f"{who} names the node `{node}`; the nodes are: {known}")

    def of_role(self, role: Role) -> list[str]:
        """The nodes of that role, in order."""
        return [name for name, node in self.nodes.items() if node.role == role]

    def index(self, node: str) -> int:
        """The node's number, counted from 0 in the order of the file."""
        return list(self.nodes).index(node)

    def host_part(self, node: str) -> int:
        """The last number of each of the node's IPv4 addresses.

        Addresses differ from site to site, and here from seed to seed; seed 1 has the first ones.
        """
        return 1 + (_first(self._seed, "host", _HOSTS) + self.index(node)) % _HOSTS

    def with_seed(self, seed: int) -> "Topology":
        """Return it with the seed's addresses of its nodes; files have the addresses of seed 1."""
        topology = self.model_copy()
        topology._seed = seed
        return topology

    def ports(self, node: str) -> list[Port]:
        """The node's ends of links, in the order in which its guest sees them (eth0, eth1 …)."""
        on = [(number, link) for number, link in enumerate(self.links) if node in link.nodes]
        # Locally administered, as QEMU's own; behind the seed's part the node's number, the port's.
        part = _first(self._seed, "mac", 1 << 16)
        mac = f"52:54:{part >> 8:02x}:{part & 0xFF:02x}:{self.index(node) + 1:02x}"
        return [
            Port(f"eth{position}", f"{mac}:{position:02x}", link, number)
            for position, (number, link) in enumerate(on)
        ]

    def override(
        self,
        *,
        profiles: Mapping[str, str] | None = None,
        links: Mapping[str, Mapping[str, int]] | None = None,
    ) -> "Topology":
        """Return it with other profiles, by node, and other parameters of links, by name.

        `override(links={"wire": {"rate_bit_s": 1_000_000_000}})` makes it a gigabit wire.  Raises
        `FiresteelError` when a node, link or parameter is unknown or a value is not allowed.
        """
        content: dict[str, Any] = self.model_dump(mode="json")
        for node, profile in (profiles or {}).items():
            _known("node", node, content["nodes"])["profile"] = profile
        by_name = {link["name"]: link for link in content["links"]}
        for name, changes in (links or {}).items():
            _known("link", name, by_name).update(changes)
        try:
            changed = Topology.model_validate_json(json.dumps(content), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise FiresteelError(f"Topology, key `{key}`: {first['msg']}.") from None
        return changed.with_seed(self._seed)


def _first(seed: int, what: str, below: int) -> int:
    if seed == 1:
        return 0
    digest = hashlib.sha256(f"{what} {seed}".encode()).digest()
    return int.from_bytes(digest[:8]) % below


def _known(kind: str, name: str, table: dict[str, Any]) -> Any:
    if name not in table:
        raise FiresteelError(f"The topology has no {kind} `{name}`; it has: {', '.join(table)}.")
    return table[name]


def load_topology(name: str, directory: Path = TOPOLOGIES) -> Topology:
    """The topology of that name; `FiresteelError` when there is none or its file is wrong."""
    return toml.read_named("topology", name, directory, Topology)


def topology_names() -> list[str]:
    """The names of all topologies, sorted."""
    return toml.names_in(TOPOLOGIES)


def load_profiles(topology: Topology) -> dict[str, Profile]:
    """The profile of each node, by node name."""
    return {name: load_profile(node.profile) for name, node in topology.nodes.items()}


def topology_digest(topology: Topology, profiles: Mapping[str, Profile]) -> str:
    """Hex SHA-256 of all that the nodes of one run must agree on.

    The nodes show it to each other before they start, so that none runs against another setting.
    The content of a profile counts, its name does not.
    """
    said = {
        "nodes": [
            [name, node.role, profiles[name].model_dump(mode="json")]
            for name, node in topology.nodes.items()
        ],
        "links": [link.model_dump(mode="json") for link in topology.links],
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
