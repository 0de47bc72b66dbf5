# SPDX-License-Identifier: Apache-2.0
"""Protocols that carry traffic between hosts, directly or through a tunnel, and how files go
through them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, replace

from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan, Side
from firesteel.boards.topology import Topology
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.window import CellFailure

LARGEST_FRAME = 1514
"""Bytes of an Ethernet frame."""

FIRST_FLOW_PORT = 5601
"""The client's port of the first of several flows; each further flow has the next one."""

_OTHER_BYTES = 400 * LARGEST_FRAME
"""Bytes on the wire beside the tunnel's that a run may have: ARP, IKE, orders to other nodes."""

_COUNTER = re.compile(r"^([rt]x)_(bytes|packets):(\d+)$", re.MULTILINE)

Growth = Callable[[str, str], int]
"""What a counter of /proc/net/snmp grew by, by the names of protocol and counter."""


@dataclass(frozen=True)
class FileAccess:
    """A way to fetch files: the client does it by board/jobs/fetch-NAME.sh, the server serves them
    by serve-SERVER.sh.

    `tells_times`: the client's program reports the times of the first and the last byte; otherwise
    only marks are known.  `forwards_ports` says that the client can carry other programs'
    connections, too.  `sends` says that the client sends the files, which the server receives.
    `more` are further files of board/jobs/ that the scripts need.
    """

    name: str
    server: str
    tells_times: bool = False
    forwards_ports: bool = False
    sends: bool = False
    more: tuple[str, ...] = ()

    @property
    def scripts(self) -> tuple[str, ...]:
        """All files of board/jobs/ that a node needs for it."""
        return ("sample.sh", f"fetch-{self.name}.sh", f"serve-{self.server}.sh", *self.more)


_CURL = "curl.sh"
_NGINX = (_CURL, "nginx.sh")
_OF_HTTPS = ("fetch-https.sh", "serve-https.sh")

FTP = FileAccess("ftp", "ftp", tells_times=True, more=(_CURL, "vsftpd.conf"))
HTTP = FileAccess("http", "http", tells_times=True, more=_NGINX)
HTTPS = FileAccess("https", "https", tells_times=True, more=_NGINX)
KTLS = FileAccess("ktls", "ktls", tells_times=True, more=(*_NGINX, *_OF_HTTPS))


def _upload(way: FileAccess, *scripts: str) -> FileAccess:
    """The same way with files that the client sends; its server needs those scripts besides."""
    return replace(
        way,
        name="upload",
        server=f"upload-{way.server}",
        sends=True,
        more=(*_NGINX, "upload.sh", *scripts),
    )


HTTP_UPLOAD = _upload(HTTP, "fetch-http.sh")
HTTPS_UPLOAD = _upload(HTTPS, *_OF_HTTPS)
KTLS_UPLOAD = _upload(KTLS, *_OF_HTTPS, "fetch-ktls.sh", "serve-ktls.sh")

SCP = FileAccess("scp", "ssh", forwards_ports=True, more=("ssh-client.sh", "start-sshd.sh"))
RCP = replace(SCP, name="rcp")
SFTP = replace(SCP, name="sftp")


@dataclass(frozen=True)
class Carried:
    """Bytes and packets that a tunnel took in and sent, at one instant or between two."""

    rx_bytes: int = 0
    rx_packets: int = 0
    tx_bytes: int = 0
    tx_packets: int = 0

    def __add__(self, other: "Carried") -> "Carried":
        return Carried(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: "Carried") -> "Carried":
        return Carried(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))


class BetweenHosts(Protocol, ABC):
    """A protocol that carries traffic between a client and a server.

    `files_by` are the ways to fetch files through it, the usual one first.  `carries_packets`:
    packets of any program go through it, not only its own.  `asks_kernel` says that its
    cryptography is the kernel's crypto API's, whose fastest code is to be loaded.  `scripts` are
    its scripts of board/jobs/, in addition to every node's.
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

    def settings(self, _cell: Cell, _topology: Topology, _plan: Plan, _node: str) -> dict[str, str]:
        """The variables of its scripts on a node; board/jobs/ says what they mean."""
        return {}

    def files(self, _cell: Cell, _plan: Plan, _node: str) -> dict[str, JobFile]:
        """Keys and configuration of a node, by guest path."""
        return {}

    def check_path(self, _cell: Cell, _sections: Mapping[str, str]) -> None:
        """Raises `CellFailure` when the traffic took another path through a node than it should.

        `sections` are what the function `tunnel_counters` of the node's scripts prints after the
        last measurement: on the node at the measured end of a tunnel, else on the measured node.
        """


class TunnelProtocol(BetweenHosts, ABC):
    """A protocol with a tunnel between two nodes, or several.

    NAME of board/jobs/tunnel-NAME.sh, which makes the ends of a node's tunnels, is `made_by_script`
    unless `script` says more.  `most_added` are the most bytes by which a packet on the wire is
    larger than in the tunnel.
    """

    purpose = "tunnel"
    made_by_script: str
    most_added: int

    def script(self, _cell: Cell) -> str:
        """That NAME for a cell."""
        return self.made_by_script

    @abstractmethod
    def tunnel(self, cell: Cell, topology: Topology, side: Side) -> dict[str, str]:
        """The script's variables of a node's tunnel, in addition to `tunnel_settings`."""

    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        """What a node's end of a tunnel says that it carried: the sections that the function
        `tunnel_counters` of its script prints.

        Scripts call its device tun and the tunnel's number, whatever made it.  The tunnel that
        carries the client's traffic is number 0 at both its ends, and tun0 counts what nodes send.
        Raises `CellFailure` when there is none.
        """
        text = sections.get("tun", "")
        found = {f"{way}_{unit}": int(value) for way, unit, value in _COUNTER.findall(text)}
        if len(found) != 4:
            raise CellFailure(f"Node {side.here.node} has no tunnel device.")
        return Carried(**found)

    def further_counts(self, _growth: Growth) -> dict[str, int]:
        """Further counters of the end's node that show the path, by name."""
        return {}

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        """Why the counters of a direction (`rx` or `tx`) contradict each other; empty if they do
        not.  The wire must carry at most the tunnel's bytes, and at least as many frames as the
        tunnel had packets, except losses in queues and by overload.
        """
        carried, packets = proof[f"tunnel_{way}_bytes"], proof[f"tunnel_{way}_packets"]
        wire, frames = proof[f"wire_{way}_bytes"], proof[f"wire_{way}_frames"]
        if way == "tx":
            frames += proof.get("queue_dropped", 0) + proof.get("overload_lost", 0)
        if wire <= carried + packets * self.most_added + _OTHER_BYTES and frames >= packets:
            return ""
        return f"it counts {carried} bytes in {packets} packets, the wire {wire} in {frames} frames"


def routes_behind(side: Side) -> str:
    """Networks that are routed to a tunnel's device, in addition to the other end."""
    return "" if side.there.is_alone else " ".join(side.there.networks)


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


class _None(BetweenHosts):
    name = NO_TUNNEL
    title = "no tunnel"
    suites = ("none:none",)
    files_by = (FTP, HTTP, HTTP_UPLOAD)

    def check_suites(self, suites: Iterable[str]) -> None:
        if set(suites) != set(self.suites):
            raise ValueError(
                f'protocol "{self.name}" allows only suite "none:none"; put the tunnels into '
                "another configuration"
            )

    def in_words(self, _cipher: str, _mac: str) -> str:
        return self.title


NONE = _None()
