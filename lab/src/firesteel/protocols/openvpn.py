# SPDX-License-Identifier: Apache-2.0
"""OpenVPN: a tunnel through user space, and a server of TLS that is measured by its handshakes.

Handshakes are measured as in the 2015 thesis (published/README.md, tables 5.1 and 5.2): one client,
then many, all of which renegotiate every second.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from firesteel.board.job import JobFile
from firesteel.board.network import Plan, Side
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell, Habit
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import Carried, Growth, TunnelProtocol
from firesteel.protocols.device import device_counts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.protocol import Protocol, suites_in
from firesteel.protocols.rate import Rate, of_turns
from firesteel.protocols.setup import FILES, Program, Setup, Step, by_provider, lines_of
from firesteel.protocols.tls_server import PARTS, Clients, Key, TlsServer

_CIPHERS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("none", "none"): ("none", "none"),
    ("aes-256-cbc", "none"): ("AES-256-CBC", "none"),
    ("aes-256-cbc", "sha256"): ("AES-256-CBC", "SHA256"),
    ("aes-256-gcm", "gcm"): ("AES-256-GCM", "SHA256"),
    ("chacha20-poly1305", "poly1305"): ("CHACHA20-POLY1305", "SHA256"),
}
"""--data-ciphers and --auth; with GCM and Poly1305 the latter counts for the handshake's packets
alone."""

_STAMP = r"^(\d+\.\d+) \w+ "
_BEGUN = re.compile(_STAMP + r"TLS: soft reset", re.MULTILINE)
_DONE = re.compile(_STAMP + r"Control Channel: TLS", re.MULTILINE)
_DONE_BY = re.compile(r"(\d+) (\d+\.\d+)")

_SERVICE = "openvpn-server@"
_DEVICES = {
    "openvpn/devices.conf": f"/etc/systemd/system/{_SERVICE}.service.d/firesteel-devices.conf"
}
"""Debian's unit keeps it from other devices."""

_PORT = 1194
"""Of a node's tunnel 0; its others have the next ones."""

_WORK: Mapping[str, tuple[str, int]] = {"rsa": ("pk_exponentiations", 3)}
"""What the public-key core does at the least, by the kind of the server's key: the signature, the
server's key of the group and the shared secret.  Signatures are verified with short exponents,
which the provider leaves to software where the core takes longer.
"""


@dataclass(frozen=True)
class _Clients(Clients):
    """When the handshakes of each client were done, in order, in seconds: the last one before the
    window, and those since.
    """

    times: Mapping[str, list[float]]

    @property
    def count(self) -> int:
        return sum(len(each) - 1 for each in self.times.values())

    def rate(self, *, shared: bool) -> Rate:
        return of_turns(list(self.times.values()), PARTS, shared=shared)


class _Server(TlsServer):
    """Renegotiations: the first handshake of a client is none of those that are measured.

    Of the public-key core one takes seven exponentiations: the signature and its check, a key of
    the group, the shared secret, and what is verified of the client; without the signature there
    would be five.
    """

    program = "openvpn"
    key_exchange = "DHE-RSA"
    keys_meaning = (
        "Only RSA, as its suite is DHE-RSA; the Diffie-Hellman group has the size of the key."
    )
    suites = ("aes-256-cbc:none",)
    work: Mapping[str, tuple[str, int]] = _WORK

    def alone(self, text: str) -> int:
        return len(_DONE.findall(text)) - 1

    def seconds_alone(self, text: str, key: Key, elapsed: float) -> float:
        """The client's log says when it begins and ends one."""
        del elapsed
        events = [(float(match[1]), False) for match in _BEGUN.finditer(text)]
        events += [(float(match[1]), True) for match in _DONE.finditer(text)]
        events.sort()
        took = [
            end - begin
            for (begin, begins_done), (end, ends_done) in pairwise(events)
            if ends_done and not begins_done
        ]
        if not took:
            raise CellFailure(f"OpenVPN's client with {key} never renegotiated.")
        return sum(took) / len(took)

    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        del part_at
        lines = text.splitlines()
        found = [_DONE_BY.fullmatch(line) for line in lines]
        times: dict[str, list[float]] = {}
        for line, match in zip(lines, found, strict=True):
            if not match:
                raise CellFailure(f"The clients' handshakes with {key} have no times: {line[:200]}")
            times.setdefault(match[1], []).append(float(match[2]))
        return _Clients({client: sorted(each) for client, each in times.items()})


