# SPDX-License-Identifier: Apache-2.0
"""Least squares with costs that are held to priors: what rows determine, and what they do not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from research import ridge
from research.ridge import Problem, Vector, solve

TRUE = np.array([0.5, 2.0, 8.0, 3.0])


def problem(rows: int = 6, prior: float = 1.5, noise: float = 0.0) -> Problem:
    """Rows about the first three costs, which are `TRUE`; no row is about the fourth."""
    dice = np.random.default_rng(7)
    counts = dice.uniform(0.1, 1, (rows, 4)) / TRUE
    counts[:, 3] = 0
    off = 1 + noise * dice.standard_normal(rows)
    counts /= (counts @ TRUE / off)[:, None]
    return Problem(
        counts=counts,
        tolerance=np.full(rows, 0.1),
        prior=TRUE * prior,
        looseness=np.ones(4),
        least=np.full(4, 0.125),
    )


def small(
    *counts: tuple[float, ...],
    tolerance: float = 0.1,
    prior: tuple[float, ...] = (1, 1),
    looseness: tuple[float, ...] = (1, 1),
    least: float = 0.125,
) -> Problem:
    """Rows that should come to 1, about two costs whose priors are 1 if nothing else is said."""
    return Problem(
        counts=np.array(counts, dtype=float),
        tolerance=np.full(len(counts), tolerance),
        prior=np.array(prior, dtype=float),
        looseness=np.array(looseness, dtype=float),
        least=np.full(len(prior), least),
    )


def test_rows_without_error_give_the_costs_if_priors_hardly_hold() -> None:
    found = solve(problem(), spread=1e4)
    assert found.values[:3] == pytest.approx(TRUE[:3], rel=1e-3)
    assert found.freedom == pytest.approx(3, abs=1e-3)


def test_costs_stay_where_priors_hold_or_no_row_is_about_them() -> None:
    held = solve(problem(), spread=1e-4)
    assert held.values == pytest.approx(TRUE * 1.5, rel=1e-3)
    assert held.freedom < 0.01
    loose = solve(problem(), spread=1.0)
    assert loose.values[3] == pytest.approx(4.5)
    assert loose.variance_reduction[3] == pytest.approx(0)
    assert np.all(loose.variance_reduction[:3] > 0.1)


@pytest.mark.parametrize("spread", [0.1, 0.5, 3.0])
def test_the_best_costs_are_those_of_another_method(spread: float) -> None:
    made = problem(rows=3, prior=2.0, noise=0.3)
    made = replace(made, least=np.array([0.3, 3.5, 0.125, 0.125]), looseness=np.array([1, 2, 1, 1]))
    logs = np.log(made.prior)

    def loss(found: Vector) -> float:
        off = (found - logs) / (spread * made.looseness)
        return float(np.sum(np.square(made.deviations(np.exp(found)))) + np.sum(np.square(off)))

    bounds = [(low, None) for low in np.log(made.least)]
    best = minimize(loss, logs, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-14})
    assert solve(made, spread).values == pytest.approx(np.exp(best.x), rel=1e-3)


def test_what_rows_tell_is_what_an_exact_normal_problem_says() -> None:
    """One cost, one row: with deviation d/t and spread s the variance is 1 / (1/t² + 1/s²)."""
    one = small((1,), prior=(1,), looseness=(1,))
    found = solve(one, spread=0.2)
    assert found.values == pytest.approx([1.0])
    assert found.variance_reduction == pytest.approx([0.8])
    assert found.freedom == pytest.approx(0.8)
    assert found.gains == pytest.approx(np.array([[0.1 * 0.8]]))


def test_a_looser_prior_gives_way_first() -> None:
    """Two costs that no row can tell apart, and a row that asks for more of both."""
    two = small((0.4, 0.4), tolerance=0.01, looseness=(1, 2))
    found = solve(two, spread=0.5)
    assert found.values.sum() == pytest.approx(2.5, rel=0.01)
    assert np.log(found.values[1]) > 3 * np.log(found.values[0]) > 0


def test_a_cost_at_its_least_value_is_told_and_determines_nothing() -> None:
    made = problem()
    bound = Problem(made.counts, made.tolerance, made.prior, made.looseness, made.prior * 0.99)
    found = solve(bound, spread=10)
    assert not found.is_free[:3].any()
    assert found.is_free[3]
    assert found.freedom == 0
    assert found.values == pytest.approx(made.prior * [0.99, 0.99, 0.99, 1])


def test_a_row_is_left_out_of_what_predicts_it() -> None:
    made = problem(rows=5, noise=0.05)
    off = ridge.left_out(made, spread=0.5)
    alone = solve(made.without(np.arange(5) == 2), spread=0.5)
    assert alone.problem.counts.shape == (4, 4)
    assert off[2] == pytest.approx(made.deviations(alone.values)[2])
    inside = made.deviations(solve(made, spread=0.5).values)
    assert np.mean(np.square(off)) > np.mean(np.square(inside))


def test_all_rows_of_a_group_are_left_out_at_once() -> None:
    made = problem(rows=5, noise=0.05)
    off = ridge.left_out(made, 0.5, ["a", "b", "a", "c", "b"])
    others = solve(made.without(np.array([True, False, True, False, False])), spread=0.5)
    assert off[[0, 2]] == pytest.approx(made.deviations(others.values)[[0, 2]])
    singly = ridge.left_out(made, spread=0.5)
    assert off[3] == pytest.approx(singly[3])
    assert off[0] != pytest.approx(singly[0])
    assert ridge.errors(made, ["a", "b", "a", "c", "b"])[0.5] == pytest.approx(
        float(np.sqrt(np.mean(np.square(off))))
    )


def test_the_smallest_spread_that_brings_rows_within_their_tolerances_is_chosen() -> None:
    made = problem(rows=8, prior=2.0)
    found = ridge.chosen(made, ridge.errors(made)).spread
    within = [
        spread
        for spread in ridge.SPREADS
        if np.all(np.abs(made.deviations(solve(made, spread).values)) <= 1)
    ]
    assert found == min(within)
    assert min(ridge.SPREADS) < found


def test_without_such_a_spread_the_least_error_decides() -> None:
    """Two rows of the same code contradict each other: no cost fits both."""
    made = small((1, 0), (2, 0), tolerance=0.01)
    assert ridge.chosen(made, {0.1: 2.0, 0.2: 1.0, 0.4: 1.5}).spread == 0.2
    assert ridge.chosen(made, {0.2: 1.0, 0.1: 1.0}).spread == 0.1


def test_cross_validation_is_made_for_each_spread() -> None:
    errors = ridge.errors(problem(rows=5, prior=1.0, noise=0.1))
    assert list(errors) == list(ridge.SPREADS)
    assert min(errors, key=lambda spread: errors[spread]) == min(ridge.SPREADS)


def test_whole_grains_make_up_for_each_others_rounding() -> None:
    """Each of two costs is best at 0.45; two rows want their sum to be 0.9."""
    sums = (1 / 0.9, 1 / 0.9, 0)
    made = small(sums, tolerance=0.01, prior=(0.45, 0.45, 0.3), looseness=(1, 1, 1))
    solution = solve(made, spread=1.0)
    kept = np.array([False, False, True])
    found = ridge.quantised(solution, 0.2, kept)
    assert sorted(found[:2]) == pytest.approx([0.4, 0.4]) or sum(found[:2]) == pytest.approx(1.0)
    assert abs(sum(found[:2]) - 0.9) <= 0.1 + 1e-9
    assert found[2] == 0.3
    eighths = ridge.quantised(solution, 0.125, kept)
    assert eighths[:2] * 8 == pytest.approx(np.round(eighths[:2] * 8))
    assert sum(eighths[:2]) == pytest.approx(0.875)


def test_whole_grains_are_not_below_the_least_value() -> None:
    made = problem()
    bound = Problem(made.counts, made.tolerance, made.prior, made.looseness, np.full(4, 0.3))
    found = ridge.quantised(solve(bound, spread=10), 0.125, np.zeros(4, dtype=bool))
    assert np.all(found >= 0.3)


@pytest.mark.parametrize(
    ("made", "worst"),
    [
        (small((0.5, 0), (0, 2)), 0),
        # 1·v and 1.5·v: v = 0.8 leaves both 0.2 off, which is 2 tolerances.
        (small((1, 0), (1.5, 0)), 2),
        # 0.05·v = 1 wants v = 20, and may have 4.
        (small((0.05, 0)), 8),
        # 8·v = 1 wants v = 0.125, and may have 0.5.
        (small((8, 0), least=0.5), 30),
    ],
)
def test_the_worst_row_is_brought_as_near_as_any_costs_can(made: Problem, worst: float) -> None:
    assert ridge.minimax(made) == pytest.approx(worst)
