# SPDX-License-Identifier: Apache-2.0
"""HTTPS: files go between nginx and curl, without a tunnel."""

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.board.job import JobFile
from firesteel.board.network import Plan
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.file_access import HTTPS as OVER_HTTPS
from firesteel.protocols.file_access import HTTPS_UPLOAD
from firesteel.protocols.protocol import suites_in
from firesteel.protocols.setup import Setup, Step, by_provider, nginx


@dataclass(frozen=True)
class _Tls:
    """A version of TLS with one suite: nginx's directives, and curl's options."""

    server: str
    client: str


_SUITES: Mapping[tuple[str, str], _Tls] = {
    ("aes-256-cbc", "sha256"): _Tls(
        "ssl_protocols TLSv1.2; ssl_ciphers AES256-SHA256;",
        "--tlsv1.2 --tls-max 1.2 --ciphers AES256-SHA256",
    ),
    ("aes-256-gcm", "gcm"): _Tls(
        "ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;",
        "--tlsv1.3 --tls13-ciphers TLS_AES_256_GCM_SHA384",
    ),
    ("chacha20-poly1305", "poly1305"): _Tls(
        "ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256;",
        "--tlsv1.3 --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256",
    ),
}
"""CBC is of TLS 1.2, where RSA exchanges the keys: the one suite with SHA-256 that needs no group
for Diffie-Hellman."""


class Https(BetweenHosts):
    """Files of nginx, whose records OpenSSL encrypts and decrypts."""

    name = "https"
    purpose = "web"
    title = "HTTPS"
    suites = suites_in(_SUITES)
    implementations = ("software", "hardware")
    by_provider = True
    files_by = (OVER_HTTPS, HTTPS_UPLOAD)
    carries_packets = False
    ask_instead = "; for handshakes of TLS, ask for --protocol nginx"

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        """What both ends are told of the suite."""
        del topology, node
        tls = _SUITES[cell.cipher, cell.mac]
        return {"SERVER_NAME": plan.server, "TLS_SERVER": tls.server, "TLS_CLIENT": tls.client}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        """The ends' keys and certificates."""
        return pki.files(node, cell.seed) if node in (plan.client, plan.server) else {}

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        """By nginx's ready-made files; curl has the environment."""
        curl = Step(
            "For curl, set it in the user's environment (docs/provider-curl.md):",
            ("export OPENSSL_CONF=/etc/ssl/firesteel.cnf",),
        )
        return by_provider(cell, board, nginx(curl))


HTTPS = Https()
