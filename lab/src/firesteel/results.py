# SPDX-License-Identifier: Apache-2.0
"""The results of a run, read from the store for showing: journal, records and tidy figures."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from firesteel.cell import Completion
from firesteel.figure import Figure
from firesteel.journal import Entry, Journal
from firesteel.published import FIGURE_COLUMNS
from firesteel.record import Record
from firesteel.store import LATEST, Store


@dataclass(frozen=True)
class Results:
    """A run's journal, the records of its finished cells, and all their figures in a frame."""

    journal: Journal
    records: tuple[Record, ...]
    figures: pl.DataFrame

    @property
    def failed(self) -> list[Entry]:
        """Cells that were measured and failed."""
        return [entry for entry in self.journal.entries if entry.state == "failed"]

    @property
    def waiting(self) -> list[Entry]:
        """Cells that an interrupted run did not come to."""
        return [entry for entry in self.journal.entries if entry.state == "waiting"]


def load_results(store: Store, run: str = LATEST) -> Results:
    """The results of that run; `FiresteelError` when there is none or a record is damaged."""
    journal = store.journal(run)
    records = tuple(store.records(journal))
    frames = (
        figures_frame(record.measurement.figures, record.inputs.cell.completion)
        for record in records
    )
    return Results(journal, records, pl.concat([figures_frame([]), *frames]))


def figures_frame(figures: Iterable[Figure], completion: Completion | None = None) -> pl.DataFrame:
    """Figures as a frame with the tidy columns in their order, and behind them the completion of
    the cells that they are of.
    """
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(FIGURE_COLUMNS, pl.String)
    schema["value"] = pl.Float64
    frame = pl.DataFrame([figure.model_dump() for figure in figures], schema=schema)
    return frame.with_columns(pl.lit(completion or "").alias("completion"))
