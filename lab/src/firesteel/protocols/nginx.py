# SPDX-License-Identifier: Apache-2.0
"""nginx: a web server that is measured by its handshakes; clients connect again and again."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.pki import Key
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.rate import Rate, of_counts
from firesteel.protocols.setup import Program, Setup, by_provider
from firesteel.protocols.tls_server import PARTS, Clients, TlsServer

_SUITE = "aes-256-gcm:gcm"
_CONNECTIONS = re.compile(r"^(\d+) connections in \d+ real seconds", re.MULTILINE)

_CONFIGURATIONS = {
    "nginx/firesteel-main.conf": "/etc/nginx/modules-enabled/firesteel.conf",
    "nginx/firesteel.conf": "/etc/nginx/conf.d/firesteel.conf",
}


_WORK = {"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)}
"""Of the public-key core, by the kind of the server's key."""


@dataclass(frozen=True)
class _Clients(Clients):
    """How many connections the clients had begun, and when, in seconds."""

    opened: Sequence[tuple[float, int]]

    @property
    def count(self) -> int:
        (_, first), *_, (_, last) = self.opened
        return last - first

    def rate(self, *, shared: bool) -> Rate:
        del shared
        return of_counts(self.opened)


class _Server(TlsServer):
    """Connections of `openssl s_time`.

    Of the public-key core one with RSA takes the signature, which alone is an exponentiation.  With
    ECDSA on P-256 software signs in half of the core's time: what is left for the core is X25519's
    shared secret.
    """

    key_exchange = "TLS 1.3 with X25519"
    keys_meaning = "Key of the certificate, with TLS 1.3."
    suites = (_SUITE,)
    work = _WORK

    def alone(self, text: str) -> int:
        found = _CONNECTIONS.search(text)
        return int(found[1]) if found else 0

    def seconds_alone(self, text: str, key: Key, elapsed: float) -> float:
        """There are as many as there are in a time."""
        del key
        return elapsed / self.alone(text)

    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        lines = text.split()
        if len(lines) != PARTS + 1 or not all(line.isdecimal() for line in lines):
            raise CellFailure(f"The clients' connections with {key} are missing: {lines[:2]}")
        return _Clients([(part_at(part), int(line)) for part, line in enumerate(lines)])


class _Nginx(Protocol):
    name = "nginx"
    title = "nginx"
    aliases = ("tls", "https")
    suites = (_SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = _Server()
    ask_instead = (
        "; for handshakes by RSA key size, ask for --protocol openvpn --suite aes-256-cbc:none"
    )

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        program = Program("docs/provider-nginx.md", "nginx", _CONFIGURATIONS)
        return by_provider(cell, board, program)


NGINX = _Nginx()
