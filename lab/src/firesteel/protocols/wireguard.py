# SPDX-License-Identifier: Apache-2.0
"""WireGuard: the kernel's own tunnel, or a program's, whose one suite no core has.

Each tunnel is a network device with one peer (board/jobs/tunnel-wireguard.sh), whose counters show
what it carried.
"""

import base64
import re
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan, Side
from firesteel.boards.topology import Topology
from firesteel.model.cell import Cell
from firesteel.model.figure import KEY_ALONE
from firesteel.protocols.between_hosts import TunnelProtocol, routes_behind
from firesteel.protocols.pki import derive, seeded
from firesteel.protocols.tls_server import Ends, Key, MadeTunnels, TlsServer
from firesteel.protocols.window import CellFailure

_SUITE = "chacha20-poly1305:poly1305"

_PORT = 51820
"""Of a node's tunnel 0; its others have the next ones."""

_KEY_BYTES = 32

_TYPE = "DEVTYPE=wireguard"
"""Of the kernel's device."""

_INTERFACE = """\
[Interface]
PrivateKey = {private}
ListenPort = {port}
"""

_PEER = """
[Peer]
PublicKey = {public}
{endpoint}AllowedIPs = {networks}
"""

_TIME = re.compile(r"time=([\d.]+) ms$", re.MULTILINE)
"""What ping says of the packet that waited for the handshake."""

_RECEIVED = re.compile(r"^rx_packets:(\d+)$", re.MULTILINE)

_PACKETS = 2
"""That a server receives of each tunnel at the least: the handshake's first message, and a ping."""


class _Handshakes(MadeTunnels):
    """Handshakes of the kernel's device: a client has the server as a peer anew, and pings it."""

    shared_scripts = ("tun.sh",)
    keys_meaning = "A key without a certificate."
    suites = (_SUITE,)

    def __init__(self) -> None:
        super().__init__("wireguard", {KEY_ALONE: ("pk_points", 1)})
        self.key_exchange = "Noise IK with X25519"

    def files(self, node: str, ends: Ends) -> dict[str, JobFile]:
        """Device 0 is the server's, with a peer for each client, whose devices are N."""
        server, clients = ends.server, range(1, ends.clients + 1)
        names = {number: f"{ends.client} {number}" for number in clients}
        if node == server:
            peers = {name: f"10.9.{number}.2/32" for number, name in names.items()}
            return {_file(0): _of_end(ends, server, peers, _PORT)}
        return {
            _file(number): _of_end(ends, name, {server: f"10.9.{number}.1/32"})
            for number, name in names.items()
        }

    def seconds_alone(self, text: str, _key: Key, _elapsed: float) -> float:
        """Clients pause between tunnels; ping's time is one handshake's, including the packet."""
        times = [float(found) for found in _TIME.findall(text)]
        if not times:
            raise CellFailure(f"The client of WireGuard has no times: {text.strip()[:200]}")
        return sum(times) / len(times) / 1000

    def counted(self, proof: str) -> int:
        """By the packets that the server's device has received."""
        found = _RECEIVED.search(proof)
        if not found:
            raise CellFailure("The server's device does not say how many packets it received.")
        return int(found[1]) // _PACKETS


def _file(number: int) -> str:
    return f"/job/wireguard-{number}.conf"


def _of_end(ends: Ends, name: str, peers: Mapping[str, str], port: int = 0) -> JobFile:
    """The device of an end by its name; `peers` are others → the addresses that they have inside.

    Where its peer is, a client is told by its script.
    """
    return _device(ends.seed, name, port, *((other, "", inside) for other, inside in peers.items()))


def _device(seed: int, name: str, port: int, *peers: tuple[str, str, str]) -> JobFile:
    """The configuration of a node's device; of a peer its name, endpoint and networks."""
    text = _INTERFACE.format(private=_encoded(_private(name, seed)), port=port)
    for other, endpoint, networks in peers:
        public = X25519PrivateKey.from_private_bytes(_private(other, seed)).public_key()
        key = _encoded(public.public_bytes_raw())
        text += _PEER.format(public=key, endpoint=endpoint, networks=networks)
    return JobFile(text.encode(), 0o600)


class _WireGuard(TunnelProtocol):
    suites = (_SUITE,)
    scripts = ("tunnel-wireguard.sh", "tun.sh")
    made_by_script = "wireguard"
    most_added = 14 + 20 + 8 + 16 + 15 + 16
    """Ethernet, outer IPv4 and UDP headers, its own header, padding, tag (5.4.6 of the WireGuard
    paper).
    """

    def __init__(
        self, name: str, title: str, made_by: str, handshakes: TlsServer | None, *aliases: str
    ) -> None:
        """`made_by` is what makes the device: `WIREGUARD_BY` of the script."""
        self.name, self.title, self.aliases = name, title, aliases
        self.made_by, self.handshakes = made_by, handshakes

    def settings(self, _cell: Cell, _topology: Topology, _plan: Plan, _node: str) -> dict[str, str]:
        return {"WIREGUARD_BY": self.made_by}

    def tunnel(self, _cell: Cell, _topology: Topology, side: Side) -> dict[str, str]:
        return {"TUNNEL_ROUTES": routes_behind(side)}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        return {_file(side.number): _configuration(cell, plan, side) for side in plan.sides(node)}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """Only a device of the kernel has a type; records without a type are from such devices."""
        has_type = _TYPE in sections.get("device", _TYPE)
        if has_type != (self.made_by == "kernel"):
            raise CellFailure(f"Cell {cell.label}: its device is not made by the {self.made_by}.")


def _configuration(cell: Cell, plan: Plan, side: Side) -> JobFile:
    """One tunnel's; nodes behind the other end may have addresses inside of tunnels of theirs."""
    inside = [
        f"{end.inside}/32"
        for tunnel in plan.tunnels
        for end in (tunnel.near, tunnel.far)
        if end.node != side.here.node
    ]
    networks = ", ".join(dict.fromkeys((*inside, *side.there.networks)))
    endpoint = f"Endpoint = {side.there.here}:{_PORT + side.number_there}\n"
    here, there = side.here.node, side.there.node
    return _device(cell.seed, here, _PORT + side.number, (there, endpoint, networks))


def _private(node: str, seed: int) -> bytes:
    """A node's test key; it protects nothing."""
    return derive(seeded(f"wireguard {node}", seed), _KEY_BYTES)


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


WIREGUARD = _WireGuard("wireguard", "WireGuard", "kernel", _Handshakes(), "wg")
WIREGUARD_GO = _WireGuard("wireguard-go", "WireGuard in user space", "program", None)
