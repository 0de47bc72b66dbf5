# SPDX-License-Identifier: Apache-2.0
"""How near boards come to what others published of the processor that they stand for.

A board's figure and the published one, at the board's clock, are compared as times: a deviation of
10 % is a board that takes 10 % longer, whether the figure is a time, cycles a byte or a bandwidth.
A board whose clock counts instructions has the clock of the chip that it stands for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

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


class Board(NamedTuple):
    """A board of a run: its profile's name, what its clock counts, and the run where two runs have
    boards of that name and clock that differ.
    """

    name: str
    clock: str
    run: str = ""

    @property
    def label(self) -> str:
        """For people: `socrates, flat`."""
        return ", ".join(filter(None, self))


class Compared(NamedTuple):
    """A board's figure beside the published one, both in the row's unit, and how many percent
    longer the board takes.
    """

    ours: float
    published: float
    deviation: float


@dataclass(frozen=True)
class Line:
    """A published row, and what boards make of it; boards without a figure are left out."""

    cost: Cost
    boards: Mapping[Board, Compared]


@dataclass(frozen=True)
class Group:
    """What rows of one role and kind come to on a board, in percent without signs."""

    role: Role
    kind: Kind
    board: Board
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
    """All rows of a processor, and the boards that have figures with their `clocks` in Hz."""

    processor: Processor
    clocks: Mapping[Board, float]
    lines: tuple[Line, ...]

    def of(self, role: Role, kind: Kind) -> list[Line]:
        """The rows of a role and a kind that some board has a figure for."""
        of = (role, kind)
        return [
            each for each in self.lines if (each.cost.role, each.cost.kind) == of and each.boards
        ]

    @property
    def missing(self) -> list[Cost]:
        """The rows that no board has a figure for."""
        return [line.cost for line in self.lines if not line.boards]

    @cached_property
    def groups(self) -> list[Group]:
        """Of each role and kind, each board that has figures."""
        found = []
        for role, kind, board in product(ROLES, KINDS, self.clocks):
            lines = [line for line in self.of(role, kind) if board in line.boards]
            off = {line.cost.id: abs(line.boards[board].deviation) for line in lines}
            if off:
                worst = max(off, key=lambda name: off[name])
                of = (len(off), median(off.values()), off[worst], worst)
                found.append(Group(role, kind, board, *of, self.processor.file.goals[kind]))
        return found

    @property
    def frame(self) -> pl.DataFrame:
        """Tidy rows with `COLUMNS`."""
        rows = [row for line in self.lines for row in self._rows(line)]
        return pl.DataFrame(rows, schema=dict(COLUMNS))

    def _rows(self, line: Line) -> Iterator[dict[str, Any]]:
        said = {name: value for name, value in line.cost if name in COLUMNS}
        said |= {"processor": self.processor.name}
        if not line.boards:
            yield {**said, "published": line.cost.at(self.processor.file.clock_hz)}
        for board, (ours, published, off) in line.boards.items():
            figures = {"published": published, "ours": ours, "deviation_percent": off}
            yield {**said, "board": board.name, "clock": board.clock, **figures}


def calibrate(processor: Processor, runs: Sequence[Results]) -> Calibration:
    """The processor's rows beside the figures of runs; the last one counts of several that a board
    has.

    Raises `FiresteelError` when no figure is of any row.
    """
    values: dict[Board, dict[str, dict[str, float]]] = {}
    clocks: dict[Board, float] = {}
    cpus: dict[Board, Cpu | None] = {}
    for results in runs:
        of = dict(results.measured_cpus)
        for name in dict.fromkeys(result.identity.board for result in results.means):
            cpu = of.get(name)
            board = Board(name, cpu.clock if cpu else "flat")
            if cpus.setdefault(board, cpu) != cpu:
                board = board._replace(run=results.journal.name)
            for text, found in operations(results, name).items():
                values.setdefault(board, {}).setdefault(text, {}).update(found)
            counts = cpu is not None and cpu.clock == "cycles"
            clocks[board] = (cpu.hertz if cpu and counts else None) or processor.file.clock_hz
    lines = tuple(Line(cost, dict(_compared(cost, values, clocks))) for cost in processor.costs)
    compared = {board for line in lines for board in line.boards}
    if not compared:
        names = ", ".join(results.journal.name for results in runs)
        raise FiresteelError(
            f"No figure of {names} is of an operation that published/{processor.name} has costs "
            "of; `firesteel run calibration` measures them."
        )
    kept = {board: hertz for board, hertz in clocks.items() if board in compared}
    return Calibration(processor, kept, lines)


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


def _compared(
    cost: Cost, values: Mapping[Board, Mapping[str, Any]], clocks: Mapping[Board, float]
) -> Iterator[tuple[Board, Compared]]:
    for board, figures in values.items():
        published = cost.at(clocks[board])
        ours = in_unit(cost, figures.get(cost.parameter.text, {}), clocks[board])
        if ours is not None:
            longer = published / ours if cost.unit == "MB/s" else ours / published
            yield board, Compared(ours, published, (longer - 1) * 100)


def in_unit(cost: Cost, values: Mapping[str, float], clock_hz: float) -> float | None:
    """Our figure in the row's unit, from values by metric; None where there is none."""
    metric = "operation_time" if cost.unit == "ns" else "throughput"
    if metric not in values or cost.unit == "DMIPS/MHz":
        return None
    if cost.unit == "cycles/byte":
        return clock_hz / (values[metric] * 1e6)
    return values[metric]
