# SPDX-License-Identifier: Apache-2.0
"""IPsec: the kernel's ESP in tunnel mode, keyed by strongSwan or, where IKEv2 refuses, by hand."""

import re
from collections.abc import Mapping

from firesteel.board.job import JobFile
from firesteel.board.plan import Plan
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.board.tunnels import Tunnel, TunnelEnd
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import (
    Carried,
    TunnelProtocol,
    beside_the_tunnel,
    end_settings,
    ends_of,
)
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.protocol import suites_in
from firesteel.protocols.secrets import derive, seeded
from firesteel.protocols.setup import Setup, Step, by_driver

_MANUAL: Mapping[tuple[str, str], str] = {
    ("none", "none"): "ecb(cipher_null)",
    ("aes-256-cbc", "none"): "cbc(aes)",
}
"""The kernel's name of the cipher where keys are set by hand, as IKEv2 refuses these."""

_IKE: Mapping[tuple[str, str], str] = {
    ("aes-256-cbc", "sha256"): "aes256-sha256",
    ("aes-256-gcm", "gcm"): "aes256gcm16",
}
"""strongSwan's ESP proposals: HMAC-SHA-256 cut to 128 bits, or GCM with a 16-byte ICV."""

_PROPOSALS = {("aes-256-cbc", "none"): "aes256", **_IKE}
"""What a user writes."""

_KEY_BYTES = 32

_MOST_ADDED = 14 + 20 + 8 + 16 + 17 + 16
"""The most bytes that ESP adds to a packet on the wire: Ethernet and outer IPv4 headers, SPI and
sequence number, IV, padding and trailer, ICV (RFC 4303)."""

_FRAGMENT_BYTES = 14 + 20
"""What each further fragment of a packet adds: ESP may push a full one over the wire's MTU."""

_ASSOCIATION = re.compile(r"^src (\S+) dst (\S+)$", re.MULTILINE)
_CURRENT = re.compile(r"lifetime current:\s+(\d+)\(bytes\), (\d+)\(packets\)")

_CHILD = """\
# SPDX-License-Identifier: Apache-2.0
connections {{
	tunnel {{
		version = 2
		local_addrs = {here}
		remote_addrs = {there}
		proposals = aes256-sha256-ecp256
		local {{
			auth = pubkey
			certs = node.pem
		}}
		remote {{
			auth = pubkey
			id = "{peer}"
		}}
		children {{
			tunnel {{
				mode = tunnel
				local_ts = {network_here}
				remote_ts = {network_there}
				esp_proposals = {proposal}
			}}
		}}
	}}
}}
"""


class _Ipsec(TunnelProtocol):
    name = "ipsec"
    title = "IPsec"
    aliases = ("esp", "strongswan")
    suites = suites_in({**_MANUAL, **_IKE})
    implementations = ("software", AS_INSTALLED, "hardware")
    variants = ("openvpn-buffers", "no-neon", "no-gro", "slow-tun", "core-only")
    asks_kernel = True

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        tunnel = plan.tunnel(node)
        if tunnel is None:
            return {}
        here, there = ends_of(tunnel, node)
        by_hand = (cell.cipher, cell.mac) in _MANUAL
        variables = end_settings("esp-manual" if by_hand else "esp-ike", tunnel, node)
        variables["NETWORK_HERE"] = " ".join(here.networks)
        variables["NETWORK_THERE"] = " ".join(there.networks)
        if not tunnel.joins_neighbours:
            variables["INSIDE_HERE"] = here.inside if here.is_alone else ""
            del variables["INSIDE_THERE"]
            variables["NEXT_HOP"] = here.hop
        return variables | (_by_hand(cell, topology, tunnel, node) if by_hand else {})

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        ends = plan.end(node)
        if ends is None or (cell.cipher, cell.mac) not in _IKE:
            return {}
        here, there = ends
        text = _CHILD.format(
            here=here.here,
            there=there.here,
            peer=pki.distinguished_name(there.node),
            network_here=",".join(here.networks),
            network_there=",".join(there.networks),
            proposal=_IKE[cell.cipher, cell.mac],
        )
        return pki.files(node, cell.seed) | {"/job/swanctl.conf": JobFile(text.encode())}

    def counts(self, sections: Mapping[str, str], end: TunnelEnd) -> Carried:
        parts = _ASSOCIATION.split(sections.get("xfrm", ""))
        total = Carried()
        for destination, body in zip(parts[2::3], parts[3::3], strict=True):
            current = _CURRENT.search(body)
            if not current:
                raise CellFailure(f"Node {end.node}: an IPsec association has no counters.")
            size, packets = int(current[1]), int(current[2])
            if destination == end.here:
                total -= Carried(rx_bytes=-size, rx_packets=-packets)
            else:
                total -= Carried(tx_bytes=-size, tx_packets=-packets)
        return total

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        return beside_the_tunnel(proof, way, _MOST_ADDED + _FRAGMENT_BYTES)

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        del board
        step = Step(
            "strongSwan needs no other change; choose a suite that the cores support, in "
            "swanctl.conf under the child:",
            (f"esp_proposals = {_PROPOSALS[cell.cipher, cell.mac]}",),
        )
        return by_driver(cell, "docs/provider-strongswan.md", step)


def _by_hand(cell: Cell, topology: Topology, tunnel: Tunnel, node: str) -> dict[str, str]:
    """The associations' cipher, keys and numbers."""
    variables = {"ESP_CIPHER": _MANUAL[cell.cipher, cell.mac]}
    for name, end in zip(("HERE", "THERE"), ends_of(tunnel, node), strict=True):
        key = derive(seeded(f"esp to {end.node}", cell.seed), _KEY_BYTES).hex()
        variables[f"KEY_{name}"] = "0x" + key if cell.cipher != "none" else ""
        variables[f"SPI_{name}"] = hex(0x1000 + topology.index(end.node))
    return variables


IPSEC = _Ipsec()
