# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, assert_never

import polars as pl
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.boards import Boards, by_board
from firesteel.analysis.bound import PEER, bounds_of
from firesteel.analysis.breakeven import break_even
from firesteel.analysis.compare import CONFIGURATION, configuration, orders
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import UNCONVERGED, result_text, value, value_text
from firesteel.analysis.thresholds import COLUMNS, conclusion, notes, outcomes, texts, title
from firesteel.model import names
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles
from firesteel.workloads.presentation import BySize, ForEachFile, Summary
from firesteel.workloads.registry import WORKLOADS

_SEEDS = (
    "Every figure is the mean of {} seeds, ± half of its 95 % interval. Where fewer seeds gave the "
    "figure, their number is in brackets."
)

_ROW = ("experiment", *CONFIGURATION, "parameter")
"""The columns that make a row."""


def show_figures(console: Console, results: Results) -> None:
    """All figures of a run: a table a metric when a parameter varies, else one an experiment."""
    show_setups(console, results)
    seeds = len(results.seeds)
    of_seeds = f" ({seeds} seeds)" if seeds > 1 else ""
    for (name,), part in results.spread.group_by(["experiment"], maintain_order=True):
        title = titles.experiment(str(name))
        parameters = part["parameter"].unique(maintain_order=True).to_list()
        _show_bounds(console, title, part)
        if len(parameters) == 1:
            _by_metric(f"{title}, {parameters[0]}{of_seeds}", part, seeds).show(console)
            continue
        for (metric,), figures in part.group_by(["metric"], maintain_order=True):
            heading = f"{title}: {names.quantity(str(metric))}"
            measured = figures["parameter"].unique(maintain_order=True).to_list()
            _grid(heading + of_seeds, figures, "parameter", measured, seeds).show(console)
    for told in _break_evens(results):
        console.print(escape(told), highlight=False)
    show_limits(console, results)
    show_remarks(console, results)


def _break_evens(results: Results) -> Iterator[str]:
    """A sentence each, of every board apart."""
    boards = Boards.of(results.means)
    for board, part in by_board(results.means).items():
        for found in break_even(part):
            yield replace(found, what=boards.label(found.what, board)).sentence


def show_comparison(console: Console, results: Results, comparison: Sequence[Result]) -> None:
    """What workloads show in short, then every figure that has a published counterpart."""
    show_setups(console, results)
    for workload in WORKLOADS:
        if workload.summary:
            _show_summary(console, workload.summary, comparison)
    paired = [each for each in comparison if each.beside]
    for (experiment, metric), part in grouped(paired, _of_a_grid).items():
        title = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
        rows = [
            (titles.of_identity(each.identity), _compared(each))
            for those in _by_side(part)
            for each in those
        ]
        Grid(title, ("at", "ours", "published", "ratio", "deviation"), rows).show(console)
    alone = len(comparison) - len(paired)
    if alone:
        console.print(
            f"{alone} figures have no published counterpart; `firesteel show` prints them.",
            highlight=False,
        )
    _show_sizes(console, paired)
    _show_orders(console, comparison)
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
    console.print(f"[dim]{method(results.measured_cpus)}[/dim]", highlight=False)
    if len(results.seeds) > 1:
        console.print(f"[dim]{_SEEDS.format(len(results.seeds))}[/dim]", highlight=False)
    for text in peer_limited(results.figures):
        console.print(f"[yellow]limited by the peer[/yellow] {escape(text)}", highlight=False)
    if not results.converged:
        console.print(f"[dim]{UNCONVERGED}[/dim]", highlight=False)
    for entry in results.failed:
        reason = escape(entry.problem.splitlines()[0])
        console.print(
            f"[red]failed[/red] {escape(titles.of_cell(entry.cell))}: {reason}", highlight=False
        )
    for entry in results.waiting:
        console.print(
            f"[yellow]not measured[/yellow] {escape(titles.of_cell(entry.cell))}", highlight=False
        )


def peer_limited(figures: pl.DataFrame) -> list[str]:
    """The rows that say nothing of the measured board, each with the CPU use of the other nodes."""
    found = bounds_of(figures.iter_rows(named=True), _ROW)
    return [
        f"{configuration(row)}, "
        f"{titles.experiment(row['experiment'])}, {row['parameter']}: the other nodes' CPUs were "
        f"busy for {row['value']:.0f} % of the time; no verdict; give these nodes faster profiles"
        for row in figures.filter(metric=PEER).iter_rows(named=True)
        if found.get(tuple(row[key] for key in _ROW)) == "peer"
    ]


