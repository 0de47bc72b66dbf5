# SPDX-License-Identifier: Apache-2.0
"""What software did otherwise in 2015, or may have: all that is known of each such habit.

Which protocols can be measured with it, these say (`Protocol.variants`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.model.cell import Habit


@dataclass(frozen=True)
class Nature:
    """What a habit is like.

    It is the measured node's, or with `of_peers` all others'.  With `on_cores` only cells on the
    cores can have it.  `suites` is what all its suites have in them, in words `said`.
    """

    of_peers: bool = False
    on_cores: bool = False
    suites: str = ""
    said: str = ""


HABITS: Mapping[Habit, Nature] = {
    # OpenVPN's socket buffers and queue were those of its version 2.3.
    "openvpn-buffers": Nature(),
    # The kernel has AES and GHASH in generic code alone.
    "no-neon": Nature(),
    # The kernel merges no segments that it received (generic receive offload).
    "no-gro": Nature(),
    # The peer takes 0.25 ms for each packet that it gives to OpenVPN, as a virtual machine may.
    "slow-tun": Nature(of_peers=True),
    # Programs reach the cores by system calls: OpenSSL's engine `afalg` asks the kernel's driver.
    "af-alg": Nature(
        on_cores=True, suites="-cbc:", said="AES-CBC, the one cipher of OpenSSL's engine"
    ),
    # The driver sends every request to the core, however small.
    "core-only": Nature(on_cores=True),
}

HARDWARE_HABITS = frozenset(habit for habit, nature in HABITS.items() if nature.on_cores)
"""Habits that only cells on the cores can have."""
