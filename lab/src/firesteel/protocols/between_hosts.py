# SPDX-License-Identifier: Apache-2.0
"""Protocols that carry traffic between hosts: directly, or through a tunnel."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firesteel.board.job import JobFile
from firesteel.board.network import Plan, Side
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols.file_access import FTP, HTTP, FileAccess
from firesteel.protocols.protocol import Protocol

LARGEST_FRAME = 1514
"""Bytes of an Ethernet frame."""

_OTHER_BYTES = 400 * LARGEST_FRAME
"""Bytes on the wire beside the tunnel's that a run may have: ARP, IKE, orders to other nodes."""

Growth = Callable[[str, str], int]
"""What a counter of /proc/net/snmp grew by, by the names of protocol and counter."""


@dataclass(frozen=True)
class Carried:
    """Bytes and packets that a tunnel took in and sent, at one instant or between two."""

    rx_bytes: int = 0
    rx_packets: int = 0
    tx_bytes: int = 0
    tx_packets: int = 0

    def __sub__(self, other: "Carried") -> "Carried":
        return Carried(
            self.rx_bytes - other.rx_bytes,
            self.rx_packets - other.rx_packets,
            self.tx_bytes - other.tx_bytes,
            self.tx_packets - other.tx_packets,
        )


class BetweenHosts(Protocol, ABC):
    """A protocol that carries traffic between a client and a server.

    `files_by` are the ways in which files come through it, the usual one first, `carries_packets`
    whether any program's packets go through it or its own alone.  `asks_kernel` says that its
    cryptography is the kernel's crypto API's, whose fastest code is to be loaded.  `scripts` are
    those of board/jobs/ that it brings besides what every node has.
    """

    files_by: tuple[FileAccess, ...] = (FTP, HTTP)
    carries_packets: bool = True
    asks_kernel: bool = False
    scripts: tuple[str, ...] = ()

    def access(self, by: str | None) -> FileAccess:
        """How files come by the way of that name; the usual one without."""
        return next((each for each in self.files_by if each.name == by), self.files_by[0])

    @property
    def servers(self) -> frozenset[str]:
        """Those that its files may come from."""
        return frozenset(each.server for each in self.files_by)

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        """The variables of its scripts on a node; board/jobs/ says what they mean."""
        del cell, topology, plan, node
        return {}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        """Keys and configuration of a node, by guest path."""
        del cell, plan, node
        return {}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """Raises `CellFailure` when the traffic took another path through a node than it should.

        `sections` are what the function `tunnel_counters` of the node's scripts prints after the
        last measurement: on the node at the measured end of a tunnel, else on the measured node.
        """
        del cell, sections


class TunnelProtocol(BetweenHosts, ABC):
    """A protocol with a tunnel between two nodes, or several."""

    purpose = "tunnel"

    @abstractmethod
    def script(self, cell: Cell) -> str:
        """NAME of board/jobs/tunnel-NAME.sh, which makes the ends of a node's tunnels."""

    @abstractmethod
    def tunnel(self, cell: Cell, topology: Topology, side: Side) -> dict[str, str]:
        """The script's variables of a node's tunnel, besides `tunnel_settings`."""

    @abstractmethod
    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        """What a node's end of a tunnel says that it carried: the sections that the function
        `tunnel_counters` of its script prints.

        Raises `CellFailure` when it has no counters.
        """

    def further_counts(self, growth: Growth) -> dict[str, int]:
        """Further counters of the end's node that show the path, by name."""
        del growth
        return {}

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        """Why the counters of a way (`rx` or `tx`) do not fit each other; nothing if they do."""
        del proof, way
        return ""


def tunnel_settings(side: Side) -> dict[str, str]:
    """The variables of a node's tunnel whatever its protocol; board/jobs/tunnels.sh says what each
    means.
    """
    return {
        "TUNNEL_NUMBER": str(side.number),
        "TUNNEL_ROLE": "client" if side.initiates else "server",
        "TUNNEL_HERE": side.here.here,
        "TUNNEL_THERE": side.there.here,
        "NODE_HERE": side.here.node,
        "NODE_THERE": side.there.node,
        "INSIDE_HERE": side.here.inside,
        "INSIDE_THERE": side.there.inside,
    }


def beside_the_tunnel(proof: Mapping[str, int], way: str, most_added: int) -> str:
    """Why a way's wire carried more than the tunnel, or fewer frames than it had packets without
    those that a queue or overload lost; nothing if it did not.  `most_added` is the most
    bytes by which a packet on the wire is larger.
    """
    carried, packets = proof[f"tunnel_{way}_bytes"], proof[f"tunnel_{way}_packets"]
    wire, frames = proof[f"wire_{way}_bytes"], proof[f"wire_{way}_frames"]
    if way == "tx":
        frames += proof.get("queue_dropped", 0) + proof.get("overload_lost", 0)
    if wire <= carried + packets * most_added + _OTHER_BYTES and frames >= packets:
        return ""
    return f"it counts {carried} bytes in {packets} packets, the wire {wire} in {frames} frames"
