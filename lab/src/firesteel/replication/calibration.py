# SPDX-License-Identifier: Apache-2.0
"""How near boards come to what others published of the processor that they stand for.

A board's figure and the published one, at the board's clock, are compared as times: a deviation of
10 % is a board that takes 10 % longer, whether the figure is a time, cycles a byte or a bandwidth.
A board whose clock counts instructions has the clock of the chip that it stands for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

from firesteel.analysis.results import Results
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Cpu
from firesteel.replication.processor import KINDS, ROLES, Cost, Goal, Kind, Processor, Role

FLAT = "flat"
"""The clock that counts instructions."""

COLUMNS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("processor", "id", "what"), pl.String),
    "size": pl.Int64,
    **dict.fromkeys(("implementation", "kind", "role", "source", "place"), pl.String),
    **dict.fromkeys(("scaled_from", "board", "clock", "unit"), pl.String),
    **dict.fromkeys(("published", "ours", "deviation_percent"), pl.Float64),
}
"""Of tidy rows: one for each published row and board, or with no board if none has a figure."""


@dataclass(frozen=True)
class Board:
    """A board of a run: its profile's name, what its clock counts, and the run where two runs have
    boards of that name and clock that differ.
    """

    name: str
    clock: str
    run: str = ""

    @property
    def label(self) -> str:
        """For people: `socrates, flat`."""
        return ", ".join(filter(None, (self.name, self.clock, self.run)))


@dataclass(frozen=True)
class Compared:
    """A board's figure beside the published one, both in the row's unit."""

    ours: float
    published: float
    deviation: float
    """How many percent longer the board takes."""


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
    """All rows of a processor, with the boards that have figures."""

    processor: Processor
    clocks: Mapping[Board, float]
    """The boards that have figures, and their clocks in Hz."""
    lines: tuple[Line, ...]

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards that have figures."""
        return tuple(self.clocks)

    def of(self, role: Role, kind: Kind) -> tuple[Line, ...]:
        """The rows of a role and a kind that some board has a figure for."""
        return tuple(
            line
            for line in self.lines
            if (line.cost.role, line.cost.kind) == (role, kind) and line.boards
        )

    @property
    def missing(self) -> tuple[Cost, ...]:
        """The rows that no board has a figure for."""
        return tuple(line.cost for line in self.lines if not line.boards)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Of each role and kind, each board that has figures."""
        return tuple(self._groups())

    def _groups(self) -> Iterator[Group]:
        for role in ROLES:
            for kind in KINDS:
                for board in self.boards:
                    off = {
                        line.cost.id: abs(line.boards[board].deviation)
                        for line in self.of(role, kind)
                        if board in line.boards
                    }
                    if off:
                        yield self._group(role, kind, board, off)

    def _group(self, role: Role, kind: Kind, board: Board, off: Mapping[str, float]) -> Group:
        worst = max(off, key=lambda name: off[name])
        goal = self.processor.file.goals[kind]
        middle = median(off.values())
        return Group(role, kind, board, len(off), middle, off[worst], worst, goal)

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
        for board, compared in line.boards.items():
            yield {
                **said,
                "board": board.name,
                "clock": board.clock,
                "published": compared.published,
                "ours": compared.ours,
                "deviation_percent": compared.deviation,
            }


def calibrate(processor: Processor, runs: Sequence[Results]) -> Calibration:
    """The processor's rows beside the figures of runs; the last one counts of several that a board
    has.

    Raises `FiresteelError` when no figure is of any row.
    """
    measured, clocks = _measured(runs, processor.file.clock_hz)
    lines = tuple(Line(cost, dict(_compared(cost, measured, clocks))) for cost in processor.costs)
    found = {
        board: clocks[board] for board in measured if any(board in line.boards for line in lines)
    }
    if not found:
        names = ", ".join(results.journal.name for results in runs)
        raise FiresteelError(
            f"No figure of {names} is of an operation that published/{processor.name} has costs "
            "of; `firesteel run calibration` measures them."
        )
    return Calibration(processor, found, lines)


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


_Values = dict[str, dict[str, float]]
"""Figures by the text of the parameter, then by metric."""


def _measured(
    runs: Iterable[Results], usual_hz: float
) -> tuple[dict[Board, _Values], dict[Board, float]]:
    """The figures of single operations that each board has, and its clock in Hz."""
    found: dict[Board, _Values] = {}
    clocks: dict[Board, float] = {}
    cpus: dict[Board, Cpu | None] = {}
    for results in runs:
        of = dict(results.measured_cpus)
        for result in results.means:
            if result.identity.parameter.operation is None:
                continue
            text = result.identity.parameter.text
            cpu = of.get(result.identity.board)
            board = Board(result.identity.board, _clock(cpu))
            if cpus.setdefault(board, cpu) != cpu:
                board = Board(board.name, board.clock, results.journal.name)
            values = found.setdefault(board, {}).setdefault(text, {})
            values[result.metric] = result.value
            clocks[board] = _hertz(cpu) or usual_hz
    return found, clocks


def _clock(cpu: Cpu | None) -> str:
    """What the board's clock counts: a profile that does not say it counts instructions."""
    return cpu.clock if cpu else FLAT


def _hertz(cpu: Cpu | None) -> int | None:
    """The frequency at which a board counts cycles; None where it counts instructions."""
    return cpu.hertz if cpu and cpu.clock != FLAT else None


def _compared(
    cost: Cost, measured: Mapping[Board, _Values], clocks: Mapping[Board, float]
) -> Iterator[tuple[Board, Compared]]:
    for board, figures in measured.items():
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
