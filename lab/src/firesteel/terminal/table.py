# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, assert_never

import polars as pl
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.boards import BOARD, Boards, by_board
from firesteel.analysis.bound import PEER, bounds_of
from firesteel.analysis.breakeven import break_even
from firesteel.analysis.compare import CONFIGURATION, configuration, orders
from firesteel.analysis.results import Results
from firesteel.analysis.sheet import UNCONVERGED, mark, value
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
    figures = by_board(results)
    boards = Boards.of(figures)
    for part in figures.partition_by(BOARD, maintain_order=True):
        for found in break_even(part):
            yield replace(found, what=boards.label(found.what, part[BOARD][0])).sentence


def show_comparison(console: Console, results: Results, comparison: pl.DataFrame) -> None:
    """What workloads show in short, then every figure that has a published counterpart."""
    show_setups(console, results)
    for workload in WORKLOADS:
        if workload.summary:
            _show_summary(console, workload.summary, comparison)
    paired = comparison.filter(pl.col("published").is_not_null())
    for keys, part in paired.group_by(["experiment", "metric"], maintain_order=True):
        experiment, metric = map(str, keys)
        title = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
        rows = [
            (configuration(row), _compared(row))
            for figures in _configurations(part)
            for row in figures.iter_rows(named=True)
        ]
        Grid(title, ("at", "ours", "published", "ratio", "deviation"), rows).show(console)
    alone = comparison.height - paired.height
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
    found = outcomes(results.spread, results.journal.limits)
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
    if not results.spread["converged"].all():
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


def _show_summary(console: Console, summary: Summary, comparison: pl.DataFrame) -> None:
    match summary:
        case BySize():
            _by_size(console, summary, comparison)
        case ForEachFile():
            _for_each_file(console, summary, comparison)
        case _:
            assert_never(summary)


def _by_size(console: Console, summary: BySize, comparison: pl.DataFrame) -> None:
    part = comparison.filter(experiment=summary.series.name, metric=summary.metric)
    if part.is_empty():
        return
    sizes = part["parameter"].unique(maintain_order=True).to_list()
    rows: list[tuple[str, Sequence[str]]] = []
    for figures in _configurations(part):
        by_size = {row["parameter"]: row for row in figures.iter_rows(named=True)}
        picked = [by_size.get(size, {}) for size in sizes]
        label = configuration(figures.row(0, named=True))
        rows.append((label, ["ours", *(_number(row, "value") for row in picked)]))
        rows.append(("", ["published", *(_number(row, "published") for row in picked)]))
    Grid(summary.title, ["", *sizes], rows).show(console)


def _for_each_file(console: Console, summary: ForEachFile, comparison: pl.DataFrame) -> None:
    """A table a size, as each configuration may have files of several."""
    transfers = comparison.filter(experiment=summary.series.name)
    for part in transfers.partition_by("parameter", maintain_order=True):
        _of_a_file(console, summary, part)
    _show_sizes(console, transfers.filter(pl.col("published").is_not_null()))


def _of_a_file(console: Console, summary: ForEachFile, part: pl.DataFrame) -> None:
    rows: list[tuple[str, Sequence[str]]] = []
    for figures in _configurations(part):
        by_metric = {row["metric"]: row for row in figures.iter_rows(named=True)}
        cells: list[str] = []
        for metric in summary.heads:
            row = by_metric.get(metric, {})
            cells += [_number(row, "value"), _number(row, "published"), _ratio(row)]
        rows.append((configuration(figures.row(0, named=True)), cells))
    columns = [
        column
        for head in summary.heads.values()
        for column in (f"{head}\nours", f"{head}\npubl.", "\nratio")
    ]
    how = titles.how_files_go(part["protocol"])
    title = f"{summary.series.title}, {part['parameter'][0]} {how}"
    Grid(title, columns, rows).show(console)


def _show_sizes(console: Console, paired: pl.DataFrame) -> None:
    """Says so when a transfer is compared with one of another size."""
    notes = paired.filter(pl.col("note").str.contains("ours has"))["note"]
    for note in notes.str.split("; ").list.first().unique(maintain_order=True):
        console.print(f"File transfer: {note}.", highlight=False)


def _show_orders(console: Console, comparison: pl.DataFrame) -> None:
    found = orders(comparison)
    if found:
        console.print("[bold]Order of the configurations[/bold]", highlight=False)
    for order in found:
        console.print(escape(f"  {order.sentence}"), highlight=False)


def _compared(row: dict[str, Any]) -> list[str]:
    deviation = row["deviation_percent"]
    return [
        row["parameter"],
        value(row),
        _number(row, "published"),
        _ratio(row),
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


def _number(row: dict[str, Any], key: str) -> str:
    found = row.get(key)
    if found is None:
        return "–"
    before = mark(row) if key == "value" else ""
    return before + names.number(found, row["metric"])


def _with_spread(row: dict[str, Any], seeds: int) -> str:
    """`11.26 ±0.02`; of how many seeds, where these are not all: `11.26 ±0.02 (4)`; and
    `≈11.26 ±1.03` of what has not converged.
    """
    text = value(row)
    if not row:
        return text
    return text if row["seeds"] == seeds else f"{text} ({row['seeds']})"


def _ratio(row: dict[str, Any]) -> str:
    found = row.get("ratio")
    return "–" if found is None else f"{mark(row)}{found:.2f}"
