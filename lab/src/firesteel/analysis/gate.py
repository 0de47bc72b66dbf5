# SPDX-License-Identifier: Apache-2.0
"""Conditions under which a comparison of two runs fails: `worse:5%`, `changed:2%`."""

import re
from dataclasses import dataclass
from typing import Literal

from firesteel.analysis.changes import Change
from firesteel.base.errors import RequestError

_CONDITION = re.compile(r"(worse|changed):(\d{1,6}(?:\.\d{1,6})?)%")
_PERCENTAGE = re.compile(r"(\d{1,2}(?:\.\d{1,6})?|100)%")

_KINDS = {"worse": ("worse",), "changed": ("worse", "better", "changed")}
"""The verdicts that each kind of condition looks at: all are beyond the noise, or of unknown."""


@dataclass(frozen=True)
class Condition:
    """A figure that is `kind` by more than `percent` fails the comparison."""

    kind: Literal["worse", "changed"]
    percent: float

    def holds(self, change: Change) -> bool:
        """Whether a change fails it; any growth from 0 is too much."""
        percent = change.change_percent
        far = percent is None or abs(percent) > self.percent
        return change.verdict in _KINDS[self.kind] and far

    def __str__(self) -> str:
        return f"{self.kind} by more than {self.percent:g} %"


def condition(text: str) -> Condition:
    """The condition that `--fail-if` says; `RequestError` when it is none."""
    match = _CONDITION.fullmatch(text)
    if not match:
        raise RequestError(
            f"--fail-if {text}: allowed is KIND:PERCENT% with one of the kinds "
            f"{', '.join(_KINDS)}, such as worse:5% or changed:0.5%."
        )
    return Condition("worse" if match[1] == "worse" else "changed", float(match[2]))


def percentage(option: str, text: str) -> float:
    """The number before the percent sign; `RequestError` when there is none from 0 to 100."""
    match = _PERCENTAGE.fullmatch(text)
    if not match:
        raise RequestError(
            f"{option} {text}: allowed is a percentage from 0% to 100%, such as 0.5%."
        )
    return float(match[1])
