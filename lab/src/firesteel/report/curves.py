# SPDX-License-Identifier: Apache-2.0
"""The report's curves: what a request takes by its size, in software and on the cores.

Where two lines cross, offload breaks even.  Both axes are logarithmic.
"""

from typing import Any

import altair as alt
import polars as pl

from firesteel.analysis.boards import BOARD, Boards
from firesteel.analysis.rows import identity_in, read_results
from firesteel.model.cell import AS_INSTALLED
from firesteel.report.charts import (
    HARDWARE,
    MOST_PANELS,
    SOFTWARE,
    Chart,
    Panel,
    Picture,
    as_svg,
    left_out_note,
)
from firesteel.workloads import titles

_WIDTH, _HEIGHT = 300, 190
"""Pixels of the field; with the labels it is as wide as a phone."""

_KERNEL = "hardware-kernel"
_SERIES = (SOFTWARE, HARDWARE, _KERNEL)
_FILLS = ("var(--software)", "var(--hardware)", "var(--hardware)")
_DASHES = ([1, 0], [1, 0], [4, 3])


def break_even_chart(figures: pl.DataFrame, boards: Boards) -> Chart | None:
    """Of labelled figures: a panel for each suite that was measured by size, both ways."""
    part = figures.filter(
        pl.col("metric").is_in(["time_per_request", "time_per_request_p50"])
        & pl.col("implementation").is_in(_SERIES)
    )
    groups = part.partition_by("experiment", "cipher", "mac", BOARD, maintain_order=True)
    curves = [curve for group in groups if (curve := _curve(group))]
    panels = [
        _panel(group, values, number, boards)
        for number, (group, values) in enumerate(curves[:MOST_PANELS])
    ]
    legend = [(SOFTWARE, SOFTWARE), (HARDWARE, HARDWARE)]
    if any(each["series"] == _KERNEL for _, values in curves for each in values):
        legend.append(("hardware dashed", "hardware through the kernel's driver"))
    return Chart(panels, legend, left_out_note(len(curves) - len(panels))) if panels else None


def _curve(group: pl.DataFrame) -> tuple[pl.DataFrame, list[dict[str, Any]]] | None:
    """A group with the points of its curves; None where there is nothing to draw a line between."""
    # A median of single requests is the better figure where there is one.
    metrics = set(group["metric"])
    metric = "time_per_request_p50" if "time_per_request_p50" in metrics else "time_per_request"
    values = [
        {
            "size": result.identity.parameter.size_bytes,
            "value": result.value,
            "series": result.identity.implementation,
        }
        for result in read_results(group, [metric])
        if result.identity.parameter.of_one_request
        and result.identity.is_usual
        and result.identity.implementation != AS_INSTALLED
    ]
    series = {each["series"] for each in values}
    if not {SOFTWARE, HARDWARE} <= series or len({each["size"] for each in values}) < 2:
        return None
    return group, values


def _panel(group: pl.DataFrame, values: list[dict[str, Any]], number: int, boards: Boards) -> Panel:
    first = group.row(0, named=True)
    suite = titles.configuration(first["protocol"], first["cipher"], first["mac"])
    what = boards.label(suite, first[BOARD])
    decrypting = ", decrypting" if identity_in(first).parameter.direction == "decrypt" else ""
    title = f"{what}{decrypting}: µs by bytes"
    return Panel(title, as_svg(_lines(values), f"c{number}", _says(what + decrypting, values)))


def _says(title: str, values: list[dict[str, Any]]) -> str:
    lines: dict[str, list[str]] = {}
    for each in sorted(values, key=lambda each: float(each["size"])):
        lines.setdefault(each["series"], []).append(f"{each['value']:.3g} µs at {each['size']} B")
    told = "; ".join(f"{series}: {', '.join(points)}" for series, points in lines.items())
    return f"Lines of the time a request takes by its size, {title}. {told}."


def _marks(sizes: list[int]) -> list[int]:
    """Every fourth power of two, so that there is room for the numbers."""
    return [1 << power for power in range(4, 24, 2) if sizes[0] <= 1 << power <= sizes[-1]]


def _lines(values: list[dict[str, Any]]) -> Picture:
    sizes = sorted({each["size"] for each in values})
    times = [each["value"] for each in values]
    base = alt.Chart(alt.InlineData(values=values)).encode(
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
            axis=alt.Axis(tickCount=5, format="~g", domain=False, ticks=False, minExtent=22),
        ),
        color=alt.Color("series:N", scale=alt.Scale(domain=_SERIES, range=_FILLS), legend=None),
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=_SERIES, range=_DASHES), legend=None)
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=dash)
    points = base.mark_point(filled=True, size=22)
    return alt.layer(lines, points).properties(width=_WIDTH, height=_HEIGHT)
