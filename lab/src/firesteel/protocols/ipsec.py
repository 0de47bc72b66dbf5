# SPDX-License-Identifier: Apache-2.0
"""IPsec: the kernel's ESP in tunnel mode, keyed by strongSwan or, where IKEv2 refuses, by hand; and
ESP by strongSwan itself.
"""

import re
from collections.abc import Mapping
from socket import IPPROTO_TCP

from firesteel.boards.job import JobFile, script
from firesteel.boards.network import Plan, Side
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.topology import Topology
from firesteel.model.cell import AS_INSTALLED, BY_PCRYPT, Cell, Habit, Implementation
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import FIRST_FLOW_PORT, Carried, TunnelProtocol
from firesteel.protocols.pki import derive, seeded
from firesteel.protocols.protocol import HandshakesAlone, suites_in
from firesteel.protocols.tls_server import MadeTunnels
from firesteel.protocols.window import CellFailure

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

_PROPOSALS = {**_IKE, ("3des-cbc", "sha256"): "3des-sha256"}
"""Also of a cipher that people used before AES: in the kernel, in software, to compare."""

_ENCRYPTION_ALONE = "aes256"
"""What a user writes where there is no MAC."""

_KEY_BYTES = 32

_UDP_HEADER = 8

_ASSOCIATION = re.compile(r"^src (\S+) dst (\S+)$", re.MULTILINE)
_CURRENT = re.compile(r"lifetime current:\s+(\d+)\(bytes\), (\d+)\(packets\)")

_CONNECTIONS = """\
# SPDX-License-Identifier: Apache-2.0
connections {{
{}}}
"""

_CONNECTION = """\
	tunnel{number} {{
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
{children}		}}
	}}
"""

_CHILD = """\
			{name} {{
				mode = tunnel
				local_ts = {local}
				remote_ts = {remote}
				esp_proposals = {proposal}
			}}
"""

_FLOWS = "tunnel-esp-flows.sh"
"""Makes the tunnels of single flows, besides that of everything else."""


class _Ipsec(TunnelProtocol):
    name = "ipsec"
    title = "IPsec"
    aliases: tuple[str, ...] = ("esp", "strongswan")
    suites = suites_in({**_MANUAL, **_PROPOSALS})
    implementations: tuple[Implementation, ...] = ("software", AS_INSTALLED, BY_PCRYPT, "hardware")
    variants: tuple[Habit, ...] = ("openvpn-buffers", "no-neon", "no-gro", "slow-tun", "core-only")
    asks_kernel = True
    set_up_by = "ipsec"
    most_added = (14 + 20 + 8 + 16 + 17 + 16) + (14 + 20)
    """Ethernet and outer IPv4 headers, SPI and sequence number, IV, padding and trailer, ICV (RFC
    4303).  The headers of a fragment are added because ESP may push a full packet over the wire's
    MTU.
    """
    configuration = "strongswan"
    """NAME of board/jobs/NAME.conf, which says what charon is made of."""
    scripts: tuple[str, ...] = (
        "tunnel-esp-ike.sh",
        "tunnel-esp-manual.sh",
        "ipsec-network.sh",
        "strongswan.conf",
    )

    def script(self, cell: Cell) -> str:
        if (cell.cipher, cell.mac) in _MANUAL:
            return "esp-manual"
        return "esp-flows" if cell.tunnels > 1 else "esp-ike"

    def settings(self, cell: Cell, _topology: Topology, _plan: Plan, _node: str) -> dict[str, str]:
        flows = " ".join(map(str, range(1, cell.tunnels + 1)))
        return {"STRONGSWAN": self.configuration} | ({"FLOWS": flows} if cell.tunnels > 1 else {})

    def tunnel(self, cell: Cell, topology: Topology, side: Side) -> dict[str, str]:
        variables = {
            "INSIDE_HERE": side.here.inside if side.here.is_alone else "",
            "NETWORK_HERE": " ".join(side.here.networks),
            "NETWORK_THERE": " ".join(side.there.networks),
            "NEXT_HOP": side.here.hop,
        }
        if (cell.cipher, cell.mac) not in _MANUAL:
            return variables
        return variables | {
            "ESP_CIPHER": _MANUAL[cell.cipher, cell.mac],
            "REQID": str(side.number + 1),
            "KEY_HERE": _key(cell, side.there.node, side.here.node),
            "KEY_THERE": _key(cell, side.here.node, side.there.node),
            "SPI_HERE": _spi(topology, side.here.node, side.number),
            "SPI_THERE": _spi(topology, side.there.node, side.number_there),
        }

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        sides = plan.sides(node)
        if not sides or (cell.cipher, cell.mac) in _MANUAL:
            return {}
        text = _CONNECTIONS.format("".join(_connection(cell, side) for side in sides))
        own = {"/job/swanctl.conf": JobFile(text.encode())}
        if cell.tunnels > 1:
            own[f"/job/{_FLOWS}"] = script(BOARD_FILES / "jobs" / _FLOWS)
        return pki.files(node, cell.seed) | own

    def suites_of(self, implementation: Implementation) -> tuple[str, ...]:
        """The template pcrypt is for what authenticates too."""
        return suites_in(_IKE) if implementation == BY_PCRYPT else super().suites_of(implementation)

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """What the kernel's algorithms are called that the associations have."""
        drivers = sections.get("crypto", "").splitlines()
        by_threads = [driver for driver in drivers if "pcrypt(" in driver]
        meant = cell.implementation == BY_PCRYPT
        if by_threads != (drivers if meant else []) or (meant and not drivers):
            raise CellFailure(
                f"Cell {cell.label}: the associations have {'; '.join(drivers) or 'no algorithm'}."
            )

    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        parts = _ASSOCIATION.split(sections.get("xfrm", ""))
        here, there = side.here.here, side.there.here
        total = Carried()
        for source, destination, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            if {source, destination} != {here, there}:
                continue  # Another tunnel's
            current = _CURRENT.search(body)
            if not current:
                raise CellFailure(f"Node {side.here.node}: an IPsec association has no counters.")
            size, packets = int(current[1]), int(current[2])
            received, sent = Carried(size, packets), Carried(0, 0, size, packets)
            total += received if destination == here else sent
        return total

    def set_up_with(self, cell: Cell) -> Mapping[str, str]:
        return {"proposal": _IKE.get((cell.cipher, cell.mac), _ENCRYPTION_ALONE)}


