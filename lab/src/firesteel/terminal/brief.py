# SPDX-License-Identifier: Apache-2.0
"""Comparisons in at most 40 lines, unless all of it is asked for."""

from collections.abc import Callable, Sequence
from statistics import median

from rich.console import Console

from firesteel.analysis.changes import Changed, ChangeVerdict, places_of
from firesteel.analysis.pairing import Pairing
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import ratio, ratio_range
from firesteel.model import names
from firesteel.replication.method import method
from firesteel.terminal.change_table import remarks, row, show_boards
from firesteel.terminal.grid import Grid, say, show
from firesteel.workloads import titles

MOST_LINES = 40

_MOST_ROWS = 8
"""Figures that changed, of each verdict."""

_MOST_KINDS = 24
"""Kinds of figures next to published ones."""

Show = Callable[[Console], None]


def show_within_limits(console: Console, whole: Show, brief: Show) -> None:
    """All of it where that is at most `MOST_LINES` long, or else the brief form."""
    lines = _lines(console, whole)
    if len(lines) > MOST_LINES:
        lines = _lines(console, brief)
        cut = len(lines) - (MOST_LINES - 1)
        if cut > 0:
            lines = lines[: MOST_LINES - 1]
        lines.append("This is a part of it; `--all` shows everything.")
    for line in lines:
        console.file.write(f"{line}\n")


def _lines(console: Console, show: Show) -> list[str]:
    with console.capture() as captured:
        show(console)
    return captured.get().splitlines()


def show_comparison_in_brief(
    console: Console, results: Results, comparison: Sequence[Result]
) -> None:
    """For each kind of figure, how far ours are from the published ones; the kinds that are
    farthest first.
    """
    paired = [each for each in comparison if each.beside and each.ratio]
    kinds = grouped(paired, lambda each: (each.identity.workload, each.metric))
    found = []
    for (workload, metric), those in kinds.items():
        ratios = [each.ratio for each in those if each.ratio]
        off = abs(median(ratios) - 1)
        label = f"{titles.experiment(workload)}: {names.metric(metric)}"
        worst = max(ratios, key=lambda each: abs(each - 1))
        numbers = ((each, True) for each in ratios)
        cells = {
            "": label,
            "figures": str(len(ratios)),
            "ours / published\nmedian (range)": ratio_range(numbers, median_too=True),
            "farthest": ratio(worst),
        }
        found.append((off, cells))
    found.sort(key=lambda each: -each[0])
    rows = [cells for _, cells in found[:_MOST_KINDS]]
    show(console, Grid.of("Ours next to published figures, the farthest kind first", rows))
    if (more := len(found) - len(rows)) > 0:
        say(console, f"{more} further kinds of figures are nearer.")
    if alone := len(comparison) - sum(1 for each in comparison if each.beside):
        say(console, f"{alone} figures have no published counterpart.")
    say(console, method(results.measured_cpus), "dim")


def show_changes_in_brief(
    console: Console,
    before: Results,
    after: Results,
    pairing: Pairing,
    found: Sequence[Changed],
) -> None:
    """In what boards differ, the largest changes for the worse and for the better, and how many
    others there are.
    """
    show_boards(console, pairing.boards)
    places = places_of(before, after, found)
    verdicts: tuple[ChangeVerdict, ...] = ("worse", "better")
    for verdict in verdicts:
        those = [each for each in found if each.change.verdict == verdict]
        largest = sorted(those, key=_size, reverse=True)[:_MOST_ROWS]
        rows = [_brief(each, places) for each in largest]
        title = f"{verdict.capitalize()}: the largest {len(rows)} of {len(those)}"
        show(console, Grid.of(title, rows))
    for line in remarks(before, after, pairing, found):
        say(console, line)


def _brief(changed: Changed, places: Places) -> dict[str, str]:
    whole = row(changed, places)
    del whole["noise"]
    return {**whole, "": f"{whole['']}, {names.metric(changed.metric)}"}


def _size(changed: Changed) -> float:
    percent = changed.change.change_percent
    return float("inf") if percent is None else abs(percent)
