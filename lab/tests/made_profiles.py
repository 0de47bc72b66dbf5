# SPDX-License-Identifier: Apache-2.0
"""CPU profiles with made-up stacks."""

import json
from typing import Any

from firesteel.profiling.document import Profile

STACKS = [
    (("openvpn", "libcrypto", "libcrypto.so.3", "aes_encrypt<x>"), 600),
    (("openvpn", "kernel network", "vmlinux", "udp_sendmsg"), 300),
    (("swapper", "kernel network", "vmlinux", "udp_sendmsg"), 99),
    (("swapper", "interrupt", "vmlinux", "tiny"), 1),
]


def content(implementation: str = "software", key: str = "k") -> dict[str, Any]:
    return {
        "format": 1,
        "cell": f"openvpn aes-256-cbc:sha256 {implementation}",
        "key": key,
        "implementation": implementation,
        "node": "board",
        "window": "transfer",
        "instructions": 1000,
        "stacks": [{"frames": list(frames), "instructions": count} for frames, count in STACKS],
    }


def profile_of(document: dict[str, Any]) -> Profile:
    return Profile.from_json(json.dumps(document), "here")


def profile(implementation: str = "software") -> Profile:
    return profile_of(content(implementation))
