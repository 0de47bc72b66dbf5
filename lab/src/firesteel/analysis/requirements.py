# SPDX-License-Identifier: Apache-2.0
"""How the figures of a run stand to what a board must reach."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Row, Rows
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
    def what(self) -> str:
        """What the figure is of."""
        return names.listed(self.row.label, self.row.identity.parameter.text)


def standings(rows: Rows, requirements: Iterable[Requirement]) -> list[Standing]:
    """Every requirement with each row in hardware that has its metric, or each row if there is no
    hardware.
    """
    hardware = [row for row in rows if row.identity.implementation not in IN_SOFTWARE]
    judged = hardware or list(rows)
    return [
        _standing(rows, row, each)
        for each in requirements
        for row in judged
        if each.metric in row.results
    ]


def worst(found: Sequence[Standing], requirement: Requirement) -> Standing | None:
    """The row that is farthest from a requirement; None where no row has its metric."""
    its = [each for each in found if each.requirement == requirement]
    return min(its, key=lambda each: each.margin, default=None)


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
