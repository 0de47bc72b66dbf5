# SPDX-License-Identifier: Apache-2.0
"""Response curves of a sweep of one number: what hardware and software reach, and their ratios.

Below the values stand the ratios of the verdict, with the band in which a difference counts as
none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import altair as alt

from firesteel.advice.sweep import SweepAnswer, SweptRow
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.sheet import ratio
from firesteel.analysis.verdict import Offload
from firesteel.board.numbers import Path
from firesteel.model import names
from firesteel.report.axes import Axis
from firesteel.report.charts import (
    FILLS,
    HARDWARE,
    MOST_PANELS,
    SOFTWARE,
    Chart,
    Panel,
    Picture,
    left_out_note,
)
from firesteel.report.tornado import ticks

_WIDTH, _HEIGHT, _LOW = 290, 130, 110
"""Pixels of both fields; with the labels they are as wide as a phone."""

SPEED, WORK = "speed", "CPU work"
RATIOS = {SPEED: "var(--class-4)", WORK: "var(--class-2)"}
"""The colours of both ratios, unlike those of hardware and software above them."""

LEGEND = (("class-4", "speed, × software"), ("class-2", "CPU work, × software"))

BAND = "var(--band)"

_ROOM = 1.05
_LABELS = 34
"""Pixels for the numbers of both fields, which so begin below each other."""


@dataclass(frozen=True)
class _Value:
    x: float
    y: float
    series: str


def response_chart(answer: SweepAnswer) -> Chart | None:
    """A panel for each row that was measured at two values or more, those whose verdict changes
    first.
    """
    (path,) = answer.paths
    rows = [row for row in answer.rows if len(row.at) > 1]
    rows.sort(key=lambda row: len({pair.verdict for pair in row.at.values()}) < 2)
    panels = [
        Panel(_title(row), _picture(path, row), f"response{number}", _says(path, row))
        for number, row in enumerate(rows[:MOST_PANELS])
    ]
    legend = ((SOFTWARE, SOFTWARE), (HARDWARE, HARDWARE), *LEGEND)
    return Chart(panels, legend, left_out_note(len(rows) - len(panels))) if panels else None


def band() -> alt.Chart:
    """The ratios that count as none."""
    ends = {"low": 1 - SLACK, "high": 1 + SLACK}
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(values=[ends]))
        .mark_rect(fill=BAND)
        .encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    )
    return drawn


def even() -> alt.Chart:
    """The line at which hardware and software are equal."""
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(values=[{"one": 1.0}]))
        .mark_rule(stroke="currentColor", strokeDash=[3, 2])
        .encode(y=alt.Y("one:Q", title=None))
    )
    return drawn


def ratio_axis(values: Sequence[float]) -> alt.Y:
    """The axis of ratios, logarithmic, with 1 and the band in it."""
    low, high = min(*values, 1 - 2 * SLACK), max(*values, 1 + 2 * SLACK)
    scale = alt.Scale(type="log", domain=[low / _ROOM, high * _ROOM], nice=False)
    axis = alt.Axis(
        values=ticks(low / _ROOM, high * _ROOM),
        format="~g",
        domain=False,
        ticks=False,
        minExtent=_LABELS,
        maxExtent=_LABELS,
    )
    return alt.Y("y:Q", title=None, scale=scale, axis=axis)


def ratios_of(pair: Offload) -> dict[str, float]:
    """Both, as far as they are known and not nothing."""
    return {name: value for name, value in ((SPEED, pair.speed), (WORK, pair.work)) if value}


def _title(row: SweptRow) -> str:
    pair = next(iter(row.at.values()))
    return f"{row.name}: {names.quantity(pair.metric)}"


def _sorted(row: SweptRow) -> Iterator[tuple[float, Offload]]:
    there = ((at[0], pair) for at, pair in row.at.items())
    return iter(sorted(((x, pair) for x, pair in there if x is not None), key=lambda each: each[0]))


def _says(path: Path, row: SweptRow) -> str:
    told = "; ".join(
        f"at {path.said(x)} hardware {pair.hardware.text}, software {pair.software.text}, "
        f"speed {ratio(pair.speed)}, CPU work {ratio(pair.work)}: {pair.verdict}"
        for x, pair in _sorted(row)
    )
    return f"Lines of {_title(row)} by {path.title}, and ratios of hardware to software. {told}."


def _picture(path: Path, row: SweptRow) -> Picture:
    there = list(_sorted(row))
    axis = Axis.of(path, (x for x, _ in there))
    values = [
        _Value(axis.at(x), result.value, series)
        for x, pair in there
        for series, result in ((SOFTWARE, pair.software), (HARDWARE, pair.hardware))
    ]
    ratios = [
        _Value(axis.at(x), value, name)
        for x, pair in there
        for name, value in ratios_of(pair).items()
    ]
    x = axis.encoded(alt.X, "x")
    above = _lines(values, FILLS, x.axis(None) if ratios else x, _value_axis(values), _HEIGHT)
    if not ratios:
        return above
    y = ratio_axis([each.y for each in ratios])
    below = alt.layer(band(), even(), _lines(ratios, RATIOS, x, y, _LOW))
    both = alt.vconcat(above, below.properties(width=_WIDTH, height=_LOW), spacing=8)
    drawn: alt.VConcatChart = both.resolve_scale(color="independent")
    return drawn


def _value_axis(values: Sequence[_Value]) -> alt.Y:
    most = max(each.y for each in values) * _ROOM or 1
    axis = alt.Axis(
        tickCount=4, format="~s", domain=False, ticks=False, minExtent=_LABELS, maxExtent=_LABELS
    )
    return alt.Y("y:Q", title=None, scale=alt.Scale(domain=[0, most], nice=False), axis=axis)


def _lines(
    points: Sequence[_Value], fills: dict[str, str], x: alt.X, y: alt.Y, height: int
) -> Picture:
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=list(fills), range=list(fills.values())), legend=None
    )
    base = alt.Chart(alt.InlineData(values=[asdict(each) for each in points])).encode(
        x=x, y=y, color=colour
    )
    lines, dots = base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=24)
    return alt.layer(lines, dots, width=_WIDTH, height=height)
