# SPDX-License-Identifier: Apache-2.0
"""What the provider offers of work with keys, which is more with every version."""

import functools
import re

from scenes import process
from scenes.side import Side

_ALGORITHMS = {
    # Kind of work in the statistics → list of `openssl list`, and a name in it
    "rsa": ("-signature-algorithms", "RSA"),
    "dh": ("-key-exchange-algorithms", "DH"),
    "ecdsa": ("-signature-algorithms", "ECDSA"),
    "ecdh": ("-key-exchange-algorithms", "ECDH"),
    "x25519": ("-key-exchange-algorithms", "X25519"),
    "ed25519": ("-signature-algorithms", "ED25519"),
}


@functools.cache
def keys() -> frozenset[str]:
    """The kinds of work with keys that it offers."""
    return frozenset(kind for kind, (which, name) in _ALGORITHMS.items() if name in _names(which))


@functools.cache
def _names(which: str) -> frozenset[str]:
    said = process.run(Side("listing", True), ["openssl", "list", which]).decode()
    lines = [line for line in said.splitlines() if line.rstrip().endswith("@ firesteel")]
    return frozenset(name for line in lines for name in re.findall(r"[\w.-]+", line))
