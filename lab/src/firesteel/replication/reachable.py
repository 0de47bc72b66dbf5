# SPDX-License-Identifier: Apache-2.0
"""Whether any costs at all would bring every row within its goal, fitted or held out.

If none do, the model cannot hold the rows; if some do, what is missed is missed as the fitted rows
do not lead to them.  The worst of all rows, in goals, is made least: a linear program.
"""

import numpy as np
from scipy.optimize import linprog

from firesteel.replication.ridge import Problem

AWAY = 4.0
"""How many times its prior, or less by as much, a cost may be; none is under its least value."""


def least_worst(problem: Problem, away: float = AWAY) -> float:
    """The deviation of the worst row, in tolerances, with the costs for which it is least."""
    rows, costs = problem.counts.shape
    tolerance = problem.tolerance[:, None]
    low = np.maximum(problem.least, problem.prior / away)
    high = np.maximum(problem.least, problem.prior * away)
    found = linprog(
        np.append(np.zeros(costs), 1.0),
        A_ub=np.block([[problem.counts, -tolerance], [-problem.counts, -tolerance]]),
        b_ub=np.concatenate([np.ones(rows), -np.ones(rows)]),
        bounds=[*zip(low, high, strict=True), (0, None)],
    )
    return float(found.x[-1])
