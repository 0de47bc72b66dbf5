# SPDX-License-Identifier: Apache-2.0
"""Costs from what sums of them come to: least squares, with each cost held to a prior.

There are more costs than rows, so rows alone say nothing.  With counts n of a row, costs v and what
the row should come to, t, the fit has the least of

    sum over rows ((n·v / t - 1) / tolerance)²
    + sum over costs (ln(v / prior) / (spread · looseness))²

which is the maximum a posteriori of costs that are lognormal about their priors.  `spread` says how
strongly all priors hold, `looseness` which of them hold less.  The spread is chosen by
cross-validation (`chosen`), and what the rows bear is the trace of the influence matrix (T. Hastie,
R. Tibshirani, J. Friedman, The Elements of Statistical Learning, 2nd edition, 3.4.1, 7.6 and 7.10).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, linprog

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]

SPREADS = tuple(float(2 ** (step / 2 - 4)) for step in range(13))
"""From 1/16, which hardly lets a cost leave its prior, to 4, at which priors hold only what no row
is about; each is greater by the square root of 2 than the one before.
"""

AWAY = 4.0
"""How many times its prior, or less by as much, a cost may be in `minimax`."""

_STILL = 1e-10
"""A step, as a share of the costs' logarithms, at which the fit ends."""

_AT_BOUND = 1e-6
"""Of a cost: how near its least value it counts as there."""


@dataclass(frozen=True)
class Problem:
    """What is to be fitted: of rows `counts`, divided by what the row should come to, and the
    `tolerance` by which it may be off; of costs the `prior`, its `looseness` and the `least` value.
    """

    counts: Matrix
    tolerance: Vector
    prior: Vector
    looseness: Vector
    least: Vector

    def without(self, rows: Flags) -> "Problem":
        """The same without some rows."""
        return replace(self, counts=self.counts[~rows], tolerance=self.tolerance[~rows])

    def deviations(self, values: Vector) -> Vector:
        """Of the rows, in tolerances."""
        return np.asarray((self.counts @ values - 1) / self.tolerance)


@dataclass(frozen=True)
class Solution:
    """Costs that fit a problem with that spread, and what the rows have to say of them."""

    problem: Problem
    spread: float
    values: Vector

    @cached_property
    def is_free(self) -> Flags:
        """Of each cost: whether it is not at its least value."""
        return np.asarray(self.values > self.problem.least * (1 + _AT_BOUND))

    @cached_property
    def _jacobian(self) -> Matrix:
        """Of the rows' deviations with respect to the costs' logarithms."""
        scaled = self.problem.counts * self.values / self.problem.tolerance[:, None]
        return np.asarray(scaled * self.is_free)

    @cached_property
    def _variance(self) -> Vector:
        """Of the priors' logarithms, if tolerances and spreads are standard deviations."""
        return np.square(self.spread * self.problem.looseness)

    @cached_property
    def _covariance(self) -> Matrix:
        """Of the costs' logarithms, likewise."""
        information = self._jacobian.T @ self._jacobian
        return np.asarray(np.linalg.inv(information + np.diag(1 / self._variance)))

    @property
    def freedom(self) -> float:
        """How many costs the rows determine: the trace of the influence matrix."""
        return float(np.trace(self._jacobian @ self._covariance @ self._jacobian.T))

    @property
    def variance_reduction(self) -> Vector:
        """Of each cost the share of its prior variance that the rows take away."""
        return np.asarray(1 - np.diag(self._covariance) / self._variance)

    @property
    def gains(self) -> Matrix:
        """By how much each cost's logarithm (line) follows each row (column), for a tolerance."""
        return np.asarray(self._covariance @ self._jacobian.T)


def solve(problem: Problem, spread: float) -> Solution:
    """The costs that fit best, found in logarithms; none is under its least value."""
    prior, least = np.log(problem.prior), np.log(problem.least)
    spreads = spread * problem.looseness

    def residuals(logs: Vector) -> Vector:
        return np.concatenate([problem.deviations(np.exp(logs)), (logs - prior) / spreads])

    def jacobian(logs: Vector) -> Matrix:
        rows = problem.counts * np.exp(logs) / problem.tolerance[:, None]
        return np.concatenate([rows, np.diag(1 / spreads)])

    found = least_squares(
        residuals,
        np.maximum(prior, least),
        jac=jacobian,
        bounds=(least, np.inf),
        # It steps along bounds; "trf" only comes near them.
        method="dogbox",
        ftol=None,
        gtol=None,
        xtol=_STILL,
    )
    return Solution(problem, spread, np.asarray(np.exp(found.x)))


def quantised(solution: Solution, grain: float, kept: Flags) -> Vector:
    """The costs in whole grains, as near the best as steps of one cost at a time find; those that
    are `kept` are their prior.

    If each were taken to its nearest grain, rows would be off by what these roundings add up to.
    """
    problem, spreads = solution.problem, solution.spread * solution.problem.looseness
    least = np.maximum(1, np.ceil(problem.least / grain * (1 - _AT_BOUND)))
    best = np.where(
        kept, problem.prior / grain, np.maximum(least, np.round(solution.values / grain))
    )

    def loss(grains: Vector) -> float:
        values = grains * grain
        far = np.log(values / problem.prior) / spreads
        return float(np.sum(np.square(problem.deviations(values))) + np.sum(np.square(far)))

    moves = [(index, step) for index in np.flatnonzero(~kept) for step in (-1, 1)]
    before = np.inf
    while loss(best) < before:
        before = loss(best)
        for index, step in moves:
            tried = best.copy()
            tried[index] += step
            if tried[index] >= least[index] and loss(tried) < loss(best):
                best = tried
    return np.asarray(best * grain)


def left_out(problem: Problem, spread: float, groups: Sequence[str] | None = None) -> Vector:
    """The deviation of each row, in tolerances, by a fit to all others, or to all that are not of
    its group: `groups` has a name for each row.
    """
    names = np.array(groups or range(len(problem.tolerance)))
    off = np.empty(len(names))
    for name in dict.fromkeys(names.tolist()):
        out = np.asarray(names == name)
        off[out] = problem.deviations(solve(problem.without(out), spread).values)[out]
    return off


def errors(problem: Problem, groups: Sequence[str] | None = None) -> Mapping[float, float]:
    """The error of cross-validation by spread: the root of the mean square of `left_out`."""
    return {
        spread: float(np.sqrt(np.mean(np.square(left_out(problem, spread, groups)))))
        for spread in SPREADS
    }


def chosen(problem: Problem, found: Mapping[float, float]) -> Solution:
    """That with the smallest spread, which trusts priors most, at which every row of the fit comes
    within its tolerance; if there is none, with the one of the least error of cross-validation.

    Rows that are held out have no part in it.
    """
    for spread in sorted(found):
        solution = solve(problem, spread)
        if bool(np.all(np.abs(problem.deviations(solution.values)) <= 1)):
            return solution
    return solve(problem, min(found, key=lambda spread: (found[spread], spread)))


def minimax(problem: Problem, away: float = AWAY) -> float:
    """The deviation of the worst row, in tolerances, with the costs for which it is least: below 1
    some costs bring every row within its goal.  It is a linear program.
    """
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
