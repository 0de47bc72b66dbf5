# SPDX-License-Identifier: Apache-2.0
"""Least squares with costs that are held to priors, and the fit of a processor's costs to a run
whose instructions were counted.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_calibration import (
    BOARD,
    HERTZ,
    NAMES,
    PRIORS,
    as_prior,
    board_costs,
    counted_run,
    processor,
    published,
)
from scipy.optimize import minimize
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards import profile as of_board
from firesteel.boards.profile import EVENTS, INSTRUCTIONS, Cpu, load_processor
from research import calibrate as command
from research import costs as module
from research.costs import Array, CostFit, Counted, Problem, counted, fit_costs

SPREADS = (0.125, 0.5, 2.0)


TRUE = np.array([0.5, 2.0, 8.0, 3.0])


def problem(rows: int = 6, prior: float = 1.5, noise: float = 0.0) -> Problem:
    """Rows about the first three costs, which are `TRUE`; no row is about the fourth."""
    dice = np.random.default_rng(7)
    counts = dice.uniform(0.1, 1, (rows, 4)) / TRUE
    counts[:, 3] = 0
    counts /= (counts @ TRUE / (1 + noise * dice.standard_normal(rows)))[:, None]
    ones = np.ones(4)
    return Problem(counts, np.full(rows, 0.1), TRUE * prior, ones, ones / 8)


def small(
    *counts: tuple[float, ...],
    tolerance: float = 0.1,
    prior: tuple[float, ...] = (1, 1),
    looseness: tuple[float, ...] = (1, 1),
) -> Problem:
    """Rows that should come to 1, about costs whose priors are 1 if nothing else is said."""
    of = np.array(prior, dtype=float), np.array(looseness, dtype=float)
    rows = np.array(counts, dtype=float)
    return Problem(rows, np.full(len(counts), tolerance), *of, np.full(len(prior), 0.125))


def test_rows_move_costs_and_priors_hold_what_rows_say_nothing_of() -> None:
    made = problem()
    free = made.solve(1e4)
    assert free[:3] == pytest.approx(TRUE[:3], rel=1e-3)
    assert made.told(free, 1e4).freedom == pytest.approx(3, abs=1e-3)
    held = made.solve(1e-4)
    assert held == pytest.approx(TRUE * 1.5, rel=1e-3)
    assert made.told(held, 1e-4).freedom < 0.01
    loose = made.solve(1.0)
    assert loose[3] == pytest.approx(4.5)
    reduction = made.told(loose, 1.0).reduction
    assert reduction[3] == pytest.approx(0)
    assert np.all(reduction[:3] > 0.1)
    # Two costs that no row can tell apart, and a row that asks for more of both.
    two = small((0.4, 0.4), tolerance=0.01, looseness=(1, 2)).solve(0.5)
    assert two.sum() == pytest.approx(2.5, rel=0.01)
    assert np.log(two[1]) > 3 * np.log(two[0]) > 0


@pytest.mark.parametrize("spread", [0.1, 0.5, 3.0])
def test_the_best_costs_are_those_of_another_method(spread: float) -> None:
    made = problem(rows=3, prior=2.0, noise=0.3)
    made = replace(made, least=np.array([0.3, 3.5, 0.125, 0.125]), looseness=np.array([1, 2, 1, 1]))

    def loss(logs: Array) -> float:
        return float(np.sum(np.square(made.residuals(np.exp(logs), spread))))

    bounds = [(low, None) for low in np.log(made.least)]
    options = {"ftol": 1e-14}
    best = minimize(loss, np.log(made.prior), bounds=bounds, method="L-BFGS-B", options=options)
    assert made.solve(spread) == pytest.approx(np.exp(best.x), rel=1e-3)


def test_a_cost_at_its_least_value_is_told_and_determines_nothing() -> None:
    made = problem()
    bound = replace(made, least=made.prior * 0.99)
    values = bound.solve(10)
    told = bound.told(values, 10)
    assert told.free.tolist() == [False, False, False, True]
    assert told.freedom == 0
    assert values == pytest.approx(made.prior * [0.99, 0.99, 0.99, 1])


def test_a_row_is_left_out_of_what_predicts_it() -> None:
    made = problem(rows=5, noise=0.05)
    off, rest = made.left_out(0.5), np.arange(5) != 2
    alone = replace(made, counts=made.counts[rest], tolerance=made.tolerance[rest])
    assert off[2] == pytest.approx(made.deviations(alone.solve(0.5))[2])
    assert np.mean(np.square(off)) > np.mean(np.square(made.deviations(made.solve(0.5))))
    assert made.errors()[0.5] == pytest.approx(np.sqrt(np.mean(np.square(off))))


def test_the_smallest_spread_that_brings_rows_within_their_tolerances_is_chosen() -> None:
    made = problem(rows=8, prior=2.0)
    near = [each for each in SPREADS if max(abs(made.deviations(made.solve(each)))) <= 1]
    assert made.chosen(made.errors()) == min(near) > min(SPREADS)
    # Two rows of the same code contradict each other: no cost fits both.
    torn = small((1, 0), (2, 0), tolerance=0.01)
    assert torn.chosen({0.1: 2.0, 0.2: 1.0, 0.4: 1.5}) == 0.2
    assert torn.chosen({0.2: 1.0, 0.1: 1.0}) == 0.1


def test_whole_grains_make_up_for_each_others_rounding() -> None:
    """Each of two costs is best at 0.45; two rows want their sum to be 0.9."""
    sums = (1 / 0.9, 1 / 0.9, 0)
    made = small(sums, tolerance=0.01, prior=(0.45, 0.45, 0.3), looseness=(1, 1, 1))
    kept = np.array([False, False, True])
    eighths = made.quantised(made.solve(1.0), 1.0, kept, 0.125)
    assert eighths[:2] * 8 == pytest.approx(np.round(eighths[:2] * 8))
    assert sum(eighths[:2]) == pytest.approx(0.875)
    assert eighths[2] == 0.3
    bound = replace(problem(), least=np.full(4, 0.3))
    none = np.zeros(4, dtype=bool)
    assert np.all(bound.quantised(bound.solve(10), 10, none, 0.125) >= 0.3)


def as_array(costs: dict[str, float]) -> Array:
    return np.array([costs[name] for name in NAMES])


@pytest.fixture(autouse=True)
def few_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPREADS", SPREADS)


def rows_of(tmp_path: Path, true: dict[str, float]) -> Counted:
    results, store = counted_run(tmp_path, true)
    return counted(processor(), results, store)


def fitted(tmp_path: Path, true: dict[str, float]) -> CostFit:
    return fit_costs(processor(), rows_of(tmp_path, true), PRIORS)


def test_counts_of_a_row_cost_what_was_measured_and_right_priors_stay(tmp_path: Path) -> None:
    found = rows_of(tmp_path, as_prior())
    assert (found.processor, found.hertz) == ("cortex-a9", HERTZ)
    assert len(found.rows) > 50
    for row in found.rows:
        assert row.counts @ as_array(board_costs(BOARD.cpu)) == pytest.approx(row.ours)
        assert row.published == pytest.approx(published(row.cost))
        # The logs have others' figures of the same operations, and counts are of the guides'.
        if not row.cost.source.endswith("-log"):
            assert row.off(as_array(as_prior())) == pytest.approx(0, abs=1e-4)
    fit = fit_costs(processor(), found, PRIORS)
    assert fit.spread == min(SPREADS)
    for part in ("cycles", "nanoseconds"):
        assert fit.weights[f"fitted_{part}"].equals(fit.weights[f"prior_{part}"])
    assert fit.rows["left_out"].count() == fit.rows.filter(role="fitted").height > 0


def test_rows_move_the_costs_that_they_are_about_and_no_others(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior(1.4))
    rows = rows_of(tmp_path / "again", as_prior(1.4)).rows
    untouched = max(abs(row.off(as_array(as_prior()))) for row in rows if row.cost.role == "fitted")
    assert untouched == pytest.approx(28.6, abs=0.1)
    assert max(fit.rows.filter(role="fitted")["fitted"].abs()) < untouched / 2
    assert 1 < fit.freedom < 17
    about = np.sum([row.counts for row in rows], axis=0)
    for index, each in enumerate(fit.weights.to_dicts()):
        parts = ("cycles", "nanoseconds")
        if any(each[f"fitted_{part}"] != each[f"prior_{part}"] for part in parts):
            assert about[index]
            assert each["source"].startswith("fitted")
        if each["prior_nanoseconds"]:
            assert each["fitted_cycles"] == each["prior_cycles"]


def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A processor's file of its own, which the fit writes to."""
    text = (of_board.PROCESSORS / "cortex-a9.toml").read_text()
    folder = tmp_path / "processors"
    folder.mkdir()
    file = folder / "cortex-a9.toml"
    file.write_text(text.replace("[instructions]\n", "[instructions]\n# Why this is here.\n"))
    monkeypatch.setattr(of_board, "PROCESSORS", folder)
    return file


