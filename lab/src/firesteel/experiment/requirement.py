# SPDX-License-Identifier: Apache-2.0
"""What a board must reach, as people write it.

    throughput >= 100 MB/s
    link_use >= 95 %
    cpu <= 50 %
    cpu_seconds_per_mb <= 0.6 of software

A number is in the metric's unit, or a share of what software has.
"""

import re
from dataclasses import dataclass
from typing import Literal

from firesteel.model import names
from firesteel.model.metrics import METRICS, unit_of

Sign = Literal[">=", "<="]

_SAID = re.compile(r"(\w+)\s*(>=|<=)\s*(\d+\.?\d*(?:e[-+]?\d+)?)\s*(.*)")

_OF_SOFTWARE = "of software"


@dataclass(frozen=True)
class Requirement:
    """A metric and its bound: in the metric's unit, or as a share of what software has."""

    metric: str
    sign: Sign
    bound: float
    of_software: bool = False

    @staticmethod
    def read(text: str) -> "Requirement":
        """What was said; ValueError where it cannot be understood."""
        found = _SAID.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                "allowed is METRIC >= NUMBER or METRIC <= NUMBER, with the metric's unit or "
                f'"{_OF_SOFTWARE}" behind it, such as cpu <= 50 %'
            )
        metric, sign, number, rest = found.groups()
        if metric not in METRICS:
            raise ValueError(f"there is no metric `{metric}` (docs/reference/metrics.md has all)")
        of_software = rest == _OF_SOFTWARE
        if rest and not of_software and rest not in _units(metric):
            allowed = ", ".join(filter(None, (*_units(metric), _OF_SOFTWARE)))
            raise ValueError(f'"{rest}" is no unit of `{metric}`; allowed: {allowed}')
        return Requirement(
            metric, ">=" if sign == ">=" else "<=", float(number), of_software=of_software
        )

    def holds(self, value: float) -> bool:
        """Whether a figure, or its share of software's, is within the bound."""
        return value >= self.bound if self.sign == ">=" else value <= self.bound

    def margin(self, value: float) -> float:
        """How far a figure is within the bound, as a share of it; below 0 where it is not."""
        away = value - self.bound if self.sign == ">=" else self.bound - value
        return away / self.bound if self.bound else away

    def said(self, value: float) -> str:
        """A figure, or its share of software's, for people."""
        if self.of_software:
            return f"{value:.3g} of software"
        return f"{names.number(value, self.metric)} {names.unit_of(self.metric)}".rstrip()

    @property
    def text(self) -> str:
        """The requirement as people write it."""
        unit = _OF_SOFTWARE if self.of_software else names.unit_of(self.metric)
        return f"{self.metric} {self.sign} {self.bound:.15g} {unit}".rstrip()


def _units(metric: str) -> tuple[str, ...]:
    """What may stand behind a number of it; a percent sign is enough of any percentage."""
    unit = unit_of(metric)
    short = names.unit(unit)
    known = ("%", short, unit) if short.startswith("%") else (short, unit)
    return tuple(dict.fromkeys(known))
