# SPDX-License-Identifier: Apache-2.0
"""The report's charts, as SVG text that takes its colours from the page's style sheet.

Bars lie on their side, one pair a configuration: ours, and below it the published value if there
is one.  A panel is a picture of its own, narrow enough to be read on a phone without being scaled
down; the page sets them side by side where there is room.
"""

import re
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from firesteel import names
from firesteel.compare import configuration

_WIDTH = 180
"""Pixels for the bars."""

_LABELS = 180
"""Pixels for the labels to their left: enough for the longest in the widest usual font."""

_TWO_LINES = (
    "indexof(datum.label, ', ') < 0 ? datum.label : "
    "[slice(datum.label, 0, indexof(datum.label, ', ')), "
    "slice(datum.label, indexof(datum.label, ', ') + 2)]"
)
"""A label's second line is what comes behind the suite: the implementation, the completion."""

_BAR = 9
"""Pixels of one bar's height."""

_FONT = "Arial, Helvetica, sans-serif"
_SERIES = ("ours", "published")
_FILLS = ("var(--ours)", "var(--published)")


@dataclass(frozen=True)
class Panel:
    """A picture and the title that the page sets above it."""

    title: str
    svg: str


def ping_panels(comparison: pl.DataFrame) -> list[Panel]:
    """Mean RTT: a panel a payload size."""
    part = comparison.filter((pl.col("experiment") == "ping") & (pl.col("metric") == "rtt_mean"))
    return [
        Panel(f"Mean RTT of {size}, ms", _svg(part.filter(pl.col("parameter") == size), f"p{n}"))
        for n, size in enumerate(part["parameter"].unique(maintain_order=True))
    ]


def transfer_panels(comparison: pl.DataFrame) -> list[Panel]:
    """Throughput, and CPU use."""
    part = comparison.filter(pl.col("experiment") == "file-transfer")
    titles = {"throughput": "Throughput, MB/s", "cpu": "CPU use, % of the loaded core"}
    return [
        Panel(title, _svg(rows, metric))
        for metric, title in titles.items()
        if not (rows := part.filter(pl.col("metric") == metric)).is_empty()
    ]


def _svg(part: pl.DataFrame, name: str) -> str:
    return as_svg(_bars(_values(part)), name)


def as_svg(picture: alt.LayerChart | alt.FacetChart, name: str) -> str:
    """A chart as the page has it; `name` is its own among the page's pictures."""
    chart = (
        picture.configure(font=_FONT, background="transparent", padding=2, aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            gridColor="var(--line)",
            labelFontSize=11,
        )
    )
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    # Identifiers are global in a page, so each picture gets its own; its size follows the page.
    svg = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    return re.sub(
        r'<svg[^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1" aria-hidden="true">', svg, count=1
    )


def _values(part: pl.DataFrame) -> list[dict[str, Any]]:
    """A row a bar, with the text at its end."""
    rows = []
    for row in part.iter_rows(named=True):
        for series, key in zip(_SERIES, ("value", "published"), strict=True):
            if row[key] is not None:
                text = names.number(row[key], row["unit"], row["metric"])
                rows.append(
                    {
                        "configuration": configuration(row),
                        "series": series,
                        "value": row[key],
                        "text": text,
                    }
                )
    return rows


def _bars(values: list[dict[str, Any]]) -> alt.LayerChart | alt.FacetChart:
    order = list(dict.fromkeys(row["configuration"] for row in values))
    longest = max(row["value"] for row in values)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y(
            "configuration:N",
            sort=order,
            title=None,
            axis=alt.Axis(
                ticks=False,
                domain=False,
                labelPadding=6,
                minExtent=_LABELS,
                labelExpr=_TWO_LINES,
                # The first of two lines is where a lone one is.
                labelOffset=-4,
                labelLineHeight=11,
            ),
            scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1),
        ),
        yOffset=alt.YOffset("series:N", sort=list(_SERIES), scale=alt.Scale(domain=_SERIES)),
        x=alt.X(
            "value:Q",
            title=None,
            # Room at the right for the number behind the longest bar.
            scale=alt.Scale(domain=[0, (longest or 1) * 1.25], nice=False),
            axis=alt.Axis(tickCount=4, domain=False, ticks=False),
        ),
    )
    bars = base.mark_bar(height=_BAR).encode(
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=_SERIES, range=_FILLS),
            legend=None,
        )
    )
    numbers = base.mark_text(
        align="left", dx=3, baseline="middle", fontSize=9, fill="currentColor"
    ).encode(text="text:N")
    return alt.layer(bars, numbers).properties(
        width=_WIDTH, height=alt.Step(_BAR + 1, **{"for": "offset"})
    )
