# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from firesteel.analysis.bound import PEER
from firesteel.analysis.compare import orders
from firesteel.analysis.places import Places, by_place
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, Row, Rows, grouped
from firesteel.analysis.sheet import MISSING, UNCONVERGED
from firesteel.analysis.thresholds import (
    COLUMNS,
    break_even,
    conclusion,
    notes,
    outcomes,
    texts,
    title,
)
from firesteel.model import names
from firesteel.model.metrics import unit_of
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles
from firesteel.workloads.presentation import BySize, ForEachFile, Summary
from firesteel.workloads.registry import WORKLOADS

_SEEDS = (
    "Every figure is the mean of {} seeds, ± half of its 95 % interval. Where fewer seeds gave the "
    "figure, their number is in brackets."
)


def show_figures(console: Console, results: Results) -> None:
    """All figures of a run: a table a metric when a parameter varies, else one an experiment."""
    show_setups(console, results)
    seeds = len(results.seeds)
    of_seeds = f" ({seeds} seeds)" if seeds > 1 else ""
    figures = Places.of(results.means).labelled(results.means)
    for name, part in grouped(figures, lambda each: each.identity.workload).items():
        title = titles.experiment(name)
        parameters = list(dict.fromkeys(each.at for each in part))
        _show_bounds(console, title, part, parameters)
        if len(parameters) == 1:
            _by_metric(names.listed(title, parameters[0]) + of_seeds, part, seeds).show(console)
            continue
        for metric, those in grouped(part, lambda each: each.metric).items():
            heading = f"{title}: {names.quantity(metric)}"
            _by_parameter(heading + of_seeds, those, seeds).show(console)
    for told in _break_evens(results):
        console.print(escape(told), highlight=False)
    show_limits(console, results)
    show_remarks(console, results)


def _break_evens(results: Results) -> Iterator[str]:
    """A sentence each, of every place apart."""
    places = Places.of(results.means)
    for place, part in by_place(results.means).items():
        for found in break_even(part):
            yield replace(found, what=places.label(found.what, place)).sentence


def show_comparison(console: Console, results: Results, comparison: Sequence[Result]) -> None:
    """What workloads show in short, then every figure that has a published counterpart."""
    show_setups(console, results)
    places = Places.of(results.means)
    comparison = places.labelled(comparison)
    for workload in WORKLOADS:
        if workload.summary:
            _show_summary(console, workload.summary, comparison)
    paired = [each for each in comparison if each.beside]
    for (experiment, metric), part in grouped(paired, _of_a_grid).items():
        title = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
        rows = [
            (each.label, _compared(each)) for those in _by_configuration(part) for each in those
        ]
        Grid(title, ("at", "ours", "published", "ratio", "deviation"), rows).show(console)
    alone = len(comparison) - len(paired)
    if alone:
        console.print(
            f"{alone} figures have no published counterpart; `firesteel show` prints them.",
            highlight=False,
        )
    _show_sizes(console, paired)
    _show_orders(console, comparison, places)
    show_remarks(console, results)


def show_setups(console: Console, results: Results) -> None:
    """What the figures below were measured on."""
    for sentence in results.measured_on:
        console.print(f"Measured on {escape(sentence)}.", highlight=False)
    if results.measured_on:
        console.print()


def show_limits(console: Console, results: Results) -> None:
    """What the experiment's limits are, and whether they are met."""
    found = outcomes(results.means, results.journal.limits)
    for name, group in groupby(found, title):
        those = list(group)
        if all(outcome.value is None for outcome in those):
            continue  # Counted below.
        rows = [(what, cells) for what, *cells in map(texts, those)]
        Grid(name, COLUMNS, rows).show(console)
        for note in notes(those):
            console.print(f"{escape(note)}\n", highlight=False)
    if told := conclusion(found):
        console.print(told, highlight=False)


def show_remarks(console: Console, results: Results) -> None:
    """The method, what the peers limited, and the cells that are missing with the reason."""
    if results.part:
        console.print(Text(results.part, style="yellow"))
    console.print(f"[dim]{method(results.measured_cpus)}[/dim]", highlight=False)
    if len(results.seeds) > 1:
        console.print(f"[dim]{_SEEDS.format(len(results.seeds))}[/dim]", highlight=False)
    for text in peer_limited(Places.of(results.means).labelled(results.means)):
        console.print(f"[yellow]limited by the peer[/yellow] {escape(text)}", highlight=False)
    if not results.converged:
        console.print(f"[dim]{UNCONVERGED}[/dim]", highlight=False)
    cells = Places.of_cells(entry.cell for entry in results.journal.entries)
    for entry in results.failed:
        reason = escape(entry.problem.splitlines()[0])
        console.print(
            f"[red]failed[/red] {escape(cells.of_cell(entry.cell))}: {reason}", highlight=False
        )
    for entry in results.waiting:
        console.print(
            f"[yellow]not measured[/yellow] {escape(cells.of_cell(entry.cell))}", highlight=False
        )


def peer_limited(results: Iterable[Result]) -> list[str]:
    """Of labelled figures, the rows that say nothing of the measured board, each with the CPU use
    of the other nodes.
    """
    return [
        f"{_told(row)}: the other nodes' CPUs were busy for {row.results[PEER].value:.0f} % of the "
        "time; no verdict; give these nodes faster profiles"
        for row in Rows(results)
        if row.peer_limited
    ]


def _told(row: Row) -> str:
    series = titles.experiment(row.identity.workload)
    return names.listed(row.label, series, row.identity.parameter.text)


