# SPDX-License-Identifier: Apache-2.0
"""Which addresses nodes have: those differ from site to site, and here from seed to seed.

Seed 1 counts from the first address on.
"""

import hashlib

_HOSTS = 254
"""Host parts of a network of /24: 1 to 254."""


def host_part(seed: int, number: int) -> int:
    """The last number of the IPv4 addresses of the node of that number, counted from 0."""
    return 1 + (_first(seed, "host", _HOSTS) + number) % _HOSTS


def mac_address(seed: int, number: int, port: int) -> str:
    """Locally administered, as QEMU's own; behind the seed's part the node's number, then the
    port's.
    """
    part = _first(seed, "mac", 1 << 16)
    return f"52:54:{part >> 8:02x}:{part & 0xFF:02x}:{number + 1:02x}:{port:02x}"


def _first(seed: int, what: str, below: int) -> int:
    if seed == 1:
        return 0
    digest = hashlib.sha256(f"{what} {seed}".encode()).digest()
    return int.from_bytes(digest[:8]) % below
