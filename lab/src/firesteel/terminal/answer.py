# SPDX-License-Identifier: Apache-2.0
"""The answer on a terminal: at most 25 lines of 80 columns, with the path of the report."""

from pathlib import Path

from rich.console import Console

from firesteel.advice.answer import (
    Answer,
    Kind,
    alternatives_in_short,
    answer_of,
    speeds_of,
    unneeded_in_short,
    works_of,
)
from firesteel.advice.sweep import sweep_answer
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.robustness import Robustness
from firesteel.analysis.rows import Rows
from firesteel.analysis.thresholds import outcomes, summary
from firesteel.analysis.verdict import alternatives
from firesteel.replication.method import method_in_short
from firesteel.terminal.costs import cost_grid
from firesteel.terminal.grid import Grid
from firesteel.terminal.prose import show
from firesteel.terminal.sweep_table import show_sweep

_NAMED = 3
"""How many cells without figures are named."""


def show_answer(console: Console, results: Results, firm: Robustness | None = None) -> None:
    """Whether offload helps in this run; what configurations cost, where nothing was offloaded;
    and how firm the verdicts are, as far as that is known.
    """
    swept = sweep_answer(results)
    if swept and swept.kinds:
        show_sweep(console, swept)
        paragraphs = []
    else:
        paragraphs = _show_kinds(console, results, firm)
    limits = summary(outcomes(results.means, results.journal.limits))
    sureness = firm.in_short if firm else ""
    for paragraph in filter(None, [*paragraphs, limits, results.part, sureness]):
        show(console, paragraph)
    for line in _missing(results):
        show(console, line)
    show(console, method_in_short(results.measured_cpus), style="dim")


def _show_kinds(console: Console, results: Results, firm: Robustness | None) -> list[str]:
    """The headline and the table; the paragraphs that belong below it."""
    answer = answer_of(results)
    heading = f"{answer.question} " if answer.kinds else ""
    figures = Places.of(results.means).labelled(results.means)
    found = alternatives(answer.all_pairs, Rows(figures))
    unneeded = unneeded_in_short(found)
    for line in filter(None, (f"{heading}{answer.headline}", unneeded)):
        show(console, line, style="bold")
    grid = kinds_grid(answer, firm) if answer.kinds else cost_grid(results.means)
    if grid:
        grid.show(console)
    beside = [alternatives_in_short(found)] if found and not unneeded else []
    return [*beside, *map(" ".join, answer.paragraphs)]


def show_end(
    console: Console, results: Results, report: Path, firm: Robustness | None = None
) -> None:
    """The end of a run: its answer, and where all figures are."""
    show_answer(console, results, firm)
    run = results.journal.name
    console.print(
        f"Run {run}; all figures: `firesteel show`; report:", highlight=False, soft_wrap=True
    )
    console.print(str(report), highlight=False, soft_wrap=True, markup=False)


def kinds_grid(answer: Answer, firm: Robustness | None = None) -> Grid:
    """A row for each kind of traffic: verdicts, how many of them are firm where that was studied,
    speed and CPU work.
    """
    studied = firm if firm and firm.is_studied else None
    rows = [(kind.name, _cells(kind, studied)) for kind in answer.kinds]
    columns = (
        "rows\nhelped",
        *(["firm"] if studied else []),
        "speed × software\nmedian (range)",
        "CPU work\nmedian (range)",
    )
    return Grid("", columns, rows)


def _cells(kind: Kind, firm: Robustness | None) -> list[str]:
    count = len(kind.pairs)
    helped = f"{kind.count('helps')} of {count}"
    firmly = [f"{firm.count(kind.pairs)} of {count}"] if firm else []
    return [helped, *firmly, speeds_of(kind), works_of(kind)]


def _missing(results: Results) -> list[str]:
    """The cells without figures, the first of them by name."""
    said = []
    places = Places.of_cells(entry.cell for entry in results.journal.entries)
    for word, entries in (("failed", results.failed), ("not measured", results.waiting)):
        for entry in entries[:_NAMED]:
            reason = f": {entry.problem.splitlines()[0]}" if entry.problem else ""
            said.append(f"{word}: {places.of_cell(entry.cell)}{reason}")
        if more := len(entries) - _NAMED if len(entries) > _NAMED else 0:
            said.append(f"{word}: {more} more; see the report.")
    return said
