# SPDX-License-Identifier: Apache-2.0
"""Results of tables that tests make up or change: with the parts of the parameters that the texts
say, and beside the published figures that a column `published` has.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import polars as pl

from firesteel.judge.intervals import BY_SEED, Sample
from firesteel.judge.rows import Published, Result, read_results
from firesteel.table import SWEPT, SWEPT_TYPE
from firesteel.workloads.registry import parameter_of


def with_swept(table: pl.DataFrame) -> pl.DataFrame:
    """A table with the parts of its parameters, whatever it had."""
    texts = zip(table["experiment"], table["parameter"], strict=True)
    parts = [parameter_of(experiment, text).parts for experiment, text in texts]
    return table.with_columns(pl.Series(SWEPT, parts, SWEPT_TYPE))


def results_in(table: pl.DataFrame) -> list[Result]:
    """The rows of a table as results; exact, unless it has what seeds say."""
    found = read_results(with_swept(table))
    if BY_SEED not in table.columns:
        found = [exact(each, each.value, converged=each.converged) for each in found]
    if "published" in table.columns:
        found = [beside(each, value) for each, value in zip(found, table["published"], strict=True)]
    return found


def beside(result: Result, value: float | None) -> Result:
    """The result beside another published figure, or none."""
    if value is None:
        return replace(result, beside=None)
    theirs = replace(result, value=value, sample=Sample.exact(value), beside=None)
    return replace(result, beside=Published("study", "1", theirs))


def changed(results: Iterable[Result], change: Callable[[Result], float]) -> list[Result]:
    """The results with other values."""
    return [exact(each, change(each)) for each in results]


def exact(result: Result, value: float, *, converged: bool = True) -> Result:
    """A figure of one seed in the place of the result's."""
    sample = Sample(((1, value),), 0.0, converged)
    return replace(result, value=value, sample=sample, low=None, high=None)


def unsure(results: Iterable[Result], metric: str) -> list[Result]:
    """The results, those of the metric not converged."""
    return [exact(each, each.value, converged=each.metric != metric) for each in results]


def having(results: Iterable[Result], **columns: str) -> list[Result]:
    """Those with these columns."""
    return [
        each
        for each in results
        if all(each.columns[key] == value for key, value in columns.items())
    ]


def on_board(results: Iterable[Result], board: str) -> list[Result]:
    """The results as of that board."""
    return [replace(each, identity=replace(each.identity, board=board)) for each in results]
