# SPDX-License-Identifier: Apache-2.0
"""What costs a processor's file must have so that a board comes near the published rows.

Only rows whose role is `fitted` are fitted to, each with what its kind's goal allows as tolerance;
the rest says how well the costs predict.  `priors.toml` holds costs that rows say little of
(`replication.ridge` says how).

What is memory's in part is fitted as one cost at the board's frequency.  Rows at one frequency
cannot tell its two parts apart, so the cycles stay the prior's, the way to memory and back, and the
nanoseconds are the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from firesteel.base.errors import FiresteelError
from firesteel.base.toml_edit import with_values
from firesteel.board import processor as of_board
from firesteel.board.processor import INSTRUCTIONS, MOST_CYCLES, UNITS, load_processor
from firesteel.replication import ridge
from firesteel.replication.counted import NAMES, Counted, Row
from firesteel.replication.priors import Prior, Priors
from firesteel.replication.processor import KINDS, ROLES, Kind, Processor, Role
from firesteel.store.store import write_whole

TOLD = 0.05
"""The share of a prior's variance that rows must take away, or the prior stays."""

FEWEST = 3
"""Rows without which there is nothing to leave out."""

_LOOSE = 2.0
"""How many times as far from it as from a published one a cost may come that is assumed."""

_NAMED = 2
"""Rows that are named as those that a cost follows most."""


@dataclass(frozen=True)
class Weight:
    """A class of instructions or an event: what it is taken for, what it costs now, and what the
    rows make of it.
    """

    name: str
    prior: Prior
    now: of_board.Cost
    fitted: of_board.Cost
    told: float
    """The share of the prior's variance that the rows take away."""
    is_free: bool
    """Whether it is not at the least value that it may have."""
    rows: tuple[str, ...]
    """Those that it follows most; none where these say too little."""

    @property
    def key(self) -> str:
        """The dotted name of its table in the processor's file."""
        return f"{'instructions' if self.name in INSTRUCTIONS else 'events'}.{self.name}"

    @property
    def fitted_keys(self) -> dict[str, float | str]:
        """What that table says once it is fitted."""
        keys: dict[str, float | str] = {"cycles": self.fitted.cycles}
        if self.prior.is_of_memory:
            keys["nanoseconds"] = self.fitted.nanoseconds
        return {**keys, "source": self.fitted.source}


@dataclass(frozen=True)
class Predicted:
    """A row, and how much longer the board takes, in percent: as it was measured, with the file's
    costs, with the fitted ones, and with those of a fit to all other rows if it is one of these.
    """

    row: Row
    measured: float
    now: float
    fitted: float
    left_out: float | None


@dataclass(frozen=True)
class Summary:
    """Deviations of the rows of a role and a kind, in percent without signs."""

    role: Role
    kind: Kind
    rows: int
    now: tuple[float, float]
    """The median and the worst."""
    fitted: tuple[float, float]
    worst_row: str


@dataclass(frozen=True)
class CostFit:
    """Costs that fit, with all that says how far to trust them."""

    processor: str
    weights: tuple[Weight, ...]
    rows: tuple[Predicted, ...]
    spread: float
    errors: Mapping[float, float]
    """The error of cross-validation, in goals, by the spread."""
    freedom: float
    """How many costs the rows determine."""

    @property
    def path(self) -> Path:
        """The processor's file."""
        return of_board.PROCESSORS / f"{self.processor}.toml"

    @property
    def fitted_rows(self) -> int:
        """How many rows there were a fit to."""
        return sum(each.left_out is not None for each in self.rows)

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """Of each role and kind that has rows."""
        return tuple(self._summaries())

    def _summaries(self) -> Iterator[Summary]:
        for role in ROLES:
            for kind in KINDS:
                of = [e for e in self.rows if (e.row.cost.role, e.row.cost.kind) == (role, kind)]
                if of:
                    worst = max(of, key=lambda each: abs(each.fitted)).row.cost.id
                    now, fitted = _size([e.now for e in of]), _size([e.fitted for e in of])
                    yield Summary(role, kind, len(of), now, fitted, worst)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each cost."""
        rows = [
            {
                "name": weight.name,
                **_parts("prior", weight.prior.cycles, weight.prior.nanoseconds),
                **_parts("now", weight.now.cycles, weight.now.nanoseconds),
                **_parts("fitted", weight.fitted.cycles, weight.fitted.nanoseconds),
                "told": weight.told,
                "at_least": not weight.is_free,
                "source": weight.fitted.source,
            }
            for weight in self.weights
        ]
        return pl.DataFrame(rows)

    def write(self) -> None:
        """Puts the costs into the processor's file."""
        tables = {weight.key: weight.fitted_keys for weight in self.weights}
        write_whole(self.path, with_values(self.path, tables).encode())


