# SPDX-License-Identifier: Apache-2.0
"""OpenSSH's server by its connections: key exchange, login with a key, a command that does nothing.

The key exchange is OpenSSH's own (mlkem768x25519-sha256, a post-quantum hybrid) and never comes to
a provider; the signature with the host's key could, and is left to software
(docs/provider-openssh.md).  So a login has nothing for the cores, and shows what it costs to have
them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.s_time import SUITE, STime
from firesteel.protocols.setup import Setup
from firesteel.protocols.ssh import SSH
from firesteel.protocols.tls_server import Ends

_WORK: Mapping[str, tuple[str, int]] = MappingProxyType(
    {"rsa": ("pk_exponentiations", 1), "ecdsa": ("pk_exponentiations", 1)}
)
"""Each session opens the device, and so tries the public-key core with an exponentiation."""


class _Logins(STime):
    keys_meaning = "The host's key."
    work_is_opening = True
    shared_scripts = ("start-sshd.sh",)

    def __init__(self) -> None:
        super().__init__("sshd", _WORK)
        self.key_exchange = "mlkem768x25519-sha256"
        self.variables = {"CLIENT_GROUPS": ""}

    def files(self, node: str, ends: Ends) -> dict[str, JobFile]:
        """The key that clients log in with."""
        del node
        key = pki.ssh_public_key(ends.client, ends.seed)
        return {"/job/authorized_keys": JobFile(key + b"\n")}


class _Sshd(Protocol):
    name = "sshd"
    purpose = "shell"
    title = "SSH logins"
    suites = (SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = _Logins()

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        return SSH.setup(cell, board)


SSHD = _Sshd()
