# SPDX-License-Identifier: Apache-2.0
"""What a board must reach, as people write it, and how the figures of a run stand to it.

    throughput >= 100 MB/s
    throughput >= 940 Mbit/s
    link_use >= 95 %
    cpu <= 50 %
    cpu_seconds_per_mb <= 0.6 of software
    file-transfer:cpu <= 50 %
    *:cpu <= 50 %

A number is in the metric's unit, or a share of what software has.  A percentage needs its sign, for
0.95 without one may be meant as 95 %.  Before the metric may stand the kind of traffic that is
meant, by the name of its series (`workloads.registry`), or `*` for all kinds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import SCALES
from firesteel.boards.numbers import ALL
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.rows import Pair, Row, Rows
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE
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
    `rate` is the unit that the user gave for a throughput, if it is not the metric's unit.
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
                f'"{_OF_SOFTWARE}" after the number, such as cpu <= 50 %; TRAFFIC: may come first, '
                "such as file-transfer:cpu <= 50 %"
            )
        traffic, metric, sign, number, unit = found.groups()
        if metric not in METRICS:
            raise ValueError(f"there is no metric `{metric}` (docs/reference/figures.md has all)")
        return Requirement(
            metric,
            ">=" if sign == ">=" else "<=",
            float(f"{float(number) * _units(metric, unit)[unit]:.15g}"),
            of_software=unit == _OF_SOFTWARE,
            traffic=traffic or "",
            rate=unit if unit in _BIT_RATES else "",
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
        number = f"{value:.3g}" if self.of_software else names.number(value, self.metric)
        return self._with_unit(f"{value / _BIT_RATES[self.rate]:.4g}" if self.rate else number)

    @property
    def text(self) -> str:
        """The requirement as people write it."""
        return f"{self.name} {self.sign} {self.bound_text}"

    @property
    def bound_text(self) -> str:
        """The bound with its unit."""
        return self._with_unit(f"{self.bound / _BIT_RATES.get(self.rate, 1.0):.15g}")

    def _with_unit(self, number: str) -> str:
        """`5 MB/s`, `0.6 of software`, and `900/min` where the unit is `1/min`."""
        unit = _OF_SOFTWARE if self.of_software else self.rate or names.unit_of(self.metric)
        return f"{number}{unit[1:]}" if unit.startswith("1/") else f"{number} {unit}".rstrip()


def _units(metric: str, said: str) -> dict[str, float]:
    """What may stand behind a number of it, and how much of the metric's unit that is; a percent
    sign is enough of any percentage.  ValueError where `said` is none of them.
    """
    unit = unit_of(metric)
    short = names.unit(unit)
    same = ("%", short, unit) if short.startswith("%") else (short, unit)
    if unit.startswith("1/"):
        same = (unit[1:], *same)
    units = dict.fromkeys(same, 1.0) | (_BIT_RATES if unit == "MB/s" else {}) | {_OF_SOFTWARE: 1.0}
    allowed = f"allowed: {', '.join(filter(None, units))}"
    if not said and "%" in units:
        raise ValueError(f"`{metric}` is a percentage and needs its unit; {allowed}")
    if said and said not in units:
        raise ValueError(f'"{said}" is not a unit of `{metric}`; {allowed}')
    return units | {"": 1.0}


@dataclass(frozen=True)
class Standing:
    """A row's figure and a requirement: `value` is the figure, or its share of software's; None
    where it says nothing, for the reason in `why_not`.
    """

    requirement: Requirement
    row: Row
    value: float | None
    why_not: str = ""

    @property
    def holds(self) -> bool:
        """What is not known does not hold."""
        return self.value is not None and self.requirement.holds(self.value)

    @property
    def margin(self) -> float:
        """How far it is within the bound, as a share of it; the least of all if nobody knows."""
        return float("-inf") if self.value is None else self.requirement.margin(self.value)

    @property
    def said(self) -> str:
        """The figure, for people; or why there is none."""
        return self.why_not if self.value is None else self.requirement.said(self.value)

    @property
    def traffic(self) -> str:
        """The kind of traffic that the figure is of."""
        return self.row.identity.workload

    @property
    def figure(self) -> str:
        """The figure with its metric, and its kind of traffic where the requirement says one:
        `file-transfer:cpu 98.0 % of core`.
        """
        of = f"{self.traffic}:" if self.requirement.traffic else ""
        return f"{of}{self.requirement.metric} {self.said}"

    @property
    def what(self) -> str:
        """What the figure is of."""
        return names.listed(self.row.label, self.row.identity.parameter.text)


def standings(rows: Rows, requirements: Iterable[Requirement]) -> list[Standing]:
    """Every requirement with each row in hardware that it is of, or each such row if there is no
    hardware.

    Raises `FiresteelError` where a requirement is of no row, or does not say which kind of traffic
    it is of and several have its metric.
    """
    hardware = [row for row in rows if row.identity.implementation not in IN_SOFTWARE]
    judged, requirements = hardware or list(rows), list(requirements)
    for each in requirements:
        _check(each, judged)
    return [
        _standing(rows, row, each)
        for each in requirements
        for row in judged
        if each.metric in row.results and each.is_of(row.identity.workload)
    ]


def worst(found: Sequence[Standing], requirement: Requirement) -> Standing | None:
    """The row that is farthest from a requirement; None where no row has its metric."""
    its = [each for each in found if each.requirement == requirement]
    return min(its, key=lambda each: each.margin, default=None)


def _check(requirement: Requirement, rows: Sequence[Row]) -> None:
    """A ping hardly uses the link, so a bound that is meant for transfers says nothing of it, and
    nobody but the user knows whether it is meant for both.
    """
    said, metric = f"--require {requirement.text}", requirement.metric
    having = dict.fromkeys(row.identity.workload for row in rows if metric in row.results)
    if not having:
        known = ", ".join(sorted({name for row in rows for name in row.results}))
        raise FiresteelError(
            f"{said}: no row here has the metric `{metric}`; the rows have: {known}."
        )
    if not any(map(requirement.is_of, having)):
        raise FiresteelError(
            f"{said}: `{requirement.traffic}` has no metric `{metric}`; the kind of traffic "
            f"before the metric may be: {', '.join(having)}, {ALL}."
        )
    if not requirement.traffic and len(having) > 1:
        told = " or ".join(f'"{name}:{requirement.text}"' for name in having)
        raise FiresteelError(
            f"{said}: {names.all_of(list(having))} have the metric `{metric}`; allowed is "
            f'{told}, or "{ALL}:{requirement.text}" for all.'
        )


def _standing(rows: Rows, row: Row, requirement: Requirement) -> Standing:
    metric = requirement.metric
    value: float | None = row.samples[metric].value
    if requirement.of_software:
        software = rows.get(row.identity.in_software)
        pair = Pair(software, row) if software else None
        value = pair.compared(metric).ratio if pair and pair.has(metric) else None
    why_not = "software not measured" if value is None else ""
    if not row.results[metric].converged:
        why_not = "not converged"
    if row.peer_limited:
        why_not = PEER_LIMITED
    return Standing(requirement, row, None if why_not else value, why_not)
