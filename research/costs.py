# SPDX-License-Identifier: Apache-2.0
"""What costs a processor's file must have so that a board comes near the published rows.

A board whose profile says `counted` has in its marks how often each class of instructions and each
event came.  The window of an operation also contains its program's start and end.  So a row's
counts are the window's, scaled to the operation's measured cost.

There are more costs than rows.  With counts n of a row, costs v and what the row should come to, t,
the fit has the least of

    sum over fitted rows ((n·v / t - 1) / goal)²
    + sum over costs (ln(v / prior) / (spread · looseness))²

which is the maximum a posteriori of costs that are lognormal about their priors (`priors.toml`);
what the rows bear is the trace of the influence matrix (T. Hastie, R. Tibshirani, J. Friedman, The
Elements of Statistical Learning, 2nd edition, 3.4.1, 7.6 and 7.10).

What is memory's in part is fitted as one cost at the board's frequency: the cycles stay the prior's
and the nanoseconds are the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import least_squares

from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole
from firesteel.boards import profile as of_board
from firesteel.boards.profile import (
    EVENTS,
    MOST_CYCLES,
    UNITS,
    instructions_of,
    load_processor,
    table_of,
)
from firesteel.judge.results import Results
from firesteel.store.store import Store
from research.processor import Cost, Prior, Processor, in_unit, operations
from research.toml_edit import with_values

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SPREADS = tuple(float(2 ** (step / 2 - 4)) for step in range(13))
"""How far costs may leave their priors: from 1/16, hardly, to 4, at which priors hold only what no
row is about.
"""

_REDUCED = 0.05
"""The share of a prior's variance that rows must take away, or the prior stays."""

_FEWEST = 3
"""Rows without which there is nothing to leave out."""

_LOOSE = 2.0
"""How many times as far from it as from a published one a cost may come that is assumed."""

_AT_BOUND = 1e-6
"""Of a cost: how near its least value it counts as there."""


@dataclass(frozen=True)
class Row:
    """A published row, with how often its operation does each thing that is counted, and the cycles
    that it costs the real processor (`published`) and cost the board (`ours`).
    """

    cost: Cost
    counts: Array
    published: float
    ours: float

    def off(self, cycles: Array) -> float:
        """How much longer the board would take with these costs, in percent."""
        return float(self.counts @ cycles / self.published - 1) * 100


@dataclass(frozen=True)
class Counted:
    """The rows of a run, the processor of `board/processors/` that they were measured on, and the
    `names` of what is counted.
    """

    processor: str
    hertz: int
    names: tuple[str, ...]
    rows: tuple[Row, ...]


def counted(processor: Processor, results: Results, store: Store) -> Counted:
    """The rows of a processor that a run of the calibration has counts for.

    Raises `FiresteelError` if the run lacks them.
    """
    name, records = results.journal.name, results.records
    if len(records) != 1:
        raise FiresteelError(
            f"The run {name} has {len(records)} finished cells; a fit needs one, on one board."
        )
    board, cpu = results.measured_cpus[0]
    if not (cpu.costs and cpu.processor and cpu.hertz and cpu.counted):
        raise FiresteelError(
            f"The board {board} in {name} has no counts of instructions; a fit needs one whose "
            'profile has `clock = "cycles"` and `counted = true`, such as am437x.'
        )
    node = store.observations(records[0].key).nodes[records[0].cell.measured]
    told = table_of(cpu.costs)
    names = instructions_of(told) + EVENTS
    if missing := set(names) - (told.keys() & (node.marks[-1].cycles or {}).keys()):
        raise FiresteelError(
            f"The record of {name} has no costs or counts of `{min(missing)}`, as its emulator was "
            "another; `firesteel run calibration` measures one with this one."
        )
    units = np.array([float(told[each]) for each in names])
    counts = {
        mark.name: np.array([float(mark.cycles[each]) for each in names])
        for mark in node.marks
        if mark.cycles
    }
    values, rows = operations(results, board), []
    for cost in processor.costs:
        ours = in_unit(cost, values.get(cost.parameter.text, {}), cpu.hertz)
        begin, end = counts.get(f"{cost.window}.begin"), counts.get(f"{cost.window}.end")
        if ours is not None and begin is not None and end is not None:
            cycles = _cycles(cost, ours, cpu.hertz)
            scaled = (end - begin) * cycles / ((end - begin) @ units / UNITS)
            rows.append(Row(cost, scaled, _cycles(cost, cost.at(cpu.hertz), cpu.hertz), cycles))
    return Counted(cpu.processor, cpu.hertz, names, tuple(rows))


def _cycles(cost: Cost, value: float, hertz: int) -> float:
    """A figure in the row's unit as cycles at that frequency."""
    if cost.unit == "ns":
        return value * hertz / 1e9
    return hertz / (value * 1e6) if cost.unit == "MB/s" else value


