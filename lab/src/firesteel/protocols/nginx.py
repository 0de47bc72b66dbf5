# SPDX-License-Identifier: Apache-2.0
"""nginx: a web server that is measured by its handshakes; clients connect again and again."""

from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.s_time import SUITE, STime
from firesteel.protocols.setup import Setup, by_provider, nginx

_WORK = {"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_points", 1)}
"""Of the public-key core, by the kind of the server's key.

One with RSA takes the signature, which alone is an exponentiation.  With ECDSA on P-256 software
signs in half of the core's time: what is left for the core is X25519's shared secret.
"""


class _Nginx(Protocol):
    name = "nginx"
    purpose = "web"
    title = "nginx"
    aliases: tuple[str, ...] = ("tls",)
    suites = (SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = STime("nginx", _WORK)
    ask_instead = (
        "; for handshakes by RSA key size, ask for --protocol openvpn --suite aes-256-cbc:none"
    )

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        return by_provider(cell, board, nginx())


class _NginxHybrid(_Nginx):
    """The same with a post-quantum hybrid, of which the cores do the elliptic curve and software
    ML-KEM.
    """

    aliases = ()
    ask_instead = ""

    def __init__(self, name: str, title: str, group: str, *, by_itself: bool) -> None:
        self.name = name
        self.title = title
        self.handshakes = STime("nginx", _WORK, group, by_itself=by_itself)


NGINX = _Nginx()
NGINX_HYBRID = _NginxHybrid("nginx-hybrid", "nginx (hybrid)", "X25519MLKEM768", by_itself=True)
NGINX_HYBRID_P256 = _NginxHybrid(
    "nginx-hybrid-p256", "nginx (P-256 hybrid)", "SecP256r1MLKEM768", by_itself=False
)
