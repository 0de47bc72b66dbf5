# SPDX-License-Identifier: Apache-2.0
"""What a published statement says in a number: `2`, a bound such as `>2`, or a range `0.2..2.4`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_BOUND = re.compile(rf"([<>])({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_PLAIN = re.compile(_NUMBER)


@dataclass(frozen=True)
class Claim:
    """Between which numbers ours has to be; a `strict` one does not hold on its ends."""

    low: float
    high: float
    strict: bool = False

    def holds(self, value: float) -> bool:
        """Whether a figure of ours agrees."""
        if self.strict:
            return self.low < value < self.high
        return self.low <= value <= self.high


def claim_of(
    text: str,
    within: float,
    scale: Callable[[float], float] = lambda value: value,
    same: float = 0.0,
) -> Claim | None:
    """What a published value says, in numbers that are scaled; None if it is no number.

    A plain number holds `within` so many percent of it.  A bound of 1, which says that one figure
    is more than another, holds where the two differ by more than the share `same`.
    """
    if found := _BOUND.fullmatch(text):
        least, value = found[1] == ">", scale(float(found[2]))
        slack = same if value == 1 else 0.0
        if least:
            return Claim(value + slack, inf, strict=True)
        return Claim(-inf, value - slack, strict=True)
    if found := _RANGE.fullmatch(text):
        return Claim(scale(float(found[1])), scale(float(found[2])))
    if _PLAIN.fullmatch(text):
        value = scale(float(text))
        slack = abs(value) * within / 100
        return Claim(value - slack, value + slack)
    return None
