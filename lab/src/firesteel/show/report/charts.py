# SPDX-License-Identifier: Apache-2.0
"""Charts: rates as bars; latency, requests by size and sweeps of one number as lines.  Vega-Lite
draws them, as SVG that takes its colours from the page's style sheet.

A panel is a separate picture, narrow enough for a phone without scaling.  The page sets panels side
by side if there is room.  Each says in words what it shows, for those who do not see it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from textwrap import wrap
from typing import Any
from zlib import crc32

import vl_convert
from markupsafe import escape

from firesteel.base.quantity import scale_for
from firesteel.judge.advice.answer import Kind
from firesteel.judge.advice.sweep import SweepAnswer
from firesteel.judge.rows import Result
from firesteel.judge.spread import ASSUMED
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE, NO_TUNNEL, OTHER_SOFTWARE
from firesteel.model.identity import Identity
from firesteel.model.names import ratio
from firesteel.show.report import TEMPLATES
from firesteel.show.report.findings import Group
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars, Lines

SOFTWARE, HARDWARE, PUBLISHED = "software", "hardware", "published"

OURS = "ours"
"""Whose a figure is that is not published."""

MOST_PANELS = 16
"""The most panels of a chart; the chart names the number of further ones."""

FONT = "Arial, Helvetica, sans-serif"
_HALO = 'paint-order="stroke"'
"""Of a picture: what is around its texts is below them, so that a line behind one is not in it."""

_LOGARITHMIC = 4.0
"""The largest value divided by the smallest from which on a scale is logarithmic."""

_MOST_NAMED = 10
"""Values up to which an axis names each, as far as there is room."""

_LETTERS = 54
"""As many as a line of a file's picture has room for, in the widest usual font."""

_STYLE = Path(__file__).parent / "style.css"


@dataclass(frozen=True)
class Panel:
    """A picture, the title that the page sets above it, and what a person reads who does not see
    it.
    """

    title: str
    picture: str
    says: str

    @property
    def svg(self) -> str:
        """The element for the page."""
        name = f"p{crc32((self.title + self.says).encode()):x}"
        width, height, elements = _drawn(self.picture, name)
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

    @classmethod
    def of(cls, panels: Sequence[Panel], legend: Sequence[tuple[str, str]]) -> "Chart | None":
        """As many panels as there is room for; None without any."""
        more = len(panels) - MOST_PANELS
        note = f"{more} more are not drawn; see the tables." if more > 0 else ""
        return cls(panels[:MOST_PANELS], legend, note) if panels else None

    @property
    def says(self) -> str:
        """What a person who does not see it reads."""
        return " ".join(panel.says for panel in self.panels)


@dataclass(frozen=True)
class Point:
    """A point of a line; points of one series are joined, ours and others' separately.  `low` and
    `high` are the ends of the 95 % interval of `y`, or None.
    """

    x: float
    y: float
    series: str
    whose: str = OURS
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, x: float, result: Result, series: str, whose: str = OURS) -> "Point":
        """The point of one of our figures."""
        return cls(x, result.value, series, whose, result.low, result.high)

    @property
    def text(self) -> str:
        """`11.26 ±0.02`, to four digits, or without an interval if there is none."""
        if self.low is None or self.high is None:
            return _rounded(self.y)
        return f"{_rounded(self.y)} ±{_rounded((self.high - self.low) / 2)}"


@dataclass(frozen=True)
class Bar:
    """A horizontal bar.  Its `name` is written once for all bars with that name, which are ordered
    by `whose` they are.  `text` follows the bar, and `behind` is the share of a pale bar behind it.
    """

    name: str
    whose: str
    series: str
    value: float
    text: str
    behind: float | None = None


def in_words(what: str, texts: Iterable[tuple[str, str]]) -> str:
    """What is drawn, then the texts of each series."""
    told: dict[str, list[str]] = {}
    for series, text in texts:
        told.setdefault(series, []).append(text)
    of_each = (f"{name}: {', '.join(each)}" for name, each in told.items())
    return f"{what}. {'; '.join(of_each)}."


