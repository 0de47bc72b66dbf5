# SPDX-License-Identifier: Apache-2.0
"""What guest/exercise/ tells when it is removed, and what the devices counted meanwhile.

A job that loads it goes on with `TELL`, which makes the mark `busy.end`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench import KeptRun

TELL = """
rmmod exercise
probe mark busy.end
dmesg | grep -o 'exercise 0000:.*' | probe data exercise
"""
"""Shell lines that unload it and hand over what it says."""

_LINE = re.compile(r"exercise (\S+): (\S+) done (\d+) wrong (\d+) interrupts (\d+)")


@dataclass(frozen=True)
class Told:
    """What the module says of one core."""

    done: int
    wrong: int
    interrupts: int


def told(run: KeptRun, node: str) -> list[dict[str, Told]]:
    """What the module says of each window, in the order of their addresses, by core."""
    windows: dict[str, dict[str, Told]] = {}
    for address, core, *counts in _LINE.findall(run.text(node, "exercise")):
        windows.setdefault(address, {})[core] = Told(*map(int, counts))
    return [windows[address] for address in sorted(windows)]


def counted(run: KeptRun, node: str, *names: str) -> list[Mapping[str, int]]:
    """What windows counted when all was over."""
    cores = run.run.nodes[node].mark("busy.end").cores
    return [cores[name] for name in names]
