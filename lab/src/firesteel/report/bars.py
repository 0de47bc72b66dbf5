# SPDX-License-Identifier: Apache-2.0
"""Bars of a rate, with the CPU use behind them, ours and below it what was published.

Bars lie on their side, so that names can be read on a phone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import altair as alt

from firesteel.analysis.rows import Result
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.identity import Identity
from firesteel.report.charts import (
    FILLS,
    MOST_PANELS,
    OURS,
    PUBLISHED,
    Chart,
    Named,
    Panel,
    Picture,
    left_out_note,
    named_rows,
    series_of,
    step,
    used,
)
from firesteel.report.panels import Group
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

Name = Callable[[Identity], tuple[str, str]]
"""What a row is called: two lines, of which rows with the same first one stay together; the second
may be empty.
"""


@dataclass(frozen=True)
class Bar(Named):
    """A rate, the CPU use behind it, and the text at its end."""

    series: str
    value: float
    cpu: float | None
    text: str


def bars_chart(bars: Bars, tunnels: Iterable[Group], name: Name | None = None) -> Chart | None:
    """A rate, a panel a protocol (and board); rows are called by suite, or by parameter as `bars`
    say, unless they have names of their own.
    """
    name = name or (_by_parameter if bars.by_parameter else _by_suite)
    panels: list[Panel] = []
    series: set[str] = set()
    left_out = 0
    for title, group in tunnels:
        rows = _rows(group, bars.metric, name)
        order = list(dict.fromkeys(row.name for row in rows))
        for start in range(0, len(order), _MOST_ROWS):
            wanted = order[start : start + _MOST_ROWS]
            if len(panels) == MOST_PANELS:
                left_out += len(wanted)
                continue
            these = [row for row in rows if row.name in wanted]
            more = f" ({start // _MOST_ROWS + 1})" if len(order) > _MOST_ROWS else ""
            says = _says(f"{title}, {bars.unit}", these)
            heading, called = f"{title}: {bars.unit}, CPU %{more}", f"{bars.metric[0]}{len(panels)}"
            panels.append(Panel(heading, _bars(these), called, says))
        series |= {row.series for row in rows} | {"cpu" for row in rows if row.cpu}
    return Chart(panels, used(series), left_out_note(left_out)) if panels else None


def _by_suite(of: Identity) -> tuple[str, str]:
    if of.protocol == NO_TUNNEL:
        return f"{titles.protocol(NO_TUNNEL)}{_by(of)}", ""
    return f"{titles.suite(of.cipher, of.mac)}{_by(of)}", titles.implementation(of.implementation)


def _by(of: Identity) -> str:
    """What brought the file, where that is not the usual way."""
    return f" by {of.parameter.by}" if of.parameter.by else ""


def _by_parameter(of: Identity) -> tuple[str, str]:
    return of.parameter.text, titles.implementation(of.implementation)


def _rows(group: Sequence[Result], metric: str, name: Name) -> list[Bar]:
    """A row a bar, with the text at its end."""
    cpu = {each.identity: each for each in group if each.metric == "cpu"}
    rows: dict[str, list[Bar]] = {}
    for each in (each for each in group if each.metric == metric):
        first, second = name(each.identity)
        called = ", ".join(filter(None, (first, second)))
        rows.setdefault(first, []).extend(_both(called, each, cpu.get(each.identity)))
    return [row for together in rows.values() for row in together]


def _both(name: str, result: Result, busy: Result | None) -> Iterator[Bar]:
    """Ours and the published one, each with the CPU use of the same."""
    series, use = series_of(result.identity.implementation), busy.value if busy else None
    yield Bar(name, OURS, series, result.value, use, result.value_text + _at(use))
    if result.published is not None:
        use = busy.published if busy else None
        text = result.published_text + _at(use)
        yield Bar(name, PUBLISHED, PUBLISHED, result.published, use, text)


def _at(use: float | None) -> str:
    return "" if use is None else f" · {use:.0f} %"


def _says(title: str, rows: Sequence[Bar]) -> str:
    # Whose a bar is goes without saying where all are ours.
    all_ours = {row.whose for row in rows} == {OURS}
    names = (row.name if all_ours else f"{row.name}, {row.whose}" for row in rows)
    told = "; ".join(f"{name}: {row.text}" for name, row in zip(names, rows, strict=True))
    return f"Bars of {title}, with CPU use. {told}."


def _bars(rows: Sequence[Bar]) -> Picture:
    longest = max(row.value for row in rows) or 1
    shown = [
        {
            **asdict(row),
            "part": row.value / longest,
            "busy": (row.cpu or 0) / 100,
            "end": max(row.value / longest, min(1, (row.cpu or 0) / 100)),
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
