# SPDX-License-Identifier: Apache-2.0
"""Processor architectures of boards: one value each has all that is different about it."""

from firesteel.architectures.architecture import Architecture
from firesteel.architectures.arm64 import ARM64
from firesteel.architectures.armhf import ARMHF

ARCHITECTURES: dict[str, Architecture] = {each.name: each for each in (ARMHF, ARM64)}
"""By name."""

DEFAULT = ARMHF
"""What is built for where nobody names a board."""


def cpu_models() -> list[str]:
    """The CPU models of all architectures, by the names that board specs have."""
    return [model for each in ARCHITECTURES.values() for model in each.machine.cpus]


def architecture_of(cpu: str) -> Architecture:
    """The architecture of a CPU model; `KeyError` when there is none."""
    for architecture in ARCHITECTURES.values():
        if cpu in architecture.machine.cpus:
            return architecture
    raise KeyError(cpu)
