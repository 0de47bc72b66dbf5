# SPDX-License-Identifier: Apache-2.0
"""HTTPS: files go between nginx and curl, without a tunnel; and web servers and proxies that are
measured by their handshakes.

With the provider HAProxy's handshakes are asynchronous: while a public-key core works for one,
others go on, up to the number of cores.  lighttpd uses wolfSSL 5.7, as in routers, which names no
device for X25519 in TLS 1.3.  So with that group the cores do only the signature, and with P-256
the key exchange too.
"""

from collections.abc import Mapping
from dataclasses import replace

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan
from firesteel.boards.topology import Topology
from firesteel.build.artifacts import LIBRARY, PRELOAD, ArtifactSource
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import HTTPS as OVER_HTTPS
from firesteel.protocols.between_hosts import HTTPS_UPLOAD, KTLS_UPLOAD, BetweenHosts
from firesteel.protocols.between_hosts import KTLS as BY_KTLS
from firesteel.protocols.protocol import HandshakesAlone, suites_in
from firesteel.protocols.tls_server import STime
from firesteel.protocols.window import CellFailure

_TLS13 = (
    "ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites {0};",
    "--tlsv1.3 --tls13-ciphers {0}",
)

_SUITES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("aes-256-cbc", "sha256"): (
        "ssl_protocols TLSv1.2; ssl_ciphers AES256-SHA256;",
        "--tlsv1.2 --tls-max 1.2 --ciphers AES256-SHA256",
    ),
    ("aes-256-gcm", "gcm"): tuple(each.format("TLS_AES_256_GCM_SHA384") for each in _TLS13),
    ("chacha20-poly1305", "poly1305"): tuple(
        each.format("TLS_CHACHA20_POLY1305_SHA256") for each in _TLS13
    ),
}
"""A version of TLS with one suite, as nginx's directives and curl's options.

CBC is of TLS 1.2, where RSA exchanges the keys: the one suite with SHA-256 that needs no group
for Diffie-Hellman."""


class _Https(BetweenHosts):
    """Files of nginx, whose records OpenSSL encrypts and decrypts."""

    name = "https"
    purpose = "web"
    title = "HTTPS"
    suites = suites_in(_SUITES)
    implementations = ("software", "hardware")
    by_provider = True
    files_by = (OVER_HTTPS, HTTPS_UPLOAD)
    carries_packets = False
    set_up_by = "https"
    ask_instead = "; for handshakes of TLS, ask for --protocol nginx"

    def settings(self, cell: Cell, _topology: Topology, plan: Plan, _node: str) -> dict[str, str]:
        """The suite's settings at both ends."""
        server, client = _SUITES[cell.cipher, cell.mac]
        return {"SERVER_NAME": plan.server, "TLS_SERVER": server, "TLS_CLIENT": client}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        """The ends' keys and certificates."""
        return pki.files(node, cell.seed) if node in (plan.client, plan.server) else {}


_OPTION = "ssl_conf_command Options KTLS;"

_COUNTERS = {"TlsTxSw": "encrypted", "TlsRxSw": "decrypted"}
"""Of /proc/net/tls_stat: connections that the kernel has done this for, by its crypto API."""


class _KernelTls(_Https):
    """The kernel encrypts nginx's records, sends files from its cache without a copy to the program
    (`sendfile`), and decrypts what clients send.

    Only the server does, as curl gives OpenSSL no socket of its own: so it is what is measured.
    """

    name = "ktls"
    title = "HTTPS by kTLS"
    aliases = ("kernel-tls",)
    suites = ("aes-256-gcm:gcm", "chacha20-poly1305:poly1305")
    by_provider = False
    asks_kernel = True
    files_by = (BY_KTLS, KTLS_UPLOAD)
    set_up_by = "ktls"
    ask_instead = ""

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        if cell.measured != plan.server:
            raise FiresteelError(
                f"Cell {cell.label}: the server uses kTLS; it is `{plan.server}` here: measure "
                "that node, or use the topology `board-serves`."
            )
        told = super().settings(cell, topology, plan, node)
        return told | {"TLS_SERVER": f"{told['TLS_SERVER']} {_OPTION}"}

    def set_up_with(self, _cell: Cell) -> Mapping[str, str]:
        return {"option": _OPTION}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """The measured node's kernel must have encrypted, and decrypted."""
        counters = dict(line.split() for line in sections.get("tls", "").splitlines())
        for counter, did in _COUNTERS.items():
            if not int(counters.get(counter, 0)):
                raise CellFailure(
                    f"Cell {cell.label}: the kernel of `{cell.measured}` {did} for no connection."
                )


HTTPS = _Https()
KTLS = _KernelTls()


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
