# SPDX-License-Identifier: Apache-2.0
"""What shows why figures are far from the published ones (`firesteel.causes`).

1. Handshakes without the clients' part in them.
2. The CPU of one core, parted as two would have it.

Cells with habits of 2015 are in `firesteel.variants`.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel import names
from firesteel.board.profile import Profile, load_profile
from firesteel.cell import Cell
from firesteel.compare import compare, configuration, place
from firesteel.figure import CPU_UNIT
from firesteel.report.sheet import mark
from firesteel.results import Results

_TRANSFER = "file-transfer"
_CONFIGURATION = ["protocol", "cipher", "mac", "implementation"]
_INTERRUPTS = ("cpu_softirq", "cpu_irq")


@dataclass(frozen=True)
class TwoCores:
    """CPU use in percent of one core: all of it; of that interrupts, and the rest; the published,
    which is of the busier of two; and by how much percent the larger part deviates from that.
    """

    row: dict[str, Any]
    cpu: float
    interrupts: float
    rest: float
    published: float

    @property
    def converged(self) -> bool:
        """Whether our figures have."""
        return bool(self.row["converged"])

    @property
    def mark(self) -> str:
        """What stands before them."""
        return mark(self.row)

    @property
    def name(self) -> str:
        """What was transferred by."""
        return configuration(self.row)

    @property
    def deviation(self) -> float:
        """Of the busier core, had one the interrupts and the other the rest."""
        return 100 * (max(self.interrupts, self.rest) / self.published - 1)


@dataclass(frozen=True)
class WithoutClients:
    """The time of a handshake alone in seconds: with the usual clients, with others, what is left
    without the clients' own work, and as published.
    """

    row: dict[str, Any]
    usual: float
    other: float
    left: float
    published: float

    @property
    def converged(self) -> bool:
        """Whether both of our figures have converged."""
        return bool(self.row["converged"] and self.row["converged_other"])

    @property
    def mark(self) -> str:
        """What stands before what follows from both."""
        return "" if self.converged else names.UNCONVERGED

    @property
    def name(self) -> str:
        """What was measured, and with which key."""
        return place(self.row)

    @property
    def deviation(self) -> float:
        """Of what is left, in percent."""
        return 100 * (self.left / self.published - 1)


def without_clients(
    results: Results, comparison: pl.DataFrame, runs: Iterable[Results]
) -> list[WithoutClients]:
    """Handshakes by themselves, where a run has clients of another rate than `results` has, whose
    comparison that is.

    The clients' work takes as many times longer with them as they are slower, so that two times
    tell how long it takes.  Of clients with a core that takes no time nothing is left to subtract.
    """
    cells = [entry.cell for entry in results.journal.entries if entry.cell.handshakes]
    usual = {_key(cell): cell for cell in cells}
    found: list[WithoutClients] = []
    for run in runs:
        theirs = compare(run.spread)
        for entry in run.journal.entries:
            mine = usual.get(_key(entry.cell)) if entry.cell.handshakes else None
            if mine is None:
                continue
            ours, other = _clients_rate(results, mine), _clients_rate(run, entry.cell)
            if ours != other:
                usual_times, other_times = _alone(comparison, mine), _alone(theirs, mine)
                found += _without_clients(usual_times, other_times, ours / other)
    return found


def _without_clients(
    usual: pl.DataFrame, other: pl.DataFrame, slower: float
) -> Iterator[WithoutClients]:
    both = usual.join(other, on="parameter", suffix="_other", maintain_order="left")
    for row in both.drop_nulls("value_other").iter_rows(named=True):
        clients = (row["value_other"] - row["value"]) / (slower - 1)
        yield WithoutClients(
            row=row,
            usual=row["value"],
            other=row["value_other"],
            left=row["value"] - clients,
            published=row["published"],
        )


def _key(cell: Cell) -> tuple[str, ...]:
    return cell.protocol, cell.cipher, cell.mac, cell.implementation


def _clients_rate(run: Results, cell: Cell) -> float:
    """Instructions a second of the node that was not measured: as the record has it, or as the
    checkout has it where the record is too old to tell.  With a public-key core, infinite: the core
    takes no time, and what is left is one percent of the clients' work in software.
    """
    (clients,) = (node for node in cell.profiles if node != cell.measured)
    for record in run.records:
        if record.inputs.cell == cell and record.measurement.setup:
            return _public_key_rate(record.measurement.setup.profiles[clients])
    return _public_key_rate(load_profile(cell.profiles[clients]))


def _public_key_rate(profile: Profile) -> float:
    on_core = any(window.pk for window in profile.cores)
    return math.inf if on_core else profile.cpu.instructions_per_second


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
            row=row,
            cpu=row["cpu"],
            interrupts=(interrupts := sum(row[part] for part in _INTERRUPTS)),
            rest=row["cpu"] - interrupts,
            published=row["published"],
        )
        for row in both.iter_rows(named=True)
    ]