class Told(NamedTuple):
    """The influence of rows on fitted costs.  `free` names the costs that are not at their least
    value.  Further members are the share of each prior's variance that rows take away, and the
    number of costs that the rows determine.  A table has the dependence of each cost's logarithm
    (line) on each row (column).
    """

    free: Flags
    reduction: Array
    gains: Array
    freedom: float


@dataclass(frozen=True)
class Problem:
    """The input of a fit.  Rows have `counts`, divided by the row's goal, and the `tolerance` of
    their deviation.  Costs have the `prior`, its `looseness` and the `least` value.
    """

    counts: Array
    tolerance: Array
    prior: Array
    looseness: Array
    least: Array

    def deviations(self, values: Array) -> Array:
        """The rows' deviations, in tolerances."""
        return np.asarray((self.counts @ values - 1) / self.tolerance)

    def residuals(self, values: Array, spread: float) -> Array:
        """The deviations, and how far the costs are from their priors."""
        far = np.log(values / self.prior) / (spread * self.looseness)
        return np.concatenate([self.deviations(values), far])

    def solve(self, spread: float, without: int | None = None) -> Array:
        """The costs that fit best, by all rows or all but one; none is under its least value."""
        rows = np.arange(len(self.tolerance)) != without
        kept = replace(self, counts=self.counts[rows], tolerance=self.tolerance[rows])
        least = np.log(self.least)
        found = least_squares(
            lambda logs: kept.residuals(np.exp(logs), spread),
            np.maximum(np.log(self.prior), least),
            jac=lambda logs: kept.jacobian(np.exp(logs), spread),
            bounds=(least, np.inf),
            # It steps along bounds; "trf" only comes near them.
            method="dogbox",
            ftol=None,
            gtol=None,
            xtol=1e-10,
        )
        return np.asarray(np.exp(found.x))

    def jacobian(self, values: Array, spread: float) -> Array:
        """Derivatives of the residuals with respect to the costs' logarithms."""
        rows = self.counts * values / self.tolerance[:, None]
        return np.concatenate([rows, np.diag(1 / (spread * self.looseness))])

    def left_out(self, spread: float) -> Array:
        """The deviation of each row, in tolerances, by a fit to all others."""
        rows = range(len(self.tolerance))
        return np.array([self.deviations(self.solve(spread, row))[row] for row in rows])

    def errors(self) -> dict[float, float]:
        """The error of cross-validation by spread: the root of the mean square of `left_out`."""
        return {each: float(np.sqrt(np.mean(self.left_out(each) ** 2))) for each in SPREADS}

    def chosen(self, errors: Mapping[float, float]) -> float:
        """The smallest spread, which trusts priors most, at which every row of the fit comes within
        its tolerance; if there is none, the one of the least error of cross-validation.
        """
        for spread in sorted(errors):
            if bool(np.all(np.abs(self.deviations(self.solve(spread))) <= 1)):
                return spread
        return min(errors, key=lambda spread: (errors[spread], spread))

    def told(self, values: Array, spread: float) -> Told:
        """What the rows say, if tolerances and spreads are standard deviations."""
        free = np.asarray(values > self.least * (1 + _AT_BOUND))
        rows = self.counts * values / self.tolerance[:, None] * free
        variance = np.square(spread * self.looseness)
        covariance = np.linalg.inv(rows.T @ rows + np.diag(1 / variance))
        reduction = np.asarray(1 - np.diag(covariance) / variance)
        freedom = float(np.trace(rows @ covariance @ rows.T))
        return Told(free, reduction, np.asarray(covariance @ rows.T), freedom)

    def quantised(self, values: Array, spread: float, kept: Flags, grain: float) -> Array:
        """The costs in whole grains, as near the best as steps of one cost at a time find; those
        that are `kept` are their prior.  Rounded each by itself, rounding would add up in rows.
        """
        least = np.maximum(1, np.ceil(self.least / grain * (1 - _AT_BOUND)))
        best = np.where(kept, self.prior / grain, np.maximum(least, np.round(values / grain)))

        def loss(grains: Array) -> float:
            return float(np.sum(np.square(self.residuals(grains * grain, spread))))

        before = np.inf
        while loss(best) < before:
            before = loss(best)
            for index in np.flatnonzero(~kept):
                for step in (-1, 1):
                    tried = best.copy()
                    tried[index] += step
                    if tried[index] >= least[index] and loss(tried) < loss(best):
                        best = tried
        return np.asarray(best * grain)