class _IpsecUserSpace(_Ipsec):
    """ESP by strongSwan itself (its plugin kernel-libipsec): the kernel hands packets to a program
    by a tun device, and the program sends them in UDP datagrams (RFC 3948).
    """

    name = "ipsec-user-space"
    title = "IPsec in user space"
    aliases = ("kernel-libipsec",)
    suites = suites_in(_IKE)
    implementations = ("software",)
    variants = ()
    asks_kernel = False
    most_added = _Ipsec.most_added + _UDP_HEADER
    configuration = "strongswan-user-space"
    scripts = (
        *("tunnel-esp-user-space.sh", "tunnel-esp-ike.sh", "ipsec-network.sh", "tun.sh"),
        "strongswan-user-space.conf",
    )

    def script(self, _cell: Cell) -> str:
        return "esp-user-space"

    def counts(self, sections: Mapping[str, str], side: Side) -> Carried:
        return TunnelProtocol.counts(self, sections, side)

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """The kernel has no associations."""
        if found := sections.get("xfrm", "").strip():
            raise CellFailure(
                f"Cell {cell.label}: the kernel has associations: {found.splitlines()[0]}."
            )


def _connection(cell: Cell, side: Side) -> str:
    """StrongSwan's configuration of one tunnel."""
    return _CONNECTION.format(
        number=side.number,
        here=side.here.here,
        there=side.there.here,
        peer=pki.distinguished_name(side.there.node),
        children=_children(cell, side),
    )


def _children(cell: Cell, side: Side) -> str:
    """The tunnel of all traffic; and one for each of several flows, by its port at the client."""
    numbers = range(1, cell.tunnels + 1) if cell.tunnels > 1 else ()
    ends = [("", "", "")]
    for number in numbers:
        near, far = f"[{IPPROTO_TCP}/{FIRST_FLOW_PORT + number - 1}]", f"[{IPPROTO_TCP}]"
        ends.append((f"-{number}", *((near, far) if side.initiates else (far, near))))
    return "".join(
        _CHILD.format(
            name=f"tunnel{side.number}{suffix}",
            local=",".join(f"{network}{here}" for network in side.here.networks),
            remote=",".join(f"{network}{there}" for network in side.there.networks),
            proposal=_PROPOSALS[cell.cipher, cell.mac],
        )
        for suffix, here, there in ends
    )


def _key(cell: Cell, sender: str, receiver: str) -> str:
    """The key of an association that is set by hand; the null cipher has none."""
    if cell.cipher == "none":
        return ""
    return "0x" + derive(seeded(f"esp {sender} to {receiver}", cell.seed), _KEY_BYTES).hex()


def _spi(topology: Topology, receiver: str, number: int) -> str:
    """The number of an association to a node, by the number that its tunnel has there."""
    return hex(0x1000 + 0x100 * number + topology.index(receiver))


_GROUP = "x25519"
"""As charon has it."""

_WORK = {"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)}
"""Of the public-key core: the signature with RSA; with ECDSA on P-256, which software signs in less
time, X25519.
"""

_ANSWERED = re.compile(r"^ *ike-auth-out-resp +:? *(\d+)$", re.MULTILINE)
"""Of charon's counters, the messages that end a handshake: responses of IKE_AUTH."""


class _Charon(MadeTunnels):
    keys_meaning = "Key of the server's certificate."

    def __init__(self) -> None:
        super().__init__("ike", _WORK)
        self.key_exchange = "X25519"
        self.variables = {"GROUP": _GROUP}

    def counted(self, proof: str) -> int:
        """As charon counts its responses."""
        found = _ANSWERED.search(proof)
        if not found:
            raise CellFailure("charon does not say how many times it has answered IKE_AUTH.")
        return int(found[1])


IPSEC = _Ipsec()
IPSEC_USER_SPACE = _IpsecUserSpace()
IKE = HandshakesAlone("ike", "IKEv2", "tunnel", _Charon(), "ike", "ikev2")
