# SPDX-License-Identifier: Apache-2.0
"""Made-up cells of programs whose cryptography is OpenSSL's."""

from typing import Any

from made_cells import made

from firesteel.model.cell import Cell
from firesteel.workloads.openssl_speed import SpeedPlan
from firesteel.workloads.transfer import TransferPlan

PROFILES = {"board": "socrates", "peer": "peer"}


def cell(protocol: str, suite: str, implementation: str = "hardware", **changes: Any) -> Cell:
    completion = "adaptive" if implementation == "hardware" else None
    how = {"implementation": implementation, "completion": completion}
    return made(protocol, suite, **(how | {"transfer": TransferPlan(size=1 << 20)} | changes))


def speed_cell(implementation: str = "hardware", sizes: tuple[int, ...] = (64, 4096)) -> Cell:
    plans = {"transfer": None, "speed": SpeedPlan(sizes=sizes, seconds=1)}
    return cell("openssl", "aes-256-cbc:none", implementation, topology="one-board", **plans)