def test_the_command_writes_costs_with_their_sources_and_all_else_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = own_file(tmp_path, monkeypatch)
    before = file.read_text()
    results, store = counted_run(tmp_path / "made", as_prior(1.4))
    monkeypatch.setattr(command, "load_results", lambda *_: results)
    monkeypatch.setattr(command, "open_store", lambda _: store)

    def told(*arguments: str) -> str:
        done = CliRunner().invoke(command.app, arguments)
        if done.exception:
            raise done.exception
        return done.stdout

    rows = list(csv.DictReader(io.StringIO(told("--fit", "--format", "csv"))))
    assert [row["name"] for row in rows] == list(NAMES)
    assert file.read_text() == before
    told("--fit", "--write", "--format", "json")
    text = file.read_text()
    assert text.startswith(before.split("[instructions]")[0])
    assert "# Why this is here.\n" in text
    written = load_processor("cortex-a9", file.parent)
    assert (tuple(written.instructions), tuple(written.events)) == (INSTRUCTIONS, EVENTS)
    costs = {**written.instructions, **written.events}
    for each in rows:
        cost = costs[each["name"]]
        fitted = float(each["fitted_cycles"]), float(each["fitted_nanoseconds"])
        assert (cost.cycles, cost.nanoseconds, cost.source) == (*fitted, each["source"])
    for begin in ("fitted, most to ", "assumed: "):
        assert any(cost.source.startswith(begin) for cost in costs.values())
    told("--fit", "--write", "--format", "json")
    assert file.read_text() == text
    with pytest.raises(RequestError, match="--write goes with --fit"):
        told("--write")
    with pytest.raises(RequestError, match="--fit takes one run; 2 are named"):
        told("a", "b", "--fit")


def otherwise(**changes: object) -> Callable[[Cpu], Cpu]:
    return lambda cpu: cpu.model_copy(update=changes)


@pytest.mark.parametrize(
    ("change", "counts", "told"),
    [
        (lambda cpu: cpu.on_clock("flat"), True, "am437x in made has no counts of instr"),
        (otherwise(counted=False), True, "made has no counts .* `counted = true`"),
        (
            lambda cpu: otherwise(costs=cpu.costs.replace("divide:", "div:"))(cpu),
            True,
            "no costs or counts of `divide`, as its emulator was another",
        ),
        (lambda cpu: cpu, False, "no costs or counts of `.*`, as its emulator was another"),
    ],
)
def test_a_run_without_counts_is_told(
    tmp_path: Path, change: Callable[[Cpu], Cpu], counts: bool, told: str
) -> None:
    results, store = counted_run(tmp_path, as_prior(), change(BOARD.cpu), counts=counts)
    with pytest.raises(FiresteelError, match=told):
        counted(processor(), results, store)
