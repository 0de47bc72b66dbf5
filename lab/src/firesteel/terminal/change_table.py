# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.changes import VERDICTS, figures_of_one
from firesteel.analysis.compare import configuration
from firesteel.analysis.gate import Condition
from firesteel.analysis.pairing import Pairing
from firesteel.analysis.results import Results
from firesteel.model import names
from firesteel.model.interval import CONFIDENCE
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles

_SHOWN = {"worse": "Worse", "better": "Better", "changed": "Changed"}
"""Verdicts whose figures are shown one by one; the others are counted."""

_MOST = 5
"""Things of one kind that a remark names; the others are counted."""


def show_changes(
    console: Console, before: Results, after: Results, pairing: Pairing, frame: pl.DataFrame
) -> None:
    """Every figure that changed beyond the noise, and what both runs have in common."""
    for verdict, title in _SHOWN.items():
        part = frame.filter(pl.col("verdict") == verdict)
        for keys, rows in part.group_by(["experiment", "metric"], maintain_order=True):
            experiment, metric = map(str, keys)
            what = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
            told = [(configuration(row), _texts(row)) for row in rows.iter_rows(named=True)]
            heads = ("at", "before", "after", "change", "noise")
            Grid(f"{title}: {what}", heads, told).show(console)
    for line in _remarks(before, after, pairing, frame):
        console.print(escape(line), highlight=False)
    console.print(
        f"[dim]{method((*before.measured_cpus, *after.measured_cpus))}[/dim]", highlight=False
    )


def offence(failed: Condition, row: dict[str, Any]) -> str:
    """A figure that fails a comparison, in a line."""
    metric = names.metric(row["metric"])
    what = f"{titles.experiment(row['experiment'])}, {row['parameter']}, {metric}"
    before, after = (_number(row, key) for key in ("before", "after"))
    unit = names.unit(row["unit"])
    values = f"{before} → {after} {unit}".rstrip()
    return f"{failed}: {configuration(row)}, {what}: {values} ({_change(row)}; noise {_noise(row)})"


def _texts(row: dict[str, Any]) -> list[str]:
    numbers = [_number(row, key) for key in ("before", "after")]
    return [row["parameter"], *numbers, _change(row), _noise(row)]


def _number(row: dict[str, Any], key: str) -> str:
    return names.number(row[key], row["metric"])


def _change(row: dict[str, Any]) -> str:
    change = row["change_percent"]
    return "was 0" if change is None else f"{change:+.2f} %"


def _noise(row: dict[str, Any]) -> str:
    """By how much the means may differ by chance, if that is known."""
    percent = row["noise_percent"]
    if row["noise"] == "unknown" or percent is None:
        return "unknown" if row["noise"] == "unknown" else "–"
    assumed = " assumed" if row["noise"] == "assumed" else ""
    return f"±{percent:.2g} %{assumed}"


def _remarks(
    before: Results, after: Results, pairing: Pairing, frame: pl.DataFrame
) -> Iterator[str]:
    counts = frame["verdict"].value_counts().rows()
    by_verdict = dict(counts)
    told = ", ".join(f"{by_verdict[name]} {name}" for name in VERDICTS if name in by_verdict)
    cells = len(pairing.cells)
    yield (
        f"{before.journal.name} → {after.journal.name}: of {frame.height} figures of {cells} "
        f"{'cell' if cells == 1 else 'cells'}: {told or 'none'}."
    )
    yield from _of_noise(frame)
    if pairing.versions:
        yield f"Changed between the runs: {', '.join(pairing.versions)}."
    else:
        yield "No input of the cells changed between the runs."
    if pairing.packages:
        packages = [
            f"{name} {old or 'none'} → {new or 'none'}" for name, old, new in pairing.packages
        ]
        yield f"Packages: {_first(packages)}."
    yield from _of_what_is_missing(before, after, pairing)


def _of_what_is_missing(before: Results, after: Results, pairing: Pairing) -> Iterator[str]:
    for results in (before, after):
        if missing := results.missing:
            count = len(results.journal.entries)
            yield f"In {results.journal.name}, {missing} of {count} cells have no figures."
    for word, cells in (
        (f"No longer measured in {after.journal.name}", pairing.gone),
        (f"Only in {before.journal.name}", pairing.only_before),
        (f"Only in {after.journal.name}", pairing.only_after),
    ):
        if cells:
            yield f"{word}: {_first(cells)}."
    if alone := figures_of_one(before, after, pairing):
        yield f"Cells in both runs have {alone} figures that only one of the runs has."


def _of_noise(frame: pl.DataFrame) -> Iterator[str]:
    """How it is known what noise is."""
    kinds = set(frame["noise"].to_list())
    measured = frame.filter((pl.col("noise") == "measured") & (pl.col("verdict") != "same"))
    if not measured.is_empty():
        chance = round(measured.height * (1 - CONFIDENCE))
        seeds = _range(measured["seeds_before"]), _range(measured["seeds_after"])
        yield (
            f"Figures are means of {seeds[0]} and of {seeds[1]} seeds; noise is the 95 % interval "
            f"of their difference. If nothing had changed, about {chance} of the {measured.height} "
            "that differ would exceed it by chance."
        )
    if "assumed" in kinds:
        yield "One seed on both sides: the noise is assumed (--noise)."
    if "unknown" in kinds:
        yield (
            "One seed on both sides: figures are exact and their noise is unknown; several seeds "
            "(`firesteel run --seeds 5`) measure it, --noise assumes it."
        )


def _range(numbers: pl.Series) -> str:
    told = sorted({str(number) for number in numbers}, key=int)
    return told[0] if len(told) == 1 else f"{told[0]} to {told[-1]}"


def _first(things: Sequence[str]) -> str:
    more = len(things) - _MOST
    return "; ".join(things[:_MOST]) + (f"; and {more} more" if more > 0 else "")
