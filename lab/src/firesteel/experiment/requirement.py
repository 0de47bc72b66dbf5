# SPDX-License-Identifier: Apache-2.0
"""What a board must reach, as people write it.

    throughput >= 100 MB/s
    throughput >= 940 Mbit/s
    link_use >= 95 %
    cpu <= 50 %
    cpu_seconds_per_mb <= 0.6 of software
    file-transfer:cpu <= 50 %
    *:cpu <= 50 %

A number is in the metric's unit, or a share of what software has.  A percentage needs its sign, for
0.95 without one may be meant as 95 %.  Before the metric may stand the kind of traffic that is
meant, by the name of its series (`workloads.series`), or `*` for all kinds.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from firesteel.board.numbers import ALL
from firesteel.board.quantity import SCALES
from firesteel.model import names
from firesteel.model.metrics import METRICS, unit_of

Sign = Literal[">=", "<="]

_SAID = re.compile(r"(?:(\*|[\w-]+)\s*:\s*)?(\w+)\s*(>=|<=)\s*(\d+\.?\d*(?:e[-+]?\d+)?)\s*(.*)")

_OF_SOFTWARE = "of software"

_BIT_RATES = {name: size / 8e6 for name, size in SCALES["bit/s"].items()}
"""MB/s of each unit that a rate of payload may be given in, for links are told in these."""


@dataclass(frozen=True)
class Requirement:
    """A metric and its bound: in the metric's unit, or as a share of what software has.  `traffic`
    is the kind of traffic that it is of, `*` for all; empty where only one kind has the metric.
    `rate` is the unit in which people told the rate of a throughput, if it is not the metric's.
    """

    metric: str
    sign: Sign
    bound: float
    of_software: bool = False
    traffic: str = ""
    rate: str = field(default="", compare=False)

    @staticmethod
    def read(text: str) -> "Requirement":
        """What was said; ValueError where it cannot be understood."""
        found = _SAID.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                "allowed is METRIC >= NUMBER or METRIC <= NUMBER, with the metric's unit or "
                f'"{_OF_SOFTWARE}" behind it, such as cpu <= 50 %; TRAFFIC: may stand before it, '
                "such as file-transfer:cpu <= 50 %"
            )
        traffic, metric, sign, number, rest = found.groups()
        if metric not in METRICS:
            raise ValueError(f"there is no metric `{metric}` (docs/reference/figures.md has all)")
        of_software = rest == _OF_SOFTWARE
        bound = float(number) * (1 if of_software else _in_metric_unit(metric, rest))
        return Requirement(
            metric,
            ">=" if sign == ">=" else "<=",
            float(f"{bound:.15g}"),
            of_software=of_software,
            traffic=traffic or "",
            rate=rest if rest in _BIT_RATES else "",
        )

    @property
    def name(self) -> str:
        """What it is of, as people write it: `file-transfer:cpu`."""
        return f"{self.traffic}:{self.metric}" if self.traffic else self.metric

    def is_of(self, traffic: str) -> bool:
        """Whether figures of that kind of traffic must meet it."""
        return self.traffic in ("", ALL, traffic)

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
        if self.rate:
            return f"{value / _BIT_RATES[self.rate]:.4g} {self.rate}"
        return _with_unit(names.number(value, self.metric), self.metric)

    @property
    def text(self) -> str:
        """The requirement as people write it."""
        return f"{self.name} {self.sign} {self.bound_text}"

    @property
    def bound_text(self) -> str:
        """The bound with its unit."""
        if self.rate:
            return f"{self.bound / _BIT_RATES[self.rate]:.15g} {self.rate}"
        number = f"{self.bound:.15g}"
        return f"{number} {_OF_SOFTWARE}" if self.of_software else _with_unit(number, self.metric)


def _with_unit(number: str, metric: str) -> str:
    """A number of a metric: `5 MB/s`, and `900/min` where the unit is `1/min`."""
    unit = names.unit_of(metric)
    return f"{number}{unit[1:]}" if unit.startswith("1/") else f"{number} {unit}".rstrip()


def _in_metric_unit(metric: str, said: str) -> float:
    """What a number with that unit is multiplied by to be in the metric's; ValueError where it is
    no unit of the metric, or is left out of a percentage.
    """
    units = _units(metric)
    if not said and "%" not in units:
        return 1
    if said in units:
        return units[said]
    allowed = ", ".join(filter(None, (*units, _OF_SOFTWARE)))
    if not said:
        raise ValueError(f"`{metric}` is a percentage and needs its unit; allowed: {allowed}")
    raise ValueError(f'"{said}" is no unit of `{metric}`; allowed: {allowed}')


def _units(metric: str) -> dict[str, float]:
    """What may stand behind a number of it, and how much of the metric's unit that is; a percent
    sign is enough of any percentage.
    """
    unit = unit_of(metric)
    short = names.unit(unit)
    same = ("%", short, unit) if short.startswith("%") else (short, unit)
    if unit.startswith("1/"):
        same = (unit[1:], *same)
    return {**dict.fromkeys(same, 1.0), **(_BIT_RATES if unit == "MB/s" else {})}
