# SPDX-License-Identifier: Apache-2.0
"""How charts are drawn: by Vega-Lite, as SVG that takes its colours from the page's style sheet.

A panel is a picture of its own, narrow enough to be read on a phone without being scaled down; the
page sets them side by side where there is room.  Each says in words what it shows, for those who do
not see it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import log, log2
from pathlib import Path
from textwrap import wrap
from typing import Any
from zlib import crc32

import altair as alt
import vl_convert
from markupsafe import escape

from firesteel.analysis.intervals import SLACK
from firesteel.base.quantity import scale_for
from firesteel.board.numbers import Path as Number

SOFTWARE, HARDWARE, PUBLISHED = "software", "hardware", "published"
SPEED, WORK = "speed", "CPU work"

OURS = "ours"
"""Whose a figure is that is not published."""

_COLOURS = {
    **{name: f"var(--{name})" for name in (SOFTWARE, HARDWARE, PUBLISHED)},
    SPEED: "var(--class-4)",
    WORK: "var(--class-2)",
    "low": "var(--class-1)",
    "high": "var(--class-3)",
}
"""The colour of each series."""

RATIO_LEGEND = (("class-4", "speed, × software"), ("class-2", "CPU work, × software"))

HEATS = (1 / 2, 1 / 1.2, 1 - SLACK, 1 + SLACK, 1.2, 2.0)
"""Ratios between which the colours of a map differ; the style sheet has one more."""

MOST_PANELS = 16
"""Panels of a chart; what is beyond is left out, and the chart says so."""

_FONT = "Arial, Helvetica, sans-serif"
_HALO = 'paint-order="stroke"'
"""Of a picture: what is around its texts is below them, so that a line behind one is not in it."""

_WIDTH = 300
"""Pixels of a field; with the labels it is as wide as a phone."""

_LABELS = 34
"""Pixels for the numbers beside a field, so that fields below each other begin alike."""

NAMES = 150
"""Pixels for the names of bars: enough for the longest in the widest usual font."""

_DIGIT, _GAP = 6.7, 3
"""Pixels of a digit below a field, and between two numbers."""

_LOGARITHMIC = 4.0
"""The largest value divided by the smallest from which on a scale is logarithmic."""

_MOST_NAMED = 10
"""Values of a number up to which an axis names each, as far as there is room."""

_MOST_TEXTS = 8
"""Values of either number up to which there is room for ratios in a map."""

_TICKS = (1, 0.5, 2, 0.2, 5, 0.1, 10, 0.7, 1.5, 0.8, 1.2, 0.3, 3, 0.05, 20, 50, 100)
_APART, _RATIO_PIXELS = 26, 130
"""Ratios that an axis names, the first ones first; how many pixels are between two, and in all."""

_TWO_LINES = (
    "indexof(datum.label, ', ') < 0 ? datum.label : "
    "[slice(datum.label, 0, indexof(datum.label, ', ')), "
    "slice(datum.label, indexof(datum.label, ', ') + 2)]"
)
"""A name's second line is what comes behind the suite: the implementation, completion, board."""

_LETTERS = 54
"""As many as a line of a file's picture has room for, in the widest usual font."""

_STYLE = Path(__file__).parent / "style.css"

Picture = alt.LayerChart | alt.FacetChart | alt.VConcatChart | alt.ConcatChart


@dataclass(frozen=True)
class Panel:
    """A picture, the title that the page sets above it, and what a person reads who does not see
    it; `labels` are the pixels before its field.
    """

    title: str
    picture: Picture
    says: str
    labels: int = _LABELS

    @property
    def svg(self) -> str:
        """As the page has it."""
        width, height, elements = _drawn(
            self.picture, f"p{crc32((self.title + self.says).encode()):x}"
        )
        return (
            f'<svg viewBox="0 0 {width} {height}" {_HALO} role="img" '
            f'aria-label="{escape(self.says)}">{elements}</svg>'
        )


@dataclass(frozen=True)
class Chart:
    """Panels that are of one kind; `legend` is pairs of a class of the style sheet and a word."""

    panels: Sequence[Panel]
    legend: Sequence[tuple[str, str]]
    note: str = ""

    @property
    def says(self) -> str:
        """What a person who does not see it reads."""
        return " ".join(panel.says for panel in self.panels)


@dataclass(frozen=True)
class Point:
    """Of a line; those of one series are joined, ours and others' apart."""

    x: float
    y: float
    series: str
    whose: str = OURS
    text: str = ""


