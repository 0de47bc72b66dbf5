# SPDX-License-Identifier: Apache-2.0
"""The report's charts, as SVG text that takes its colours from the page's style sheet.

Bars lie on their side, one pair a configuration: ours, and below it the published value if there
is one.  The pictures are narrow enough to be read on a phone without being scaled down.
"""

import re
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from firesteel import names
from firesteel.compare import configuration

_WIDTH = 190
"""Pixels for the bars; the labels to their left take about as much."""

_BAR = 9
"""Pixels of one bar's height."""

_FONT = "system-ui, sans-serif"
_SERIES = ("ours", "published")
_FILLS = ("var(--ours)", "var(--published)")


def ping_chart(comparison: pl.DataFrame) -> str:
    """Mean RTT: a panel a payload size; empty when there are no pings."""
    part = comparison.filter((pl.col("experiment") == "ping") & (pl.col("metric") == "rtt_mean"))
    panels = [
        (f"{size}: mean RTT, ms", part.filter(pl.col("parameter") == size))
        for size in part["parameter"].unique(maintain_order=True)
    ]
    return _svg(panels, "ping")


def transfer_chart(comparison: pl.DataFrame) -> str:
    """Throughput, and below it the CPU use; empty when there is no file transfer."""
    part = comparison.filter(pl.col("experiment") == "file-transfer")
    titles = {"throughput": "Throughput, MB/s", "cpu": "CPU use, % of the loaded core"}
    panels = [
        (title, rows)
        for metric, title in titles.items()
        if not (rows := part.filter(pl.col("metric") == metric)).is_empty()
    ]
    return _svg(panels, "transfer")


def _svg(panels: list[tuple[str, pl.DataFrame]], name: str) -> str:
    if not panels:
        return ""
    charts = [_panel(title, _values(part)) for title, part in panels]
    whole = (
        alt.vconcat(*charts, spacing=14)
        .configure(font=_FONT, background="transparent", padding=2, aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            tickColor="currentColor",
            domainColor="currentColor",
            gridColor="var(--line)",
            labelFontSize=11,
        )
        .configure_title(color="currentColor", anchor="start", fontSize=13, offset=6)
        .configure_legend(labelColor="currentColor", labelFontSize=11, title=None)
    )
    svg: str = vl_convert.vegalite_to_svg(whole.to_json())
    # Identifiers are global in a page, so each picture gets its own; its size follows the page.
    svg = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", svg, count=1)


def _values(part: pl.DataFrame) -> list[dict[str, Any]]:
    """A row a bar, with the text at its end."""
    rows = []
    for row in part.iter_rows(named=True):
        for series, key in zip(_SERIES, ("value", "published"), strict=True):
            if row[key] is not None:
                text = names.number(row[key], row["unit"])
                rows.append(
                    {
                        "configuration": configuration(row),
                        "series": series,
                        "value": row[key],
                        "text": text,
                    }
                )
    return rows


def _panel(title: str, values: list[dict[str, Any]]) -> alt.LayerChart:
    order = list(dict.fromkeys(row["configuration"] for row in values))
    longest = max(row["value"] for row in values)
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y(
            "configuration:N",
            sort=order,
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelPadding=6, labelLimit=200),
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
            legend=alt.Legend(orient="top", direction="horizontal"),
        )
    )
    numbers = base.mark_text(
        align="left", dx=3, baseline="middle", fontSize=9, fill="currentColor"
    ).encode(text="text:N")
    return alt.layer(bars, numbers).properties(
        title=title, width=_WIDTH, height=alt.Step(_BAR + 1, **{"for": "offset"})
    )
