# SPDX-License-Identifier: Apache-2.0
"""A sweep of two numbers: a map of each ratio, and the line along which both sides are equal.

The line is where the logarithm of the ratio, linear along the sides of each square of four points,
is 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log

import altair as alt

from firesteel.advice.sweep import SweepAnswer, SweptRow
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.sheet import ratio
from firesteel.report.axes import Axis
from firesteel.report.charts import MOST_PANELS, Chart, Panel, Picture, left_out_note
from firesteel.report.response import SPEED, WORK, ratios_of

_WIDTH, _HEIGHT = 290, 230

_STEPS = (1 / 2, 1 / 1.2, 1 - SLACK, 1 + SLACK, 1.2, 2.0)
"""Ratios between which colours differ."""

COLOURS = tuple(f"var(--heat-{number})" for number in range(len(_STEPS) + 1))
"""From the worst to the best."""

_LEGEND = (
    ("heat-0", "less than half"),
    ("heat-1", "worse"),
    ("heat-2", "slightly worse"),
    ("heat-3", "no difference"),
    ("heat-4", "slightly better"),
    ("heat-5", "better"),
    ("heat-6", "more than twice as good"),
    ("line", "hardware and software are equal"),
)

_MOST_TEXTS = 8
"""Values of either number up to which there is room for ratios in a map."""

_Place = tuple[float, float]
_Ratios = Mapping[_Place, float]


def contours_chart(answer: SweepAnswer) -> Chart | None:
    """A panel for each row and ratio, those whose verdict changes first."""
    rows = sorted(answer.rows, key=lambda row: len({pair.verdict for pair in row.at.values()}) < 2)
    drawn = [
        (row, measure, found)
        for row in rows
        for measure in (SPEED, WORK)
        if len(found := _ratios(row, measure)) > 1
    ]
    panels = [
        Panel(
            f"{row.name}: {measure}, × software",
            _picture(answer, found, better_high=measure == SPEED),
            f"contour{number}",
            _says(answer, row, measure, found),
        )
        for number, (row, measure, found) in enumerate(drawn[:MOST_PANELS])
    ]
    return Chart(panels, _LEGEND, left_out_note(len(drawn) - len(panels))) if panels else None


def _ratios(row: SweptRow, measure: str) -> dict[_Place, float]:
    return {
        (x, y): value
        for (x, y), pair in row.at.items()
        if x is not None and y is not None and (value := ratios_of(pair).get(measure))
    }


def _says(answer: SweepAnswer, row: SweptRow, measure: str, found: _Ratios) -> str:
    one, other = answer.paths
    told = "; ".join(
        f"{ratio(value)} at {one.said(x)} and {other.said(y)}"
        for (x, y), value in sorted(found.items())
    )
    return f"Map of {measure}, hardware divided by software, {row.name}. {told}."


def _picture(answer: SweepAnswer, found: _Ratios, *, better_high: bool) -> Picture:
    across, up = (
        Axis.of(path, (at[number] for at in found)) for number, path in enumerate(answer.paths)
    )
    cells = [
        {
            **_square(across, x, "x"),
            **_square(up, y, "y"),
            "at_x": across.at(x),
            "at_y": up.at(y),
            # The colour is by how good it is, the text by what it is.
            "good": value if better_high else 1 / value,
            "text": ratio(value),
        }
        for (x, y), value in found.items()
    ]
    x, y = across.encoded(alt.X, "x", whole=True), up.encoded(alt.Y, "y", whole=True)
    base = alt.Chart(alt.InlineData(values=cells))
    scale = alt.Scale(type="threshold", domain=list(_STEPS), range=list(COLOURS))
    colour = alt.Color("good:Q", scale=scale, legend=None)
    layers = [base.mark_rect().encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour)]
    if segments := list(_even(across, up, found)):
        layers.append(
            alt.Chart(alt.InlineData(values=segments))
            .mark_rule(stroke="currentColor", strokeWidth=2)
            .encode(x=x, x2="x2:Q", y=y, y2="y2:Q")
        )
    if max(len(across.values), len(up.values)) <= _MOST_TEXTS:
        layers.append(
            # Around a text is the colour of its square, which keeps the line out of it.
            base.mark_text(fontSize=11, fill="currentColor", strokeWidth=6).encode(
                stroke=alt.Stroke("good:Q", scale=scale, legend=None),
                x=across.encoded(alt.X, "at_x", whole=True),
                y=up.encoded(alt.Y, "at_y", whole=True),
                text="text:N",
            )
        )
    return alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)


def _square(axis: Axis, value: float, key: str) -> dict[str, float]:
    """What is nearer to a value than to its neighbours."""
    number = axis.values.index(axis.at(value))
    return {key: axis.edges[number], f"{key}2": axis.edges[number + 1]}


def _even(across: Axis, up: Axis, found: _Ratios) -> Iterator[dict[str, float]]:
    """The line at which both sides are equal, in pieces."""
    logs = {(across.at(x), up.at(y)): log(value) for (x, y), value in found.items()}
    for left, right in pairwise(across.values):
        for low, high in pairwise(up.values):
            corners = ((left, low), (right, low), (right, high), (left, high))
            if all(corner in logs for corner in corners):
                sides = zip(corners, (*corners[1:], corners[0]), strict=True)
                ends = [end for side in sides if (end := _crossing(*side, logs, (across, up)))]
                # Four crossings are a saddle, whose pieces are taken in order.
                for one, other in zip(ends[::2], ends[1::2], strict=False):
                    yield {"x": one[0], "y": one[1], "x2": other[0], "y2": other[1]}


def _crossing(one: _Place, other: _Place, logs: _Ratios, axes: Sequence[Axis]) -> _Place | None:
    """Where the line passes between two corners; None where it does not."""
    first, last = logs[one], logs[other]
    if (first < 0) == (last < 0):
        return None
    share = first / (first - last)
    x, y = (axis.between(a, b, share) for axis, a, b in zip(axes, one, other, strict=True))
    return x, y
