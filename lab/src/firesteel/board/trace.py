# SPDX-License-Identifier: Apache-2.0
"""Reading the lockstep's trace of a node: which frames it received, and when (docs/lockstep.md)."""

from array import array
from collections.abc import Sequence
from pathlib import Path

LARGE_FRAME = 600
"""Bytes from which on a frame carries data; acknowledgements and control messages are shorter."""


def large_frames(path: Path) -> Sequence[int]:
    """When each large frame arrived that the node took, in virtual ns, in order."""
    times = array("q")
    with path.open(encoding="ascii") as trace:
        for line in trace:
            if line.startswith("rx "):
                _, time, _, length, _, taken, _ = line.split()
                if int(length) >= LARGE_FRAME and taken == "taken":
                    times.append(int(time))
    return times
