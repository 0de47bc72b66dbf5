# SPDX-License-Identifier: Apache-2.0
"""Cells whose file goes over SSH: the options of both programs, and the keys that they know.

A user without rights logs in, so that sshd does the connection's cryptography in a process that
has given its rights up.
"""

from collections.abc import Mapping

from firesteel.board.job import JobFile
from firesteel.model.cell import Cell
from firesteel.protocols import pki

ALGORITHMS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("aes-256-cbc", "none"): ("aes256-cbc", "none"),
    ("aes-256-cbc", "sha256"): ("aes256-cbc", "hmac-sha2-256"),
    ("aes-256-ctr", "none"): ("aes256-ctr", "none"),
    ("aes-256-ctr", "sha256"): ("aes256-ctr", "hmac-sha2-256"),
    ("aes-256-gcm", "gcm"): ("aes256-gcm@openssh.com", "hmac-sha2-256"),
}
"""Ciphers and MACs in OpenSSH's words; with GCM the latter is not used."""

SUITES = tuple(f"{cipher}:{mac}" for cipher, mac in ALGORITHMS)
"""What may be measured, as an experiment's file has it."""

_USER = "files"

_PASSWD = f"""\
root:x:0:0:root:/root:/bin/sh
sshd:x:101:65534::/run/sshd:/bin/false
ftp:x:102:65534::/srv/ftp:/bin/false
{_USER}:x:1000:65534::/srv/ftp:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false
"""


def variables(cell: Cell) -> dict[str, str]:
    """Further settings of the scripts; board/jobs/measure.sh and serve.sh say what it means."""
    cipher, mac = ALGORITHMS[cell.cipher, cell.mac]
    return {"SSH_OPTIONS": f"-o Ciphers={cipher} -o MACs={mac}", "SSH_USER": _USER}


def files(client: str, server: str, target: str, node: str, seed: int) -> dict[str, JobFile]:
    """Keys of a node that is an end of the connection, by guest path."""
    if node not in (client, server):
        return {}
    known = f"{target} ".encode() + pki.ssh_public_key(server, seed) + b"\n"
    return {
        "/etc/passwd": JobFile(_PASSWD.encode()),
        "/job/node.key": JobFile(pki.identity(node, seed=seed).key, 0o600),
        "/job/known_hosts": JobFile(known),
        "/job/authorized_keys": JobFile(pki.ssh_public_key(client, seed) + b"\n"),
    }
