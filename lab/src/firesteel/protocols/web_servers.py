# SPDX-License-Identifier: Apache-2.0
"""Web servers and proxies that are measured by their handshakes."""

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.build.artifacts import LIBRARY, PRELOAD
from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.protocols.protocol import Built, Protocol
from firesteel.protocols.setup import Program, Setup, Step, by_front_end, by_provider, nginx
from firesteel.protocols.tls_server import SUITE, STime

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


_CONFIGURATIONS = {
    "haproxy/firesteel.cfg": "/etc/haproxy/firesteel.cfg",
    "haproxy/async.cfg": "/etc/haproxy/async.cfg",
}

_OPTIONS = "-f /etc/haproxy/async.cfg -f /etc/haproxy/haproxy.cfg"
_NAMED = Step(
    "Delete the lines ssl-default-* of your own file, and name ours before it, in "
    "/etc/default/haproxy:",
    (
        'CONFIG="/etc/haproxy/firesteel.cfg"',
        f'EXTRAOPTS="{_OPTIONS} -S /run/haproxy-master.sock"',
    ),
)

_HAPROXY_WORK = {"rsa": ("pk_exponentiations", 1)}
"""Of the public-key cores: the signature.

X25519's shared secret is software's where it would have to wait for longer operations of others,
so of keys of ECDSA, which software signs with, nothing is sure.
"""


class _HaProxy(Protocol):
    name = "haproxy"
    purpose = "web"
    title = "HAProxy"
    suites = (SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = STime("haproxy", _HAPROXY_WORK)
    ask_instead = "; for other keys, ask for --protocol nginx"

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        program = Program("docs/provider-haproxy.md", "haproxy", _CONFIGURATIONS, [_NAMED])
        return by_provider(cell, board, program)


HAPROXY = _HaProxy()


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
