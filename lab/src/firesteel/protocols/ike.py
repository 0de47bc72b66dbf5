# SPDX-License-Identifier: Apache-2.0
"""IKEv2 by strongSwan, measured by the tunnels that clients make: an IKE SA with its first child,
which is deleted at once.

No packet is in the tunnels.  What charon computes is OpenSSL's, and so comes to the provider; ESP
is the kernel's (`protocols.ipsec`).
"""

import re

from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.made_tunnels import MadeTunnels
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.s_time import SUITE
from firesteel.protocols.setup import Program, Setup, by_provider

_GROUP = "x25519"
"""As charon has it."""

_WORK = {"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)}
"""Of the public-key core: the signature with RSA; with ECDSA on P-256, which software signs in less
time, X25519.
"""

_ANSWERED = re.compile(r"^ *ike-auth-out-resp +:? *(\d+)$", re.MULTILINE)
"""Of charon's counters, the messages that end a handshake: responses of IKE_AUTH."""

_FILES = {
    "strongswan/firesteel.conf": "/etc/strongswan.d/firesteel.conf",
    "strongswan/swanctl.conf": "/etc/swanctl/conf.d/firesteel.conf",
}


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


class _Ike(Protocol):
    name = "ike"
    title = "IKEv2"
    purpose = "tunnel"
    aliases = ("ikev2",)
    suites = (SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = _Charon()

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        program = Program("docs/provider-strongswan.md", "strongswan-starter", _FILES)
        return by_provider(cell, board, program)


IKE = _Ike()