@dataclass(frozen=True)
class Bar:
    """A bar that lies on its side, from `start` to `value`: its `name` is written once for all bars
    that have it, which stand below each other by `whose` they are; `text` stands behind it, and
    `behind` it a pale one.
    """

    name: str
    whose: str
    series: str
    value: float
    text: str = ""
    start: float = 0.0
    behind: float | None = None


def chart_of(
    panels: Sequence[Panel], legend: Sequence[tuple[str, str]], left_out: int
) -> Chart | None:
    """A chart, which says how much it has no room for; None without panels."""
    note = f"{left_out} more are not drawn; see the tables." if left_out > 0 else ""
    return Chart(panels, legend, note) if panels else None


def in_words(what: str, texts: Iterable[tuple[str, str]]) -> str:
    """What is drawn, then the texts of each series."""
    told: dict[str, list[str]] = {}
    for series, text in texts:
        told.setdefault(series, []).append(text)
    of_each = (f"{name}: {', '.join(each)}" for name, each in told.items())
    return f"{what}. {'; '.join(of_each)}."


def plot(
    points: Sequence[Point],
    x: alt.X,
    y: alt.Y,
    *,
    joined: bool = True,
    height: int = 170,
    below: Sequence[alt.Chart] = (),
) -> Picture:
    """Points by two numbers, `joined` by lines, dashed where they are not ours; their texts beside
    them; `below` all that what else there is.
    """
    base = _data(map(asdict, points)).encode(x=x, y=y, color=_colour(), detail="whose:N")
    layers = [*below]
    if joined:
        whose = {each.whose for each in points}
        dash = alt.Scale(domain=[OURS, *sorted(whose - {OURS})], range=[[1, 0], [5, 4]])
        dashed = alt.StrokeDash("whose:N", scale=dash, legend=None)
        layers.append(base.mark_line(strokeWidth=2).encode(strokeDash=dashed))
    layers.append(base.mark_point(filled=True, size=24, opacity=1))
    if any(each.text for each in points):
        # Around a number is the page's colour, which keeps lines out of it.
        around = _text(dx=6, dy=-6, stroke="var(--paper)", strokeWidth=4)
        named = _data(map(asdict, points)).mark_text(**around)
        layers.append(named.encode(x=x, y=y, text="text:N"))
    return alt.layer(*layers).properties(width=_WIDTH, height=height)


def front(points: Sequence[Point], x: alt.X, y: alt.Y) -> alt.Chart:
    """A line in steps, to be drawn below points."""
    line = alt.MarkDef(type="line", stroke="currentColor", strokeWidth=1, interpolate="step-after")
    return _data(map(asdict, points)).properties(mark=line).encode(x=x, y=y)


def below_each_other(above: Picture, below: Picture) -> Picture:
    """Two pictures with scales of their own."""
    both = alt.vconcat(above, below, spacing=8)
    drawn: alt.VConcatChart = both.resolve_scale(color="independent", strokeDash="independent")
    return drawn


def rated(bars: Sequence[Bar]) -> Picture:
    """Bars as shares of the longest, each with a pale one behind it that is a share of all."""
    longest = max(bar.value for bar in bars) or 1
    rows = [
        {
            **asdict(bar),
            "part": bar.value / longest,
            "busy": bar.behind or 0,
            "end": max(bar.value / longest, min(1, bar.behind or 0)),
        }
        for bar in bars
    ]
    # What is beyond the longest bar is for the numbers.
    across = alt.Scale(domain=[0, 1.55], nice=False)

    def by(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=None, scale=across, axis=None)

    base = _on_rows(rows, bars)
    pale = base.mark_bar(height=13, fill="var(--band)", stroke="var(--published)", strokeWidth=0.5)
    behind = pale.encode(x=by("busy"))
    ahead = base.mark_bar(height=6).encode(x=by("part"), color=_colour())
    numbers = base.mark_text(**_text(dx=4)).encode(x=by("end"), text="text:N")
    return alt.layer(behind, ahead, numbers).properties(width=200, height=_step(bars))


