# SPDX-License-Identifier: Apache-2.0
"""A sweep of many numbers, or a sample: ratios at all points, by each number in turn."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt

from firesteel.advice.sweep import SweepAnswer, SweptRow
from firesteel.analysis.sheet import ratio
from firesteel.board.numbers import Path
from firesteel.report.axes import Axis
from firesteel.report.charts import MOST_PANELS, Chart, Panel, Picture, left_out_note
from firesteel.report.response import LEGEND, RATIOS, band, even, ratio_axis, ratios_of

_WIDTH, _HEIGHT = 290, 150


@dataclass(frozen=True)
class _Dot:
    x: float
    y: float
    series: str


def scatter_chart(answer: SweepAnswer) -> Chart | None:
    """A panel for each row and number, those whose verdict changes first."""
    rows = sorted(answer.rows, key=lambda row: len({pair.verdict for pair in row.at.values()}) < 2)
    drawn = [
        (row, axis, dots)
        for row in rows
        for axis in range(len(answer.paths))
        if (dots := _dots(row, axis))
    ]
    panels = [
        Panel(
            f"{row.name}: ratios by {answer.paths[axis].title}",
            _picture(answer.paths[axis], dots),
            f"scatter{number}",
            _says(answer.paths[axis], row, dots),
        )
        for number, (row, axis, dots) in enumerate(drawn[:MOST_PANELS])
    ]
    return Chart(panels, LEGEND, left_out_note(len(drawn) - len(panels))) if panels else None


def _dots(row: SweptRow, axis: int) -> list[_Dot]:
    """Its ratios; nothing where the number does not vary."""
    dots = [
        _Dot(x, value, name)
        for at, pair in row.at.items()
        if (x := at[axis]) is not None
        for name, value in ratios_of(pair).items()
    ]
    return dots if len({dot.x for dot in dots}) > 1 else []


def _says(path: Path, row: SweptRow, dots: Sequence[_Dot]) -> str:
    spans = []
    for name in RATIOS:
        values = [dot.y for dot in dots if dot.series == name]
        if values:
            spans.append(f"{name} from {ratio(min(values))} to {ratio(max(values))}")
    told = " and ".join(spans)
    return f"Points of the ratios of hardware to software by {path.title}, {row.name}: {told}."


def _picture(path: Path, dots: Sequence[_Dot]) -> Picture:
    axis = Axis.of(path, (dot.x for dot in dots))
    x, y = axis.encoded(alt.X, "x"), ratio_axis([dot.y for dot in dots])
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=list(RATIOS), range=list(RATIOS.values())), legend=None
    )
    placed = [asdict(dot) | {"x": axis.at(dot.x)} for dot in dots]
    points = (
        alt.Chart(alt.InlineData(values=placed))
        .mark_point(filled=True, size=24)
        .encode(x=x, y=y, color=colour)
    )
    return alt.layer(band(), even(), points).properties(width=_WIDTH, height=_HEIGHT)
