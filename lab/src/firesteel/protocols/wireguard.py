# SPDX-License-Identifier: Apache-2.0
"""WireGuard: the kernel's own tunnel, or a program's, whose one suite no core has.

Each tunnel is a network device with one peer (board/jobs/tunnel-wireguard.sh), whose counters show
what it carried.
"""

import base64
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from firesteel.board.job import JobFile
from firesteel.board.plan import Plan, Side
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import Carried, TunnelProtocol, beside_the_tunnel
from firesteel.protocols.device import device_counts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.secrets import derive, seeded

_PORT = 51820
"""Of a node's tunnel 0; its others have the next ones."""

_KEY_BYTES = 32

_MOST_ADDED = 14 + 20 + 8 + 16 + 15 + 16
"""The most bytes that it adds to a packet on the wire: Ethernet, outer IPv4 and UDP headers, its
own header, padding, tag (5.4.6 of the WireGuard paper)."""

_TYPE = "DEVTYPE=wireguard"
"""Of the kernel's device."""

_CONFIGURATION = """\
[Interface]
PrivateKey = {private}
ListenPort = {port_here}

[Peer]
PublicKey = {public}
Endpoint = {there}:{port_there}
AllowedIPs = {networks}
"""


class _WireGuard(TunnelProtocol):
    name = "wireguard"
    title = "WireGuard"
    aliases: tuple[str, ...] = ("wg",)
    suites = ("chacha20-poly1305:poly1305",)
    scripts = ("tunnel-wireguard.sh",)
    made_by = "kernel"
    """What makes the device: `WIREGUARD_BY` of the script."""

    def script(self, cell: Cell) -> str:
        del cell
        return "wireguard"

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        del cell, topology, plan, node
        return {"WIREGUARD_BY": self.made_by}

    def tunnel(self, cell: Cell, topology: Topology, side: Side) -> dict[str, str]:
        del cell, topology
        routes = "" if side.there.is_alone else " ".join(side.there.networks)
        return {"TUNNEL_ROUTES": routes}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        return {
            f"/job/wireguard-{side.number}.conf": _configuration(cell, plan, side)
            for side in plan.sides(node)
        }

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """Only a device of the kernel's has a type; records that do not tell it are of such."""
        has_type = _TYPE in sections.get("device", _TYPE)
        if has_type != (self.made_by == "kernel"):
            raise CellFailure(f"Cell {cell.label}: its device is not made by the {self.made_by}.")

    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        return device_counts(sections, side)

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        return beside_the_tunnel(proof, way, _MOST_ADDED)


class _WireGuardGo(_WireGuard):
    """The program wireguard-go, to which the kernel hands packets by a tun device."""

    name = "wireguard-go"
    title = "WireGuard in user space"
    aliases = ()
    made_by = "program"


def _configuration(cell: Cell, plan: Plan, side: Side) -> JobFile:
    """One tunnel's; nodes behind the other end may have addresses inside of tunnels of theirs."""
    inside = [
        f"{end.inside}/32"
        for tunnel in plan.tunnels
        for end in (tunnel.near, tunnel.far)
        if end.node != side.here.node
    ]
    text = _CONFIGURATION.format(
        private=_encoded(_private(side.here.node, cell.seed)),
        port_here=_PORT + side.number,
        public=_encoded(_public(side.there.node, cell.seed)),
        there=side.there.here,
        port_there=_PORT + side.number_there,
        networks=", ".join(dict.fromkeys((*inside, *side.there.networks))),
    )
    return JobFile(text.encode(), 0o600)


def _private(node: str, seed: int) -> bytes:
    """A node's test key; it protects nothing."""
    return derive(seeded(f"wireguard {node}", seed), _KEY_BYTES)


def _public(node: str, seed: int) -> bytes:
    return X25519PrivateKey.from_private_bytes(_private(node, seed)).public_key().public_bytes_raw()


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


WIREGUARD = _WireGuard()
WIREGUARD_GO = _WireGuardGo()
