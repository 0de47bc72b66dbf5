# SPDX-License-Identifier: Apache-2.0
"""Why figures are far from the published ones, and what shows it.

1. Causes, from `published/causes.toml`.
2. Cells with a habit of 2015 (`firesteel.cell.Habit`), or other profiles, beside the usual ones.
3. The CPU of one core, parted as two would have it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import Field

from firesteel import names
from firesteel.cell import Cell
from firesteel.compare import compare, configuration
from firesteel.figure import CPU_UNIT
from firesteel.published import PUBLISHED
from firesteel.results import Results
from firesteel.schema import Many, Table

CAUSES = PUBLISHED.parent / "causes.toml"

_TRANSFER = "file-transfer"
_CONFIGURATION = ["protocol", "cipher", "mac", "implementation"]
_PERCENT_FLOOR = 1.0
_INTERRUPTS = ("cpu_softirq", "cpu_irq")


class Cause(Table):
    """Why rows deviate: those in which every given key has one of the values."""

    why: str
    shown_by: str | None = None
    experiment: Many[str] | None = None
    protocol: Many[str] | None = None
    cipher: Many[str] | None = None
    mac: Many[str] | None = None
    implementation: Many[str] | None = None
    parameter: Many[str] | None = None
    metric: Many[str] | None = None
    side: Literal["above", "below"] | None = None

    def fits(self, row: dict[str, Any]) -> bool:
        """Whether it is the cause of this row's deviation."""
        keys = set(Cause.model_fields) - {"why", "shown_by", "side"}
        side = "above" if row["value"] > row["published"] else "below"
        return self.side in (None, side) and all(
            row[key] in values for key in keys if (values := getattr(self, key))
        )


class Causes(Table):
    """The file of causes."""

    cause: Annotated[tuple[Cause, ...], Field(min_length=1)]


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


def with_habits(
    results: Results, comparison: pl.DataFrame, runs: Iterable[Results]
) -> list[WithHabit]:
    """Rows of the runs that are published, beside those of `results`, whose comparison that is.

    Transfers are compared whatever their sizes.
    """
    usual = {_key(entry.cell): entry.cell for entry in results.journal.entries}
    return [
        row
        for run in runs
        for row in _with_habits(
            comparison,
            compare(run.figures),
            {
                _key(entry.cell): _habit(entry.cell, usual.get(_key(entry.cell)))
                for entry in run.journal.entries
            },
        )
    ]


def _with_habits(
    without: pl.DataFrame, those: pl.DataFrame, habits: Mapping[tuple[str, ...], str]
) -> list[WithHabit]:
    keys = [*_CONFIGURATION, "experiment", "metric", "unit", "_parameter"]
    both = _size_free(those).join(
        _size_free(without), on=keys, suffix="_without", maintain_order="left"
    )
    return [
        WithHabit(
            name=f"{configuration(row)}, {row['parameter']}",
            habit=habits[tuple(row[key] for key in _CONFIGURATION)],
            metric=names.quantity(row["metric"], row["unit"]),
            value=_number(row, "value_without"),
            deviation=row["deviation_percent_without"],
            value_with=_number(row, "value"),
            deviation_with=row["deviation_percent"],
            published=_number(row, "published"),
        )
        for row in both.drop_nulls("deviation_percent").iter_rows(named=True)
        if is_told(row) and row["deviation_percent_without"] is not None
    ]


def _key(cell: Cell) -> tuple[str, ...]:
    return cell.protocol, cell.cipher, cell.mac, cell.implementation


def _habit(cell: Cell, usual: Cell | None) -> str:
    """What is otherwise than usual: habits of the time, or profiles."""
    profiles = dict(cell.profiles.items() - (usual.profiles.items() if usual else set()))
    return " and ".join([*(cell.as_in_2015 or ()), *sorted(profiles.values())])


def is_told(row: dict[str, Any]) -> bool:
    """Whether a row is compared: shares of packets below a percent are too few."""
    return bool(row["experiment"] != "packet-sizes" or row["published"] >= _PERCENT_FLOOR)


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


def cause_of(row: dict[str, Any], causes: Sequence[Cause]) -> Cause | None:
    """The first cause that fits a row."""
    return next((cause for cause in causes if cause.fits(row)), None)


def _size_free(comparison: pl.DataFrame) -> pl.DataFrame:
    size = pl.when(pl.col("experiment") == _TRANSFER).then(pl.lit("")).otherwise("parameter")
    return comparison.with_columns(size.alias("_parameter"))


def _number(row: dict[str, Any], column: str) -> str:
    return names.number(row[column], row["unit"], row["metric"])
