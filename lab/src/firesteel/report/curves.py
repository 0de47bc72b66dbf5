# SPDX-License-Identifier: Apache-2.0
"""The report's curves: what a request takes by its size, in software and on the cores.

Where two lines cross, offload breaks even.  Both axes are logarithmic.
"""

from collections.abc import Iterator
from typing import Any

import altair as alt
import polars as pl

from firesteel import names
from firesteel.report.charts import Panel, as_svg

_WIDTH, _HEIGHT = 300, 190
"""Pixels of the field; with the labels it is as wide as a phone."""

_SOFTWARE, _CORES, _KERNEL = "software", "hardware", "hardware-kernel"
_SERIES = (_SOFTWARE, _CORES, _KERNEL)
_FILLS = ("var(--published)", "var(--ours)", "var(--ours)")
_DASHES = ([1, 0], [1, 0], [4, 3])


def break_even_panels(figures: pl.DataFrame) -> list[Panel]:
    """A panel for each suite that was measured by size, both ways."""
    part = figures.filter(
        pl.col("metric").is_in(["time_per_request", "time_per_request_p50"])
        & pl.col("implementation").is_in(_SERIES)
    )
    groups = part.partition_by("experiment", "cipher", "mac", maintain_order=True)
    return [panel for number, group in enumerate(groups) for panel in _panels(group, number)]


def _panels(group: pl.DataFrame, number: int) -> Iterator[Panel]:
    values = [
        {
            "size": int(row["parameter"].split()[0]),
            "value": row["value"],
            "series": row["implementation"],
        }
        for row in group.iter_rows(named=True)
        if row["parameter"].count(" ") == 1
    ]
    series = {each["series"] for each in values}
    if not {_SOFTWARE, _CORES} <= series or len({each["size"] for each in values}) < 2:
        return
    first = group.row(0, named=True)
    what = names.configuration(first["protocol"], first["cipher"], first["mac"])
    decrypting = ", decrypting" if first["experiment"].endswith("-decrypt") else ""
    dashed = "; dashed: through the kernel's driver" if _KERNEL in series else ""
    title = f"{what}{decrypting}: µs by bytes{dashed}"
    yield Panel(title, as_svg(_lines(values), f"c{number}"))


def _marks(sizes: list[int]) -> list[int]:
    """Every fourth power of two, so that there is room for the numbers."""
    return [1 << power for power in range(4, 24, 2) if sizes[0] <= 1 << power <= sizes[-1]]


def _lines(values: list[dict[str, Any]]) -> alt.LayerChart | alt.FacetChart:
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
            axis=alt.Axis(tickCount=5, format="~g", domain=False, ticks=False),
        ),
        color=alt.Color("series:N", scale=alt.Scale(domain=_SERIES, range=_FILLS), legend=None),
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=_SERIES, range=_DASHES), legend=None)
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=dash)
    points = base.mark_point(filled=True, size=22)
    return alt.layer(lines, points).properties(width=_WIDTH, height=_HEIGHT)
