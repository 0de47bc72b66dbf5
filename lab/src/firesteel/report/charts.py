# SPDX-License-Identifier: Apache-2.0
"""Which figures the report draws: rates as bars, latency and requests by size as lines, packets as
stacks; sweeps as curves, maps or points; assumptions as swings; boards by what they cost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from firesteel.advice.sweep import SweepAnswer, SweptRow
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.pareto import Choice
from firesteel.analysis.rows import Result, grouped
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
from firesteel.analysis.sheet import MISSING, ratio
from firesteel.analysis.verdict import Offload
from firesteel.board.assumptions import ENDS
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE, NO_TUNNEL, OTHER_SOFTWARE
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.model.metrics import better
from firesteel.report.findings import Group
from firesteel.report.pictures import (
    HARDWARE,
    MOST_PANELS,
    NAMES,
    OURS,
    PUBLISHED,
    RATIO_LEGEND,
    SOFTWARE,
    SPEED,
    WORK,
    Axis,
    Bar,
    Chart,
    Panel,
    Point,
    below_each_other,
    chart_of,
    costs_axis,
    front,
    heat_map,
    in_words,
    no_difference,
    plot,
    rated,
    ratios_axis,
    sizes_axis,
    stacked,
    swings,
    values_axis,
)
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars, Lines, Shares

Name = Callable[[Identity], tuple[str, str]]
"""What a bar is called: two lines, of which bars with the same first one stay together; the second
may be empty.
"""

_MOST_NAMES = 16
"""Names of one panel of bars; those above are drawn in further panels."""

_OTHER = "other"
_LEAST, _CLASSES = 0.5, 5
"""Percent of packets below which a class is drawn with the others; how many have colours."""

_TIME, _MEDIAN = "time_per_request", "time_per_request_p50"
_KERNEL = "hardware-kernel"

_BOTH = ((SOFTWARE, SOFTWARE), (HARDWARE, HARDWARE))
_SWING_LEGEND = (
    ("class-1", "at the low end of the range"),
    ("class-3", "at the high end"),
)
_HEAT_LEGEND = (
    ("heat-0", "less than half"),
    ("heat-1", "worse"),
    ("heat-2", "slightly worse"),
    ("heat-3", "no difference"),
    ("heat-4", "slightly better"),
    ("heat-5", "better"),
    ("heat-6", "more than twice as good"),
)


def series_of(implementation: str) -> str:
    """The series that an implementation is drawn as."""
    return SOFTWARE if implementation in IN_SOFTWARE else HARDWARE


def bars_chart(bars: Bars, tunnels: Iterable[Group], name: Name | None = None) -> Chart | None:
    """A rate, with the CPU use behind it, ours and below it what was published; a panel a protocol
    (and board).  Bars are called by suite, or by parameter as `bars` say, unless they have names of
    their own.
    """
    name = name or (_by_parameter if bars.by_parameter else _by_suite)
    panels: list[Panel] = []
    there: list[Bar] = []
    left_out = 0
    for title, group in tunnels:
        rows = _rates(group, bars.metric, name)
        there += rows
        for number, part in enumerate(_parts(rows)):
            if len(panels) == MOST_PANELS:
                left_out += len({row.name for row in part})
                continue
            more = f" ({number + 1})" if len(_parts(rows)) > 1 else ""
            what = f"Bars of {title}, {bars.unit}, with CPU use"
            says = in_words(what, ((_whose(row, part), row.text) for row in part))
            panels.append(Panel(f"{title}: {bars.unit}, CPU %{more}", rated(part), says, NAMES))
    return chart_of(panels, _rate_legend(there), left_out)


def _by_suite(of: Identity) -> tuple[str, str]:
    # What brought the file, where that is not the usual way.
    by = f" by {of.parameter.by}" if of.parameter.by else ""
    if of.protocol == NO_TUNNEL:
        return f"{titles.protocol(NO_TUNNEL)}{by}", ""
    return f"{titles.suite(of.cipher, of.mac)}{by}", titles.implementation(of.implementation)


def _by_parameter(of: Identity) -> tuple[str, str]:
    return of.parameter.text, titles.implementation(of.implementation)


def _rates(group: Sequence[Result], metric: str, name: Name) -> list[Bar]:
    """A bar a rate, ours and the published one, each with the CPU use of the same."""
    cpu = {each.identity: each for each in group if each.metric == "cpu"}
    rows: dict[str, list[Bar]] = {}
    for each in (each for each in group if each.metric == metric):
        first, second = name(each.identity)
        called, busy = ", ".join(filter(None, (first, second))), cpu.get(each.identity)
        together = rows.setdefault(first, [])
        series = series_of(each.identity.implementation)
        use = busy.value if busy else None
        together.append(_rate(called, OURS, series, each.value, each.value_text, use))
        if each.published is not None:
            use, text = busy.published if busy else None, each.published_text
            together.append(_rate(called, PUBLISHED, PUBLISHED, each.published, text, use))
    return [row for together in rows.values() for row in together]


def _rate(name: str, whose: str, series: str, value: float, text: str, use: float | None) -> Bar:
    at = "" if use is None else f" · {use:.0f} %"
    return Bar(name, whose, series, value, text + at, behind=None if use is None else use / 100)


def _parts(rows: Sequence[Bar]) -> list[list[Bar]]:
    """The bars of as many names as one panel has room for."""
    order = list(dict.fromkeys(row.name for row in rows))
    wanted = (order[start : start + _MOST_NAMES] for start in range(0, len(order), _MOST_NAMES))
    return [[row for row in rows if row.name in these] for these in wanted]


def _whose(row: Bar, rows: Iterable[Bar]) -> str:
    """A bar in words; whose it is goes without saying where all are ours."""
    return row.name if {each.whose for each in rows} == {OURS} else f"{row.name}, {row.whose}"


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
    """A metric by size, a panel a tunnel and suite (and board)."""
    of = (lines.series.name, lines.metric)
    found: list[tuple[str, list[Point]]] = []
    for title, group in suites:
        part = [each for each in group if (each.identity.workload, each.metric) == of]
        points = [point for each in part for point in _with_published(each)]
        if len({point.x for point in points}) > 1:
            found.append((title, points))
    there = [point for _, points in found for point in points]
    panels = [
        Panel(
            f"{title}: {lines.unit} by {lines.size_unit}",
            plot(points, sizes_axis(point.x for point in points), values_axis(points)),
            in_words(
                f"Lines of {lines.quantity} by {lines.size}, {title}",
                (
                    (_line(point, points), f"{point.y:.3f} {lines.unit} at {point.x:g} B")
                    for point in sorted(points, key=lambda point: point.x)
                ),
            ),
        )
        for title, points in found[:MOST_PANELS]
    ]
    return chart_of(panels, _line_legend(there), len(found) - len(panels))


def _with_published(result: Result) -> Iterator[Point]:
    of = result.identity
    size, series = of.parameter.size_bytes, series_of(of.implementation)
    if size is None or not of.is_usual:
        return
    # Of ours in software, the baseline is drawn and no other.
    if of.implementation not in OTHER_SOFTWARE:
        yield Point(size, result.value, series)
    if result.published is not None:
        yield Point(size, result.published, series, PUBLISHED)


def _line(point: Point, points: Iterable[Point]) -> str:
    """A line in words; whose it is goes without saying where all are ours."""
    all_ours = {each.whose for each in points} == {OURS}
    return point.series if all_ours else f"{point.whose}, {point.series}"


def _line_legend(points: Sequence[Point]) -> list[tuple[str, str]]:
    lines = {(point.whose, point.series): _line(point, points) for point in points}
    return [
        (series if whose == OURS else f"{series} dashed", lines[whose, series])
        for whose in dict.fromkeys((OURS, *(whose for whose, _ in lines)))
        for series in (SOFTWARE, HARDWARE)
        if (whose, series) in lines
    ]


def break_even_chart(suites: Iterable[Group]) -> Chart | None:
    """What a request takes by its size, in software and on the cores: a panel for each suite that
    was measured both ways.  Where two lines cross, offload breaks even.
    """
    curves = [
        (f"{title}{_doing(group)}", points)
        for title, group in suites
        if (points := _requests(group))
    ]
    there = [point for _, points in curves for point in points]
    panels = [
        Panel(
            f"{title}: µs by bytes",
            plot(
                points,
                sizes_axis(point.x for point in points),
                values_axis(points, logarithmic=True),
                height=190,
            ),
            in_words(
                f"Lines of the time a request takes by its size, {title}",
                (
                    (
                        point.series if point.whose == OURS else _KERNEL,
                        f"{_rounded(point.y)} µs at {point.x:g} B",
                    )
                    for point in sorted(points, key=lambda point: point.x)
                ),
            ),
        )
        for title, points in curves[:MOST_PANELS]
    ]
    legend = [*_BOTH]
    if any(point.whose != OURS for point in there):
        legend.append(("hardware dashed", "hardware through the kernel's driver"))
    return chart_of(panels, legend, len(curves) - len(panels))


def _doing(group: Sequence[Result]) -> str:
    first = next(each for each in group if each.metric in (_TIME, _MEDIAN))
    return ", decrypting" if first.identity.parameter.direction == "decrypt" else ""


def _requests(group: Sequence[Result]) -> list[Point]:
    """The points of a group's curves; none where there is nothing to draw a line between."""
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
        Point(size, each.value, series_of(how), _KERNEL if how == _KERNEL else OURS)
        for each in drawn
        if each.metric == metric and (size := each.identity.parameter.size_bytes) is not None
        for how in (each.identity.implementation,)
    ]
    both = {SOFTWARE, HARDWARE} <= {point.series for point in points if point.whose == OURS}
    return points if both and len({point.x for point in points}) > 1 else []