def stacked(bars: Sequence[Bar], classes: Sequence[str]) -> Picture:
    """Bars of one name behind each other, in the order of their `start`, and whose they are."""
    fills = [f"var(--class-{number})" for number in range(len(classes) - 1)] + ["var(--band)"]
    # What is beyond all is for the words.
    across = alt.Scale(domain=[0, 135], nice=False)
    axis = alt.Axis(values=[0, 25, 50, 75, 100], domain=False, ticks=False)
    x = alt.X("start:Q", title=None, scale=across, axis=axis)
    colour = alt.Color("series:N", scale=alt.Scale(domain=classes, range=fills), legend=None)
    mark = _on_rows(map(asdict, bars), bars)
    parts = mark.mark_bar(height=12, stroke="var(--paper)", strokeWidth=0.5).encode(
        x=x, x2="value:Q", color=colour
    )
    ends = {(bar.name, bar.whose): asdict(bar) | {"start": 100} for bar in bars}
    whose = _on_rows(ends.values(), bars).mark_text(**_text(dx=4)).encode(x=x, text="whose:N")
    return alt.layer(parts, whose).properties(width=200, height=_step(bars))


def swings(bars: Sequence[Bar]) -> Picture:
    """Bars of ratios around the one at which nothing differs, on a logarithmic axis."""
    ends = [*(bar.value for bar in bars), *(bar.start for bar in bars), 1.0]
    domain = [min(ends) / 1.1, max(ends) * 1.1]
    across = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(values=ticks(*domain), format="~g", ticks=False, domain=False)
    x = alt.X("start:Q", title=None, scale=across, axis=axis)
    base = _on_rows(map(asdict, bars), bars)
    spans = base.mark_bar(height=9).encode(x=x, x2="value:Q", color=_colour())
    numbers = base.mark_text(**_text()).encode(x=alt.value(_RATIO_PIXELS + 4), text="text:N")
    none = _data([{"start": 1.0}]).mark_rule(stroke="currentColor", strokeDash=[3, 2]).encode(x=x)
    return alt.layer(none, spans, numbers).properties(width=_RATIO_PIXELS, height=_step(bars))


def heat_map(
    across: "Axis", up: "Axis", ratios: Mapping[tuple[float, float], float], *, better_high: bool
) -> Picture:
    """A square for each two values, coloured by how good its ratio is; its text is what it is."""
    rows = [
        {
            "x": across.at(x),
            "y": up.at(y),
            "good": value if better_high else 1 / value,
            "text": f"{value:.2f}",
        }
        for (x, y), value in ratios.items()
    ]
    base = _data(rows).encode(x=across.squares(alt.X, "x"), y=up.squares(alt.Y, "y"))
    heats = [f"var(--heat-{number})" for number in range(len(HEATS) + 1)]
    scale = alt.Scale(type="threshold", domain=list(HEATS), range=heats)
    layers = [base.mark_rect().encode(color=alt.Color("good:Q", scale=scale, legend=None))]
    if max(len(across.values), len(up.values)) <= _MOST_TEXTS:
        layers.append(base.mark_text(fontSize=11, fill="currentColor").encode(text="text:N"))
    return alt.layer(*layers).properties(width=_WIDTH, height=230)


def sizes_axis(sizes: Iterable[float]) -> alt.X:
    """The axis of sizes in bytes, logarithmic; it names those that have room for their number."""
    there = sorted({int(size) for size in sizes})
    first = {"test": f"datum.value == {there[0]}", "value": "left"}
    axis = alt.Axis(
        values=apart(there),
        format="d",
        ticks=False,
        # The renderer would leave out or move the last; the first keeps clear of the other axis.
        labelOverlap=False,
        labelFlush=False,
        labelAlign={"condition": first, "value": "center"},
    )
    scale = alt.Scale(type="log", base=2, domain=[there[0], there[-1]], nice=False)
    return alt.X("x:Q", title=None, scale=scale, axis=axis)


def apart(sizes: Sequence[int]) -> list[int]:
    """The sizes that have room for their number, from the largest down."""
    octave = _WIDTH / max(log2(sizes[-1] / sizes[0]), 1)
    kept: list[int] = []
    for size in reversed(sizes):
        digits = (len(str(size)) + len(str(kept[-1]))) / 2 if kept else 0
        if not kept or log2(kept[-1] / size) * octave >= digits * _DIGIT + _GAP:
            kept.append(size)
    return kept


def values_axis(points: Iterable[Point], *, logarithmic: bool = False, form: str = "~f") -> alt.Y:
    """The axis of values from none, or from below the least if it is logarithmic."""
    values = [point.y for point in points]
    domain = [min(values) * 0.8, max(values) * 1.2] if logarithmic else [0, max(values) * 1.05 or 1]
    scale = alt.Scale(type="log" if logarithmic else "linear", domain=domain, nice=False)
    axis = alt.Axis(tickCount=5, format=form, domain=False, ticks=False, minExtent=_LABELS)
    return alt.Y("y:Q", title=None, scale=scale, axis=axis)


