# SPDX-License-Identifier: Apache-2.0
"""All figures of an experiment, its limits, and the sizes from which on offload pays."""

from collections.abc import Iterable, Mapping, Sequence

from firesteel.analysis.boards import Boards
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.breakeven import BreakEven
from firesteel.analysis.rows import Result, Row, Rows
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, result_text
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


def detail_sheet(figures: Iterable[Result], experiment: str, caption: str = "") -> Sheet | None:
    """Every metric of an experiment, a row a configuration and parameter."""
    part = [each for each in figures if each.identity.workload == experiment]
    if not part:
        return None
    metrics = list(dict.fromkeys(each.metric for each in part))
    measured = list(Rows(part))
    bounded = any(row.bound for row in measured)
    rows: list[list[Text]] = []
    for row in measured:
        limits = [_limited_by(row.bound or MISSING)] if bounded else []
        rows.append([_label(row), row.identity.parameter.text, *limits, *_texts(row, metrics)])
    columns = [names.quantity(metric) for metric in metrics]
    if bounded:
        columns.insert(0, "limited by")
    return Sheet(caption or titles.experiment(experiment), ["at", *columns], rows)


def _label(row: Row) -> str:
    return next(iter(row.results.values())).label


def _texts(row: Row, metrics: Iterable[str]) -> list[str]:
    found = (row.results.get(metric) for metric in metrics)
    return [result_text(result) if result else MISSING for result in found]


def _limited_by(kind: str) -> Mark:
    return Mark(kind, "mixed" if kind == "peer" else "plain")


def one_board_sheets(figures: Sequence[Result]) -> list[Sheet]:
    """All figures of what was measured within one board, a sheet an experiment."""
    experiments = dict.fromkeys(each.identity.workload for each in figures)
    sheets = (detail_sheet(figures, name) for name in experiments if name not in _WITH_SECTIONS)
    return [sheet for sheet in sheets if sheet]


def break_even_sheet(
    break_evens: Mapping[str, Iterable[BreakEven]], boards: Boards
) -> Sheet | None:
    """From which size on each implementation takes less than software: time, and the CPU's time;
    by board.
    """
    found = {
        (each.experiment, boards.label(each.what, board), each.metric): each.size
        for board, those in break_evens.items()
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


def other_sizes(comparison: Iterable[Result]) -> list[str]:
    """What is said when a transfer is compared with one of another size."""
    return list(dict.fromkeys(note for each in comparison if (note := each.size_note)))