def _rounded(value: float) -> str:
    """To three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):.10g}"


def shares_chart(
    shares: Shares, comparison: Iterable[Result], tunnels: Iterable[Group]
) -> Chart | None:
    """A histogram: a bar a configuration, stacked from the smallest class to the largest, ours and
    below it what was published; a panel a protocol (and board).
    """
    part = _classed(shares, comparison)
    if not part:
        return None
    often = sorted(
        ((of, share) for of, share in _largest(part).items() if share >= _LEAST),
        key=lambda pair: -pair[1],
    )
    classes = _from_small_to_large(of for of, _ in often[:_CLASSES])
    panels: list[Panel] = []
    left_out = 0
    for title, group in tunnels:
        parts = _parts(_stacks(_classed(shares, group), classes))
        kept = parts[0] if parts and len(panels) < MOST_PANELS else []
        left_out += sum(len({bar.name for bar in each}) for each in parts if each is not kept)
        if kept:
            says = in_words(
                f"Stacked bars of {shares.what}, {title}",
                (
                    (f"{bar.name}, {bar.whose}", f"{bar.series} {bar.value - bar.start:.1f} %")
                    for bar in kept
                    if bar.value - bar.start >= _LEAST
                ),
            )
            picture = stacked(kept, [*(each.text for each in classes), _OTHER])
            panels.append(Panel(f"{title}: % of {shares.of}", picture, says, NAMES))
    legend = [(f"class-{number}", each.text) for number, each in enumerate(classes)]
    return chart_of(panels, [*legend, ("class-other", "all others")], left_out)


def shares_grid(shares: Shares, comparison: Iterable[Result]) -> Grid | None:
    """The histogram; a published share stands in brackets."""
    part = _classed(shares, comparison)
    classes = _from_small_to_large(of for of, share in _largest(part).items() if share > 0)
    rows = []
    for label, those in grouped(part, lambda each: each.label).items():
        found = {each.identity.parameter: each for each in those}
        cells = {each.text: _with_theirs(found.get(each)) for each in classes}
        rows.append({"configuration": label, **cells})
    return Grid.of(shares.caption, rows)


def _classed(shares: Shares, comparison: Iterable[Result]) -> list[Result]:
    """The shares of its classes; the sum that stands beside a published rest is none of them."""
    return [
        each
        for each in comparison
        if each.identity.workload == shares.series.name
        and each.identity.parameter.class_bytes is not None
    ]


def _largest(part: Iterable[Result]) -> dict[Parameter, float]:
    """The largest share of each class."""
    by_class = grouped(part, lambda each: each.identity.parameter)
    return {of: max(each.value for each in those) for of, those in by_class.items()}


def _from_small_to_large(classes: Iterable[Parameter]) -> list[Parameter]:
    """The classes of packets by their lower bound."""
    return sorted(classes, key=lambda each: each.class_bytes or 0)


def _stacks(part: Iterable[Result], classes: Iterable[Parameter]) -> list[Bar]:
    bars: list[Bar] = []
    texts = [each.text for each in classes]
    for those in grouped(part, lambda each: each.label).values():
        name = ", ".join(filter(None, _by_suite(those[0].identity)))
        ours = {each.identity.parameter.text: each.value for each in those}
        theirs = {
            each.identity.parameter.text: each.published
            for each in those
            if each.published is not None
        }
        for whose, found in ((OURS, ours), (PUBLISHED, theirs)):
            start = 0.0
            for text in texts if found else []:
                share = found.get(text, 0.0)
                bars.append(Bar(name, whose, text, start + share, start=start))
                start += share
            if found:
                bars.append(Bar(name, whose, _OTHER, max(100.0, start), start=start))
    return bars


def _with_theirs(result: Result | None) -> str:
    if result is None:
        return MISSING
    theirs = result.published_text
    return f"{result.text} ({theirs})" if theirs else result.text


def sweep_chart(answer: SweepAnswer) -> Chart | None:
    """A sweep, rows whose verdict changes first: of one number what hardware and software reach and
    their ratios, of two a map of each ratio, else the ratios at all points by each number in turn.
    """
    count = len(answer.paths) if answer.is_grid else 0
    rows = sorted(answer.rows, key=lambda row: len({pair.verdict for pair in row.at.values()}) < 2)
    if count == 1:
        found = [row for row in rows if len(row.at) > 1]
        panels = [_curves(answer, row) for row in found[:MOST_PANELS]]
        return chart_of(panels, (*_BOTH, *RATIO_LEGEND), len(found) - len(panels))
    if count == 2:
        maps = [
            (row, measure, known)
            for row in rows
            for measure in (SPEED, WORK)
            if len(known := _at_both(row, measure)) > 1
        ]
        panels = [_map(answer, *each) for each in maps[:MOST_PANELS]]
        return chart_of(panels, _HEAT_LEGEND, len(maps) - len(panels))
    dots = [
        (row, number)
        for row in rows
        for number in range(len(answer.paths))
        if len({at[number] for at in row.at} - {None}) > 1
    ]
    panels = [_dots(answer, *each) for each in dots[:MOST_PANELS]]
    return chart_of(panels, RATIO_LEGEND, len(dots) - len(panels))


def _both_ratios(pair: Offload) -> dict[str, float]:
    """Both, as far as they are known and not nothing."""
    return {name: value for name, value in ((SPEED, pair.speed), (WORK, pair.work)) if value}


def _curves(answer: SweepAnswer, row: SweptRow) -> Panel:
    """The values, and below them the ratios of the verdict."""
    (path,) = answer.paths
    there = sorted((x, pair) for (x,), pair in row.at.items() if x is not None)
    axis = Axis.of(path, (x for x, _ in there))
    values = [
        Point(axis.at(x), result.value, series)
        for x, pair in there
        for series, result in ((SOFTWARE, pair.software), (HARDWARE, pair.hardware))
    ]
    ratios = _ratio_points(axis, there)
    above = plot(values, axis.across(named=not ratios), values_axis(values, form="~s"), height=130)
    picture = (
        below_each_other(
            above,
            plot(ratios, axis.across(), ratios_axis(ratios), height=110, below=no_difference()),
        )
        if ratios
        else above
    )
    title = f"{row.name}: {names.quantity(there[0][1].metric)}"
    told = "; ".join(
        f"at {path.said(x)} hardware {pair.hardware.text}, software {pair.software.text}, "
        f"speed {ratio(pair.speed)}, CPU work {ratio(pair.work)}: {pair.verdict}"
        for x, pair in there
    )
    says = f"Lines of {title} by {path.title}, and ratios of hardware to software. {told}."
    return Panel(title, picture, says)


def _ratio_points(axis: Axis, there: Iterable[tuple[float, Offload]]) -> list[Point]:
    return [
        Point(axis.at(x), value, name)
        for x, pair in there
        for name, value in _both_ratios(pair).items()
    ]


def _at_both(row: SweptRow, measure: str) -> dict[tuple[float, float], float]:
    """A ratio by both numbers."""
    return {
        (x, y): value
        for (x, y), pair in row.at.items()
        if x is not None and y is not None and (value := _both_ratios(pair).get(measure))
    }


def _map(
    answer: SweepAnswer, row: SweptRow, measure: str, found: Mapping[tuple[float, float], float]
) -> Panel:
    one, other = answer.paths
    axes = Axis.of(one, (x for x, _ in found)), Axis.of(other, (y for _, y in found))
    told = "; ".join(
        f"{ratio(value)} at {one.said(x)} and {other.said(y)}"
        for (x, y), value in sorted(found.items())
    )
    return Panel(
        f"{row.name}: {measure}, × software",
        heat_map(*axes, found, better_high=measure == SPEED),
        f"Map of {measure}, hardware divided by software, {row.name}. {told}.",
    )


def _dots(answer: SweepAnswer, row: SweptRow, number: int) -> Panel:
    path = answer.paths[number]
    there = [(x, pair) for at, pair in row.at.items() if (x := at[number]) is not None]
    axis = Axis.of(path, (x for x, _ in there))
    points = _ratio_points(axis, there)
    spans = []
    for name in (SPEED, WORK):
        values = [point.y for point in points if point.series == name]
        if values:
            spans.append(f"{name} from {ratio(min(values))} to {ratio(max(values))}")
    return Panel(
        f"{row.name}: ratios by {path.title}",
        plot(points, axis.across(), ratios_axis(points), joined=False, below=no_difference()),
        f"Points of the ratios of hardware to software by {path.title}, {row.name}: "
        f"{' and '.join(spans)}.",
    )


def swings_chart(found: Sensitivity) -> Chart | None:
    """How far each assumption moves the ratios of a verdict, the widest bar first: a panel a
    verdict, those that change first.  Assumptions that move a ratio by less than what counts as a
    difference are left out.
    """
    rows = sorted(found.judged, key=lambda row: standing_of_all(row) != "changes")
    drawn = [(row, bars) for row in rows if (bars := list(_swings(row, found)))]
    panels = []
    for row, bars in drawn[:MOST_PANELS]:
        told = "; ".join(f"{bar.name}, {bar.text} instead of {ratio(bar.start)}" for bar in bars)
        says = f"Ratios of hardware to software, {row.name}, by assumption. {told}."
        panels.append(Panel(f"{row.name}: {row.nominal.verdict}", swings(bars), says, NAMES))
    chart = chart_of(panels, _SWING_LEGEND, len(drawn) - len(panels))
    still = len(rows) - len(drawn)
    if chart is None or not still:
        return chart
    why = (
        f"{still} {'is' if still == 1 else 'are'} not drawn, as no assumption moves a ratio by "
        f"more than {SLACK * 100:g}\N{NO-BREAK SPACE}%."
    )
    return Chart(chart.panels, chart.legend, " ".join(filter(None, (chart.note, why))))


def _swings(row: Row, found: Sensitivity) -> Iterator[Bar]:
    """From the ratio with the board's own number to the one at each end, and what stands behind; of
    no length where that is not known.
    """
    for swing in by_width(row):
        for measure in MEASURES:
            low, own, high = ratios(row, swing, measure)
            if own is None or width(row, swing, measure) <= SLACK:
                continue
            name = f"{found.title_of(swing.assumption)}, {measure}"
            for end, value in zip(ENDS, (low, high), strict=True):
                text = f"{value_text(swing, swing.at(end).value)}: {ratio(value)}"
                yield Bar(name, end, end, own if value is None else value, text, start=own)


def costs_chart(groups: Sequence[Sequence[Choice]]) -> Chart | None:
    """Boards by what they cost, against what they give: a panel for each traffic and metric, with
    the best at each cost joined; points have the numbers that rows have in the tables.
    """
    found = [
        (group[0].traffic, metric, points)
        for group in groups
        for metric, points in cost_points(group).items()
        if len({point.x for point in points}) > 1
    ]
    panels = []
    for traffic, metric, points in found[:MOST_PANELS]:
        x, y = costs_axis(points), values_axis(points, form=".4~r")
        best = envelope(points, metric)
        told = "; ".join(
            f"{each.text}, {each.series}, cost {each.x:.4g}: {names.number(each.y, metric)}"
            + (", best" if each in best else "")
            for each in points
        )
        panels.append(
            Panel(
                f"{traffic}: {names.quantity(metric)} by cost",
                plot(points, x, y, joined=False, below=[front(best, x, y)]),
                f"Points of {names.quantity(metric)} by cost, {traffic}. {told}.",
            )
        )
    legend = (*_BOTH, ("line", "the best for that cost or less"))
    return chart_of(panels, legend, len(found) - len(panels))


def cost_points(group: Sequence[Choice]) -> dict[str, list[Point]]:
    """The rows of a traffic by each metric that they are weighed by."""
    found: dict[str, list[Point]] = {}
    for number, each in enumerate(group, 1):
        series = series_of(each.row.identity.implementation)
        for metric, value in filter(None, (each.speed, each.work)):
            found.setdefault(metric, []).append(Point(each.cost, value, series, text=str(number)))
    return found


def envelope(points: Iterable[Point], metric: str) -> list[Point]:
    """The points that are better than all that cost as much or less, by cost."""
    sign = -1 if better(metric) == "higher" else 1
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, sign * point.y)):
        if not kept or sign * point.y < sign * kept[-1].y:
            kept.append(point)
    return kept
