# SPDX-License-Identifier: Apache-2.0
"""Other people's figures: `published/published.csv`, one a row; its README names the sources, and
`sources.toml` says which of our boards and topologies stand for theirs.
"""

import csv
from pathlib import Path
from typing import Annotated

import polars as pl
from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.model.cell import Cell
from firesteel.model.figure import COLUMNS

PUBLISHED = CHECKOUT / "published" / "published.csv"
SOURCES = PUBLISHED.with_name("sources.toml")

FIGURE_COLUMNS = COLUMNS
"""The columns of a tidy figure, in order; `value` is the last."""

KEY_COLUMNS = FIGURE_COLUMNS[:-1]
"""The columns that say what a figure is."""

CELL_COLUMNS = ("completion", "as_in_2015")
"""Columns of ours behind a tidy figure: what else tells its cell from others.  Published figures
have none of them.
"""

_COLUMNS = ("source", "table", *FIGURE_COLUMNS, "note")


def read_published(path: Path = PUBLISHED) -> list[dict[str, str]]:
    """All published rows as text, by column: some state a bound or a range in words.

    Raises `FiresteelError` when the file is not there or has other columns.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FiresteelError(f"{path}: cannot be read as published figures: {error}.") from None
    if not rows or tuple(rows[0]) != _COLUMNS:
        found = ", ".join(rows[0]) if rows else "none"
        raise FiresteelError(f"{path}: the columns are {found}; allowed: {', '.join(_COLUMNS)}.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(_COLUMNS):
            raise FiresteelError(
                f"{path}: row {number} has {len(row)} fields; allowed are {len(_COLUMNS)}."
            )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows[1:]]


def load_published(path: Path = PUBLISHED) -> pl.DataFrame:
    """All published figures that are plain numbers, as a frame with text columns and `value`.

    Handshakes have no MAC to name, and are held beside those of a tunnel without one.  Rows that
    state a bound or a range in words are left out: there is nothing to divide by.
    Raises `FiresteelError` as `read_published` does.
    """
    frame = pl.DataFrame(read_published(path), schema=dict.fromkeys(_COLUMNS, pl.String))
    handshakes = pl.col("experiment").str.starts_with("tls-")
    return frame.with_columns(
        pl.col("value").cast(pl.Float64, strict=False),
        mac=pl.when(handshakes).then(pl.lit("none")).otherwise(pl.col("mac")),
    ).drop_nulls("value")


class Source(Table):
    """A published study, and what stands for its board and its link here."""

    name: str
    board: str
    topology: str

    def matches(self, cell: Cell) -> bool:
        """Whether the cell was measured on that board, over that link."""
        return (cell.profiles.get(cell.measured), cell.topology) == (self.board, self.topology)


class Sources(Table):
    """The file of sources."""

    source: Annotated[tuple[Source, ...], Field(min_length=1)]


def load_sources(path: Path = SOURCES) -> tuple[Source, ...]:
    """All sources; `FiresteelError` when the file is not as it should be."""
    return toml.read_model(path, Sources).source