def plot(
    points: Sequence[Point], *, across: str = "", logarithmic: bool = False, form: str = "~f"
) -> str:
    """Points with their intervals, joined by lines, dashed if they are not ours.  `across` names
    the axis of x, which labels each value that has room.  `form` is the format of the numbers of y,
    which may have a `logarithmic` scale.
    """
    ys = [y for point in points for y in (point.y, point.high) if y is not None]
    xs = sorted({point.x for point in points})
    first, last = xs[0], xs[-1]
    is_log = first > 0 and last / first >= _LOGARITHMIC
    room = (last / first) ** 0.03 if is_log else (last - first or 1) * 0.03
    y_ends = [min(ys) * 0.8, max(ys) * 1.2] if logarithmic else [0, max(ys) * 1.05 or 1]
    return _picture(
        "lines",
        (asdict(each) | {"low": each.low and max(each.low, y_ends[0])} for each in points),
        {OURS: None, **dict.fromkeys(sorted({each.whose for each in points}))},
        across=across,
        x_is_log=is_log,
        x_ends=[first / room, last * room] if is_log else [first - room, last + room],
        named=xs if len(xs) <= _MOST_NAMED else None,
        y_is_log=logarithmic,
        y_ends=y_ends,
        form=form,
    )


def rated(bars: Sequence[Bar]) -> str:
    """Bars as shares of the longest, each with a pale one behind it that is a share of all."""
    longest = max(bar.value for bar in bars) or 1
    rows = [
        asdict(bar) | {"part": part, "busy": busy, "end": max(part, min(1, busy))}
        for bar in bars
        for part, busy in ((bar.value / longest, bar.behind or 0),)
    ]
    return _picture("bars", rows, dict.fromkeys(bar.whose for bar in bars))


def _picture(
    kind: str, rows: Iterable[Mapping[str, Any]], whose: Iterable[str], **values: Any
) -> str:
    """A picture in Vega-Lite."""
    template = TEMPLATES.get_template("vega.json.j2")
    return template.render(kind=kind, rows=list(rows), whose=list(whose), font=FONT, **values)


def standalone(chart: Chart) -> str:
    """The chart as an SVG file that needs no style sheet, with its own background.  Its panels are
    below each other, under the legend, so that it is as narrow as a phone.
    """
    drawn = (_drawn(panel.picture, f"p{number}") for number, panel in enumerate(chart.panels))
    svg = TEMPLATES.get_template("picture.svg.j2").render(
        chart=chart,
        panels=[(each.title, *parts) for each, parts in zip(chart.panels, drawn, strict=True)],
        wrap=partial(wrap, width=_LETTERS),
        font=FONT,
        halo=_HALO,
    )
    return in_both_schemes(svg)


def in_both_schemes(svg: str) -> str:
    """The SVG file with the light colours in place of `var(--NAME)`, and the dark colours for
    readers who ask for these.
    """
    light, dark = schemes()
    used = sorted(set(re.findall(r"var\(--([a-z0-9-]+)\)", svg)))
    rules = "".join(
        f'[{part}="{light[name]}"]{{{part}:{dark[name]}}}'
        for name in used
        for part in ("fill", "stroke", "color")
    )
    style = f"<style>@media (prefers-color-scheme: dark) {{{rules}}}</style>"
    svg = re.sub(r"var\(--([a-z0-9-]+)\)", lambda name: light[name[1]], svg)
    return svg.replace(">", f">{style}", 1) + "\n"


def schemes() -> tuple[dict[str, str], dict[str, str]]:
    """The light and the dark colours of the report, by name."""
    found = re.findall(r":root \{(.*?)\}", _STYLE.read_text(encoding="utf-8"), re.DOTALL)
    light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+);", each)) for each in found[:2])
    return light, dark


def _drawn(picture: str, name: str) -> tuple[str, str, str]:
    """Width and height in pixels, and the SVG elements of a picture; `name` is its own."""
    svg: str = vl_convert.vegalite_to_svg(picture)
    # Each picture says in one name what it shows; its parts are none of their own.
    svg = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", svg)
    # Identifiers are global in a page, so each picture gets its own.
    svg = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    whole = re.search(r'<svg[^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', svg, re.DOTALL)
    assert whole, f"{name}: the renderer gave no picture"
    return whole[1], whole[2], whole[3]


