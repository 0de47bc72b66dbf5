# SPDX-License-Identifier: Apache-2.0
"""How the figures of a run stand to what a board must reach."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Row, Rows
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import ALL
from firesteel.experiment.requirement import Requirement
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE


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
    judged = _judged(rows)
    requirements = list(requirements)
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


def _judged(rows: Rows) -> list[Row]:
    hardware = [row for row in rows if row.identity.implementation not in IN_SOFTWARE]
    return hardware or list(rows)


def _check(requirement: Requirement, rows: Sequence[Row]) -> None:
    """A ping hardly uses the link, so a bound that is meant for transfers says nothing of it, and
    nobody but the user knows whether it is meant for both.
    """
    said, metric = f"--require {requirement.text}", requirement.metric
    having = dict.fromkeys(row.identity.workload for row in rows if metric in row.results)
    if not having:
        known = ", ".join(sorted({name for row in rows for name in row.results}))
        raise FiresteelError(
            f"{said}: nothing of this has the metric `{metric}`; there are: {known}."
        )
    if not any(map(requirement.is_of, having)):
        raise FiresteelError(
            f"{said}: `{requirement.traffic}` has no metric `{metric}`; allowed before it here: "
            f"{', '.join(having)}, {ALL}."
        )
    if not requirement.traffic and len(having) > 1:
        told = " or ".join(f'"{name}:{requirement.text}"' for name in having)
        raise FiresteelError(
            f"{said}: {names.all_of(list(having))} have the metric `{metric}`; allowed is "
            f'{told}, or "{ALL}:{requirement.text}" for all.'
        )


def _standing(rows: Rows, row: Row, requirement: Requirement) -> Standing:
    result = row.results[requirement.metric]
    if row.peer_limited:
        return Standing(requirement, row, None, PEER_LIMITED)
    if not result.converged:
        return Standing(requirement, row, None, "not converged")
    if not requirement.of_software:
        return Standing(requirement, row, result.sample.value)
    software = rows.get(row.identity.in_software)
    pair = Pair(software, row) if software else None
    ratio = (
        pair.compared(requirement.metric).ratio if pair and pair.has(requirement.metric) else None
    )
    return Standing(requirement, row, ratio, "" if ratio is not None else "software not measured")
