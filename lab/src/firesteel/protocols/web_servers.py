# SPDX-License-Identifier: Apache-2.0
"""Web servers and proxies that are measured by their handshakes.

With the provider HAProxy's handshakes are asynchronous: while a public-key core works for one,
others go on, so as many are under way as there are cores.  wolfSSL 5.7, which lighttpd has as in
routers, names no device for X25519 in TLS 1.3: so with that group the cores have the signature
alone, and with P-256 the key exchange too.
"""

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.build.artifacts import LIBRARY, PRELOAD, ArtifactSource
from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.protocols.protocol import HandshakesAlone
from firesteel.protocols.setup import Program, Setup, Step, by_front_end, by_provider, nginx
from firesteel.protocols.tls_server import STime

_SIGNATURE = {"rsa": ("pk_exponentiations", 1)}
"""Of the public-key cores, by the kind of the server's key, where that is all that is sure.

HAProxy's shared secret of X25519 is software's where it would have to wait for longer operations of
others.  wolfSSL remembers multiples of the base point, so its signatures with ECDSA on P-256 are
faster than this core's.
"""

_EXCHANGE = {**_SIGNATURE, "ecdsa": ("pk_points", 1)}
"""Where the core has the shared secret, too.  With ECDSA on P-256 software signs in half of the
core's time: the shared secret is what is left.
"""


_OPTIONS = "-f /etc/haproxy/async.cfg -f /etc/haproxy/haproxy.cfg"


class _Web(HandshakesAlone):
    purpose = "web"


class _Nginx(_Web):
    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        return by_provider(cell, board, nginx())


class _HaProxy(_Web):
    ask_instead = "; for other keys, ask for --protocol nginx"

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        step = Step(
            "Delete the lines ssl-default-* of your own file, and name ours before it, in "
            "/etc/default/haproxy:",
            (
                'CONFIG="/etc/haproxy/firesteel.cfg"',
                f'EXTRAOPTS="{_OPTIONS} -S /run/haproxy-master.sock"',
            ),
        )
        files = {
            f"haproxy/{name}": f"/etc/haproxy/{name}" for name in ("firesteel.cfg", "async.cfg")
        }
        return by_provider(
            cell, board, Program("docs/provider-haproxy.md", "haproxy", files, [step])
        )


class _Lighttpd(_Web):
    by_provider = False
    preload = PRELOAD

    def programs(self, built: ArtifactSource) -> dict[str, JobFile]:
        return {
            place: JobFile(path.read_bytes(), 0o755)
            for place, path in built.artifact("lighttpd").by_guest_path().items()
        }

    def front_end(self, built: ArtifactSource) -> dict[str, JobFile]:
        provider = built.artifact("provider").by_guest_path()
        files = {place: path for place, path in provider.items() if path.name == LIBRARY}
        files |= built.artifact("wolfssl-front-end").by_guest_path()
        return {place: JobFile(path.read_bytes()) for place, path in files.items()}

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        # Debian's unit lets lighttpd open no device.
        service = ["[Service]", f"Environment=LD_PRELOAD={PRELOAD}"]
        service += ["PrivateDevices=no", "DeviceAllow=char-uio rw"]
        if cell.completion not in (None, USUAL_COMPLETION):
            service.append(f"Environment=FIRESTEEL_COMPLETION={cell.completion}")
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
                ('ssl.openssl.ssl-conf-cmd += ("Groups" => "P-256:X25519:P-384:X448")',),
            ),
            Step("Write to /etc/systemd/system/lighttpd.service.d/firesteel.conf:", tuple(service)),
        )


NGINX = _Nginx("nginx", "nginx", STime("nginx", _EXCHANGE), "tls")
NGINX.ask_instead = (
    "; for handshakes by RSA key size, ask for --protocol openvpn --suite aes-256-cbc:none"
)
# Post-quantum hybrids, of which the cores do the elliptic curve and software ML-KEM
NGINX_HYBRID = _Nginx("nginx-hybrid", "nginx (hybrid)", STime("nginx", _EXCHANGE, "X25519MLKEM768"))
NGINX_HYBRID_P256 = _Nginx(
    "nginx-hybrid-p256",
    "nginx (P-256 hybrid)",
    STime("nginx", _EXCHANGE, "SecP256r1MLKEM768", by_itself=False),
)
HAPROXY = _HaProxy("haproxy", "HAProxy", STime("haproxy", _SIGNATURE))
LIGHTTPD = _Lighttpd("lighttpd", "lighttpd (wolfSSL)", STime("lighttpd", _SIGNATURE))
LIGHTTPD_P256 = _Lighttpd(
    "lighttpd-p256",
    "lighttpd (wolfSSL, P-256)",
    STime("lighttpd", _EXCHANGE, "P-256", by_itself=False),
)
