# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from rich.console import Console

from firesteel.analysis.bound import PEER
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
from firesteel.terminal.grid import Grid, say, show
from firesteel.workloads import titles
from firesteel.workloads.presentation import BySize, ForEachFile
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
        show(console, _bounds(title, part, parameters))
        if len(parameters) == 1:
            heads = {
                metric: _head(metric) for metric in dict.fromkeys(each.metric for each in part)
            }
            caption = names.listed(title, parameters[0]) + of_seeds
            show(console, _pivoted(caption, part, "metric", heads, seeds))
            continue
        for metric, those in grouped(part, lambda each: each.metric).items():
            heads = {each.at: each.at for each in those}
            caption = f"{title}: {names.quantity(metric)}{of_seeds}"
            show(console, _pivoted(caption, those, "at", heads, seeds))
    places = Places.of(results.means)
    for place, part in by_place(results.means).items():
        for found in break_even(part):
            say(console, replace(found, what=places.label(found.what, place)).sentence)
    show_limits(console, results)
    show_remarks(console, results)


def _pivoted(
    title: str, part: Iterable[Result], of: str, heads: Mapping[str, str], seeds: int
) -> Grid | None:
    """A row a configuration; a column for each `metric` or each parameter `at` which it was."""
    rows = []
    for those in _by_configuration(part):
        found = {getattr(each, of): each for each in those}
        cells = {head: _with_spread(found.get(key), seeds) for key, head in heads.items()}
        rows.append({"": those[0].label, **cells})
    return Grid.of(title, rows)


def show_comparison(console: Console, results: Results, comparison: Sequence[Result]) -> None:
    """What workloads show in short, then every figure that has a published counterpart."""
    show_setups(console, results)
    places = Places.of(results.means)
    comparison = places.labelled(comparison)
    for summary in (each.summary for each in WORKLOADS if each.summary):
        match summary:
            case BySize():
                show(console, _by_size(summary, comparison))
            case ForEachFile():
                _for_each_file(console, summary, comparison)
            case _:
                assert_never(summary)
    paired = [each for each in comparison if each.beside]
    for (experiment, metric), part in grouped(paired, _of_a_grid).items():
        heading = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
        rows = [_compared(each) for those in _by_configuration(part) for each in those]
        show(console, Grid.of(heading, rows))
    if alone := len(comparison) - len(paired):
        say(
            console, f"{alone} figures have no published counterpart; `firesteel show` prints them."
        )
    _show_sizes(console, paired)
    show_remarks(console, results)


def show_setups(console: Console, results: Results) -> None:
    """What the figures below were measured on."""
    for sentence in results.measured_on:
        say(console, f"Measured on {sentence}.")
    if results.measured_on:
        console.print()


def show_limits(console: Console, results: Results) -> None:
    """What the experiment's limits are, and whether they are met."""
    found = outcomes(results.means, results.journal.limits)
    for name, group in groupby(found, title):
        those = list(group)
        if all(outcome.value is None for outcome in those):
            continue  # Counted below.
        rows = [dict(zip(("", *COLUMNS), texts(each), strict=True)) for each in those]
        show(console, Grid.of(name, rows))
        for note in notes(those):
            say(console, note)
            console.print()
    if told := conclusion(found):
        say(console, told)


def show_remarks(console: Console, results: Results) -> None:
    """The method, what the peers limited, and the cells that are missing with the reason."""
    if results.part:
        say(console, results.part, "yellow")
    say(console, method(results.measured_cpus), "dim")
    if len(results.seeds) > 1:
        say(console, _SEEDS.format(len(results.seeds)), "dim")
    for text in peer_limited(Places.of(results.means).labelled(results.means)):
        say(console, f"limited by the peer {text}", "yellow")
    if not results.converged:
        say(console, UNCONVERGED, "dim")
    cells = Places.of_cells(entry.cell for entry in results.journal.entries)
    for entry in results.failed:
        reason = entry.problem.splitlines()[0]
        say(console, f"failed {cells.of_cell(entry.cell)}: {reason}", "red")
    for entry in results.waiting:
        say(console, f"not measured {cells.of_cell(entry.cell)}", "yellow")


