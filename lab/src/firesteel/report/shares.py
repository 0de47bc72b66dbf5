# SPDX-License-Identifier: Apache-2.0
"""Histograms: a bar a configuration, stacked from the smallest class to the largest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import altair as alt

from firesteel.analysis.rows import Result
from firesteel.analysis.sheet import MISSING, Sheet
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.identity import Identity
from firesteel.model.parameter import Parameter
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
from firesteel.report.panels import Group
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


@dataclass(frozen=True)
class Share(Named):
    """A part of a stacked bar: a class of packets, `place` is where in the bar it is."""

    class_: str
    value: float
    place: int


def shares_chart(
    shares: Shares, comparison: Iterable[Result], tunnels: Iterable[Group]
) -> Chart | None:
    """Ours, and below it what was published, a panel a protocol (and board)."""
    part = _part(shares, comparison)
    if not part:
        return None
    classes = _drawn(part)
    panels: list[Panel] = []
    left_out = 0
    for title, group in tunnels:
        bars = _bars_of(_part(shares, group), classes)
        order = list(dict.fromkeys(bar.name for bar in bars))
        kept = order[:_MOST_NAMES] if len(panels) < MOST_PANELS else []
        left_out += len(order) - len(kept)
        if kept:
            drawn = [bar for bar in bars if bar.name in kept]
            picture = _bars(drawn, [*(each.text for each in classes), OTHER])
            heading, says = f"{title}: % of {shares.of}", _says(shares, title, drawn)
            panels.append(Panel(heading, picture, f"z{len(panels)}", says))
    legend = [(f"class-{number}", each.text) for number, each in enumerate(classes)]
    legend.append(("class-other", "all others"))
    return Chart(panels, legend, left_out_note(left_out))


def shares_sheet(shares: Shares, comparison: Iterable[Result]) -> Sheet | None:
    """The histogram; a published share stands in brackets."""
    part = _part(shares, comparison)
    if not part:
        return None
    classes = _from_small_to_large(each for each, share in _largest(part).items() if share > 0)
    rows = []
    for label, by_class in _by_label(part).items():
        rows.append([label, *(_with_published(by_class.get(each)) for each in classes)])
    heads = [each.text for each in classes]
    return Sheet(shares.caption, heads, rows)


def _part(shares: Shares, comparison: Iterable[Result]) -> list[Result]:
    """The shares of its classes; the sum that stands beside a published rest is none of them."""
    return [
        each
        for each in comparison
        if each.identity.workload == shares.series.name
        and each.identity.parameter.class_bytes is not None
    ]


def _by_label(part: Iterable[Result]) -> dict[str, dict[Parameter, Result]]:
    """The share of each class, by what it is of."""
    found: dict[str, dict[Parameter, Result]] = {}
    for each in part:
        found.setdefault(each.label, {})[each.identity.parameter] = each
    return found


def _largest(part: Iterable[Result]) -> dict[Parameter, float]:
    """The largest share of each class."""
    largest: dict[Parameter, float] = {}
    for each in part:
        of = each.identity.parameter
        largest[of] = max(each.value, largest.get(of, each.value))
    return largest


def _drawn(part: Iterable[Result]) -> list[Parameter]:
    """The classes with colours of their own: the most frequent ones, from small to large."""
    often = [(each, share) for each, share in _largest(part).items() if share >= _LEAST]
    often.sort(key=lambda pair: -pair[1])
    return _from_small_to_large(each for each, _ in often[:_CLASSES])


def _bars_of(part: Iterable[Result], classes: Sequence[Parameter]) -> list[Share]:
    bars: list[Share] = []
    for by_class in _by_label(part).values():
        name = _called(next(iter(by_class.values())).identity)
        ours = {of: each.value for of, each in by_class.items()}
        theirs = {of: each.published for of, each in by_class.items() if each.published is not None}
        bars += _stacked(name, "ours", ours, classes)
        bars += _stacked(name, "published", theirs, classes) if theirs else []
    return bars


def _called(of: Identity) -> str:
    if of.protocol == NO_TUNNEL:
        return titles.protocol(NO_TUNNEL)
    return f"{titles.suite(of.cipher, of.mac)}, {titles.implementation(of.implementation)}"


def _stacked(
    name: str, whose: str, there: Mapping[Parameter, float], classes: Iterable[Parameter]
) -> list[Share]:
    stacked = {each.text: there.get(each, 0.0) for each in classes}
    stacked[OTHER] = max(0.0, 100 - sum(stacked.values()))
    parts = enumerate(stacked.items())
    return [Share(name, whose, each, share, place) for place, (each, share) in parts]


def _says(shares: Shares, title: str, bars: Iterable[Share]) -> str:
    told: dict[str, list[str]] = {}
    for bar in bars:
        if bar.value >= _LEAST:
            told.setdefault(f"{bar.name}, {bar.whose}", []).append(
                f"{bar.class_} {bar.value:.1f} %"
            )
    return f"Stacked bars of {shares.what}, {title}. " + "; ".join(
        f"{of}: {', '.join(each)}" for of, each in told.items()
    )


def _bars(bars: Sequence[Share], classes: Sequence[str]) -> Picture:
    fills = [f"var(--class-{number})" for number in range(len(classes) - 1)] + ["var(--band)"]
    y, offset = named_rows(bars, _LABELS)
    across = alt.Scale(domain=[0, _ROOM], nice=False)
    axis = alt.Axis(values=[0, 25, 50, 75, 100], domain=False, ticks=False)
    drawn = [asdict(bar) for bar in bars]
    ends = list({(bar.name, bar.whose): asdict(bar) | {"end": 100} for bar in bars}.values())
    whose = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_text(align="left", dx=4, baseline="middle", fontSize=11, fill="currentColor")
        .encode(y=y, yOffset=offset, x=alt.X("end:Q", scale=across), text="whose:N")
    )
    chart = (
        alt.Chart(alt.InlineData(values=drawn))
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
            color=alt.Color("class_:N", scale=alt.Scale(domain=classes, range=fills), legend=None),
            order="place:Q",
        )
    )
    return alt.layer(chart, whose).properties(width=_WIDTH, height=step(bars))


def _from_small_to_large(classes: Iterable[Parameter]) -> list[Parameter]:
    """The classes of packets by their lower bound."""
    return sorted(classes, key=lambda each: each.class_bytes or 0)


def _with_published(result: Result | None) -> str:
    if result is None:
        return MISSING
    theirs = result.published_text
    return f"{result.text} ({theirs})" if theirs else result.text
