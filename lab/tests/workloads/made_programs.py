# SPDX-License-Identifier: Apache-2.0
"""Made-up cells of programs whose cryptography is OpenSSL's."""

from typing import Any

from firesteel.model.cell import Cell
from firesteel.workloads.openssl_speed import SpeedPlan
from firesteel.workloads.transfer import TransferPlan

PROFILES = {"board": "socrates", "peer": "peer"}


def cell(protocol: str, suite: str, implementation: str = "hardware", **changes: Any) -> Cell:
    cipher, mac = suite.split(":")
    completion = "adaptive" if implementation == "hardware" else None
    given = {
        "topology": "host-host",
        "profiles": PROFILES,
        "measured": "board",
        "protocol": protocol,
        "cipher": cipher,
        "mac": mac,
        "implementation": implementation,
        "completion": completion,
        "transfer": TransferPlan(size=1 << 20),
    }
    return Cell(**(given | changes))


def speed_cell(implementation: str = "hardware", sizes: tuple[int, ...] = (64, 4096)) -> Cell:
    return cell(
        "openssl",
        "aes-256-cbc:none",
        implementation,
        topology="one-board",
        profiles={"board": "socrates"},
        transfer=None,
        speed=SpeedPlan(sizes=sizes, seconds=1),
    )
