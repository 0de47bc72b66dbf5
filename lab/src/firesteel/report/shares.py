# SPDX-License-Identifier: Apache-2.0
"""Histograms: a bar a configuration, stacked from the smallest class to the largest."""

from collections.abc import Iterable
from typing import Any

import altair as alt
import polars as pl

from firesteel.analysis.boards import LABEL, Boards
from firesteel.analysis.sheet import Sheet, value
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.parameter import read_parameter
from firesteel.report.bars import by_protocol
from firesteel.report.charts import (
    MOST_PANELS,
    Chart,
    Panel,
    Picture,
    as_svg,
    left_out_note,
    named_rows,
    step,
)
from firesteel.workloads import titles
from firesteel.workloads.presentation import Shares

OTHER = "other"
_WIDTH, _LABELS, _BAR = 200, 150, 12
_ROOM = 135
"""Percent that the field is wide: what is beyond the bars is for the words behind them."""

_LEAST = 0.5
"""Percent of packets below which a class is drawn with the others."""

_CLASSES = 5
"""Colours there are for classes; the style sheet has as many."""

_MOST_NAMES = 16


def shares_chart(shares: Shares, comparison: pl.DataFrame, boards: Boards) -> Chart | None:
    """Ours, and below it what was published, a panel a protocol (and board)."""
    part = _part(shares, comparison)
    if part.is_empty():
        return None
    classes = _drawn(part)
    panels: list[Panel] = []
    left_out = 0
    for title, group in by_protocol(part, boards):
        bars = _bars_of(group, classes)
        order = list(dict.fromkeys(bar["name"] for bar in bars))
        kept = order[:_MOST_NAMES] if len(panels) < MOST_PANELS else []
        left_out += len(order) - len(kept)
        if kept:
            drawn = [bar for bar in bars if bar["name"] in kept]
            svg = as_svg(
                _bars(drawn, [*classes, OTHER]), f"z{len(panels)}", _says(shares, title, drawn)
            )
            panels.append(Panel(f"{title}: % of {shares.of}", svg))
    legend = [(f"class-{number}", name) for number, name in enumerate(classes)]
    legend.append(("class-other", "all others"))
    return Chart(panels, legend, left_out_note(left_out))


def shares_sheet(shares: Shares, comparison: pl.DataFrame) -> Sheet | None:
    """The histogram; a published share stands in brackets."""
    part = _part(shares, comparison)
    if part.is_empty():
        return None
    largest = part.group_by("parameter", maintain_order=True).agg(pl.col("value").max())
    classes = _from_small_to_large(largest.filter(pl.col("value") > 0)["parameter"])
    rows = []
    for figures in part.partition_by(LABEL, maintain_order=True):
        by_class = {row["parameter"]: row for row in figures.iter_rows(named=True)}
        rows.append(
            [figures[LABEL][0], *(_with_published(by_class.get(name, {})) for name in classes)]
        )
    return Sheet(shares.caption, classes, rows)


def _part(shares: Shares, comparison: pl.DataFrame) -> pl.DataFrame:
    return comparison.filter(
        (pl.col("experiment") == shares.series.name) & (pl.col("parameter") != OTHER)
    )


def _drawn(part: pl.DataFrame) -> list[str]:
    """The classes with colours of their own: the most frequent ones, from small to large."""
    largest = part.group_by("parameter", maintain_order=True).agg(pl.col("value").max())
    often = largest.filter(pl.col("value") >= _LEAST).sort(
        "value", descending=True, maintain_order=True
    )
    return _from_small_to_large(often["parameter"][:_CLASSES])


def _bars_of(part: pl.DataFrame, classes: list[str]) -> list[dict[str, Any]]:
    bars: list[dict[str, Any]] = []
    for figures in part.partition_by(LABEL, maintain_order=True):
        row = figures.row(0, named=True)
        suite = titles.suite(row["cipher"], row["mac"])
        name = (
            titles.protocol(NO_TUNNEL)
            if row["protocol"] == NO_TUNNEL
            else f"{suite}, {titles.implementation(row['implementation'])}"
        )
        for key, whose in (("value", "ours"), ("published", "published")):
            there = {
                row["parameter"]: row[key] for row in figures.to_dicts() if row[key] is not None
            }
            if not there:
                continue
            stacked = {name: there.get(name, 0.0) for name in classes}
            stacked[OTHER] = max(0.0, 100 - sum(stacked.values()))
            bars += [
                {
                    "name": name,
                    "whose": whose,
                    "class": each,
                    "value": share,
                    "place": n,
                }
                for n, (each, share) in enumerate(stacked.items())
            ]
    return bars


def _says(shares: Shares, title: str, bars: list[dict[str, Any]]) -> str:
    told: dict[str, list[str]] = {}
    for bar in bars:
        if bar["value"] >= _LEAST:
            of = f"{bar['name']}, {bar['whose']}"
            told.setdefault(of, []).append(f"{bar['class']} {bar['value']:.1f} %")
    return f"Stacked bars of {shares.what}, {title}. " + "; ".join(
        f"{of}: {', '.join(each)}" for of, each in told.items()
    )


def _bars(bars: list[dict[str, Any]], classes: list[str]) -> Picture:
    fills = [f"var(--class-{number})" for number in range(len(classes) - 1)] + ["var(--band)"]
    y, offset = named_rows(bars, _LABELS)
    across = alt.Scale(domain=[0, _ROOM], nice=False)
    axis = alt.Axis(values=[0, 25, 50, 75, 100], domain=False, ticks=False)
    ends = list({(bar["name"], bar["whose"]): bar | {"end": 100} for bar in bars}.values())
    whose = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_text(align="left", dx=4, baseline="middle", fontSize=11, fill="currentColor")
        .encode(y=y, yOffset=offset, x=alt.X("end:Q", scale=across), text="whose:N")
    )
    chart = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(height=_BAR, stroke="var(--paper)", strokeWidth=0.5)
        .encode(
            y=y,
            yOffset=offset,
            x=alt.X(
                "value:Q",
                title=None,
                stack="zero",
                scale=across,
                axis=axis,
            ),
            color=alt.Color("class:N", scale=alt.Scale(domain=classes, range=fills), legend=None),
            order="place:Q",
        )
    )
    return alt.layer(chart, whose).properties(width=_WIDTH, height=step(bars))


def _from_small_to_large(classes: Iterable[str]) -> list[str]:
    """The classes by their lower bound."""
    return sorted(classes, key=lambda name: read_parameter(name).class_bytes or 0)


def _with_published(row: dict[str, Any]) -> str:
    if row.get("published") is None:
        return value(row)
    return f"{value(row)} ({value(row, 'published')})"