Name = Callable[[Identity], tuple[str, str]]
"""What a bar is called: two lines, of which bars with the same first one stay together; the second
may be empty.
"""

_MOST_NAMES = 16
"""Names of one panel of bars; those above are drawn in further panels."""

_TIME, _MEDIAN = "time_per_request", "time_per_request_p50"
_KERNEL = "hardware-kernel"
_THROUGH_KERNEL = "hardware through the kernel's driver"


def series_of(implementation: str) -> str:
    """The series that an implementation is drawn as."""
    return SOFTWARE if implementation in IN_SOFTWARE else HARDWARE


def bars_chart(bars: Bars, tunnels: Iterable[Group], name: Name | None = None) -> Chart | None:
    """A rate, with the CPU use behind it, ours and below it what was published; a panel a protocol
    (and board).  Names of bars come from the suite or, if `bars` say that, from the parameter,
    unless they are given.  A note says what ± means.
    """
    name = name or partial(_named, by_parameter=bars.by_parameter)
    panels: list[Panel] = []
    there: list[Bar] = []
    for title, group in tunnels:
        rows = _rates(group, bars.metric, name)
        order = list(dict.fromkeys(row.name for row in rows))
        there += rows
        for start in range(0, len(order), _MOST_NAMES):
            part = [row for row in rows if row.name in order[start : start + _MOST_NAMES]]
            more = f" ({start // _MOST_NAMES + 1})" if len(order) > _MOST_NAMES else ""
            all_ours = {bar.whose for bar in part} == {OURS}
            says = in_words(
                f"Bars of {title}, {bars.unit}, with CPU use",
                ((bar.name if all_ours else f"{bar.name}, {bar.whose}", bar.text) for bar in part),
            )
            panels.append(Panel(f"{title}: {bars.unit}, CPU %{more}", rated(part), says))
    chart = Chart.of(panels, _rate_legend(there))
    if chart is None or not any("±" in bar.text for bar in there):
        return chart
    assumed = f" ({ASSUMED}: assumed)" if any(ASSUMED in bar.text for bar in there) else ""
    return replace(chart, note=f"{chart.note} ± is half of the 95 % interval{assumed}.".strip())


def _named(of: Identity, by_parameter: bool) -> tuple[str, str]:
    how = titles.implementation(of.implementation)
    if by_parameter:
        return of.parameter.text, how
    # What brought the file, where that is not the usual way.
    by = f" by {of.parameter.by}" if of.parameter.by else ""
    if of.protocol == NO_TUNNEL:
        return f"{titles.protocol(NO_TUNNEL)}{by}", ""
    return f"{titles.suite(of.cipher, of.mac)}{by}", how


def _rates(group: Sequence[Result], metric: str, name: Name) -> list[Bar]:
    """A bar a rate, ours with its interval and the published one, each with the CPU use."""
    cpu = {each.identity: each for each in group if each.metric == "cpu"}
    rows: dict[str, list[Bar]] = {}
    for each in (each for each in group if each.metric == metric):
        first, second = name(each.identity)
        called, busy = names.listed(first, second), cpu.get(each.identity)
        together = rows.setdefault(first, [])
        series, use = series_of(each.identity.implementation), busy.value if busy else None
        text = names.listed(each.text, f"{busy.text} %" if busy else "")
        together.append(_rate(called, OURS, series, each.value, text, use))
        if each.published is not None:
            use = busy.published if busy else None
            text = names.listed(each.published_text, "" if use is None else f"{use:.0f} %")
            together.append(_rate(called, PUBLISHED, PUBLISHED, each.published, text, use))
    return [row for together in rows.values() for row in together]


def _rate(name: str, whose: str, series: str, value: float, text: str, use: float | None) -> Bar:
    return Bar(name, whose, series, value, text, behind=None if use is None else use / 100)


def _rate_legend(bars: Iterable[Bar]) -> list[tuple[str, str]]:
    """Only ours need no word for it."""
    series = {bar.series for bar in bars} | {"cpu" for bar in bars if bar.behind}
    ours = "ours, " if PUBLISHED in series else ""
    words = {
        SOFTWARE: f"{ours}software",
        HARDWARE: f"{ours}hardware",
        PUBLISHED: "published",
        "cpu": "CPU use; 100 % is as long as the panel's longest bar",
    }
    return [(name, text) for name, text in words.items() if name in series]


