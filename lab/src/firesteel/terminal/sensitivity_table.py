# SPDX-License-Identifier: Apache-2.0
"""A study of sensitivity on a terminal: how many verdicts hold, which change and where."""

from collections.abc import Sequence

from rich.console import Console

from firesteel.analysis.sensitivity import (
    INTERPOLATED,
    MEASURES,
    Measure,
    Row,
    Sensitivity,
    Swing,
    by_width,
    range_text,
    ratio_of,
    standing,
    value_text,
)
from firesteel.analysis.sheet import MISSING, ratio
from firesteel.terminal.grid import Grid
from firesteel.terminal.prose import show


def show_sensitivity(console: Console, found: Sensitivity, *, rows: bool) -> None:
    """The summary, then the verdicts that change; with `rows` what each assumption does to each."""
    show(console, found.headline, style="bold")
    if found.crossovers:
        console.print()
        _changes(found).show(console)
        show(console, INTERPOLATED, style="dim")
    for row in found.unknown:
        show(console, f"not measured at both ends of every range: {row.name}", style="yellow")
    if found.left_out:
        show(console, f"Not varied: {', '.join(found.left_out)}.")
    if rows:
        console.print()
        for row in found.rows:
            _tornado(row, found).show(console)
    else:
        show(console, "With --rows: what each assumption does to each row.")


def _changes(found: Sensitivity) -> Grid:
    """A row for each change, below one that says of which verdict."""
    columns = ("changes at\n(board's own)", "to")
    lines: list[tuple[str, Sequence[str]]] = []
    before: Row | None = None
    for row, swing, flip in found.crossovers:
        if row is not before:
            lines.append((f"{row.name}: {row.nominal.verdict}", []))
        value = f"{value_text(swing, flip.value)} ({value_text(swing, swing.nominal)})"
        lines.append((f"  {found.title_of(swing.assumption)}", [value, flip.verdict]))
        before = row
    return Grid("Verdicts that change", columns, lines)


def _tornado(row: Row, found: Sensitivity) -> Grid:
    """A row for each assumption, that which moves a ratio most first."""
    lines = [
        (
            found.title_of(swing.assumption),
            [
                range_text(swing),
                *(_ratios(row, swing, measure) for measure in MEASURES),
                standing(row, swing),
            ],
        )
        for swing in by_width(row)
    ]
    heads = (f"{measure}\nlow, own, high" for measure in MEASURES)
    columns = ("range", *heads, "verdict")
    return Grid(f"{row.name}: {row.nominal.verdict}", columns, lines)


def _ratios(row: Row, swing: Swing, measure: Measure) -> str:
    points = (swing.low.point, row.nominal, swing.high.point)
    return " ".join(ratio(ratio_of(point, measure)) if point else MISSING for point in points)
