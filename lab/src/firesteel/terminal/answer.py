# SPDX-License-Identifier: Apache-2.0
"""The answer on a terminal: at most 25 lines of 80 columns, with the path of the report."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from firesteel.advice.alternatives import alternatives_in_short, unneeded_in_short
from firesteel.advice.answer import Answer, answer_of
from firesteel.advice.kinds import Kind, speeds_of, works_of
from firesteel.advice.sweep import SweepAnswer, sweep_answer
from firesteel.analysis.alternatives import alternatives
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, Rows, grouped
from firesteel.analysis.sheet import MISSING
from firesteel.analysis.sweep import Coordinates
from firesteel.analysis.thresholds import outcomes, summary
from firesteel.model import names
from firesteel.protocols.offload import UNTOUCHED
from firesteel.replication.method import method_in_short
from firesteel.report.offload import marked
from firesteel.sensitivity.firm import Firm
from firesteel.terminal.grid import Grid, Mark, say, show
from firesteel.workloads import titles
from firesteel.workloads.presentation import Column
from firesteel.workloads.registry import BY_WEIGHT

_NAMED = 3
"""How many cells without figures are named."""

_MOST_ROWS = 16
"""Of a sweep's table, so that the answer fits a screen."""

_MAIN = tuple(column for workload in BY_WEIGHT for column in workload.columns)


def show_answer(console: Console, results: Results, firm: Firm | None = None) -> None:
    """Whether offload helps in this run; what configurations cost, where nothing was offloaded;
    and how firm the verdicts are, as far as that is known.
    """
    swept = sweep_answer(results)
    if swept and swept.kinds:
        _show_sweep(console, swept)
        paragraphs = []
    else:
        paragraphs = _show_kinds(console, results, firm)
    limits = summary(outcomes(results.means, results.journal.limits))
    sureness = firm.in_short if firm else ""
    for paragraph in filter(None, [*paragraphs, limits, results.part, sureness]):
        say(console, paragraph)
    for line in _missing(results):
        say(console, line)
    say(console, method_in_short(results.measured_cpus), "dim")


def show_end(console: Console, results: Results, report: Path, firm: Firm | None = None) -> None:
    """The end of a run: its answer, and where all figures are."""
    show_answer(console, results, firm)
    run = results.journal.name
    console.print(
        f"Run {run}; all figures: `firesteel show`; report:", highlight=False, soft_wrap=True
    )
    console.print(str(report), highlight=False, soft_wrap=True, markup=False)


def _show_kinds(console: Console, results: Results, firm: Firm | None) -> list[str]:
    """The headline and the table; the paragraphs that belong below it."""
    answer = answer_of(results)
    heading = f"{answer.question} " if answer.kinds else ""
    figures = Places.of(results.means).labelled(results.means)
    found = alternatives(answer.all_pairs, Rows(figures))
    unneeded = unneeded_in_short(found)
    for line in filter(None, (f"{heading}{answer.headline}", unneeded)):
        say(console, line, "bold")
    show(console, _kinds(answer, firm) if answer.kinds else cost_grid(results.means))
    beside = [alternatives_in_short(found)] if found and not unneeded else []
    return [*beside, *map(" ".join, answer.paragraphs)]


def _kinds(answer: Answer, firm: Firm | None) -> Grid | None:
    """A row for each kind of traffic: verdicts, how many of them are firm where that was studied,
    speed and CPU work.
    """
    studied = firm if firm and firm.is_studied else None
    rows = [
        {
            "": _name(kind),
            "rows\nhelped": f"{kind.count('helps')} of {len(kind.pairs)}",
            **({"firm": f"{studied.count(kind.pairs)} of {len(kind.pairs)}"} if studied else {}),
            "speed × software\nmedian (range)": speeds_of(kind),
            "CPU work\nmedian (range)": works_of(kind),
        }
        for kind in answer.kinds
    ]
    return Grid.of("", rows)


def _name(kind: Kind) -> str:
    """The kind, with a note where the driver or the provider used the cores for nothing of it."""
    shares = [pair.judged.offloaded for pair in kind.pairs]
    untouched = all(share is not None and share <= UNTOUCHED for share in shares)
    return f"{kind.name} (left to software)" if untouched else kind.name


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


def _show_sweep(console: Console, answer: SweepAnswer) -> None:
    """Where offload helps, as a table as long as it fits a screen, and in sentences."""
    say(console, f"Where does offload help? {answer.headline}", "bold")
    grid = sweep_grid(answer)
    fits = grid and len(grid.rows) <= _MOST_ROWS
    if fits:
        show(console, grid)
    for sentence in answer.sentences:
        say(console, sentence)
    if not fits:
        say(console, "All points: `firesteel show --part samples`, or the report.")


def sweep_grid(answer: SweepAnswer, title: str = "") -> Grid | None:
    """A row for each kind of traffic and point: the verdict and the ratios that it is made of."""
    rows = [
        {
            "traffic": kind.name,
            **coordinates(answer, at),
            "offload": marked(found.verdict),
            "speed,\n× software": speeds_of(found),
            "CPU work,\n× software": works_of(found),
        }
        for kind in answer.kinds
        for at in answer.points
        if (found := kind.at.get(at))
    ]
    return Grid.of(title, rows)


def coordinates(answer: SweepAnswer, at: Coordinates) -> dict[str, str | Mark]:
    """A point of a sweep: each number that varies, and its value there."""
    pairs = zip(answer.paths, at, strict=True)
    return {path.title: MISSING if value is None else path.said(value) for path, value in pairs}


def cost_grid(results: Sequence[Result]) -> Grid | None:
    """What configurations cost, where nothing was offloaded: a row for each, and for each way in
    which its files came, with its main figures; None where the run has none of these.
    """
    places = Places.of(results)
    there = [(column, found) for column in _MAIN if (found := _of(results, column))]
    rows = []
    for those in grouped(
        results, lambda each: (each.identity.side, each.identity.parameter.by, each.identity.place)
    ).values():
        of = those[0].identity
        cells = {column.head.format(found[0].at): _cell(those, column) for column, found in there}
        if any(cell != MISSING for cell in cells.values()):
            by = f", by {of.parameter.by}" if of.parameter.by else ""
            rows.append({"": places.label(_label(those) + by, of.place), **cells})
    return Grid.of("", rows)


def _label(part: Sequence[Result]) -> str:
    """What a configuration is called; by its handshakes where nothing else of it was measured."""
    of = part[0].identity
    how = (of.implementation, of.completion, of.variant)
    whole = titles.configuration(of.protocol, of.cipher, of.mac, *how)
    labels = [titles.of_identity(each.identity) for each in part]
    return whole if whole in labels else labels[0]


def _of(results: Iterable[Result], column: Column) -> list[Result]:
    wanted = (column.experiment, column.metric)
    return [each for each in results if (each.identity.workload, each.metric) == wanted]


def _cell(part: Sequence[Result], column: Column) -> str:
    found = _of(part, column)
    if not found:
        return MISSING
    return names.number(found[-1 if column.last else 0].value, column.metric)
