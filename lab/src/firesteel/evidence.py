# SPDX-License-Identifier: Apache-2.0
"""What shows why figures are far from the published ones (`firesteel.causes`).

1. Cells with a habit of 2015 (`firesteel.cell.Habit`) beside the same ones without it.
2. Handshakes without the clients' part in them.
3. The CPU of one core, parted as two would have it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel import names
from firesteel.board.profile import load_profile
from firesteel.cell import Cell
from firesteel.compare import compare, configuration, is_told, place, size_free
from firesteel.errors import FiresteelError
from firesteel.figure import CPU_UNIT
from firesteel.results import Results

_TRANSFER = "file-transfer"
_CONFIGURATION = ["protocol", "cipher", "mac", "implementation"]
_INTERRUPTS = ("cpu_softirq", "cpu_irq")


@dataclass(frozen=True)
class WithHabit:
    """A figure, the same with a habit of 2015, and the published one; deviations in percent."""

    name: str
    habit: str
    metric: str
    value: str
    deviation: float
    value_with: str
    deviation_with: float
    published: str


@dataclass(frozen=True)
class TwoCores:
    """CPU use in percent of one core: all of it; of that interrupts, and the rest; the published,
    which is of the busier of two; and by how much percent the larger part deviates from that.
    """

    name: str
    cpu: float
    interrupts: float
    rest: float
    published: float

    @property
    def deviation(self) -> float:
        """Of the busier core, had one the interrupts and the other the rest."""
        return 100 * (max(self.interrupts, self.rest) / self.published - 1)


@dataclass(frozen=True)
class WithoutClients:
    """The time of a handshake alone in seconds: with the usual clients, with others, what is left
    without the clients' own work, and as published.
    """

    name: str
    usual: float
    other: float
    left: float
    published: float

    @property
    def deviation(self) -> float:
        """Of what is left, in percent."""
        return 100 * (self.left / self.published - 1)


def with_habits(comparison: pl.DataFrame, runs: Iterable[Results]) -> list[WithHabit]:
    """Published rows of the runs' cells that have habits, beside those of the comparison.

    Transfers are compared whatever their sizes.  Raises `FiresteelError` when a run has cells that
    differ in their habits alone.
    """
    return [row for run in runs for row in _with_habits(comparison, run)]


def _with_habits(comparison: pl.DataFrame, run: Results) -> list[WithHabit]:
    habits = _habits(run)
    keys = [*_CONFIGURATION, "experiment", "metric", "unit", "_parameter"]
    then, without = (
        frame.with_columns(size_free().alias("_parameter"))
        for frame in (compare(run.figures), comparison)
    )
    both = then.join(without, on=keys, suffix="_without", maintain_order="left")
    paired = both.drop_nulls(["deviation_percent", "deviation_percent_without"])
    return [
        WithHabit(
            name=place(row),
            habit=" and ".join(habit),
            metric=names.quantity(row["metric"], row["unit"]),
            value=_number(row, "value_without"),
            deviation=row["deviation_percent_without"],
            value_with=_number(row, "value"),
            deviation_with=row["deviation_percent"],
            published=_number(row, "published"),
        )
        for row in paired.iter_rows(named=True)
        if is_told(row) and (habit := habits[tuple(row[key] for key in _CONFIGURATION)])
    ]


def _habits(run: Results) -> dict[tuple[str, ...], tuple[str, ...]]:
    """By configuration; `FiresteelError` where one has several, which its figures do not tell."""
    habits: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in run.journal.entries:
        habit = entry.cell.as_in_2015 or ()
        if habits.setdefault(_key(entry.cell), habit) != habit:
            raise FiresteelError(
                f"Run {run.journal.name} has {names.of_cell(entry.cell)}, and the same cell with "
                "other habits; allowed are such of one in a run."
            )
    return habits


def without_clients(
    results: Results, comparison: pl.DataFrame, runs: Iterable[Results]
) -> list[WithoutClients]:
    """Handshakes by themselves, where a run has clients of another rate than `results` has, whose
    comparison that is.

    The clients' work takes as many times longer with them as they are slower, so that two times
    tell how long it takes.
    """
    cells = [entry.cell for entry in results.journal.entries if entry.cell.handshakes]
    usual = {_key(cell): cell for cell in cells}
    found: list[WithoutClients] = []
    for run in runs:
        theirs = compare(run.figures)
        for entry in run.journal.entries:
            mine = usual.get(_key(entry.cell)) if entry.cell.handshakes else None
            slower = _clients_rate(mine) / _clients_rate(entry.cell) if mine else 1
            if mine and slower != 1:
                found += _without_clients(_alone(comparison, mine), _alone(theirs, mine), slower)
    return found


def _without_clients(
    usual: pl.DataFrame, other: pl.DataFrame, slower: float
) -> Iterator[WithoutClients]:
    both = usual.join(other, on="parameter", suffix="_other", maintain_order="left")
    for row in both.drop_nulls("value_other").iter_rows(named=True):
        clients = (row["value_other"] - row["value"]) / (slower - 1)
        yield WithoutClients(
            name=place(row),
            usual=row["value"],
            other=row["value_other"],
            left=row["value"] - clients,
            published=row["published"],
        )


def _key(cell: Cell) -> tuple[str, ...]:
    return cell.protocol, cell.cipher, cell.mac, cell.implementation


def _clients_rate(cell: Cell) -> int:
    """Instructions a second of the node that is not measured."""
    (clients,) = (name for node, name in cell.profiles.items() if node != cell.measured)
    return load_profile(clients).cpu.instructions_per_second


def _alone(comparison: pl.DataFrame, cell: Cell) -> pl.DataFrame:
    """The published times of a cell's handshakes by themselves."""
    of_cell = [pl.col(key) == getattr(cell, key) for key in _CONFIGURATION]
    time = (pl.col("metric") == "connection_time") & pl.col("published").is_not_null()
    return comparison.filter(time, *of_cell)


def two_cores(comparison: pl.DataFrame) -> list[TwoCores]:
    """Transfers in software whose CPU use is published, and the interrupts' part of it is known."""
    cpu = comparison.filter(
        (pl.col("experiment") == _TRANSFER)
        & (pl.col("implementation") == "software")
        & (pl.col("unit") == CPU_UNIT)
    )
    parts = cpu.pivot("metric", index=_CONFIGURATION, values="value", maintain_order=True)
    if not {"cpu", *_INTERRUPTS} <= set(parts.columns):
        return []
    published = cpu.filter(pl.col("metric") == "cpu").drop_nulls("published")
    both = published.join(parts, on=_CONFIGURATION, maintain_order="left")
    return [
        TwoCores(
            name=configuration(row),
            cpu=row["cpu"],
            interrupts=(interrupts := sum(row[part] for part in _INTERRUPTS)),
            rest=row["cpu"] - interrupts,
            published=row["published"],
        )
        for row in both.iter_rows(named=True)
    ]


def _number(row: dict[str, Any], column: str) -> str:
    return names.number(row[column], row["unit"], row["metric"])
