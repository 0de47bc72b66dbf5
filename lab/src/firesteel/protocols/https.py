# SPDX-License-Identifier: Apache-2.0
"""HTTPS: files go between nginx and curl, without a tunnel."""

from collections.abc import Mapping

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan
from firesteel.boards.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import HTTPS as OVER_HTTPS
from firesteel.protocols.between_hosts import HTTPS_UPLOAD, KTLS_UPLOAD, BetweenHosts
from firesteel.protocols.between_hosts import KTLS as BY_KTLS
from firesteel.protocols.protocol import suites_in
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
