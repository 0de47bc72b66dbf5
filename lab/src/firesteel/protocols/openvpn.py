# SPDX-License-Identifier: Apache-2.0
"""OpenVPN: a tunnel through user space, and a server of TLS that is measured by its handshakes.

Handshakes are measured as in the 2015 thesis (published/README.md, tables 5.1 and 5.2): one client,
then many, all of which renegotiate every second.
"""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan, Side
from firesteel.boards.topology import Topology
from firesteel.build.artifacts import DCO_MODULES, ArtifactSource
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import Growth, TunnelProtocol, routes_behind
from firesteel.protocols.protocol import HandshakesAlone, suites_in
from firesteel.protocols.tls_server import PARTS, Clients, Key, TlsServer, of_turns
from firesteel.protocols.window import CellFailure

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

_DCO_DEVICE = re.compile(r"^\s+ovpn-dco\b", re.MULTILINE)
"""What `ip -details link` says of a device that the module has made."""

_PORT = 1194
"""Of a node's tunnel 0; its others have the next ones."""

_WORK: Mapping[str, tuple[str, int]] = {"rsa": ("pk_exponentiations", 3)}
"""What the public-key core does at the least, by the kind of the server's key: the signature, the
server's key of the group and the shared secret.  Signatures are verified with short exponents,
which the provider leaves to software where the core takes longer.
"""


class _Server(TlsServer):
    """Renegotiations: the first handshake of a client is none of those that are measured.

    Of the public-key core one takes seven exponentiations: the signature and its check, a key of
    the group, the shared secret, and what is verified of the client; without the signature there
    would be five.
    """

    program = "openvpn"
    shared_scripts = ("tun.sh",)
    key_exchange = "DHE-RSA"
    keys_meaning = (
        "Only RSA, because the suite is DHE-RSA; the Diffie-Hellman group is as large as the key."
    )
    suites = ("aes-256-cbc:none",)
    work: Mapping[str, tuple[str, int]] = _WORK

    def alone(self, text: str) -> int:
        return len(_DONE.findall(text)) - 1

    def seconds_alone(self, text: str, key: Key, _elapsed: float) -> float:
        """The client's log says when it begins and ends one."""
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

    def together(self, text: str, key: Key, _part_at: Callable[[int], float]) -> Clients:
        lines = text.splitlines()
        found = [_DONE_BY.fullmatch(line) for line in lines]
        times: dict[str, list[float]] = {}
        for line, match in zip(lines, found, strict=True):
            if not match:
                raise CellFailure(f"The clients' handshakes with {key} have no times: {line[:200]}")
            times.setdefault(match[1], []).append(float(match[2]))
        turns = [sorted(each) for each in times.values()]
        count = sum(len(each) - 1 for each in turns)
        rate, saturated = (of_turns(turns, PARTS, shared=shared) for shared in (False, True))
        return Clients(count, rate, saturated)


