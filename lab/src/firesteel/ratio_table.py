# SPDX-License-Identifier: Apache-2.0
"""Hardware over software beside the published ratios, for a terminal."""

from collections.abc import Sequence

import polars as pl
from rich.console import Console

from firesteel.grid import Grid
from firesteel.ratios import Ratio, Summary, ratios, summaries


def show_ratios(console: Console, comparison: pl.DataFrame) -> None:
    """Every published pair, and how near the ratios of each kind come; nothing without a pair."""
    found = ratios(comparison)
    if not found:
        return
    rows = [(f"{each.name}: {each.kind}", _cells(each)) for each in found]
    heads = ("ours", "published", "deviation", "fitted")
    Grid("Hardware over software: speed-up, and share of the CPU work", heads, rows).show(console)
    medians = [(each.kind, _median(each)) for each in summaries(found)]
    columns = ("pairs", "median\ndeviation", "of them\npredicted", "median\ndeviation", "same\nway")
    Grid("Deviation of these ratios from the published ones", columns, medians).show(console)


def _cells(ratio: Ratio) -> Sequence[str]:
    return [
        digits(ratio.ours),
        digits(ratio.published),
        f"{ratio.deviation:+.0f} %",
        "+".join(ratio.fitted) or "–",
    ]


def _median(summary: Summary) -> Sequence[str]:
    predicted = summary.median_predicted
    return [
        str(summary.pairs),
        f"{summary.median:.0f} %",
        str(summary.predicted),
        "–" if predicted is None else f"{predicted:.0f} %",
        f"{summary.same_direction} of {summary.pairs}",
    ]


def digits(ratio: float) -> str:
    """A ratio, with as many digits as tell it from none at all."""
    return f"{ratio:.{3 if ratio < 0.1 else 2}f}"
