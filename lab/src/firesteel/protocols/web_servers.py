# SPDX-License-Identifier: Apache-2.0
"""Web servers and proxies that are measured by their handshakes.

With the provider HAProxy's handshakes are asynchronous: while a public-key core works for one,
others go on, up to the number of cores.  lighttpd uses wolfSSL 5.7, as in routers, which names no
device for X25519 in TLS 1.3.  So with that group the cores do only the signature, and with P-256
the key exchange too.
"""

from dataclasses import replace

from firesteel.boards.job import JobFile
from firesteel.build.artifacts import LIBRARY, PRELOAD, ArtifactSource
from firesteel.protocols.protocol import HandshakesAlone
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


class _Lighttpd(HandshakesAlone):
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


def with_workers(script: JobFile, number: int) -> JobFile:
    """The script of a web server, in which nginx has so many workers instead of one."""
    one, several = (b"worker_processes %d;" % count for count in (1, number))
    return replace(script, content=script.content.replace(one, several))


_NGINX_INSTEAD = (
    "; for handshakes by RSA key size, ask for --protocol openvpn --suite aes-256-cbc:none"
)
_HYBRID = STime("nginx", _EXCHANGE, "X25519MLKEM768")
_HYBRID_P256 = STime("nginx", _EXCHANGE, "SecP256r1MLKEM768", by_itself=False)
_P256 = STime("lighttpd", _EXCHANGE, "P-256", by_itself=False)

WEB_SERVERS = (
    HandshakesAlone(
        *("nginx", "nginx", "web", STime("nginx", _EXCHANGE), "nginx", "tls"),
        ask_instead=_NGINX_INSTEAD,
    ),
    # Post-quantum hybrids, of which the cores do the elliptic curve and software ML-KEM
    HandshakesAlone("nginx-hybrid", "nginx (hybrid)", "web", _HYBRID, "nginx"),
    HandshakesAlone("nginx-hybrid-p256", "nginx (P-256 hybrid)", "web", _HYBRID_P256, "nginx"),
    HandshakesAlone(
        *("haproxy", "HAProxy", "web", STime("haproxy", _SIGNATURE), "haproxy"),
        ask_instead="; for other keys, ask for --protocol nginx",
    ),
    _Lighttpd("lighttpd", "lighttpd (wolfSSL)", "web", STime("lighttpd", _SIGNATURE), "lighttpd"),
    _Lighttpd("lighttpd-p256", "lighttpd (wolfSSL, P-256)", "web", _P256, "lighttpd"),
)