def lines_chart(lines: Lines, suites: Iterable[Group]) -> Chart | None:
    """A metric by size, a panel a tunnel and suite (and board); published lines are dashed."""
    of = (lines.series.name, lines.metric)
    found = [(title, list(_with_published(group, of))) for title, group in suites]
    return _curves(found, lines.quantity, lines.unit, lines.size_unit)


def _with_published(group: Iterable[Result], series: tuple[str, str]) -> Iterator[Point]:
    for each in group:
        of, size = each.identity, each.identity.parameter.size_bytes
        if (of.workload, each.metric) != series or size is None or not of.is_usual:
            continue
        # Of ours in software, the baseline is drawn and no other.
        if of.implementation not in OTHER_SOFTWARE:
            yield Point.of(size, each, series_of(of.implementation))
        if each.published is not None:
            yield Point(size, each.published, series_of(of.implementation), PUBLISHED)


def break_even_chart(suites: Iterable[Group]) -> Chart | None:
    """What a request takes by its size, in software and on the cores, through the kernel's driver
    too: a panel for each suite that was measured both ways.  Where two lines cross, offload breaks
    even.
    """
    found = []
    for title, group in suites:
        decrypts = any(each.identity.parameter.direction == "decrypt" for each in group)
        found.append((f"{title}, decrypting" if decrypts else title, _requests(group)))
    return _curves(found, "the time a request takes", "µs", "bytes", logarithmic=True)


def _requests(group: Sequence[Result]) -> list[Point]:
    """The points of a group's curves; none where it was not measured both ways."""
    drawn = [
        each
        for each in group
        if each.identity.implementation in (SOFTWARE, HARDWARE, _KERNEL)
        and each.identity.parameter.of_one_request
        and each.identity.is_usual
    ]
    # A median of single requests is the better figure where there is one.
    metric = _MEDIAN if any(each.metric == _MEDIAN for each in drawn) else _TIME
    points = [
        Point.of(size, each, series_of(how), _KERNEL if how == _KERNEL else OURS)
        for each in drawn
        if each.metric == metric and (size := each.identity.parameter.size_bytes) is not None
        for how in (each.identity.implementation,)
    ]
    both = {SOFTWARE, HARDWARE} <= {point.series for point in points if point.whose == OURS}
    return points if both else []


def _curves(
    groups: Iterable[tuple[str, list[Point]]],
    quantity: str,
    unit: str,
    size_unit: str,
    *,
    logarithmic: bool = False,
) -> Chart | None:
    """A panel for each group that has points at several sizes."""
    found = [(title, points) for title, points in groups if len({point.x for point in points}) > 1]
    there = {(point.whose, point.series): "" for _, points in found for point in points}
    for whose, series in there:
        alone = all(other == OURS for other, _ in there)
        called = series if alone else f"{whose}, {series}"
        there[whose, series] = _THROUGH_KERNEL if whose == _KERNEL else called
    panels = [
        Panel(
            f"{title}: {unit} by {size_unit}",
            plot(points, logarithmic=logarithmic),
            in_words(
                f"Lines of {quantity}, {title}",
                (
                    (
                        there[point.whose, point.series],
                        f"{point.text} {unit} at {point.x:g} B",
                    )
                    for point in sorted(points, key=lambda point: point.x)
                ),
            ),
        )
        for title, points in found
    ]
    legend = [
        (series if whose == OURS else f"{series} dashed", there[whose, series])
        for whose, series in sorted(there, key=lambda each: (each[0] != OURS, each[1] == HARDWARE))
    ]
    return _with_intervals(Chart.of(panels, legend), chain(*(points for _, points in found)))


def _with_intervals(chart: Chart | None, points: Iterable[Point]) -> Chart | None:
    """The chart with a note that says what vertical lines are, if there are any."""
    if chart is None or all(point.low is None for point in points):
        return chart
    return replace(chart, note=f"{chart.note} Vertical line: 95 % interval.".strip())


