# SPDX-License-Identifier: Apache-2.0
"""What costs a processor's file must have so that a board comes near the published rows.

A board whose profile says `counted` has in its marks how often each class of instructions and each
event came.  The window of an operation has its program's start and end in it, too: of `openssl
speed` 4 % at 1 GHz.  So a row's counts are the window's, scaled so that they cost what was measured
of the operation.  That is exact at the costs that the board had, and the better elsewhere, the less
of the window is not the operation.

Only rows whose role is `fitted` are fitted to, each with what its kind's goal allows as tolerance;
the rest says how well the costs predict.  `priors.toml` holds costs that rows say little of
(`research.ridge` says how).

What is memory's in part is fitted as one cost at the board's frequency.  Rows at one frequency
cannot tell its two parts apart, so the cycles stay the prior's, the way to memory and back, and the
nanoseconds are the rest.

Held-out rows tell of the model besides (`AllRows`): where they are far off, either no costs suit
them, or the few fitted rows say too little.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firesteel.analysis.results import Results
from firesteel.base.errors import FiresteelError
from firesteel.board import profile as of_board
from firesteel.board.profile import EVENTS, INSTRUCTIONS, MOST_CYCLES, UNITS, load_processor
from firesteel.board.result import NodeResult
from firesteel.store.store import Store, write_whole
from research import ridge
from research.calibration import in_unit, operations
from research.processor import Cost, Prior, Processor
from research.ridge import Vector
from research.toml_edit import with_values

NAMES = INSTRUCTIONS + EVENTS
"""All that is counted, in the emulator's order."""

_REDUCED = 0.05
"""The share of a prior's variance that rows must take away, or the prior stays."""

_FEWEST = 3
"""Rows without which there is nothing to leave out."""

_LOOSE = 2.0
"""How many times as far from it as from a published one a cost may come that is assumed."""

_NAMED = 2
"""Rows that are named as those that a cost follows most."""

_AGAIN = "`firesteel run calibration` measures one"


@dataclass(frozen=True)
class Row:
    """A published row, with what its operation does on the board: how often each of `NAMES` comes;
    of an operation on memory for a byte.  `published` are the cycles that it costs the real
    processor at the board's frequency, `ours` those that it cost the board.
    """

    cost: Cost
    counts: Vector
    published: float
    ours: float

    def off(self, cycles: Vector) -> float:
        """How much longer the board would take with these costs, in percent."""
        return float(self.counts @ cycles / self.published - 1) * 100


@dataclass(frozen=True)
class Counted:
    """The rows of a run, and the processor of `board/processors/` that they were measured on."""

    processor: str
    hertz: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class CostFit:
    """Costs that fit, with all that says how far to trust them.

    `weights` has a row for each cost: in cycles and nanoseconds what it is taken for, what it is
    now and what fits; `told`, the share of the prior's variance that rows take away; whether it is
    `at_least`, at the least value that it may have; and its source.  `rows` has how much longer the
    board takes, in percent: as it was `measured`, with the costs of `now`, with the `fitted` ones,
    and `left_out`, with those of a fit to all other rows if it is one of these.  `errors` are those
    of cross-validation, in goals by the spread of priors; `freedom` is how many costs the rows
    determine.
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

    @property
    def own_rows(self) -> pl.DataFrame:
        """Those that there was a fit to."""
        return self.rows.filter(pl.col("left_out").is_not_null())

    def write(self) -> None:
        """Puts the costs into the processor's file."""
        tables = {}
        for each in self.weights.to_dicts():
            keys: dict[str, float | str] = {"cycles": each["fitted_cycles"]}
            if each["prior_nanoseconds"]:
                keys["nanoseconds"] = each["fitted_nanoseconds"]
            part = "instructions" if each["name"] in INSTRUCTIONS else "events"
            tables[f"{part}.{each['name']}"] = {**keys, "source": each["source"]}
        write_whole(self.path, with_values(self.path, tables).encode())


@dataclass(frozen=True)
class AllRows:
    """What all rows say: how far `off` each is, in percent, by a fit to all rows but those of its
    code, fitted and held-out ones alike; and the worst of all, in goals, with the costs for which
    it is least (`ridge.minimax`).  No costs are written from it.
    """

    rows: pl.DataFrame
    minimax: float


