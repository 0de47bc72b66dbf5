# SPDX-License-Identifier: Apache-2.0
"""All figures of an experiment, and the sizes from which on offload pays."""

from collections.abc import Iterable, Mapping

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Row, Rows
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text
from firesteel.analysis.thresholds import BreakEven
from firesteel.model import names
from firesteel.model.place import Place
from firesteel.workloads import titles
from firesteel.workloads.registry import WORKLOADS

_WITH_SECTIONS = {name for each in WORKLOADS if each.sections for name in each.titles}
"""Experiments that have sections of their own."""


def detail_sheet(measured: Rows, experiment: str, caption: str = "") -> Sheet:
    """Every metric of an experiment, a row a configuration and parameter."""
    bounded = any(row.bound for row in measured)
    rows: list[list[Text]] = []
    for row in measured:
        limits = [_limited_by(row.bound or MISSING)] if bounded else []
        texts = _texts(row, measured.metrics)
        rows.append([row.label, row.identity.parameter.text, *limits, *texts])
    columns = [names.quantity(metric) for metric in measured.metrics]
    if bounded:
        columns.insert(0, "limited by")
    return Sheet(caption or titles.experiment(experiment), ["at", *columns], rows)


def _texts(row: Row, metrics: Iterable[str]) -> list[str]:
    found = (row.results.get(metric) for metric in metrics)
    return [result.text if result else MISSING for result in found]


def _limited_by(kind: str) -> Mark:
    return Mark(kind, "mixed" if kind == "peer" else "plain")


def one_board_sheets(experiments: Mapping[str, Rows]) -> list[Sheet]:
    """All figures of what was measured within one board, a sheet an experiment."""
    return [
        detail_sheet(rows, name) for name, rows in experiments.items() if name not in _WITH_SECTIONS
    ]


def break_even_sheet(
    break_evens: Mapping[Place, Iterable[BreakEven]], places: Places
) -> Sheet | None:
    """From which size on each implementation takes less than software: time, and the CPU's time;
    by place.
    """
    found = {
        (each.experiment, places.label(each.what, place), each.metric): each.size
        for place, those in break_evens.items()
        for each in those
    }
    metrics = list(dict.fromkeys(metric for _, _, metric in found))
    lines = dict.fromkeys((experiment, what) for experiment, what, _ in found)
    rows = [
        [
            what,
            titles.experiment(experiment),
            *(found.get((experiment, what, metric), MISSING) for metric in metrics),
        ]
        for experiment, what in lines
    ]
    columns = ("measured", *(f"less: {names.metric(metric)}" for metric in metrics))
    caption = "Break-even: sizes from which offload takes less than software"
    return Sheet(caption, columns, rows, wordy=frozenset({0})) if rows else None