class _ServerToday(_Server):
    """The same with TLS 1.3 and a group, as OpenVPN has it by itself today.

    Its clients offer OpenSSL's groups.  The core has the signature with RSA; with ECDSA on P-256,
    which software signs in less time, it has X25519.
    """

    program = "openvpn-today"
    scripts: tuple[str, ...] = ("openvpn.sh",)
    keys_meaning = "Key of the certificate, with TLS 1.3."
    suites = ("aes-256-gcm:gcm",)
    work = MappingProxyType({"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)})

    def __init__(self, group: str, *, offered: bool) -> None:
        if not offered:
            self.program, self.scripts = "openvpn-asked", (*self.scripts, "openvpn-today.sh")
        self.key_exchange = f"TLS 1.3 with {group}"
        self.variables = {"GROUP": group}


class _OpenVpnToday(Protocol):
    """OpenVPN's handshakes alone, with TLS 1.3; no packet is in the tunnels."""

    purpose = "tunnel"
    suites = ("aes-256-gcm:gcm",)
    implementations = ("software", "hardware")
    by_provider = True

    def __init__(self, name: str, title: str, group: str, *, offered: bool = True) -> None:
        """`offered` says whether OpenSSL's clients offer the group by themselves."""
        self.name = name
        self.title = title
        self.handshakes = _ServerToday(group, offered=offered)

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        return OPENVPN.setup(cell, board)


class OpenVpn(TunnelProtocol):
    """With packets through user space, which encrypts them by OpenSSL."""

    name = "openvpn"
    title = "OpenVPN"
    suites = suites_in(_CIPHERS)
    implementations = ("software", "hardware")
    variants: tuple[Habit, ...] = (
        "openvpn-buffers",
        "no-neon",
        "no-gro",
        "slow-tun",
        "af-alg",
        "core-only",
    )
    by_provider = True
    handshakes: TlsServer | None = _Server()
    scripts: tuple[str, ...] = ("tunnel-openvpn.sh",)

    def script(self, cell: Cell) -> str:
        """The same for all suites."""
        del cell
        return "openvpn"

    def tunnel(self, cell: Cell, topology: Topology, side: Side) -> dict[str, str]:
        """The suite, the ports and what lies behind the other end."""
        del topology
        cipher, auth = _CIPHERS[cell.cipher, cell.mac]
        return {
            "OPENVPN_CIPHER": cipher,
            "OPENVPN_AUTH": auth,
            "PORT_HERE": str(_PORT + side.number),
            "PORT_THERE": str(_PORT + side.number_there),
            "TUNNEL_ROUTES": "" if side.there.is_alone else " ".join(side.there.networks),
        }

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        """Keys and certificates of an end."""
        return pki.files(node, cell.seed) if plan.sides(node) else {}

    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        """What the tun device counts."""
        return device_counts(sections, side)

    def further_counts(self, growth: Growth) -> dict[str, int]:
        """Datagrams."""
        return {
            "udp_rx_datagrams": growth("Udp", "InDatagrams"),
            "udp_tx_datagrams": growth("Udp", "OutDatagrams"),
        }

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        """Each packet is a datagram at the least."""
        packets, datagrams = proof[f"tunnel_{way}_packets"], proof[f"udp_{way}_datagrams"]
        if datagrams < packets:
            return f"it counts {packets} packets, UDP {datagrams} datagrams"
        return ""

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        """By a ready-made file for the data channel."""
        program = Program("docs/provider-openvpn.md", _SERVICE, _DEVICES, [_data(cell)])
        return by_provider(cell, board, program)


def _data(cell: Cell) -> Step:
    """What makes the data channel have the cell's suite."""
    file = "firesteel-gcm.conf" if cell.mac == "gcm" else "firesteel-cbc.conf"
    data = tuple(line for line in lines_of(f"openvpn/{file}") if not line.startswith("tls-"))
    if cell.mac == "none":
        return Step(
            "Add this to the configuration of both ends. Without a MAC, forged packets go "
            f"unnoticed: use this for measurements only, and otherwise {FILES}/openvpn/{file} as "
            "it is:",
            tuple("auth none" if line.startswith("auth ") else line for line in data),
        )
    return Step(
        f"Put {FILES}/openvpn/{file} into /etc/openvpn/server/, and add `config {file}` to the "
        "configuration of both ends; it sets for the data channel:",
        data,
    )


OPENVPN = OpenVpn()
OPENVPN_TLS13 = _OpenVpnToday("openvpn-tls13", "OpenVPN (TLS 1.3)", "X25519")
OPENVPN_HYBRID = _OpenVpnToday("openvpn-hybrid", "OpenVPN (hybrid)", "X25519MLKEM768")
OPENVPN_HYBRID_P256 = _OpenVpnToday(
    "openvpn-hybrid-p256", "OpenVPN (P-256 hybrid)", "SecP256r1MLKEM768", offered=False
)