def _show_bounds(console: Console, title: str, part: pl.DataFrame) -> None:
    """What limited each row of an experiment."""
    found = bounds_of(part.iter_rows(named=True), _ROW)
    if not found:
        return
    parameters = part["parameter"].unique(maintain_order=True).to_list()
    rows = []
    for figures in _configurations(part):
        first = figures.row(0, named=True)
        cells = [
            found.get(tuple((first | {"parameter": name})[key] for key in _ROW), "–")
            for name in parameters
        ]
        rows.append((configuration(first), cells))
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
    for those in _by_side(part):
        by_size = {each.at: each for each in those}
        picked = [by_size.get(size) for size in sizes]
        label = titles.of_identity(those[0].identity)
        rows.append((label, ["ours", *(_value(each) for each in picked)]))
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
    for those in _by_side(part):
        by_metric = {each.metric: each for each in those}
        cells: list[str] = []
        for each in map(by_metric.get, summary.heads):
            cells += [_value(each), _published(each), _ratio(each)]
        rows.append((titles.of_identity(those[0].identity), cells))
    columns = [
        column
        for head in summary.heads.values()
        for column in (f"{head}\nours", f"{head}\npubl.", "\nratio")
    ]
    how = titles.how_files_go(each.identity.protocol for each in part)
    Grid(f"{summary.series.title}, {part[0].at} {how}", columns, rows).show(console)


def _show_sizes(console: Console, results: Iterable[Result]) -> None:
    """Says so when a transfer is compared with one of another size."""
    for note in dict.fromkeys(each.size_note for each in results if each.size_note):
        console.print(f"File transfer: {note}.", highlight=False)


def _show_orders(console: Console, comparison: Iterable[Result]) -> None:
    found = orders(comparison)
    if found:
        console.print("[bold]Order of the configurations[/bold]", highlight=False)
    for order in found:
        console.print(escape(f"  {order.sentence}"), highlight=False)


def _of_a_grid(result: Result) -> tuple[str, str]:
    return result.identity.workload, result.metric


def _by_side(results: Iterable[Result]) -> Iterable[list[Result]]:
    """The results of each configuration."""
    return grouped(results, lambda each: each.identity.side).values()


def _compared(result: Result) -> list[str]:
    deviation = result.deviation
    return [
        result.at,
        result_text(result),
        _published(result),
        _ratio(result),
        "–" if deviation is None else f"{deviation:+.0f} %",
    ]


def _by_metric(title: str, part: pl.DataFrame, seeds: int) -> Grid:
    heads = part.select("metric", "unit").unique(maintain_order=True).iter_rows()
    labelled = part.with_columns((pl.col("metric") + "\n" + pl.col("unit")).alias("head"))
    values = [f"{metric}\n{unit}" for metric, unit in heads]
    return _grid(title, labelled, "head", values, seeds)


def _grid(
    title: str, part: pl.DataFrame, column: str, values: Sequence[str], seeds: int = 1
) -> Grid:
    """A row a configuration, a column for each of `values`; with their spread over `seeds`."""
    rows = []
    for figures in _configurations(part):
        by_value = {row[column]: row for row in figures.iter_rows(named=True)}
        cells = [_with_spread(by_value.get(value, {}), seeds) for value in values]
        rows.append((configuration(figures.row(0, named=True)), cells))
    return Grid(title, [_head(value) for value in values], rows)


def _head(text: str) -> str:
    metric, newline, unit = text.partition("\n")
    lines = [*names.metric(metric).split(" "), names.unit(unit)]
    return "\n".join(filter(None, lines)) if newline else text


def _configurations(part: pl.DataFrame) -> Iterator[pl.DataFrame]:
    yield from part.partition_by(*CONFIGURATION, maintain_order=True)


def _value(result: Result | None) -> str:
    return value_text(result) if result else "–"


def _published(result: Result | None) -> str:
    if result is None or result.published is None:
        return "–"
    return names.number(result.published, result.metric)


def _with_spread(row: dict[str, Any], seeds: int) -> str:
    """`11.26 ±0.02`; of how many seeds, where these are not all: `11.26 ±0.02 (4)`; and
    `≈11.26 ±1.03` of what has not converged.
    """
    text = value(row)
    if not row:
        return text
    return text if row["seeds"] == seeds else f"{text} ({row['seeds']})"


def _ratio(result: Result | None) -> str:
    if result is None or result.ratio is None:
        return "–"
    return f"{'' if result.converged else names.UNCONVERGED}{result.ratio:.2f}"