def counted(processor: Processor, results: Results, store: Store) -> Counted:
    """The rows of a processor that a run of the calibration has counts for.

    Raises `FiresteelError` when the run has none.
    """
    name, records = results.journal.name, results.records
    if len(records) != 1 or not records[0].measurement.setup:
        raise FiresteelError(
            f"The run {name} has {len(records)} finished cells; a fit needs one, on one board; "
            f"{_AGAIN}."
        )
    board, cpu = results.measured_cpus[0]
    if cpu is None or cpu.costs is None or cpu.processor is None or cpu.hertz is None:
        raise FiresteelError(
            f"The clock of {board} in {name} counts instructions; a fit needs a board whose "
            'profile has `clock = "cycles"` and `counted = true`, such as am437x.'
        )
    run = store.observations(records[0].key)
    if not cpu.counted:
        raise FiresteelError(
            f"The record of {name} has no counts of instructions; a fit needs a board whose "
            "profile has `counted = true`, such as am437x."
        )
    node = run.nodes[records[0].inputs.cell.measured]
    units = _units(name, node, cpu.costs)
    rows = tuple(_rows(processor, operations(results, board), node, units, cpu.hertz))
    if not rows:
        raise FiresteelError(
            f"No figure of {name} is of an operation that published/{processor.name} has costs of; "
            f"{_AGAIN} for all."
        )
    return Counted(cpu.processor, cpu.hertz, rows)


def _units(run: str, node: NodeResult, table: str) -> Vector:
    """What each class and event cost the board, from the table that its emulator was told."""
    told = dict(entry.split(":", 1) for entry in table.split("/"))
    counted_names = set(node.marks[-1].cycles or ()) - {"units"}
    for names, of in ((set(told), "costs"), (counted_names, "counts")):
        if missing := sorted(set(NAMES) - names):
            raise FiresteelError(
                f"The record of {run} has no {of} of `{missing[0]}`, as its emulator was another; "
                f"{_AGAIN} with this one."
            )
    return np.array([float(told[name]) for name in NAMES])


def _rows(
    processor: Processor,
    values: Mapping[str, Mapping[str, float]],
    node: NodeResult,
    units: Vector,
    hertz: int,
) -> Iterator[Row]:
    counts = {
        mark.name: np.array([float(mark.cycles[name]) for name in NAMES])
        for mark in node.marks
        if mark.cycles
    }
    for cost in processor.costs:
        ours = in_unit(cost, values.get(cost.parameter.text, {}), hertz)
        begin, end = counts.get(f"{cost.window}.begin"), counts.get(f"{cost.window}.end")
        if ours is None or begin is None or end is None:
            continue
        cycles = _cycles(cost, ours, hertz)
        spent = (end - begin) @ units / UNITS
        published = _cycles(cost, cost.at(hertz), hertz)
        yield Row(cost, (end - begin) * cycles / spent, published, cycles)


def _cycles(cost: Cost, value: float, hertz: int) -> float:
    """A figure in the row's unit as cycles at that frequency."""
    if cost.unit == "ns":
        return value * hertz / 1e9
    return hertz / (value * 1e6) if cost.unit == "MB/s" else value


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
    now = {**file.instructions, **file.events}
    problem = _problem(processor, fitted, priors, hertz)
    errors = ridge.errors(problem)
    solution = ridge.chosen(problem, errors)
    costs = {each["name"]: each for each in _weights(solution, fitted, priors, hertz)}
    left = ridge.left_out(problem, solution.spread) * problem.tolerance * 100
    without = {row.cost.id: float(off) for row, off in zip(fitted, left, strict=True)}
    before, after = (
        np.array([each[name].units(hertz) / UNITS for name in NAMES])
        for each in (now, {name: each["fitted"] for name, each in costs.items()})
    )
    weights = [
        {
            "name": name,
            **_parts("prior", priors[name]),
            **_parts("now", now[name]),
            **_parts("fitted", costs[name]["fitted"]),
            "told": costs[name]["told"],
            "at_least": costs[name]["at_least"],
            "source": costs[name]["fitted"].source,
        }
        for name in NAMES
    ]
    rows = [
        {
            **_what(row),
            "published": row.published,
            "measured": (row.ours / row.published - 1) * 100,
            "now": row.off(before),
            "fitted": row.off(after),
            "left_out": without.get(row.cost.id),
        }
        for row in counted.rows
    ]
    frames = pl.DataFrame(weights), pl.DataFrame(rows)
    return CostFit(counted.processor, *frames, solution.spread, errors, solution.freedom)


