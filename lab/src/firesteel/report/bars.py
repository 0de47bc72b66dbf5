# SPDX-License-Identifier: Apache-2.0
"""Bars of a rate, with the CPU use behind them, ours and below it what was published.

Bars lie on their side, so that names can be read on a phone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import altair as alt
import polars as pl

from firesteel.analysis.boards import BOARD, LABEL, Boards, is_usual_here
from firesteel.analysis.sheet import mark
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL
from firesteel.report.charts import (
    FILLS,
    MOST_PANELS,
    PUBLISHED,
    Chart,
    Panel,
    Picture,
    as_svg,
    left_out_note,
    named_rows,
    series_of,
    step,
    used,
)
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars

_WIDTH = 200
"""Pixels for the bars and the numbers behind them."""

_LABELS = 150
"""Pixels for the names to their left: enough for the longest in the widest usual font."""

_BAND, _BAR = 13, 6
"""Pixels of the CPU's bar and of the bar in front of it."""

_ROOM = 1.55
"""The width over that of the longest bar: what is beyond is for the numbers."""

_MOST_ROWS = 16
"""Names of one panel; those above are drawn in further panels."""

_Name = Callable[[dict[str, Any]], tuple[str, str]]
"""What a row is called: two lines, of which rows with the same first one stay together; the second
may be empty.
"""


def bars_chart(bars: Bars, comparison: pl.DataFrame, boards: Boards) -> Chart | None:
    """A rate, a panel a protocol (and board)."""
    part = comparison.filter(experiment=bars.series.name)
    name = _by_parameter if bars.by_parameter else _by_suite
    panels: list[Panel] = []
    series: set[str] = set()
    left_out = 0
    for title, group in by_protocol(part, boards):
        rows = _rows(group, bars.metric, name)
        order = list(dict.fromkeys(row["name"] for row in rows))
        for start in range(0, len(order), _MOST_ROWS):
            wanted = order[start : start + _MOST_ROWS]
            if len(panels) == MOST_PANELS:
                left_out += len(wanted)
                continue
            these = [row for row in rows if row["name"] in wanted]
            more = f" ({start // _MOST_ROWS + 1})" if len(order) > _MOST_ROWS else ""
            says = _says(f"{title}, {bars.unit}", these)
            svg = as_svg(_bars(these), f"{bars.metric[0]}{len(panels)}", says)
            panels.append(Panel(f"{title}: {bars.unit}, CPU %{more}", svg))
        series |= {row["series"] for row in rows} | {"cpu" for row in rows if row["cpu"]}
    return Chart(panels, used(series), left_out_note(left_out)) if panels else None


def _by_suite(row: dict[str, Any]) -> tuple[str, str]:
    if row["protocol"] == NO_TUNNEL:
        return titles.protocol(NO_TUNNEL), ""
    suite = titles.suite(row["cipher"], row["mac"])
    return suite, titles.implementation(row["implementation"])


def _by_parameter(row: dict[str, Any]) -> tuple[str, str]:
    return row["parameter"], titles.implementation(row["implementation"])


def by_protocol(part: pl.DataFrame, boards: Boards) -> Iterator[tuple[str, pl.DataFrame]]:
    """A title and the figures of each protocol on each board, those without a tunnel with it."""
    groups = part.filter(is_usual_here()).partition_by("protocol", BOARD, maintain_order=True)
    clear = {group[BOARD][0]: group for group in groups if group["protocol"][0] == NO_TUNNEL}
    others = [group for group in groups if group["protocol"][0] != NO_TUNNEL]
    for group in others or groups:
        protocol, board = group["protocol"][0], group[BOARD][0]
        title = boards.label(titles.protocol(protocol), board)
        both = [clear[board], group] if others and board in clear else [group]
        yield title, pl.concat(both)


def _rows(group: pl.DataFrame, metric: str, name: _Name) -> list[dict[str, Any]]:
    """A row a bar, with the text at its end."""
    cpu = {(row[LABEL], row["parameter"]): row for row in _of(group, "cpu")}
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in _of(group, metric):
        busy = cpu.get((row[LABEL], row["parameter"]), {})
        first, second = name(row)
        for key, series in (("value", series_of(row["implementation"])), (PUBLISHED, PUBLISHED)):
            if row[key] is None:
                continue
            use = busy.get(key)
            text = names.number(row[key], metric)
            if key == "value":
                text = mark(row) + text
            rows.setdefault(first, []).append(
                {
                    "name": ", ".join(filter(None, (first, second))),
                    "whose": "published" if key == PUBLISHED else "ours",
                    "series": series,
                    "value": row[key],
                    "cpu": use,
                    "text": text if use is None else f"{text} · {use:.0f} %",
                }
            )
    return [row for together in rows.values() for row in together]


def _of(group: pl.DataFrame, metric: str) -> list[dict[str, Any]]:
    return group.filter(pl.col("metric") == metric).to_dicts()


def _says(title: str, rows: Sequence[dict[str, Any]]) -> str:
    told = "; ".join(f"{row['name']}, {row['whose']}: {row['text']}" for row in rows)
    return f"Bars of {title}, with CPU use. {told}."


def _bars(rows: Sequence[dict[str, Any]]) -> Picture:
    longest = max(row["value"] for row in rows) or 1
    shown = [
        {
            **row,
            "part": row["value"] / longest,
            "busy": (row["cpu"] or 0) / 100,
            "end": max(row["value"] / longest, min(1, (row["cpu"] or 0) / 100)),
        }
        for row in rows
    ]
    series = list(FILLS)
    y, offset = named_rows(rows, _LABELS)
    base = alt.Chart(alt.InlineData(values=shown)).encode(y=y, yOffset=offset)
    across = alt.Scale(domain=[0, _ROOM], nice=False)
    behind = base.mark_bar(
        height=_BAND, fill="var(--band)", stroke="var(--published)", strokeWidth=0.5
    ).encode(x=alt.X("busy:Q", title=None, scale=across, axis=None))
    front = base.mark_bar(height=_BAR).encode(
        x=alt.X("part:Q", title=None, scale=across, axis=None),
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=series, range=[FILLS[name] for name in series]),
            legend=None,
        ),
    )
    numbers = base.mark_text(
        align="left", dx=4, baseline="middle", fontSize=11, fill="currentColor"
    ).encode(x=alt.X("end:Q", scale=across, axis=None), text="text:N")
    return alt.layer(behind, front, numbers).properties(width=_WIDTH, height=step(rows))
