# SPDX-License-Identifier: Apache-2.0
"""What the guest's module guest/order/ tells the log."""

import re
from typing import NamedTuple

_LINE = re.compile(
    r"order: completed (\d+) overtaken (\d+) wrong (\d+) failed (\d+) busy (\d+) at-once (\d+) "
    r"refused (\d+)"
)


class Outcome(NamedTuple):
    """What it counted, each time that it was loaded."""

    completed: int
    overtaken: int
    wrong: int
    failed: int
    busy: int
    at_once: int
    refused: int


def outcomes(log: str) -> list[Outcome]:
    """All in the kernel's log."""
    return [Outcome(*map(int, line)) for line in _LINE.findall(log)]
