# SPDX-License-Identifier: Apache-2.0
"""What a row is of: its configuration, and the board it was measured on where a run has several."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel.analysis.compare import CONFIGURATION, compare, configuration
from firesteel.analysis.published import CELL_COLUMNS, KEY_COLUMNS
from firesteel.analysis.results import Results
from firesteel.analysis.results import configuration as of_all_seeds
from firesteel.analysis.rows import Result
from firesteel.analysis.spread import spreads
from firesteel.analysis.study import load_studies
from firesteel.model.cell import NO_TUNNEL, USUAL_COMPLETION, Cell
from firesteel.workloads import titles

BOARD = "board"
"""The column with the profile of the measured node; a frame without it is of one board."""

LABEL = "label"
"""The column that tells rows apart for people."""

IDENTITY = (*CONFIGURATION, BOARD)
"""The columns that make what is measured."""


@dataclass(frozen=True)
class Boards:
    """The boards of a run, that with the most figures first.

    Where each configuration was measured on one board alone, the first goes without saying; where
    one was measured on several (`apart`), every row names its board.
    """

    profiles: tuple[str, ...]
    apart: bool = False

    @staticmethod
    def of(figures: pl.DataFrame) -> "Boards":
        """Those that the figures are of."""
        if BOARD not in figures.columns:
            return Boards(())
        counted = (
            figures[BOARD].value_counts(sort=True).sort("count", BOARD, descending=[True, False])
        )
        distinct = figures.select("experiment", *IDENTITY).unique()
        apart = distinct.select("experiment", *CONFIGURATION).is_duplicated().any()
        return Boards(tuple(counted[BOARD]), apart)

    def label(self, text: str, board: str) -> str:
        """A configuration's name, with its board where that does not go without saying."""
        said = len(self.profiles) > 1 and (self.apart or board != self.profiles[0])
        return f"{text} [{board}]" if said and board else text

    @property
    def sentence(self) -> str:
        """What the run was measured on."""
        if not self.profiles or not self.profiles[0]:
            return ""
        if len(self.profiles) == 1:
            return f"Measured on the board {self.profiles[0]}."
        if self.apart:
            return f"Measured on the boards {', '.join(self.profiles)}; each row names its board."
        first, *others = self.profiles
        return f"Measured on the board {first}; brackets mark rows of {', '.join(others)}."

    def labelled(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with `board` and `label` in every row."""
        if BOARD not in frame.columns:
            frame = frame.with_columns(pl.lit("").alias(BOARD))
        keys = ("experiment", *IDENTITY)
        distinct = frame.select(keys).unique(maintain_order=True)
        labels = [self.label(_name(row), row[BOARD]) for row in distinct.to_dicts()]
        distinct = distinct.with_columns(pl.Series(LABEL, labels, dtype=pl.String))
        return frame.join(distinct, on=keys, how="left", maintain_order="left")

    def told(self, result: Result) -> str:
        """What a labelled result is called where software does not go without saying."""
        identity = result.identity
        if identity.implementation != "software" or identity.protocol == NO_TUNNEL:
            return result.label
        return self.label(f"{titles.of_identity(identity)}, software", identity.board)

    def of_cell(self, cell: Cell) -> str:
        """What a cell is called."""
        return self.label(titles.of_cell(cell), cell.profiles.get(cell.measured, ""))


def _name(row: dict[str, Any]) -> str:
    return configuration(row)


def by_board(results: Results) -> pl.DataFrame:
    """All figures with their spread, and with the board that each was measured on."""
    if BOARD in results.spread.columns:
        return results.spread
    cells = [record.inputs.cell for record in results.records]
    boards = {of_all_seeds(cell): cell.profiles[cell.measured] for cell in cells}
    board = pl.col("cell").replace_strict(boards, default="", return_dtype=pl.String)
    keys = [*KEY_COLUMNS, *CELL_COLUMNS, "cell", BOARD]
    return spreads(results.samples.with_columns(board.alias(BOARD)), keys).drop("cell")


def of_published(results: Results) -> Mapping[str, frozenset[str]]:
    """The boards of a run that stand for those of published studies, over their links: the studies'
    names, by board.
    """
    found: dict[str, set[str]] = {}
    studies = load_studies()
    for record in results.records:
        cell = record.inputs.cell
        names_of = {study.name for study in studies if study.matches(cell)}
        found.setdefault(cell.profiles[cell.measured], set()).update(names_of)
    return {board: frozenset(those) for board, those in found.items()}


def beside_published(
    figures: pl.DataFrame,
    published: pl.DataFrame,
    those: Mapping[str, frozenset[str]] | None = None,
) -> pl.DataFrame:
    """The comparison of figures that have boards, a board at a time: with the figures of studies
    that the board stands for (`of_published`), of all if `those` are not given.
    """
    found = []
    for board in figures[BOARD].unique(maintain_order=True).to_list():
        theirs = published
        if those is not None:
            theirs = published.filter(pl.col("source").is_in(those.get(board, frozenset())))
        ours = figures.filter(pl.col(BOARD) == board)
        found.append(compare(ours, theirs).with_columns(pl.lit(board).alias(BOARD)))
    if not found:
        nothing = compare(figures, published)
        return nothing.with_columns(pl.lit("").alias(BOARD))
    return pl.concat(found)


def is_usual_here() -> pl.Expr:
    """`is_usual` for a frame."""
    return pl.col("completion").is_in(["", USUAL_COMPLETION]) & (pl.col("as_in_2015") == "")


def is_usual(row: dict[str, Any]) -> bool:
    """Whether a row is of the completion that its driver would choose, or has none to choose, and
    is no variant.
    """
    return row["completion"] in ("", USUAL_COMPLETION) and not row["as_in_2015"]