def _show_bounds(
    console: Console, title: str, part: Iterable[Result], parameters: Sequence[str]
) -> None:
    """What limited each row of an experiment."""
    found: dict[str, dict[str, Row]] = {}
    for row in Rows(part):
        found.setdefault(row.label, {})[row.identity.parameter.text] = row
    if not any(row.bound for those in found.values() for row in those.values()):
        return
    rows = []
    for label, those in found.items():
        bounds = {at: row.bound or MISSING for at, row in those.items()}
        rows.append((label, [bounds.get(at, MISSING) for at in parameters]))
    Grid(f"{title}: limited by", parameters, rows).show(console)


def _show_summary(console: Console, summary: Summary, comparison: Iterable[Result]) -> None:
    match summary:
        case BySize():
            _by_size(console, summary, comparison)
        case ForEachFile():
            _for_each_file(console, summary, comparison)
        case _:
            assert_never(summary)


def _by_size(console: Console, summary: BySize, comparison: Iterable[Result]) -> None:
    of = (summary.series.name, summary.metric)
    part = [each for each in comparison if _of_a_grid(each) == of]
    if not part:
        return
    sizes = list(dict.fromkeys(each.at for each in part))
    rows: list[tuple[str, Sequence[str]]] = []
    for those in _by_configuration(part):
        by_size = {each.at: each for each in those}
        picked = [by_size.get(size) for size in sizes]
        rows.append((those[0].label, ["ours", *(_value(each) for each in picked)]))
        rows.append(("", ["published", *(_published(each) for each in picked)]))
    Grid(summary.title, ["", *sizes], rows).show(console)


def _for_each_file(console: Console, summary: ForEachFile, comparison: Iterable[Result]) -> None:
    """A table a size, as each configuration may have files of several."""
    name = summary.series.name
    transfers = [each for each in comparison if each.identity.workload == name]
    for part in grouped(transfers, lambda each: each.identity.parameter).values():
        _of_a_file(console, summary, part)
    _show_sizes(console, transfers)


def _of_a_file(console: Console, summary: ForEachFile, part: Sequence[Result]) -> None:
    rows: list[tuple[str, Sequence[str]]] = []
    for those in _by_configuration(part):
        by_metric = {each.metric: each for each in those}
        cells: list[str] = []
        for each in map(by_metric.get, summary.heads):
            cells += [_value(each), _published(each), _ratio(each)]
        rows.append((those[0].label, cells))
    columns = [
        column
        for head in summary.heads.values()
        for column in (f"{head}\nours", f"{head}\npubl.", "\nratio")
    ]
    how = titles.how_files_go(map(_way, part))
    Grid(
        f"{summary.series.title}, {part[0].identity.parameter.size_text} {how}", columns, rows
    ).show(console)


def _way(result: Result) -> tuple[str, str | None]:
    """What brought a file, as `titles.how_files_go` takes it."""
    return result.identity.protocol, result.identity.parameter.by


def _show_sizes(console: Console, results: Iterable[Result]) -> None:
    """Says so when a transfer is compared with one of another size."""
    for note in dict.fromkeys(each.size_note for each in results if each.size_note):
        console.print(f"File transfer: {note}.", highlight=False)


def _show_orders(console: Console, comparison: Iterable[Result], places: Places) -> None:
    found = orders(comparison)
    if found:
        console.print("[bold]Order of the configurations[/bold]", highlight=False)
    for order in found:
        where = f"{mark}: " if (mark := places.mark(order.place)) else ""
        console.print(escape(f"  {where}{order.sentence}"), highlight=False)


def _of_a_grid(result: Result) -> tuple[str, str]:
    return result.identity.workload, result.metric


def _by_configuration(results: Iterable[Result]) -> Iterable[list[Result]]:
    """The results of each configuration at each place."""
    return grouped(results, lambda each: (each.identity.side, each.identity.place)).values()


def _compared(result: Result) -> list[str]:
    deviation = result.deviation
    return [
        result.at,
        result.text,
        _published(result),
        _ratio(result),
        MISSING if deviation is None else f"{deviation:+.0f} %",
    ]


def _by_metric(title: str, part: Iterable[Result], seeds: int) -> Grid:
    """A column for each metric."""
    metrics = list(dict.fromkeys(each.metric for each in part))
    rows = [
        (
            those[0].label,
            _cells({e.metric: e for e in those}, metrics, seeds),
        )
        for those in _by_configuration(part)
    ]
    return Grid(title, [_head(metric) for metric in metrics], rows)


def _by_parameter(title: str, part: Iterable[Result], seeds: int) -> Grid:
    """A column for each parameter."""
    parameters = list(dict.fromkeys(each.at for each in part))
    rows = [
        (those[0].label, _cells({each.at: each for each in those}, parameters, seeds))
        for those in _by_configuration(part)
    ]
    return Grid(title, parameters, rows)


def _cells(found: Mapping[str, Result], columns: Iterable[str], seeds: int) -> list[str]:
    return [_with_spread(found.get(column), seeds) for column in columns]


def _head(metric: str) -> str:
    lines = [*names.metric(metric).split(" "), names.unit(unit_of(metric))]
    return "\n".join(filter(None, lines))


def _value(result: Result | None) -> str:
    return result.value_text if result else MISSING


def _published(result: Result | None) -> str:
    if result is None or result.published is None:
        return MISSING
    return names.number(result.published, result.metric)


def _with_spread(result: Result | None, seeds: int) -> str:
    """`11.26 ±0.02`; of how many seeds, where these are not all: `11.26 ±0.02 (4)`; and
    `≈11.26 ±1.03` of what has not converged.
    """
    if result is None:
        return MISSING
    text, own = result.text, result.sample.seeds
    return text if own == seeds else f"{text} ({own})"


def _ratio(result: Result | None) -> str:
    if result is None or result.ratio is None:
        return MISSING
    return f"{names.mark(converged=result.converged)}{result.ratio:.2f}"
