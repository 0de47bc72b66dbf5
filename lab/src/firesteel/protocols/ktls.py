# SPDX-License-Identifier: Apache-2.0
"""HTTPS by the kernel's TLS: nginx leaves records to the kernel, which sends files from its cache
without a copy to the program (`sendfile`), and decrypts what clients send.

Only the server does, as curl gives OpenSSL no socket of its own: so the server is what is measured.
"""

from collections.abc import Mapping

from firesteel.base.errors import FiresteelError
from firesteel.board.network import Plan
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.file_access import KTLS as BY_KTLS
from firesteel.protocols.file_access import KTLS_UPLOAD
from firesteel.protocols.https import Https
from firesteel.protocols.setup import Setup, Step, by_driver

_OPTION = "ssl_conf_command Options KTLS;"

_COUNTERS = {"TlsTxSw": "encrypted", "TlsRxSw": "decrypted"}
"""Of /proc/net/tls_stat: connections that the kernel has done this for, by its crypto API."""


class _KernelTls(Https):
    name = "ktls"
    title = "HTTPS by kTLS"
    aliases = ("kernel-tls",)
    suites = ("aes-256-gcm:gcm", "chacha20-poly1305:poly1305")
    by_provider = False
    asks_kernel = True
    files_by = (BY_KTLS, KTLS_UPLOAD)
    ask_instead = ""

    def settings(self, cell: Cell, topology: Topology, plan: Plan, node: str) -> dict[str, str]:
        if cell.measured != plan.server:
            raise FiresteelError(
                f"Cell {cell.label}: kTLS is the server's, which is `{plan.server}` here; measure "
                "that one, or take the topology `board-serves`."
            )
        told = super().settings(cell, topology, plan, node)
        return told | {"TLS_SERVER": f"{told['TLS_SERVER']} {_OPTION}"}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """The measured node's kernel must have encrypted, and decrypted."""
        counters = dict(line.split() for line in sections.get("tls", "").splitlines())
        for counter, did in _COUNTERS.items():
            if not int(counters.get(counter, 0)):
                raise CellFailure(
                    f"Cell {cell.label}: the kernel of `{cell.measured}` {did} for no connection."
                )

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        del board
        return by_driver(
            cell,
            "docs/ktls.md",
            Step(
                "Load the kernel's TLS at each boot, as in /etc/modules-load.d/tls.conf:", ("tls",)
            ),
            Step(
                "In /etc/nginx/conf.d/ktls.conf, beside `sendfile on;` in nginx.conf:", (_OPTION,)
            ),
        )


KTLS = _KernelTls()
