# SPDX-License-Identifier: Apache-2.0
"""All figures of an experiment, its limits, and the sizes from which on offload pays."""

from collections.abc import Sequence

import polars as pl

from firesteel.analysis.boards import BOARD, LABEL, Boards
from firesteel.analysis.bound import PEER_LIMITED, bounds_of
from firesteel.analysis.breakeven import break_even
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, value
from firesteel.analysis.thresholds import COLUMNS, Outcome, texts, title
from firesteel.model import names
from firesteel.workloads import titles
from firesteel.workloads.registry import WORKLOADS

_WITH_SECTIONS = {name for each in WORKLOADS if each.sections for name in each.titles}
"""Experiments that have sections of their own."""

_TONES: dict[str, Tone] = {
    "met": "good",
    "missed": "bad",
    "not converged": "mixed",
    "not measured": "mixed",
    PEER_LIMITED: "mixed",
}


def detail_sheet(figures: pl.DataFrame, experiment: str, caption: str = "") -> Sheet | None:
    """Every metric of an experiment, a row a configuration and parameter."""
    part = figures.filter(pl.col("experiment") == experiment)
    if part.is_empty():
        return None
    heads = part.select("metric", "unit").unique(maintain_order=True).rows()
    bounds = bounds_of(part.iter_rows(named=True), (LABEL, "parameter"))
    rows: list[list[Text]] = []
    for each in part.partition_by(LABEL, "parameter", maintain_order=True):
        by_metric = {row["metric"]: row for row in each.iter_rows(named=True)}
        cells = [value(by_metric.get(metric, {})) for metric, _ in heads]
        row: tuple[str, str] = (each[LABEL][0], each["parameter"][0])
        limits = [_limited_by(bounds.get(row, MISSING))] if bounds else []
        rows.append([*row, *limits, *cells])
    columns = [names.quantity(metric) for metric, _ in heads]
    if bounds:
        columns.insert(0, "limited by")
    return Sheet(caption or titles.experiment(experiment), ["at", *columns], rows)


def _limited_by(kind: str) -> Mark:
    return Mark(kind, "mixed" if kind == "peer" else "plain")


def one_board_sheets(figures: pl.DataFrame) -> list[Sheet]:
    """All figures of what was measured within one board, a sheet an experiment."""
    experiments = figures["experiment"].unique(maintain_order=True).to_list()
    sheets = (detail_sheet(figures, name) for name in experiments if name not in _WITH_SECTIONS)
    return [sheet for sheet in sheets if sheet]


def break_even_sheet(figures: pl.DataFrame, boards: Boards) -> Sheet | None:
    """From which size on each implementation takes less than software: time, and the CPU's time."""
    found = {
        (each.experiment, boards.label(each.what, part[BOARD][0]), each.metric): each.size
        for part in figures.partition_by(BOARD, maintain_order=True)
        for each in break_even(part)
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


def threshold_sheet(found: Sequence[Outcome]) -> Sheet | None:
    """What the experiment's limits are, and whether they are met; the missed ones first."""
    order = {"missed": 0, "not converged": 1, "not measured": 2, PEER_LIMITED: 2}
    rows: list[list[Text]] = []
    for outcome in sorted(found, key=lambda outcome: order.get(outcome.verdict, 3)):
        what, *cells, verdict = texts(outcome)
        tone = _TONES.get(outcome.verdict, "plain")
        said = f"{verdict}: {outcome.note}" if outcome.note else verdict
        rows.append([title(outcome), what, *cells, Mark(said, tone)])
    columns = ("metric", *COLUMNS)
    wordy = frozenset({0, len(columns) - 1})
    return Sheet("Limits", columns, rows, wordy=wordy) if rows else None


def other_sizes(comparison: pl.DataFrame) -> list[str]:
    """What is said when a transfer is compared with one of another size."""
    notes = comparison.filter(pl.col("note").str.contains("ours has"))["note"]
    return notes.str.split("; ").list.first().unique(maintain_order=True).to_list()