def _rounded(value: float) -> str:
    """To four digits, without an exponent."""
    return f"{float(f'{value:.4g}'):.10g}"


_TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
"""Numbers that a logarithmic axis of ratios may name."""


def gains_chart(kinds: Sequence[Kind]) -> Chart | None:
    """How many times as good as software hardware is, by kind of traffic, in speed and in CPU work:
    the range of the rows, with their median.  Software is the line at 1.
    """
    shown = kinds[:MOST_PANELS]
    rows: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "series": series,
            "least": min(its),
            "most": max(its),
            "middle": median(its),
        }
        for kind in shown
        for series, numbers in (
            (HARDWARE, [pair.judged.speed for pair in kind.pairs]),
            (PUBLISHED, [1 / pair.judged.work for pair in kind.pairs if pair.judged.work]),
        )
        if (its := [number for number in numbers if number])
    ]
    if not rows:
        return None
    title = "Gain over software, ×: right of 1 hardware is better"
    words = {HARDWARE: "speed", PUBLISHED: "CPU work"}
    told = ((row["name"], f"{words[row['series']]} {_spanned(row)}") for row in rows)
    ends = [
        min(1, *(row["least"] for row in rows)) / 1.2,
        max(1, *(row["most"] for row in rows)) * 1.8,
    ]
    picture = _picture(
        "ranges",
        [row | {"text": ratio(row["middle"])} for row in rows],
        (HARDWARE, PUBLISHED),
        x_ends=ends,
        named=[tick for tick in _TICKS if ends[0] < tick < ends[1]],
    )
    legend = ((HARDWARE, "speed"), (PUBLISHED, "CPU work, inverse"))
    more = len(kinds) - len(shown)
    note = "Dot: median of the rows. Line: from the least row to the greatest."
    note = f"{note} {more} more kinds are not drawn." if more else note
    return Chart([Panel(title, picture, in_words(title, told))], legend, note)


def _spanned(row: Mapping[str, Any]) -> str:
    return f"{ratio(row['middle'])} ({ratio(row['least'])} to {ratio(row['most'])})"


def sweep_chart(answer: SweepAnswer) -> Chart | None:
    """Results of hardware and software by the number that a sweep varies; rows whose verdict
    changes come first.  If a number of the cores varies too, each of its values has a line of
    hardware, dashed except the first.  None where other numbers vary.
    """
    if not answer.is_grid or not (answer.crossed or len(answer.paths) == 1):
        return None
    path = answer.crossed[1] if answer.crossed else answer.paths[0]
    panels, whose, drawn = [], [""], list[Point]()
    rows = sorted(answer.rows, key=lambda row: len({pair.verdict for pair in row.at.values()}) < 2)
    for row in rows:
        lines = answer.by_cores(row)
        whose, there = list(lines), [each for line in lines.values() for each in line]
        if len({x for x, _ in there}) < 2:
            continue
        least = min(x for x, _ in there if x > 0)
        unit, scale = ("MIPS", 1e6) if path.unit == "1/s" else scale_for(least, path.unit)
        points = [
            Point.of(x / scale, result, series, OURS if name == whose[0] else name)
            for name, line in lines.items()
            for x, pair in line
            for series, result in ((SOFTWARE, pair.software), (HARDWARE, pair.hardware))
            if series == HARDWARE or name == whose[0]
        ]
        drawn += points
        title = f"{row.name}: {names.quantity(there[0][1].metric)}"
        told = "; ".join(
            f"{names.listed(f'at {path.said(x)}', name)} hardware {pair.hardware.text}, "
            f"software {pair.software.text}: {pair.verdict}"
            for name, line in lines.items()
            for x, pair in line
        )
        picture = plot(points, across=names.listed(path.title, unit), form="~s")
        panels.append(Panel(title, picture, f"Lines of {title} by {path.title}. {told}."))
    legend = [(SOFTWARE, SOFTWARE), (HARDWARE, names.listed(HARDWARE, whose[0]))]
    more = [(f"{HARDWARE} dashed", f"hardware, {', '.join(whose[1:])}")] if whose[1:] else []
    return _with_intervals(Chart.of(panels, [*legend, *more]), drawn)