def costs_axis(points: Iterable[Point]) -> alt.X:
    """The axis of what something costs."""
    scale = alt.Scale(domain=[0, max(point.x for point in points) * 1.08 or 1], nice=False)
    return alt.X("x:Q", title="cost", scale=scale, axis=alt.Axis(tickCount=5, format=".4~r"))


def ratios_axis(points: Iterable[Point]) -> alt.Y:
    """The axis of ratios, logarithmic, with 1 and the band of no difference in it."""
    values = [point.y for point in points]
    ends = [min(*values, 1 - 2 * SLACK) / 1.05, max(*values, 1 + 2 * SLACK) * 1.05]
    axis = alt.Axis(values=ticks(*ends), format="~g", domain=False, ticks=False, minExtent=_LABELS)
    scale = alt.Scale(type="log", domain=ends, nice=False)
    return alt.Y("y:Q", title=None, scale=scale, axis=axis)


def no_difference() -> list[alt.Chart]:
    """The ratios that count as none, and the line at which hardware and software are equal."""
    band = _data([{"y": 1 - SLACK, "high": 1 + SLACK}]).mark_rect(fill="var(--band)")
    even = _data([{"y": 1.0}]).mark_rule(stroke="currentColor", strokeDash=[3, 2])
    y = alt.Y("y:Q", title=None)
    return [band.encode(y=y, y2="high:Q"), even.encode(y=y)]


def ticks(least: float, most: float) -> list[float]:
    """The ratios that an axis between these names, as far as there is room."""
    pixels = _RATIO_PIXELS / log(most / least)
    found: list[float] = []
    for tick in _TICKS:
        far = all(abs(log(tick / other)) * pixels >= _APART for other in found)
        if least <= tick <= most and far:
            found.append(tick)
    return sorted(found)


@dataclass(frozen=True)
class Axis:
    """The axis of a number that a sweep varies: `values` are in the unit of the axis, sorted;
    `scale` is how large that is.
    """

    title: str
    values: tuple[float, ...]
    scale: float

    @staticmethod
    def of(number: Number, values: Iterable[float]) -> "Axis":
        """The axis of a number that takes these values."""
        there = sorted(set(values))
        least = next((value for value in there if value > 0), there[-1])
        name, scale = scale_for(least, number.unit)
        if number.unit == "1/s":
            name, scale = "MIPS", 1e6
        title = f"{number.title}, {name}" if name else number.title
        return Axis(title, tuple(value / scale for value in there), scale)

    @property
    def is_log(self) -> bool:
        """Whether the values are so far from each other."""
        return self.values[0] > 0 and self.values[-1] / self.values[0] >= _LOGARITHMIC

    def at(self, value: float) -> float:
        """A value in the unit of the axis."""
        return value / self.scale

    def across(self, *, named: bool = True) -> alt.X:
        """For the x of points; without numbers where another axis below has them."""
        first, last = self.values[0], self.values[-1]
        room = (last / first) ** 0.04 if self.is_log else (last - first or 1) * 0.04
        domain = [first / room, last * room] if self.is_log else [first - room, last + room]
        scale = alt.Scale(type="log" if self.is_log else "linear", domain=domain, nice=False)
        each = len(self.values) <= _MOST_NAMED
        axis = alt.Axis(
            values=list(self.values) if each else alt.Undefined,
            tickCount=alt.Undefined if each else 4,
            format=".4~r",
            domain=False,
            labelOverlap="greedy",
        )
        title = self.title if named else None
        return alt.X("x:Q", title=title, scale=scale, axis=axis if named else None)

    def squares(self, channel: type[alt.X] | type[alt.Y], field: str) -> Any:
        """For the squares of a map, all as large as each other."""
        axis = alt.Axis(
            ticks=False,
            domain=False,
            labelAngle=0,
            labelOverlap="greedy",
            labelExpr="format(datum.value, '.4~r')",
        )
        order = "ascending" if channel is alt.X else "descending"
        return channel(f"{field}:O", title=self.title, sort=order, axis=axis)


