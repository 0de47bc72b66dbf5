# SPDX-License-Identifier: Apache-2.0
"""What all rows say of a model's costs, held-out ones too.

The costs of a processor's file are fitted to few rows, so that the others can say how well they
predict.  Where these are far off, either the model cannot hold them, or the few fitted ones say too
little.  Two things tell:

1. Whether any costs at all bring every row within its goal (`reachable`).
2. How far off each row is by a fit to all rows but those of the same code.

No costs are written from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from firesteel.replication import ridge
from firesteel.replication.cost_fit import problem_of
from firesteel.replication.counted import Counted
from firesteel.replication.priors import Priors
from firesteel.replication.processor import KINDS, Cost, Kind, Processor
from firesteel.replication.reachable import least_worst


@dataclass(frozen=True)
class Unseen:
    """Deviations of the rows of a kind, in percent without signs, and what its goal allows each."""

    kind: Kind
    rows: int
    median: float
    worst: float
    worst_row: str
    goal: float

    @property
    def is_met(self) -> bool:
        """Whether no row is farther off than the goal."""
        return self.worst <= self.goal


@dataclass(frozen=True)
class AllRows:
    """What all rows say: of kinds that have any, what those come to that a fit has not seen; and
    the worst of all, in goals, with the costs for which it is least.
    """

    rows: int
    unseen: tuple[Unseen, ...]
    least_worst: float


def all_rows(processor: Processor, counted: Counted, priors: Priors) -> AllRows:
    """What the rows of a run say, fitted and held out alike."""
    costs = [row.cost for row in counted.rows]
    codes = [code(cost) for cost in costs]
    problem = problem_of(processor, counted.rows, priors, counted.hertz)
    spread = ridge.chosen(problem, ridge.errors(problem, codes))
    off = ridge.left_out(problem, spread, codes) * problem.tolerance * 100
    goals = processor.file.goals
    found = ((kind, _of_kind(kind, costs, off.tolist())) for kind in KINDS)
    kinds = tuple(
        Unseen(
            kind=kind,
            rows=len(rows),
            median=median(rows.values()),
            worst=max(rows.values()),
            worst_row=max(rows, key=lambda name: rows[name]),
            goal=goals[kind].each,
        )
        for kind, rows in found
        if rows
    )
    return AllRows(len(costs), kinds, least_worst(problem))


def code(cost: Cost) -> str:
    """What rows of the same code share: the assembler's file, or the operation."""
    file = cost.implementation.partition(" ")[0]
    return file if "-arm" in file else cost.what


def _of_kind(kind: Kind, costs: Sequence[Cost], off: Sequence[float]) -> dict[str, float]:
    pairs = zip(costs, off, strict=True)
    return {cost.id: abs(each) for cost, each in pairs if cost.kind == kind}