def fit_costs(processor: Processor, counted: Counted, priors: Priors) -> CostFit:
    """The costs that fit the rows of a run.

    Raises `FiresteelError` when there are too few rows, or the processor has no file.
    """
    fitted = [row for row in counted.rows if row.cost.role == "fitted"]
    if len(fitted) < FEWEST:
        raise FiresteelError(
            f"The run has {len(fitted)} rows of published/{processor.name} with the role `fitted`; "
            f"a fit needs {FEWEST}; `firesteel run calibration` measures all."
        )
    now = load_processor(counted.processor)
    problem = problem_of(processor, fitted, priors, counted.hertz)
    errors = ridge.errors(problem)
    spread = ridge.chosen(problem, errors)
    solution = ridge.solve(problem, spread)
    weights = tuple(_weights(solution, fitted, priors, now, counted.hertz))
    left = ridge.left_out(problem, spread) * problem.tolerance * 100
    without = {row.cost.id: float(off) for row, off in zip(fitted, left, strict=True)}
    rows = tuple(_predicted(row, weights, counted.hertz, without) for row in counted.rows)
    return CostFit(counted.processor, weights, rows, spread, errors, solution.freedom)


def problem_of(
    processor: Processor, rows: Sequence[Row], priors: Priors, hertz: int
) -> ridge.Problem:
    """What is to be fitted to these rows at that frequency."""
    goals = processor.file.goals
    return ridge.Problem(
        counts=np.array([[count / row.published for count in row.counts] for row in rows]),
        tolerance=np.array([goals[row.cost.kind].each / 100 for row in rows]),
        prior=np.array([priors.each[name].at(hertz) for name in NAMES]),
        looseness=np.array([_LOOSE if priors.each[name].is_assumed else 1.0 for name in NAMES]),
        least=np.array([priors.each[name].least_total for name in NAMES]),
    )


def _weights(
    solution: ridge.Solution,
    rows: Sequence[Row],
    priors: Priors,
    now: of_board.Processor,
    hertz: int,
) -> Iterator[Weight]:
    told, gains = solution.told, np.abs(solution.gains)
    kept = solution.is_free & (told < TOLD)
    values = ridge.whole(solution, 1 / UNITS, kept)
    for index, name in enumerate(NAMES):
        prior, is_free = priors.each[name], bool(solution.is_free[index])
        most = np.argsort(-gains[index], kind="stable")[:_NAMED]
        follows = tuple(rows[row].cost.id for row in most) if is_free and not kept[index] else ()
        cycles, nanoseconds = _split(float(values[index]), prior, hertz)
        yield Weight(
            name=name,
            prior=prior,
            now=(now.instructions if name in now.instructions else now.events)[name],
            fitted=of_board.Cost(
                cycles=cycles,
                nanoseconds=nanoseconds,
                source=_source(prior, follows, at_least=not is_free),
            ),
            told=float(told[index]),
            is_free=is_free,
            rows=follows,
        )


def _split(value: float, prior: Prior, hertz: int) -> tuple[float, float]:
    """Cycles, and whole nanoseconds of what is memory's, of a cost at that frequency."""
    if prior.is_of_memory:
        return prior.cycles, float(round((value - prior.cycles) * 1e9 / hertz))
    return min(value, MOST_CYCLES), 0.0


def _source(prior: Prior, follows: Sequence[str], *, at_least: bool) -> str:
    """Where a cost is from, for its line of the file."""
    begin = f"{prior.cycles:g}"
    if prior.is_of_memory:
        begin += f" and {prior.nanoseconds:g} ns"
    if follows:
        return f"fitted, most to {' and '.join(follows)}; prior {begin}, {prior.source}"
    if at_least:
        return f"fitted: the least that it may be; prior {begin}, {prior.source}"
    if prior.is_assumed:
        return f"assumed: {prior.why}"
    return f"{prior.source}: {prior.why}"


def _predicted(
    row: Row, weights: Sequence[Weight], hertz: int, left_out: Mapping[str, float]
) -> Predicted:
    now = {weight.name: weight.now.units(hertz) / UNITS for weight in weights}
    fitted = {weight.name: weight.fitted.units(hertz) / UNITS for weight in weights}
    return Predicted(
        row=row,
        measured=(row.ours / row.published - 1) * 100,
        now=row.deviation(now) * 100,
        fitted=row.deviation(fitted) * 100,
        left_out=left_out.get(row.cost.id),
    )


def _size(deviations: Sequence[float]) -> tuple[float, float]:
    sizes = [abs(each) for each in deviations]
    return median(sizes), max(sizes)


def _parts(head: str, cycles: float, nanoseconds: float) -> dict[str, float]:
    return {f"{head}_cycles": cycles, f"{head}_nanoseconds": nanoseconds}