class _ServerToday(_Server):
    """The same with TLS 1.3 and a group, as OpenVPN has it by itself today.

    Its clients offer OpenSSL's groups.  The core has the signature with RSA; with ECDSA on P-256,
    which software signs in less time, it has X25519.
    """

    program = "openvpn-today"
    shared_scripts = ("tun.sh",)
    scripts: tuple[str, ...] = ("openvpn.sh",)
    keys_meaning = "Key of the certificate, with TLS 1.3."
    suites = ("aes-256-gcm:gcm",)
    work = MappingProxyType({"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)})

    def __init__(self, group: str, *, offered: bool = True) -> None:
        """`offered` says whether OpenSSL's clients offer the group by themselves."""
        if not offered:
            self.program, self.scripts = "openvpn-asked", (*self.scripts, "openvpn-today.sh")
        self.key_exchange = f"TLS 1.3 with {group}"
        self.variables = {"GROUP": group}


_UNSEEN = 0.01
"""The share of packets that may pass between the reading of one counter and of the next: on a busy
CPU the reader waits.
"""


class _OpenVpnTunnel(TunnelProtocol):
    scripts: tuple[str, ...] = ("tunnel-openvpn.sh", "tun.sh")

    def tunnel(self, cell: Cell, _topology: Topology, side: Side) -> dict[str, str]:
        cipher, auth = _CIPHERS[cell.cipher, cell.mac]
        return {
            "OPENVPN_CIPHER": cipher,
            "OPENVPN_AUTH": auth,
            "PORT_HERE": str(_PORT + side.number),
            "PORT_THERE": str(_PORT + side.number_there),
            "TUNNEL_ROUTES": routes_behind(side),
        }

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        """Keys and certificates of an end."""
        return pki.files(node, cell.seed) if plan.sides(node) else {}


class _OpenVpn(_OpenVpnTunnel):
    """With packets through user space, which encrypts them by OpenSSL."""

    name = "openvpn"
    title = "OpenVPN"
    suites = suites_in(_CIPHERS)
    implementations = ("software", "hardware")
    variants = ("openvpn-buffers", "no-neon", "no-gro", "slow-tun", "af-alg", "core-only")
    by_provider = True
    handshakes = _Server()
    made_by_script = "openvpn"
    set_up_by = "openvpn"

    def further_counts(self, growth: Growth) -> dict[str, int]:
        return {
            "udp_rx_datagrams": growth("Udp", "InDatagrams"),
            "udp_tx_datagrams": growth("Udp", "OutDatagrams"),
        }

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        """Each packet is a datagram at the least."""
        packets, datagrams = proof[f"tunnel_{way}_packets"], proof[f"udp_{way}_datagrams"]
        if datagrams < (1 - _UNSEEN) * packets - 1:
            return f"it counts {packets} packets, UDP {datagrams} datagrams"
        return ""


class _OpenVpnDco(_OpenVpnTunnel):
    """With data channel offload (DCO): the program makes the tunnel and agrees on keys, and the
    kernel encrypts packets and sends them, by the module `ovpn-dco-v2`: Debian's, which has one
    packet under way, or the same with a patch of ours, by which it has several.
    """

    suites = ("aes-256-gcm:gcm", "chacha20-poly1305:poly1305")
    implementations = ("software", "hardware")
    asks_kernel = True
    scripts = ("tunnel-openvpn.sh", "tunnel-openvpn-dco.sh", "tun.sh")
    made_by_script = "openvpn-dco"
    set_up_by = "openvpn-dco"
    most_added = 14 + 20 + 8 + 4 + 4 + 16
    """Ethernet, outer IPv4 and UDP headers, opcode with peer, packet number, tag (`struct` and
    comment of ovpn_aead_encrypt in the module).
    """

    def __init__(self, name: str, title: str, module: str, *aliases: str) -> None:
        """`module` is its file."""
        self.name, self.title, self.aliases, self._module = name, title, aliases, module

    def programs(self, built: ArtifactSource) -> dict[str, JobFile]:
        content = (built.artifact("openvpn-dco").directory / self._module).read_bytes()
        return {"/job/ovpn-dco-v2.ko": JobFile(content)}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """OpenVPN goes on without the kernel if that refuses."""
        if not _DCO_DEVICE.search(sections.get("device", "")):
            raise CellFailure(f"Cell {cell.label}: the kernel does not have OpenVPN's packets.")


OPENVPN = _OpenVpn()
OPENVPN_TODAY = tuple(
    HandshakesAlone(f"openvpn-{name}", f"OpenVPN ({title})", "tunnel", server, "openvpn")
    for name, title, server in (
        ("tls13", "TLS 1.3", _ServerToday("X25519")),
        ("hybrid", "hybrid", _ServerToday("X25519MLKEM768")),
        ("hybrid-p256", "P-256 hybrid", _ServerToday("SecP256r1MLKEM768", offered=False)),
    )
)
"""OpenVPN's handshakes with TLS 1.3; no packet is in the tunnels."""

OPENVPN_DCO = _OpenVpnDco("openvpn-dco", "OpenVPN with DCO", DCO_MODULES[0], "dco", "ovpn-dco")
OPENVPN_DCO_BATCHES = _OpenVpnDco(
    "openvpn-dco-batches", "OpenVPN with DCO in batches", DCO_MODULES[1]
)
