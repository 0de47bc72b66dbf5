# SPDX-License-Identifier: Apache-2.0
"""How near boards come to what others published of the processor that they stand for.

A board's figure and the published one, at the board's clock, are compared as times: a deviation of
10 % is a board that takes 10 % longer, whether the figure is a time, cycles a byte or a bandwidth.
A board whose clock counts instructions has the clock of the chip that it stands for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

from firesteel.analysis.results import Results, load_results
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Cpu
from firesteel.replication.method import HELD_OUT
from firesteel.store.store import Store
from research.processor import (
    KINDS,
    ROLES,
    Cost,
    Goal,
    Kind,
    Processor,
    Role,
    load_processors,
)

COLUMNS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("processor", "id", "what"), pl.String),
    "size": pl.Int64,
    **dict.fromkeys(("implementation", "kind", "role", "source", "place"), pl.String),
    **dict.fromkeys(("scaled_from", "board", "clock", "unit"), pl.String),
    **dict.fromkeys(("published", "ours", "deviation_percent"), pl.Float64),
}
"""Of tidy rows: one for each published row and board, or with no board if none has a figure."""

RUN = "calibration"
"""The run in `recorded/` that says how far held-out figures are off."""

_LABEL = {"label": pl.String}
"""Another column: `socrates, flat`, with the run where two runs have boards of that name and clock
that differ.
"""


@dataclass(frozen=True)
class Group:
    """What rows of one role and kind come to on a board, in percent without signs."""

    role: Role
    kind: Kind
    board: str
    rows: int
    median: float
    worst: float
    worst_row: str
    goal: Goal

    @property
    def is_met(self) -> bool:
        """Whether each row and the median are within the goal."""
        of_median = self.goal.median is None or self.median <= self.goal.median
        return self.worst <= self.goal.each and of_median


@dataclass(frozen=True)
class Calibration:
    """All rows of a processor with the figures of boards, which `clocks` has in Hz by their labels;
    `frame` has `COLUMNS` and the label.
    """

    processor: Processor
    clocks: Mapping[str, float]
    frame: pl.DataFrame

    @property
    def measured(self) -> pl.DataFrame:
        """The rows that boards have figures for."""
        return self.frame.filter(pl.col("board").is_not_null())

    @cached_property
    def groups(self) -> list[Group]:
        """Of each role and kind, each board that has figures."""
        found = []
        for role, kind, board in product(ROLES, KINDS, self.clocks):
            rows = self.measured.filter(role=role, kind=kind, label=board)
            off = dict(zip(rows["id"], rows["deviation_percent"].abs(), strict=True))
            if off:
                worst = max(off, key=lambda name: off[name])
                of = (len(off), median(off.values()), off[worst], worst)
                found.append(Group(role, kind, board, *of, self.processor.file.goals[kind]))
        return found


def calibrate(processor: Processor, runs: Sequence[Results]) -> Calibration:
    """The processor's rows beside the figures of runs; the last one counts of several that a board
    has.

    Raises `FiresteelError` when no figure is of any row.
    """
    values: dict[str, dict[str, dict[str, float]]] = {}
    clocks: dict[str, float] = {}
    cpus: dict[str, Cpu | None] = {}
    for results in runs:
        of = dict(results.measured_cpus)
        for name in dict.fromkeys(result.identity.board for result in results.means):
            cpu = of.get(name)
            label = f"{name}, {cpu.clock if cpu else 'flat'}"
            if cpus.setdefault(label, cpu) != cpu:
                label += f", {results.journal.name}"
            for text, found in operations(results, name).items():
                values.setdefault(label, {}).setdefault(text, {}).update(found)
            counts = cpu is not None and cpu.clock == "cycles"
            clocks[label] = (cpu.hertz if cpu and counts else None) or processor.file.clock_hz
    rows = [row for cost in processor.costs for row in _rows(processor, cost, values, clocks)]
    frame = pl.DataFrame(rows, schema={**COLUMNS, **_LABEL})
    compared = set(frame["label"].drop_nulls())
    if not compared:
        names = ", ".join(results.journal.name for results in runs)
        raise FiresteelError(
            f"No figure of {names} is of an operation that published/{processor.name} has costs "
            "of; `firesteel run calibration` measures them."
        )
    kept = {label: hertz for label, hertz in clocks.items() if label in compared}
    return Calibration(processor, kept, frame)


def _rows(
    processor: Processor,
    cost: Cost,
    values: Mapping[str, Mapping[str, Mapping[str, float]]],
    clocks: Mapping[str, float],
) -> list[dict[str, Any]]:
    """A published row beside the figures of each board that has one."""
    said = {name: value for name, value in cost if name in COLUMNS} | {"processor": processor.name}
    rows = []
    for label, figures in values.items():
        published = cost.at(clocks[label])
        ours = in_unit(cost, figures.get(cost.parameter.text, {}), clocks[label])
        if ours is not None:
            longer = published / ours if cost.unit == "MB/s" else ours / published
            board, clock = label.split(", ")[:2]
            where = {"label": label, "board": board, "clock": clock}
            of = {"published": published, "ours": ours, "deviation_percent": (longer - 1) * 100}
            rows.append({**said, **where, **of})
    return rows or [{**said, "published": cost.at(processor.file.clock_hz)}]


def operations(results: Results, board: str) -> dict[str, dict[str, float]]:
    """Figures of single operations on a board: by the text of the parameter, then by metric."""
    found: dict[str, dict[str, float]] = {}
    for result in results.means:
        parameter = result.identity.parameter
        if parameter.operation is not None and result.identity.board == board:
            found.setdefault(parameter.text, {})[result.metric] = result.value
    return found


def choose(processors: Sequence[Processor], runs: Sequence[Results], name: str | None) -> Processor:
    """The processor of that name, or the one that the boards of the runs stand for.

    Raises `FiresteelError` when there is none, or the boards stand for several.
    """
    known = {each.name: each for each in processors}
    if name is not None:
        if name not in known:
            raise FiresteelError(f"There is no processor `{name}`; there are: {', '.join(known)}.")
        return known[name]
    boards = dict.fromkeys(board for results in runs for board, _ in results.measured_cpus)
    found = [each for each in processors if set(boards) & set(each.file.boards)]
    if len(found) != 1:
        told = ", ".join(boards) or "no board"
        raise FiresteelError(
            f"The runs are of {told}, and {len(found)} processors of published/ name one of these "
            f"in `boards`; --processor takes one of {', '.join(known)}."
        )
    return found[0]


def held_out(store: Store) -> dict[Path, str]:
    """The file that says how far held-out figures are off, by the recorded calibration; nothing
    while that is not recorded.
    """
    if RUN not in store.run_names():
        return {}
    runs = [load_results(store, RUN)]
    groups = calibrate(choose(load_processors(), runs, None), runs).groups
    lines = [f"{each.kind} = {each.median:.1f}" for each in groups if each.role == "held-out"]
    head = (
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Published figures that a processor's costs were not fitted to, by kind: the median of "
        "their deviations in percent\n"
        f"# in the run `{RUN}`.  `scripts/figures.sh write` makes this file.\n"
    )
    return {HELD_OUT: "\n".join((head, *lines, ""))}


def in_unit(cost: Cost, values: Mapping[str, float], clock_hz: float) -> float | None:
    """Our figure in the row's unit, from values by metric; None where there is none."""
    metric = "operation_time" if cost.unit == "ns" else "throughput"
    if metric not in values or cost.unit == "DMIPS/MHz":
        return None
    if cost.unit == "cycles/byte":
        return clock_hz / (values[metric] * 1e6)
    return values[metric]
