# SPDX-License-Identifier: Apache-2.0
"""WireGuard: the kernel's own tunnel, whose one suite no core has.

It is a network device that is made with the node's network (board/jobs/tunnel-wireguard.sh), so its
device's counters show what it carried.
"""

import base64
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from firesteel.board.job import JobFile
from firesteel.board.plan import Plan
from firesteel.board.topology import Topology
from firesteel.board.tunnels import TunnelEnd
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import (
    Carried,
    TunnelProtocol,
    beside_the_tunnel,
    ends_of,
)
from firesteel.protocols.device import device_counts
from firesteel.protocols.secrets import derive, seeded

_PORT = 51820
_KEY_BYTES = 32
_SCRIPT = "tunnel-wireguard.sh"

_MOST_ADDED = 14 + 20 + 8 + 16 + 15 + 16
"""The most bytes that it adds to a packet on the wire: Ethernet, outer IPv4 and UDP headers, its
own header, padding, tag (5.4.6 of the WireGuard paper)."""

_CONFIGURATION = """\
[Interface]
PrivateKey = {private}
ListenPort = {port}

[Peer]
PublicKey = {public}
Endpoint = {there}:{port}
AllowedIPs = {networks}
"""


class _WireGuard(TunnelProtocol):
    name = "wireguard"
    title = "WireGuard"
    aliases = ("wg",)
    suites = ("chacha20-poly1305:poly1305",)
    scripts = (_SCRIPT,)

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        del cell, topology
        tunnel = plan.tunnel(node)
        if tunnel is None:
            return {}
        here, there = ends_of(tunnel, node)
        return {
            "INSIDE_HERE": here.inside,
            "INSIDE_THERE": there.inside,
            "TUNNEL_ROUTES": "" if there.is_alone else " ".join(there.networks),
        }

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        ends = plan.end(node)
        if ends is None:
            return {}
        here, there = ends
        text = _CONFIGURATION.format(
            private=_encoded(_private(here.node, cell.seed)),
            port=_PORT,
            public=_encoded(_public(there.node, cell.seed)),
            there=there.here,
            networks=", ".join(dict.fromkeys((f"{there.inside}/32", *there.networks))),
        )
        return {"/job/wireguard.conf": JobFile(text.encode(), 0o600)}

    def network(self, plan: Plan, node: str) -> str:
        return f"sh -e ./{_SCRIPT}\n" if plan.end(node) else ""

    def counts(self, sections: Mapping[str, str], end: TunnelEnd) -> Carried:
        return device_counts(sections, end)

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        return beside_the_tunnel(proof, way, _MOST_ADDED)


def _private(node: str, seed: int) -> bytes:
    """A node's test key; it protects nothing."""
    return derive(seeded(f"wireguard {node}", seed), _KEY_BYTES)


def _public(node: str, seed: int) -> bytes:
    return X25519PrivateKey.from_private_bytes(_private(node, seed)).public_key().public_bytes_raw()


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


WIREGUARD = _WireGuard()
