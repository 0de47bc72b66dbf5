# SPDX-License-Identifier: Apache-2.0
"""Hardware over software beside the published ratios, for a terminal."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.console import Console

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result
from firesteel.board.profile import Clock
from firesteel.replication.ratios import Ratio, Summary, left_out, ratios, summaries
from firesteel.terminal.grid import Grid


def show_ratios(
    console: Console,
    comparison: Sequence[Result],
    clocks: Mapping[str, Clock] | None = None,
    *,
    brief: bool = False,
) -> None:
    """Every published pair unless `brief`, and how near the ratios of each kind come, on boards of
    these clocks; nothing without a pair.
    """
    found, places = ratios(comparison, clocks), Places.of(comparison)
    if not found:
        return
    heads = ("ours", "published", "deviation", "fitted")
    for title, group in groupby([] if brief else found, lambda each: each.title):
        rows = [(places.label(each.name, each.identity.place), _cells(each)) for each in group]
        Grid(f"Ratio of hardware to software: {title}", heads, rows).show(console)
    medians = [(each.kind, _median(each)) for each in summaries(found)]
    if told := left_out(found):
        console.print(told, highlight=False)
    if not medians:
        return
    columns = (
        "pairs",
        "median\ndeviation",
        "of them\npredicted",
        "median\ndeviation",
        "same\nsign",
    )
    Grid("Deviation of these ratios from the published ones", columns, medians).show(console)


def _cells(ratio: Ratio) -> Sequence[str]:
    return [
        ratio.mark + digits(ratio.ours),
        digits(ratio.published),
        f"{round(ratio.deviation):+d} %",
        "+".join(ratio.fitted) or "–",
    ]


def _median(summary: Summary) -> Sequence[str]:
    return [
        str(summary.pairs),
        _percent(summary.median),
        str(summary.predicted),
        _percent(summary.median_predicted),
        f"{summary.same_direction} of {summary.pairs}",
    ]


def _percent(median: float | None) -> str:
    return "–" if median is None else f"{median:.0f} %"


def digits(ratio: float) -> str:
    """A ratio, with as many digits as tell it from none at all."""
    return f"{ratio:.{3 if ratio < 0.1 else 2}f}"
