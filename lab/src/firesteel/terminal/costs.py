# SPDX-License-Identifier: Apache-2.0
"""What configurations cost, where nothing was offloaded: a row for each, with its main figures."""

import polars as pl

from firesteel.analysis.compare import CONFIGURATION, configuration
from firesteel.analysis.sheet import MISSING
from firesteel.model import names
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles
from firesteel.workloads.presentation import Column
from firesteel.workloads.registry import BY_WEIGHT

_MAIN = tuple(column for workload in BY_WEIGHT for column in workload.columns)


def cost_grid(figures: pl.DataFrame) -> Grid | None:
    """The table; None where the run has none of its figures."""
    there = [column for column in _MAIN if not _of(figures, column).is_empty()]
    if not there:
        return None
    rows = []
    for part in figures.partition_by(*CONFIGURATION, maintain_order=True):
        cells = [_cell(part, column) for column in there]
        if any(cell != MISSING for cell in cells):
            rows.append((_label(part), cells))
    heads = [column.head.format(_first(figures, column)) for column in there]
    return Grid("", heads, rows)


def _label(part: pl.DataFrame) -> str:
    """What a configuration is called; by its handshakes where nothing else of it was measured."""
    rows = part.to_dicts()
    whole = titles.configuration(*(rows[0][key] for key in CONFIGURATION))
    labels = [configuration(row) for row in rows]
    return whole if whole in labels else labels[0]


def _of(figures: pl.DataFrame, column: Column) -> pl.DataFrame:
    return figures.filter(experiment=column.experiment, metric=column.metric)


def _first(figures: pl.DataFrame, column: Column) -> str:
    """The first size of an experiment."""
    return str(_of(figures, column)["parameter"][0])


def _cell(part: pl.DataFrame, column: Column) -> str:
    found = _of(part, column)
    if found.is_empty():
        return MISSING
    row = found.row(-1 if column.last else 0, named=True)
    return names.number(row["value"], column.metric)