def peer_limited(results: Iterable[Result]) -> list[str]:
    """Of labelled figures, the rows that say nothing of the measured board, each with the CPU use
    of the other nodes.
    """
    return [
        f"{_told(row)}: the other nodes' CPUs were busy for {row.results[PEER].value:.0f} % of the "
        "time; no verdict; measure again with `--peer clients`, or `--peer FILE` with more "
        "instructions_per_second"
        for row in Rows(results)
        if row.peer_limited
    ]


def _told(row: Row) -> str:
    series = titles.experiment(row.identity.workload)
    return names.listed(row.label, series, row.identity.parameter.text)


def _bounds(title: str, part: Iterable[Result], parameters: Sequence[str]) -> Grid | None:
    """What limited each row of an experiment; None where that is not known of any."""
    found: dict[str, dict[str, str]] = {}
    for row in Rows(part):
        found.setdefault(row.label, {})[row.identity.parameter.text] = row.bound or MISSING
    if all(bound == MISSING for those in found.values() for bound in those.values()):
        return None
    rows = [
        {"": label, **{at: those.get(at, MISSING) for at in parameters}}
        for label, those in found.items()
    ]
    return Grid.of(f"{title}: limited by", rows)


def _by_size(summary: BySize, comparison: Iterable[Result]) -> Grid | None:
    of = (summary.series.name, summary.metric)
    part = [each for each in comparison if _of_a_grid(each) == of]
    sizes = list(dict.fromkeys(each.at for each in part))
    rows = []
    for those in _by_configuration(part):
        by = {each.at: each for each in those}
        ours = {size: _value(by.get(size)) for size in sizes}
        theirs = {size: _published(by.get(size)) for size in sizes}
        rows += [{"": those[0].label, " ": "ours", **ours}, {"": "", " ": "published", **theirs}]
    return Grid.of(summary.title, rows)


def _for_each_file(console: Console, summary: ForEachFile, comparison: Iterable[Result]) -> None:
    """A table a size, as each configuration may have files of several."""
    transfers = [each for each in comparison if each.identity.workload == summary.series.name]
    for parameter, part in grouped(transfers, lambda each: each.identity.parameter).items():
        rows = []
        for those in _by_configuration(part):
            by_metric = {each.metric: each for each in those}
            cells = {"": those[0].label}
            for metric, head in summary.heads.items():
                found = by_metric.get(metric)
                cells[f"{head}|ours"] = _value(found)
                cells[f"{head}|publ."] = _published(found)
                cells[f"{head}|ratio"] = _ratio(found)
            rows.append(cells)
        how = titles.how_files_go(
            (each.identity.protocol, each.identity.parameter.by) for each in part
        )
        show(console, Grid.of(f"{summary.series.title}, {parameter.size_text} {how}", rows))
    _show_sizes(console, transfers)


def _show_sizes(console: Console, results: Iterable[Result]) -> None:
    """Says so when a transfer is compared with one of another size."""
    for note in dict.fromkeys(each.size_note for each in results if each.size_note):
        say(console, f"File transfer: {note}.")


def _of_a_grid(result: Result) -> tuple[str, str]:
    return result.identity.workload, result.metric


def _by_configuration(results: Iterable[Result]) -> Iterable[list[Result]]:
    """The results of each configuration at each place."""
    return grouped(results, lambda each: (each.identity.side, each.identity.place)).values()


def _compared(result: Result) -> dict[str, str]:
    deviation = result.deviation
    return {
        "": result.label,
        "at": result.at,
        "ours": result.text,
        "published": _published(result),
        "ratio": _ratio(result),
        "deviation": MISSING if deviation is None else f"{deviation:+.0f} %",
    }


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
