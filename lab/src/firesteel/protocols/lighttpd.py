# SPDX-License-Identifier: Apache-2.0
"""The web server lighttpd with wolfSSL, as routers have it: measured by its handshakes.

wolfSSL 5.7 names no device for X25519 in TLS 1.3.  So with that group the cores have the signature
alone, and with P-256 the key exchange too.
"""

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.build.artifacts import LIBRARY, PRELOAD
from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.protocols.protocol import Built, Protocol
from firesteel.protocols.s_time import SUITE, STime
from firesteel.protocols.setup import Setup, Step, by_front_end

_SERVICE = (
    "[Service]",
    f"Environment=LD_PRELOAD={PRELOAD}",
    "PrivateDevices=no",
    "DeviceAllow=char-uio rw",
)
"""Debian's unit lets lighttpd open no device."""

_GROUPS = 'ssl.openssl.ssl-conf-cmd += ("Groups" => "P-256:X25519:P-384:X448")'

_SIGNATURE = {"rsa": ("pk_exponentiations", 1)}
"""Of the public-key core where the exchange is X25519's, by the kind of the server's key.

wolfSSL remembers multiples of the base point, so its signatures with ECDSA on P-256 are faster than
this core's: with such a key and X25519 nothing is left for the cores.
"""

_EXCHANGE = {**_SIGNATURE, "ecdsa": ("pk_points", 1)}
"""Where it is on P-256: with ECDSA the shared secret.  A new key is a multiple of the base point,
too.
"""


class _Lighttpd(Protocol):
    purpose = "web"
    suites = (SUITE,)
    implementations = ("software", "hardware")
    preload = PRELOAD

    def __init__(self, name: str, title: str, handshakes: STime) -> None:
        self.name = name
        self.title = title
        self.handshakes = handshakes

    def programs(self, built: Built) -> dict[str, JobFile]:
        return {
            place: JobFile(path.read_bytes(), 0o755)
            for place, path in built.lighttpd.by_guest_path().items()
        }

    def front_end(self, built: Built) -> dict[str, JobFile]:
        provider = built.provider.by_guest_path()
        files = {place: path for place, path in provider.items() if path.name == LIBRARY}
        files |= built.wolfssl_front_end.by_guest_path()
        return {place: JobFile(path.read_bytes()) for place, path in files.items()}

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        completion = f"Environment=FIRESTEEL_COMPLETION={cell.completion}"
        usual = cell.completion in (None, USUAL_COMPLETION)
        return by_front_end(
            board,
            "docs/wolfssl.md",
            Step(
                "Build and install libfiresteel and wolfSSL's front end, which wants Debian's "
                "lighttpd-mod-wolfssl and libwolfssl-dev."
            ),
            Step(
                "Let clients that offer a key share of P-256 have it, in "
                "/etc/lighttpd/conf-enabled/20-firesteel.conf:",
                (_GROUPS,),
            ),
            Step(
                "Write to /etc/systemd/system/lighttpd.service.d/firesteel.conf:",
                _SERVICE if usual else (*_SERVICE, completion),
            ),
        )


LIGHTTPD = _Lighttpd("lighttpd", "lighttpd (wolfSSL)", STime("lighttpd", _SIGNATURE))
LIGHTTPD_P256 = _Lighttpd(
    "lighttpd-p256",
    "lighttpd (wolfSSL, P-256)",
    STime("lighttpd", _EXCHANGE, "P-256", by_itself=False),
)
