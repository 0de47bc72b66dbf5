# SPDX-License-Identifier: Apache-2.0
"""What configurations cost, where nothing was offloaded: a row for each, with its main figures."""

from collections.abc import Iterable, Sequence

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import MISSING
from firesteel.model import names
from firesteel.model.limit import Side
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles
from firesteel.workloads.presentation import Column
from firesteel.workloads.registry import BY_WEIGHT

_MAIN = tuple(column for workload in BY_WEIGHT for column in workload.columns)


def cost_grid(results: Sequence[Result]) -> Grid | None:
    """The table; None where the run has none of its figures."""
    places = Places.of(results)
    there = [(column, found) for column in _MAIN if (found := _of(results, column))]
    if not there:
        return None
    rows = []
    configurations = grouped(results, lambda each: (*_of_one_row(each), each.identity.place))
    for (_, by, place), part in configurations.items():
        cells = [_cell(part, column) for column, _ in there]
        if any(cell != MISSING for cell in cells):
            label = _label(part) + (f", by {by}" if by else "")
            rows.append((places.label(label, place), cells))
    return Grid("", [column.head.format(found[0].at) for column, found in there], rows)


def _of_one_row(result: Result) -> tuple[Side, str | None]:
    """The configuration, and what brought its file where that is not the usual way."""
    return result.identity.side, result.identity.parameter.by


def _label(part: Sequence[Result]) -> str:
    """What a configuration is called; by its handshakes where nothing else of it was measured."""
    of = part[0].identity
    how = (of.implementation, of.completion, of.variant)
    whole = titles.configuration(of.protocol, of.cipher, of.mac, *how)
    labels = [titles.of_identity(each.identity) for each in part]
    return whole if whole in labels else labels[0]


def _of(results: Iterable[Result], column: Column) -> list[Result]:
    wanted = (column.experiment, column.metric)
    return [each for each in results if (each.identity.workload, each.metric) == wanted]


def _cell(part: Sequence[Result], column: Column) -> str:
    found = _of(part, column)
    if not found:
        return MISSING
    return names.number(found[-1 if column.last else 0].value, column.metric)