def _parts(head: str, of: Prior | of_board.Cost) -> dict[str, float]:
    return {f"{head}_cycles": of.cycles, f"{head}_nanoseconds": of.nanoseconds}


def _what(row: Row) -> dict[str, str]:
    return {"id": row.cost.id, "role": row.cost.role, "kind": row.cost.kind}


def all_rows(processor: Processor, counted: Counted, priors: Mapping[str, Prior]) -> AllRows:
    """What the rows of a run say, fitted and held out alike."""
    codes = [code(row.cost) for row in counted.rows]
    problem = _problem(processor, counted.rows, priors, counted.hertz)
    spread = ridge.chosen(problem, ridge.errors(problem, codes)).spread
    off = ridge.left_out(problem, spread, codes) * problem.tolerance * 100
    rows = [
        {**_what(row), "off": each} for row, each in zip(counted.rows, off.tolist(), strict=True)
    ]
    return AllRows(pl.DataFrame(rows), ridge.minimax(problem))


def code(cost: Cost) -> str:
    """What rows of the same code share: the assembler's file, or the operation."""
    file = cost.implementation.partition(" ")[0]
    return file if "-arm" in file else cost.what


def _problem(
    processor: Processor, rows: Sequence[Row], priors: Mapping[str, Prior], hertz: int
) -> ridge.Problem:
    """What is to be fitted to these rows at that frequency."""
    goals, each = processor.file.goals, [priors[name] for name in NAMES]
    return ridge.Problem(
        counts=np.array([row.counts / row.published for row in rows]),
        tolerance=np.array([goals[row.cost.kind].each / 100 for row in rows]),
        prior=np.array([prior.at(hertz) for prior in each]),
        looseness=np.array([_LOOSE if prior.is_assumed else 1.0 for prior in each]),
        least=np.array([prior.least_total for prior in each]),
    )


def _weights(
    solution: ridge.Solution, rows: Sequence[Row], priors: Mapping[str, Prior], hertz: int
) -> Iterator[dict[str, Any]]:
    """Each cost in whole eighths, and what the rows have to say of it."""
    told, gains = solution.variance_reduction, np.abs(solution.gains)
    kept = solution.is_free & (told < _REDUCED)
    values = ridge.quantised(solution, 1 / UNITS, kept)
    for index, name in enumerate(NAMES):
        prior, is_free = priors[name], bool(solution.is_free[index])
        most = np.argsort(-gains[index], kind="stable")[:_NAMED]
        follows = [rows[row].cost.id for row in most] if is_free and not kept[index] else []
        cycles, nanoseconds = min(float(values[index]), MOST_CYCLES), 0.0
        if prior.is_of_memory:
            rest = float(values[index]) - prior.cycles
            cycles, nanoseconds = prior.cycles, float(round(rest * 1e9 / hertz))
        source = _source(prior, follows, is_free=is_free)
        fitted = of_board.Cost(cycles=cycles, nanoseconds=nanoseconds, source=source)
        yield {"name": name, "fitted": fitted, "told": float(told[index]), "at_least": not is_free}


def _source(prior: Prior, follows: Sequence[str], *, is_free: bool) -> str:
    """Where a cost is from, for its line of the file."""
    begin = f"{prior.cycles:g}"
    if prior.is_of_memory:
        begin += f" and {prior.nanoseconds:g} ns"
    if follows:
        return f"fitted, most to {' and '.join(follows)}; prior {begin}, {prior.source}"
    if not is_free:
        return f"fitted: the least that it may be; prior {begin}, {prior.source}"
    return f"{prior.source}: {prior.why}"
