# SPDX-License-Identifier: Apache-2.0
"""The report's curves: what a request takes by its size, in software and on the cores.

Where two lines cross, offload breaks even.  Both axes are logarithmic.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import altair as alt

from firesteel.analysis.rows import Result
from firesteel.model.cell import OTHER_SOFTWARE
from firesteel.report.charts import (
    HARDWARE,
    MOST_PANELS,
    SOFTWARE,
    Chart,
    Panel,
    Picture,
    Point,
    left_out_note,
)
from firesteel.report.panels import Group

_WIDTH, _HEIGHT = 300, 190
"""Pixels of the field; with the labels it is as wide as a phone."""

_TIME, _MEDIAN = "time_per_request", "time_per_request_p50"
_KERNEL = "hardware-kernel"
_SERIES = (SOFTWARE, HARDWARE, _KERNEL)
_FILLS = ("var(--software)", "var(--hardware)", "var(--hardware)")
_DASHES = ([1, 0], [1, 0], [4, 3])


def break_even_chart(suites: Iterable[Group]) -> Chart | None:
    """A panel for each suite that was measured by size, both ways."""
    drawn = ((title, _drawn(group)) for title, group in suites)
    curves = [
        (f"{title}{_doing(group[0])}", points)
        for title, group in drawn
        if (points := _points(group))
    ]
    panels = [
        Panel(f"{what}: µs by bytes", _lines(points), f"c{number}", _says(what, points))
        for number, (what, points) in enumerate(curves[:MOST_PANELS])
    ]
    legend = [(SOFTWARE, SOFTWARE), (HARDWARE, HARDWARE)]
    if any(each.series == _KERNEL for _, points in curves for each in points):
        legend.append(("hardware dashed", "hardware through the kernel's driver"))
    return Chart(panels, legend, left_out_note(len(curves) - len(panels))) if panels else None


def _drawn(group: Iterable[Result]) -> list[Result]:
    metrics = (_TIME, _MEDIAN)
    return [
        each for each in group if each.metric in metrics and each.identity.implementation in _SERIES
    ]


def _doing(result: Result) -> str:
    return ", decrypting" if result.identity.parameter.direction == "decrypt" else ""


def _points(group: Sequence[Result]) -> list[Point]:
    """The points of a group's curves; none where there is nothing to draw a line between."""
    # A median of single requests is the better figure where there is one.
    metric = _MEDIAN if any(each.metric == _MEDIAN for each in group) else _TIME
    points = [
        Point(size, each.value, each.identity.implementation)
        for each in group
        if each.metric == metric
        and each.identity.parameter.of_one_request
        and (size := each.identity.parameter.size_bytes) is not None
        and each.identity.is_usual
        and each.identity.implementation not in OTHER_SOFTWARE
    ]
    both = {SOFTWARE, HARDWARE} <= {each.series for each in points}
    return points if both and len({each.size for each in points}) > 1 else []


def _rounded(value: float) -> str:
    """To three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):.10g}"


def _says(title: str, points: Sequence[Point]) -> str:
    lines: dict[str, list[str]] = {}
    for each in sorted(points, key=lambda each: each.size):
        lines.setdefault(each.series, []).append(f"{_rounded(each.value)} µs at {each.size} B")
    told = "; ".join(f"{series}: {', '.join(values)}" for series, values in lines.items())
    return f"Lines of the time a request takes by its size, {title}. {told}."


def _marks(sizes: list[int]) -> list[int]:
    """Every fourth power of two, so that there is room for the numbers."""
    return [1 << power for power in range(4, 24, 2) if sizes[0] <= 1 << power <= sizes[-1]]


def _lines(points: Sequence[Point]) -> Picture:
    sizes = sorted({each.size for each in points})
    times = [each.value for each in points]
    base = alt.Chart(alt.InlineData(values=[asdict(each) for each in points])).encode(
        x=alt.X(
            "size:Q",
            title=None,
            scale=alt.Scale(type="log", base=2, domain=[sizes[0], sizes[-1]], nice=False),
            axis=alt.Axis(values=_marks(sizes), format="d", ticks=False),
        ),
        y=alt.Y(
            "value:Q",
            title=None,
            scale=alt.Scale(type="log", domain=[min(times) * 0.8, max(times) * 1.2], nice=False),
            axis=alt.Axis(tickCount=5, format="~f", domain=False, ticks=False, minExtent=22),
        ),
        color=alt.Color("series:N", scale=alt.Scale(domain=_SERIES, range=_FILLS), legend=None),
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=_SERIES, range=_DASHES), legend=None)
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=dash)
    dots = base.mark_point(filled=True, size=22)
    return alt.layer(lines, dots).properties(width=_WIDTH, height=_HEIGHT)