def standalone(chart: Chart) -> str:
    """The chart as an SVG file that needs no style sheet: its panels below each other, under the
    legend, so that it is as narrow as a phone, in the page's light colours on a ground of its own.
    """
    titled = [
        panel.picture.properties(
            title=alt.TitleParams(
                wrap(panel.title, _LETTERS), anchor="start", frame="bounds", fontSize=12
            )
        )
        for panel in chart.panels
    ]
    whole = alt.concat(*_legend(chart), *titled, columns=1, align="none", spacing=14)
    whole = whole.resolve_scale(color="independent", strokeDash="independent", shape="independent")
    width, height, elements = _drawn(whole, "p", padding=12)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" color="var(--ink)" {_HALO} role="img" '
        f'aria-label="{escape(chart.says)}">\n<rect width="{width}" height="{height}" rx="6" '
        f'fill="var(--paper)" stroke="var(--line)"/>\n{elements}\n</svg>\n'
    )
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda name: _light()[name[1]], svg)


def _legend(chart: Chart) -> Iterator[Picture]:
    """The entries of the legend below each other, each behind its colour."""
    rows: list[dict[str, Any]] = []
    for style, words in chart.legend:
        name, _, dashed = style.partition(" ")
        name = {"cpu": "band", "class-other": "band", "line": "ink"}.get(name, name)
        shape = "stroke" if dashed or style == "line" else "square"
        for number, line in enumerate(wrap(words, _LETTERS)):
            swatch = {"colour": f"var(--{name})", "shape": shape if not number else None}
            rows.append({"y": len(rows), "words": line, **swatch})
    left = max(panel.labels for panel in chart.panels)
    y = alt.Y("y:O", axis=None)
    texts = _data(rows).mark_text(**_text()).encode(y=y, x=alt.value(16 - left), text="words:N")
    swatches = (
        _data([row for row in rows if row["shape"]])
        .mark_point(filled=True, size=90, opacity=1, stroke="var(--published)", strokeWidth=0.5)
        .encode(
            y=y,
            x=alt.value(6 - left),
            color=alt.Color("colour:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        )
    )
    if rows:
        yield alt.layer(texts, swatches).properties(width=_WIDTH - left, height=alt.Step(17))


@cache
def _light() -> Mapping[str, str]:
    """The light scheme's colours, which the style sheet has first."""
    scheme = re.search(r":root \{(.*?)\}", _STYLE.read_text(encoding="utf-8"), re.DOTALL)
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+);", scheme[1] if scheme else ""))


def _drawn(picture: Picture, name: str, padding: int = 2) -> tuple[str, str, str]:
    """Width and height in pixels, and the SVG elements of a picture; `name` is its own."""
    chart = (
        picture.configure(font=_FONT, background="transparent", padding=padding, aria=False)
        .configure_view(stroke=None)
        .configure_title(color="currentColor")
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            titleFontWeight="normal",
            titleFontSize=11,
            gridColor="var(--line)",
            labelFontSize=12,
        )
    )
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    # Each picture says in one name what it shows; its parts are none of their own.
    svg = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", svg)
    # Identifiers are global in a page, so each picture gets its own.
    svg = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    whole = re.search(r'<svg[^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', svg, re.DOTALL)
    if whole is None:
        raise ValueError(f"{name}: the renderer gave no picture")
    return whole[1], whole[2], whole[3]


def _data(rows: Iterable[Mapping[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _colour() -> alt.Color:
    scale = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    return alt.Color("series:N", scale=scale, legend=None)


def _text(**more: Any) -> dict[str, Any]:
    """How texts are set."""
    usual = {"align": "left", "baseline": "middle", "fontSize": 11, "fill": "currentColor"}
    return usual | more


def _on_rows(rows: Iterable[Mapping[str, Any]], bars: Sequence[Bar]) -> alt.Chart:
    """Bars that lie on their side; their names are written once."""
    axis = alt.Axis(
        ticks=False,
        domain=False,
        labelPadding=6,
        minExtent=NAMES,
        maxExtent=NAMES,
        labelLimit=NAMES,
        labelExpr=_TWO_LINES,
        # The first of two lines is where a lone one is.
        labelOffset=-4,
        labelLineHeight=12,
    )
    order = list(dict.fromkeys(bar.name for bar in bars))
    whose = list(dict.fromkeys(bar.whose for bar in bars))
    scale = alt.Scale(paddingInner=0.2, paddingOuter=0.1)
    drawn: alt.Chart = _data(rows).encode(
        y=alt.Y("name:N", sort=order, title=None, axis=axis, scale=scale),
        yOffset=alt.YOffset("whose:N", scale=alt.Scale(domain=whose)),
    )
    return drawn


def _step(bars: Sequence[Bar]) -> alt.Step:
    """The height of a bar's row: room for a name of two lines, be there one bar to it or two."""
    pixels = 15 if len({bar.whose for bar in bars}) > 1 else 24
    return alt.Step(pixels, **{"for": "offset"})
