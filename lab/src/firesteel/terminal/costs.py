# SPDX-License-Identifier: Apache-2.0
"""What configurations cost, where nothing was offloaded: a row for each, with its main figures."""

import polars as pl

from firesteel.analysis.compare import CONFIGURATION, configuration
from firesteel.analysis.sheet import MISSING
from firesteel.model import names
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles

_MAIN = (
    ("file-transfer", "throughput", "file transfer\nMB/s"),
    ("file-transfer", "cpu", "its CPU use\n%"),
    ("ping", "rtt_mean", "{} ping\nmean ms"),
    ("tls-connections", "connections", "handshakes\n1/min"),
    ("tls-connection-time", "connection_time", "one handshake\ns"),
    ("openssl-speed", "throughput", "largest block\nMB/s"),
    ("kernel-crypto", "time_per_request_p50", "smallest request\nµs"),
    ("disk-sequential-read", "throughput", "disk read\nMB/s"),
)
"""Experiment, metric and head of a column, in which `{}` is the size; of several sizes the first
counts, or the largest block of throughputs by size.
"""

_LAST = {"openssl-speed"}
"""Experiments of which the last size is shown."""


def cost_grid(figures: pl.DataFrame) -> Grid | None:
    """The table; None where the run has none of its figures."""
    there = [column for column in _MAIN if not _of(figures, *column[:2]).is_empty()]
    if not there:
        return None
    rows = []
    for part in figures.partition_by(*CONFIGURATION, maintain_order=True):
        cells = [_cell(part, *column[:2]) for column in there]
        if any(cell != MISSING for cell in cells):
            rows.append((_label(part), cells))
    heads = [head.format(_first(figures, *column)) for *column, head in there]
    return Grid("", heads, rows)


def _label(part: pl.DataFrame) -> str:
    """What a configuration is called; by its handshakes where nothing else of it was measured."""
    rows = part.to_dicts()
    whole = titles.configuration(*(rows[0][key] for key in CONFIGURATION))
    labels = [configuration(row) for row in rows]
    return whole if whole in labels else labels[0]


def _of(figures: pl.DataFrame, experiment: str, metric: str) -> pl.DataFrame:
    return figures.filter(experiment=experiment, metric=metric)


def _first(figures: pl.DataFrame, experiment: str, metric: str) -> str:
    """The first size of an experiment."""
    return str(_of(figures, experiment, metric)["parameter"][0])


def _cell(part: pl.DataFrame, experiment: str, metric: str) -> str:
    found = _of(part, experiment, metric)
    if found.is_empty():
        return MISSING
    row = found.row(-1 if experiment in _LAST else 0, named=True)
    return names.number(row["value"], metric)
