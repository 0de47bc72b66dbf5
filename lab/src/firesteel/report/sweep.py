# SPDX-License-Identifier: Apache-2.0
"""A sweep in the report: the answer's sentences and table, and a section of what each row does."""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.advice.answer import speeds_of, works_of
from firesteel.advice.sweep import SweepAnswer
from firesteel.analysis.results import Coordinates
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, ratio
from firesteel.model import names
from firesteel.report.charts import Chart
from firesteel.report.contours import contours_chart
from firesteel.report.offload import TONES
from firesteel.report.response import response_chart
from firesteel.report.scatter import scatter_chart

_ABOUT = {
    1: "A panel for each row: above, what hardware and software reach; below, the ratios of both. "
    "Within the band a difference counts as none, so a verdict changes where a ratio leaves it.",
    2: "A panel for each row, with the ratio of hardware to software at every combination. Along "
    "the line both are equal.",
}

_SCATTERED = (
    "A panel for each row and number, with the ratios of hardware to software at all points. What "
    "spreads at one value is due to the other numbers. Within the band a difference counts as none."
)


_BETWEEN = (
    "A verdict changes somewhere between the two measured values that are named; where "
    "exactly, only a measurement in between can say."
)


@dataclass(frozen=True)
class SweepPart:
    """What the answer and the section show."""

    headline: str
    sentences: Sequence[str]
    between: str
    kinds: Sheet
    gains: Sheet | None
    about: str
    chart: Chart | None
    rows: Sheet


def sweep_part(answer: SweepAnswer) -> SweepPart:
    """The parts of the page."""
    count = len(answer.paths) if answer.is_grid else 0
    draw = {1: response_chart, 2: contours_chart}.get(count, scatter_chart)
    return SweepPart(
        headline=answer.headline,
        sentences=answer.sentences,
        between=_BETWEEN if answer.is_grid else "",
        kinds=_kinds_sheet(answer),
        gains=_gains_sheet(answer) if answer.is_grid else None,
        about=_ABOUT.get(count, _SCATTERED),
        chart=draw(answer),
        rows=_rows_sheet(answer),
    )


def _kinds_sheet(answer: SweepAnswer) -> Sheet:
    """A row for each kind of traffic and point."""
    rows: list[list[Text]] = [
        [
            kind.name,
            *_texts(answer, at),
            Mark(found.verdict, TONES.get(found.verdict, "plain")),
            speeds_of(found),
            works_of(found),
        ]
        for kind in answer.kinds
        for at in answer.points
        if (found := kind.at.get(at))
    ]
    columns = (*_heads(answer), "offload", "median (range)", "median (range)")
    groups = (
        ("", len(answer.paths) + 1),
        ("speed, × software", 1),
        ("CPU work, × software", 1),
    )
    caption = "Hardware versus software, by kind of traffic and point of the sweep"
    return Sheet(caption, columns, rows, groups, head="traffic")


def _gains_sheet(answer: SweepAnswer) -> Sheet | None:
    """A line for each row: at which values of each number offload helps."""
    axes = range(len(answer.paths))
    found = (
        (row, [answer.where(row, axis) for axis in axes])
        for kind in answer.kinds
        for row in answer.rows_of(kind)
    )
    rows = [[row.name, *(text or MISSING for text in texts)] for row, texts in found if any(texts)]
    columns = [f"by {path.title}" for path in answer.paths]
    caption = "At which values offload helps, row by row"
    return Sheet(caption, columns, rows, head="row", wordy=frozenset(axes)) if rows else None


def _rows_sheet(answer: SweepAnswer) -> Sheet:
    rows: list[list[Text]] = [
        [
            row.name,
            *_texts(answer, at),
            names.quantity(pair.metric),
            pair.software.text,
            pair.hardware.text,
            pair.judged.speed_mark + ratio(pair.speed),
            pair.judged.work_mark + ratio(pair.work),
            Mark(pair.judged.said, TONES.get(pair.verdict, "plain")),
        ]
        for row in answer.rows
        for at in answer.points
        if (pair := row.at.get(at))
    ]
    columns = (
        *_heads(answer),
        *("metric", "software", "hardware", "speed", "CPU work", "offload"),
    )
    wordy = frozenset({len(answer.paths), len(columns) - 1})
    return Sheet("Every row at every point", columns, rows, head="row", wordy=wordy)


def _heads(answer: SweepAnswer) -> list[str]:
    return [path.title for path in answer.paths]


def _texts(answer: SweepAnswer, at: Coordinates) -> list[str]:
    pairs = zip(answer.paths, at, strict=True)
    return [MISSING if value is None else path.said(value) for path, value in pairs]