@dataclass(frozen=True)
class CostFit:
    """Costs that fit, with all that says how far to trust them.

    `weights` has a row for each cost: its prior, its present and its fitted value, in cycles and
    nanoseconds; and its source.  `told` is the share of the prior's variance that rows take away.
    `at_least` says whether the cost is at its least value.  `rows` has how much longer the board
    takes, in percent: as `measured`, with the costs of `now`, and with the `fitted` costs.
    `left_out` uses the costs of a fit to all other rows, if the row was fitted.  `errors` come from
    cross-validation, in goals by the spread of priors; `freedom` is the number of costs that the
    rows determine.
    """

    processor: str
    weights: pl.DataFrame
    rows: pl.DataFrame
    spread: float
    errors: Mapping[float, float]
    freedom: float

    @property
    def path(self) -> Path:
        """The processor's file."""
        return of_board.PROCESSORS / f"{self.processor}.toml"

    def write(self) -> None:
        """Puts the costs into the processor's file."""
        tables = {}
        for each in self.weights.to_dicts():
            keys: dict[str, float | str] = {"cycles": each["fitted_cycles"]}
            if each["prior_nanoseconds"]:
                keys["nanoseconds"] = each["fitted_nanoseconds"]
            part = "events" if each["name"] in EVENTS else "instructions"
            tables[f"{part}.{each['name']}"] = {**keys, "source": each["source"]}
        write_whole(self.path, with_values(self.path, tables).encode())


def fit_costs(processor: Processor, counted: Counted, priors: Mapping[str, Prior]) -> CostFit:
    """The costs that fit the rows of a run.

    Raises `FiresteelError` when there are too few rows, or the processor has no file.
    """
    fitted = [row for row in counted.rows if row.cost.role == "fitted"]
    if len(fitted) < _FEWEST:
        raise FiresteelError(
            f"The run has {len(fitted)} rows of published/{processor.name} with the role `fitted`; "
            f"a fit needs {_FEWEST}; `firesteel run calibration` measures all."
        )
    hertz, file = counted.hertz, load_processor(counted.processor)
    names = counted.names
    now, of = {**file.instructions, **file.events}, [priors[name] for name in names]
    goals = processor.file.goals
    problem = Problem(
        counts=np.array([row.counts / row.published for row in fitted]),
        # A goal that was moved after a fit does not change the fit.
        tolerance=np.array([goals[row.cost.kind].first_each / 100 for row in fitted]),
        prior=np.array([prior.at(hertz) for prior in of]),
        looseness=np.array([_LOOSE if prior.is_assumed else 1.0 for prior in of]),
        least=np.array([prior.least_total for prior in of]),
    )
    errors = problem.errors()
    spread = problem.chosen(errors)
    values = problem.solve(spread)
    told = problem.told(values, spread)
    kept = told.free & (told.reduction < _REDUCED)
    whole = problem.quantised(values, spread, kept, 1 / UNITS)
    of_memory, prior_cycles = (
        np.array([getattr(prior, name) for prior in of]) for name in ("is_of_memory", "cycles")
    )
    memory = np.minimum(np.round((whole - prior_cycles) * 1e9 / hertz), MOST_CYCLES)
    weights = pl.DataFrame(
        {
            "name": names,
            "prior_cycles": prior_cycles,
            "prior_nanoseconds": [float(prior.nanoseconds) for prior in of],
            "now_cycles": [float(now[name].cycles) for name in names],
            "now_nanoseconds": [float(now[name].nanoseconds) for name in names],
            "fitted_cycles": np.where(of_memory, prior_cycles, np.minimum(whole, MOST_CYCLES)),
            "fitted_nanoseconds": np.where(of_memory, memory, 0.0),
            "told": told.reduction,
            "at_least": ~told.free,
            "source": [_source(each, prior, told, kept, fitted) for each, prior in enumerate(of)],
        }
    )
    left = problem.left_out(spread) * problem.tolerance * 100
    without = {row.cost.id: float(off) for row, off in zip(fitted, left, strict=True)}
    before, after = (_charged(weights, when, hertz) for when in ("now", "fitted"))
    rows = [
        {
            "id": row.cost.id,
            "role": row.cost.role,
            "kind": row.cost.kind,
            "published": row.published,
            "measured": (row.ours / row.published - 1) * 100,
            "now": row.off(before),
            "fitted": row.off(after),
            "left_out": without.get(row.cost.id),
        }
        for row in counted.rows
    ]
    return CostFit(counted.processor, weights, pl.DataFrame(rows), spread, errors, told.freedom)


def _charged(weights: pl.DataFrame, when: str, hertz: int) -> Array:
    """Costs as the emulator charges them, in cycles."""
    parts = weights.select(cycles=f"{when}_cycles", nanoseconds=f"{when}_nanoseconds").to_dicts()
    each = [of_board.Cost(**part, source="-").units(hertz) / UNITS for part in parts]
    return np.array(each)


def _source(index: int, prior: Prior, told: Told, kept: Flags, rows: Sequence[Row]) -> str:
    """Where a cost comes from: its prior, a bound, or the rows that it follows most."""
    if kept[index]:
        return f"{prior.source}: {prior.why}"
    fitted = "fitted: the least that it may be"
    if told.free[index]:
        most = np.argsort(-np.abs(told.gains[index]), kind="stable")[:2]
        fitted = f"fitted, most to {' and '.join(rows[row].cost.id for row in most)}"
    memory = f" and {prior.nanoseconds:g} ns" if prior.is_of_memory else ""
    return f"{fitted}; prior {prior.cycles:g}{memory}, {prior.source}"
