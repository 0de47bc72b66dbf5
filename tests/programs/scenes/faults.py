# SPDX-License-Identifier: Apache-2.0
"""Cores that end amid a file, for scenes: by faults of the model (docs/cores.md).

A cell whose side has a fault passes only if cores did something before, and software what they
failed at (`cells.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from scenes.side import Side, pair

_FAULTS = {
    # It fails again and again, and works between
    "fails": "dma-error:rate=20",
    "goes": "gone:nth={operation}",
}


@dataclass(frozen=True)
class Failing:
    """A conversation in which the cores of `ours` end; `here` is the server, `there` the client."""

    said: str
    """What happens to whom, for the name of a cell."""
    here: Side
    there: Side
    ours: Side
    theirs: Side


def sides(scene: str, operation: int) -> Iterator[Failing]:
    """Every fault, for the server and for the client.

    A core goes at its `operation`: handshakes take fewer, the file takes more.
    """
    for kind, fault in _FAULTS.items():
        for name in ("server", "client"):
            ours, theirs = pair(f"{scene}-{kind}-{name}", faults=fault.format(operation=operation))
            here, there = (ours, theirs) if name == "server" else (theirs, ours)
            yield Failing(f"the core of the {name} {kind}", here, there, ours, theirs)
