# SPDX-License-Identifier: Apache-2.0
"""Lines of a metric by size: software and hardware, ours and published."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import log2

import altair as alt

from firesteel.analysis.rows import Result
from firesteel.model.cell import OTHER_SOFTWARE
from firesteel.report.charts import (
    FILLS,
    HARDWARE,
    MOST_PANELS,
    OURS,
    PUBLISHED,
    SOFTWARE,
    Chart,
    Panel,
    Picture,
    Point,
    left_out_note,
    series_of,
)
from firesteel.report.panels import Group
from firesteel.workloads.presentation import Lines

_WIDTH, _HEIGHT = 300, 170
"""Pixels of the field; with the labels it is as wide as a phone."""

_DIGIT, _GAP = 6.7, 3
"""Pixels of a digit below the field, and between two numbers."""

_STYLES = (
    ("software", OURS, SOFTWARE),
    ("hardware", OURS, HARDWARE),
    ("software dashed", PUBLISHED, SOFTWARE),
    ("hardware dashed", PUBLISHED, HARDWARE),
)
"""Classes of the style sheet, by whose a line is and which series."""


def lines_chart(lines: Lines, suites: Iterable[Group]) -> Chart | None:
    """A metric by size, a panel a tunnel and suite (and board)."""
    of = (lines.series.name, lines.metric)
    parts = (
        (title, part)
        for title, group in suites
        if (part := [each for each in group if (each.identity.workload, each.metric) == of])
    )
    panels: list[Panel] = []
    told: set[tuple[str, str]] = set()
    left_out = 0
    for number, (title, part) in enumerate(parts):
        points = _points(part)
        if len({point.size for point in points}) < 2:
            continue
        if len(panels) >= MOST_PANELS:
            left_out += 1
            continue
        told |= {(point.whose, point.series) for point in points}
        heading, says = f"{title}: {lines.unit} by {lines.size_unit}", _says(lines, title, points)
        panels.append(Panel(heading, _lines(points), f"l{number}", says))
    legend = [(style, _of(told, *line)) for style, *line in _STYLES if tuple(line) in told]
    return Chart(panels, legend, left_out_note(left_out)) if panels else None


def _points(group: Iterable[Result]) -> list[Point]:
    points = []
    for each in group:
        size, series = each.identity.parameter.size_bytes, series_of(each.identity.implementation)
        if size is None or not each.identity.is_usual:
            continue
        # Of ours in software, the baseline is drawn and no other.
        if each.identity.implementation not in OTHER_SOFTWARE:
            points.append(Point(size, each.value, series))
        if each.published is not None:
            points.append(Point(size, each.published, series, PUBLISHED))
    return points


def _of(told: Iterable[tuple[str, str]], whose: str, series: str) -> str:
    """A line in words; whose it is goes without saying where all are ours."""
    return series if {each for each, _ in told} == {OURS} else f"{whose}, {series}"


def _says(lines: Lines, title: str, points: Sequence[Point]) -> str:
    values: dict[str, list[str]] = {}
    told_of = {(point.whose, point.series) for point in points}
    for point in sorted(points, key=lambda point: point.size):
        of = _of(told_of, point.whose, point.series)
        values.setdefault(of, []).append(f"{point.value:.3f} {lines.unit} at {point.size} B")
    told = "; ".join(f"{of}: {', '.join(each)}" for of, each in values.items())
    return f"Lines of {lines.quantity} by {lines.size}, {title}. {told}."


def _lines(points: Sequence[Point]) -> Picture:
    sizes = sorted({point.size for point in points})
    highest = max(point.value for point in points)
    drawn = [asdict(point) | {"line": f"{point.series} {point.whose}"} for point in points]
    base = alt.Chart(alt.InlineData(values=drawn)).encode(
        x=alt.X(
            "size:Q",
            title=None,
            scale=alt.Scale(type="log", base=2, domain=[sizes[0], sizes[-1]], nice=False),
            # `_apart` sees to the room for numbers; the renderer would leave out or move the last.
            axis=alt.Axis(
                values=_apart(sizes),
                format="d",
                ticks=False,
                labelOverlap=False,
                labelFlush=False,
                # The first keeps clear of the other axis.
                labelAlign={
                    "condition": {"test": f"datum.value == {sizes[0]}", "value": "left"},
                    "value": "center",
                },
            ),
        ),
        y=alt.Y(
            "value:Q",
            title=None,
            scale=alt.Scale(domain=[0, highest * 1.05], nice=False),
            axis=alt.Axis(tickCount=5, format="~f", domain=False, ticks=False, minExtent=22),
        ),
        detail="line:N",
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(FILLS), range=list(FILLS.values())),
            legend=None,
        ),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "whose:N",
            scale=alt.Scale(domain=[OURS, PUBLISHED], range=[[1, 0], [5, 4]]),
            legend=None,
        )
    )
    dots = base.mark_point(filled=True, size=24)
    return alt.layer(lines, dots).properties(width=_WIDTH, height=_HEIGHT)


def _apart(sizes: list[int]) -> list[int]:
    """The sizes that have room for their number, from the largest down."""
    octave = _WIDTH / max(log2(sizes[-1] / sizes[0]), 1)
    kept: list[int] = []
    for size in reversed(sizes):
        digits = (len(str(size)) + len(str(kept[-1]))) / 2 if kept else 0
        if not kept or log2(kept[-1] / size) * octave >= digits * _DIGIT + _GAP:
            kept.append(size)
    return kept
