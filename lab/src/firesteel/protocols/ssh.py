# SPDX-License-Identifier: Apache-2.0
"""SSH: files go by scp or sftp from host to host, without a tunnel.

A user without rights logs in, so that sshd does the connection's cryptography in a process that
has given its rights up.
"""

from collections.abc import Mapping

from firesteel.boards.job import JobFile
from firesteel.boards.network import Plan
from firesteel.boards.topology import Topology
from firesteel.build.artifacts import ArtifactSource
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import RCP, SCP, SFTP, BetweenHosts
from firesteel.protocols.protocol import HandshakesAlone, suites_in
from firesteel.protocols.tls_server import Ends, STime

_ALGORITHMS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("aes-256-cbc", "none"): ("aes256-cbc", "none"),
    ("aes-256-cbc", "sha256"): ("aes256-cbc", "hmac-sha2-256"),
    ("aes-256-ctr", "none"): ("aes256-ctr", "none"),
    ("aes-256-ctr", "sha256"): ("aes256-ctr", "hmac-sha2-256"),
    ("aes-256-gcm", "gcm"): ("aes256-gcm@openssh.com", "hmac-sha2-256"),
    ("chacha20-poly1305", "poly1305"): ("chacha20-poly1305@openssh.com", "hmac-sha2-256"),
}
"""Ciphers and MACs in OpenSSH's words; with GCM and Poly1305 the latter is not used."""

_USER = "files"

_PASSWD = f"""\
root:x:0:0:root:/root:/bin/sh
sshd:x:101:65534::/run/sshd:/bin/false
ftp:x:102:65534::/srv/ftp:/bin/false
{_USER}:x:1000:65534::/srv/ftp:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false
"""


class _Ssh(BetweenHosts):
    name = "ssh"
    purpose = "shell"
    title = "SSH"
    aliases = ("openssh", "scp", "sftp")
    suites = suites_in(_ALGORITHMS)
    implementations = ("software", "hardware")
    variants = ("af-alg",)
    by_provider = True
    files_by = (SCP, RCP, SFTP)
    carries_packets = False
    set_up_by = "ssh"

    # In the configuration's last section.  Otherwise OpenSSL 3.5 gives AES-256-CTR to nobody but
    # the software that its random numbers have it from (docs/provider-programs.md).
    more_configuration = b"random = HASH-DRBG\ndigest = SHA512\n"

    def settings(self, cell: Cell, _topology: Topology, _plan: Plan, _node: str) -> dict[str, str]:
        cipher, mac = _ALGORITHMS[cell.cipher, cell.mac]
        return {"SSH_OPTIONS": f"-o Ciphers={cipher} -o MACs={mac}", "SSH_USER": _USER}

    def files(self, cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
        if node not in (plan.client, plan.server):
            return {}
        known = f"{plan.target} ".encode() + pki.ssh_public_key(plan.server, cell.seed) + b"\n"
        return {
            "/etc/passwd": JobFile(_PASSWD.encode()),
            "/job/node.key": JobFile(pki.identity(node, seed=cell.seed).key, 0o600),
            "/job/known_hosts": JobFile(known),
            "/job/authorized_keys": JobFile(pki.ssh_public_key(plan.client, cell.seed) + b"\n"),
        }

    def programs(self, built: ArtifactSource) -> dict[str, JobFile]:
        """Our OpenSSH instead of the image's: both sides must know the MAC `none`."""
        return {
            place: JobFile(path.read_bytes(), 0o755)
            for place, path in built.artifact("openssh").by_guest_path().items()
        }


class _Logins(STime):
    """Key exchange, login with a key, a command that does nothing.

    The key exchange is OpenSSH's own (mlkem768x25519-sha256, a post-quantum hybrid) and never comes
    to a provider; the signature with the host's key could, and is left to software
    (docs/provider-openssh.md).  So a login has nothing for the cores, and shows what it costs to
    have them: each session opens the device, and so tries the public-key core with an
    exponentiation.
    """

    keys_meaning = "The host's key."
    work_is_opening = True
    shared_scripts = ("start-sshd.sh",)

    def __init__(self) -> None:
        super().__init__("sshd", dict.fromkeys(("rsa", "ecdsa"), ("pk_exponentiations", 1)))
        self.key_exchange = "mlkem768x25519-sha256"
        self.variables = {"CLIENT_GROUPS": ""}

    def files(self, _node: str, ends: Ends) -> dict[str, JobFile]:
        """The key that clients log in with."""
        key = pki.ssh_public_key(ends.client, ends.seed)
        return {"/job/authorized_keys": JobFile(key + b"\n")}


SSH = _Ssh()
SSHD = HandshakesAlone("sshd", "SSH logins", "shell", _Logins(), "ssh")
