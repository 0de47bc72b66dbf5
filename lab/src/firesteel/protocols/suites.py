# SPDX-License-Identifier: Apache-2.0
"""Which suites each protocol has, and what people write for them.

A suite is `CIPHER:MAC`; the cipher alone says the same where no other suite has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import BeforeValidator

from firesteel.model.cell import Protocol
from firesteel.protocols.crypto_api import SUITES as CRYPTO_SUITES
from firesteel.protocols.dm_crypt import SUITES as DISK_SUITES
from firesteel.protocols.openssl import SUITES as SPEED_SUITES
from firesteel.protocols.ssh import SUITES as SSH_SUITES

_TUNNEL_SUITES = ("none:none", "aes-256-cbc:none", "aes-256-cbc:sha256", "aes-256-gcm:gcm")

SUITES: Mapping[Protocol, Sequence[str]] = {
    "none": ("none:none",),
    "openvpn": _TUNNEL_SUITES,
    "ipsec": _TUNNEL_SUITES,
    "ssh": SSH_SUITES,
    "nginx": ("aes-256-gcm:gcm",),
    "openssl": SPEED_SUITES,
    "crypto-api": CRYPTO_SUITES,
    "dm-crypt": DISK_SUITES,
}
"""By protocol."""

_ALL = tuple(dict.fromkeys(suite for suites in SUITES.values() for suite in suites))

ALIASES: Mapping[str, Protocol] = {
    "tls": "nginx",
    "https": "nginx",
    "esp": "ipsec",
    "strongswan": "ipsec",
    "openssh": "ssh",
    "scp": "ssh",
    "openssl-speed": "openssl",
    "kernel-crypto": "crypto-api",
    "disk": "dm-crypt",
    "luks": "dm-crypt",
}
"""What people call some protocols."""


def whole(text: str, suites: Iterable[str] = _ALL) -> str:
    """The suite of `suites` that a text names; the text where it is none of them, or several."""
    if ":" in text:
        return text
    found = [suite for suite in suites if f"none:{text}" == suite or suite.startswith(f"{text}:")]
    return found[0] if len(found) == 1 else text


def _whole(value: object) -> object:
    return whole(value) if isinstance(value, str) else value


Suite = Annotated[str, BeforeValidator(_whole)]
"""In a file."""
