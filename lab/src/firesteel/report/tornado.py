# SPDX-License-Identifier: Apache-2.0
"""Tornados: how far each assumption moves the ratios of a verdict, the widest bar first.

Bars begin at the ratio that the board's own number gives.  The axis is logarithmic, so that twice
and half are as long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import log

import altair as alt

from firesteel.analysis.intervals import SLACK
from firesteel.analysis.sensitivity import (
    MEASURES,
    Row,
    Sensitivity,
    by_width,
    ratios,
    standing_of_all,
    value_text,
    width,
)
from firesteel.analysis.sheet import ratio
from firesteel.board.assumptions import ENDS
from firesteel.report.charts import (
    MOST_PANELS,
    Chart,
    Named,
    Panel,
    Picture,
    left_out_note,
    named_rows,
    step,
)

_LABELS, _WIDTH = 125, 130
"""Pixels of the names and of the field; with the numbers behind it they are as wide as a phone."""

_BAR = 9

_ROOM = 1.1
"""How much further than the furthest bar the axis goes either way."""

_TICKS = (1, 0.5, 2, 0.2, 5, 0.1, 10, 0.7, 1.5, 0.8, 1.2, 0.3, 3, 0.05, 20, 50, 100)
_APART = 26
"""Ratios that the axis names, the first ones first, and how many pixels are between two of them."""

_FILLS = {"low": "var(--class-1)", "high": "var(--class-3)"}
_LEGEND = (
    ("class-1", "at the low end of the range"),
    ("class-3", "at the high end"),
)


@dataclass(frozen=True)
class _Bar(Named):
    """From the ratio with the board's own number to the one at an end, and what stands behind; of
    no length where that is not known.
    """

    own: float
    value: float
    text: str


def tornado_chart(found: Sensitivity) -> Chart | None:
    """A panel a verdict, those that change first; assumptions that move a ratio by less than what
    counts as a difference are left out.
    """
    rows = sorted(found.judged, key=lambda row: standing_of_all(row) != "changes")
    drawn = [(row, bars) for row in rows if (bars := list(_bars(row, found)))]
    panels = [
        Panel(_title(row), _picture(bars), f"tornado{number}", _says(row, bars))
        for number, (row, bars) in enumerate(drawn[:MOST_PANELS])
    ]
    return Chart(panels, _LEGEND, _note(len(rows), len(drawn))) if panels else None


def _note(rows: int, drawn: int) -> str:
    """What is not drawn, and why."""
    told = [left_out_note(drawn - MOST_PANELS) if drawn > MOST_PANELS else ""]
    if still := rows - drawn:
        are = "is" if still == 1 else "are"
        told.append(
            f"{still} {are} not drawn, as no assumption moves a ratio by more than "
            f"{SLACK * 100:g}\N{NO-BREAK SPACE}%."
        )
    return " ".join(filter(None, told))


def _title(row: Row) -> str:
    return f"{row.name}: {row.nominal.verdict}"


def _bars(row: Row, found: Sensitivity) -> Iterator[_Bar]:
    for swing in by_width(row):
        for measure in MEASURES:
            low, own, high = ratios(row, swing, measure)
            if own is None or width(row, swing, measure) <= SLACK:
                continue
            name = f"{found.title_of(swing.assumption)}, {measure}"
            for end, value in zip(ENDS, (low, high), strict=True):
                text = f"{value_text(swing, swing.at(end).value)}: {ratio(value)}"
                yield _Bar(name, end, own, own if value is None else value, text)


def _says(row: Row, bars: Sequence[_Bar]) -> str:
    told = "; ".join(f"{bar.name}, {bar.text} instead of {ratio(bar.own)}" for bar in bars)
    return f"Ratios of hardware to software, {row.name}, by assumption. {told}."


def _picture(bars: Sequence[_Bar]) -> Picture:
    ends = [*(bar.value for bar in bars), *(bar.own for bar in bars), 1.0]
    domain = [min(ends) / _ROOM, max(ends) * _ROOM]
    across = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(values=ticks(*domain), format="~g", ticks=False, domain=False)
    y, offset = named_rows(bars, _LABELS)
    shown = [asdict(bar) for bar in bars]
    base = alt.Chart(alt.InlineData(values=shown)).encode(y=y, yOffset=offset)
    fill = alt.Color(
        "whose:N", scale=alt.Scale(domain=list(_FILLS), range=list(_FILLS.values())), legend=None
    )
    x = alt.X("own:Q", title=None, scale=across, axis=axis)
    spans = base.mark_bar(height=_BAR).encode(x=x, x2="value:Q", color=fill)
    numbers = base.mark_text(
        align="left", baseline="middle", fontSize=11, fill="currentColor"
    ).encode(x=alt.value(_WIDTH + 4), text="text:N")
    none = (
        alt.Chart(alt.InlineData(values=[{"one": 1.0}]))
        .mark_rule(stroke="currentColor", strokeDash=[3, 2])
        .encode(x=alt.X("one:Q", title=None, scale=across, axis=axis))
    )
    return alt.layer(none, spans, numbers).properties(width=_WIDTH, height=step(bars))


def ticks(least: float, most: float) -> list[float]:
    """The ratios that an axis between these names, as far as there is room."""
    pixels = _WIDTH / log(most / least)
    found: list[float] = []
    for tick in _TICKS:
        apart = all(abs(log(tick / other)) * pixels >= _APART for other in found)
        if least <= tick <= most and apart:
            found.append(tick)
    return sorted(found)
