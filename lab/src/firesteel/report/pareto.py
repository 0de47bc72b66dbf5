# SPDX-License-Identifier: Apache-2.0
"""Boards by what they cost, against what they give: pictures with the best at each cost joined.

Costs are the user's (`analysis.pareto`).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt

from firesteel.analysis.pareto import Choice
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text
from firesteel.model import names
from firesteel.model.metrics import better
from firesteel.report.charts import (
    FILLS,
    HARDWARE,
    MOST_PANELS,
    SOFTWARE,
    Chart,
    Panel,
    Picture,
    left_out_note,
    series_of,
)

_WIDTH, _HEIGHT = 290, 170
"""Pixels of the field; with the labels it is as wide as a phone."""

_LEGEND = (
    (SOFTWARE, SOFTWARE),
    (HARDWARE, HARDWARE),
    ("line", "the best for that cost or less"),
)

_ROOM = 1.08
_LABELS = 34
"""Pixels for the numbers beside the field."""

_Groups = Sequence[Sequence[Choice]]


@dataclass(frozen=True)
class ParetoPart:
    """What the section shows: pictures, and a table for each traffic."""

    chart: Chart | None
    sheets: Sequence[Sheet]


@dataclass(frozen=True)
class Dot:
    """A row in a picture; `number` is its own in the table."""

    cost: float
    value: float
    series: str
    number: str
    best: bool


def pareto_part(groups: _Groups) -> ParetoPart:
    """The section, of rows that `analysis.pareto.choices` gives."""
    return ParetoPart(_chart(groups), [_sheet(group) for group in groups])


def _chart(groups: _Groups) -> Chart | None:
    drawn = [
        (group, metric, dots)
        for group in groups
        for metric, dots in dots_of(group).items()
        if len({dot.cost for dot in dots}) > 1
    ]
    panels = [
        Panel(
            f"{group[0].traffic}: {names.quantity(metric)} by cost",
            _picture(dots, metric),
            f"pareto{number}",
            _says(group, metric, dots),
        )
        for number, (group, metric, dots) in enumerate(drawn[:MOST_PANELS])
    ]
    return Chart(panels, _LEGEND, left_out_note(len(drawn) - len(panels))) if panels else None


def dots_of(group: Sequence[Choice]) -> dict[str, list[Dot]]:
    """The rows by each metric that they are weighed by."""
    found: dict[str, list[Dot]] = {}
    for number, each in enumerate(group, 1):
        series = series_of(each.row.identity.implementation)
        for metric, value in filter(None, (each.speed, each.work)):
            dot = Dot(each.cost, value, series, str(number), each.beaten_by is None)
            found.setdefault(metric, []).append(dot)
    return found


def _says(group: Sequence[Choice], metric: str, dots: Sequence[Dot]) -> str:
    told = "; ".join(
        f"{dot.number}, {dot.series}, cost {dot.cost:.4g}: {names.number(dot.value, metric)}"
        + (", best" if dot.best else "")
        for dot in dots
    )
    return f"Points of {names.quantity(metric)} by cost, {group[0].traffic}. {told}."


def envelope(dots: Sequence[Dot], metric: str) -> list[Dot]:
    """The dots that are better than all that cost as much or less, by cost."""
    sign = -1 if better(metric) == "higher" else 1
    kept: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (dot.cost, sign * dot.value)):
        if not kept or sign * dot.value < sign * kept[-1].value:
            kept.append(dot)
    return kept


def _picture(dots: Sequence[Dot], metric: str) -> Picture:
    most_cost, most = max(dot.cost for dot in dots), max(dot.value for dot in dots)
    ends = alt.Scale(domain=[0, most_cost * _ROOM or 1], nice=False)
    x = alt.X("cost:Q", title="cost", scale=ends, axis=alt.Axis(tickCount=5, format=".4~r"))
    y = alt.Y(
        "value:Q",
        title=None,
        scale=alt.Scale(domain=[0, most * _ROOM or 1], nice=False),
        axis=alt.Axis(tickCount=4, format=".4~r", domain=False, ticks=False, minExtent=_LABELS),
    )
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=[SOFTWARE, HARDWARE], range=[FILLS[SOFTWARE], FILLS[HARDWARE]]),
        legend=None,
    )
    front = [asdict(dot) for dot in envelope(dots, metric)]
    line = (
        alt.Chart(alt.InlineData(values=front))
        .mark_line(stroke="currentColor", strokeWidth=1, interpolate="step-after")
        .encode(x=x, y=y)
    )
    base = alt.Chart(alt.InlineData(values=[asdict(dot) for dot in dots])).encode(x=x, y=y)
    points = base.mark_point(filled=True, size=40, opacity=1).encode(color=colour)
    # Around a number is the page's colour, which keeps the line out of it.
    numbers = base.mark_text(
        align="left",
        dx=6,
        dy=-6,
        fontSize=11,
        fill="currentColor",
        stroke="var(--paper)",
        strokeWidth=4,
    ).encode(text="number:N")
    return alt.layer(line, points, numbers, width=_WIDTH, height=_HEIGHT)


def _sheet(group: Sequence[Choice]) -> Sheet:
    numbers = {id(each.row): number for number, each in enumerate(group, 1)}
    rows: list[list[Text]] = [
        [
            f"{numbers[id(each.row)]}. {each.row.label}",
            f"{each.cost:.4g}",
            names.number(each.speed[1], each.speed[0]),
            names.number(each.work[1], each.work[0]) if each.work else MISSING,
            f"beaten by {numbers[id(each.beaten_by.row)]}"
            if each.beaten_by
            else Mark("best", "good"),
        ]
        for each in group
    ]
    work = next((each.work[0] for each in group if each.work), None)
    columns = (
        "cost",
        names.quantity(group[0].speed[0]),
        names.quantity(work) if work else "CPU work",
        "for its cost",
    )
    return Sheet(f"What boards cost and give: {group[0].traffic}", columns, rows)
