# SPDX-License-Identifier: Apache-2.0
"""A run on a terminal: its answer, usually 25 lines of 80 columns, its figures and limits, costs of
boards, and ranges of assumptions.  Also the answer to a question of design.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from rich.console import Console

from firesteel.judge import together
from firesteel.judge.advice.answer import (
    Answer,
    alternatives_in_short,
    answer_of,
    unneeded_in_short,
)
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.bound import PEER
from firesteel.judge.intervals import SLACK
from firesteel.judge.pairing import disagreement
from firesteel.judge.pareto import Choice
from firesteel.judge.places import Places
from firesteel.judge.replication.method import method, method_in_short
from firesteel.judge.requirements import worst
from firesteel.judge.results import Results
from firesteel.judge.robustness import Robustness
from firesteel.judge.rows import Result, Row, Rows, grouped
from firesteel.judge.sensitivity import INTERPOLATED, Sensitivity, standing
from firesteel.judge.thresholds import break_even, conclusion, origins, outcomes, summary
from firesteel.judge.verdict import Offload, alternatives
from firesteel.model import names
from firesteel.model.metrics import unit_of
from firesteel.model.names import MISSING, UNCONVERGED_MEANS
from firesteel.search import design
from firesteel.show.grid import Grid, Text, say, show
from firesteel.show.report.offload import (
    changes_grid,
    choices_grid,
    crossed_grid,
    kinds_grid,
    limits_grids,
    sweep_grid,
    swings_grid,
)
from firesteel.workloads import titles
from firesteel.workloads.presentation import Column
from firesteel.workloads.registry import BY_WEIGHT

_NAMED = 3
"""How many cells without figures an answer names."""

_MOST_ROWS = 16
"""Of a sweep's table, so that the answer fits a screen."""

_MAIN = tuple(column for workload in BY_WEIGHT for column in workload.columns)


@dataclass(frozen=True)
class Told:
    """An answer for terminal and page.  `recorded` is the headline of the whole experiment, and
    `lead` names traffic that needs no accelerator; both may be missing.
    """

    question: str
    headline: str
    lead: str
    grid: Grid | None
    paragraphs: Sequence[str]
    is_sweep: bool = False
    leads: bool = False
    """Whether the table is the answer, however long it is."""
    recorded: str = ""


def told_of(
    results: Results, answer: Answer, others: Sequence[Offload], firm: Robustness | None
) -> Told:
    """Whether offload helps, or where in a sweep; what configurations cost where nothing was
    offloaded; and how firm the verdicts are, as far as that is known.
    """
    limits = summary(outcomes(results.means, results.journal.limits))
    apart = disagreement(results.records)
    last = list(filter(None, (apart, limits, results.part, firm.in_short if firm else "")))
    swept = sweep_answer(results)
    if swept and swept.kinds:
        question, grid = "Where does offload help?", crossed_grid(swept) or sweep_grid(swept)
        said, leads = [*swept.sentences, *last], bool(swept.crossed)
        return Told(question, swept.headline, "", grid, said, is_sweep=True, leads=leads)
    grid = kinds_grid(answer, firm) if answer.kinds else cost_grid(results.means)
    lead = unneeded_in_short(others)
    beside = [alternatives_in_short(others)] if others and not lead else []
    paragraphs = [*beside, *map(" ".join, answer.paragraphs), *last]
    recorded = answer.recorded.headline if answer.recorded else ""
    return Told(answer.question, answer.headline, lead, grid, paragraphs, recorded=recorded)


def show_answer(console: Console, results: Results, firm: Robustness | None = None) -> None:
    """The answer, and the cells that have no figures, the first of them by name."""
    answer = answer_of(results)
    others = alternatives(answer.all_pairs, Rows(results.means))
    told = told_of(results, answer, others, firm)
    question = told.question if told.question.endswith("?") else ""
    for line in filter(None, (f"{question} {told.headline}".strip(), told.recorded, told.lead)):
        say(console, line, "bold")
    fits = not told.is_sweep or told.leads or len(told.grid.rows if told.grid else ()) <= _MOST_ROWS
    if told.grid and fits:
        show(console, replace(told.grid, title=""))
    for paragraph in told.paragraphs:
        say(console, paragraph)
    if not fits:
        say(console, "All points: `firesteel show --part samples`, or the report.")
    _show_missing(console, results, _NAMED)
    say(console, method_in_short(results.measured_cpus), "dim")


def show_end(
    console: Console, results: Results, report: Path, firm: Robustness | None = None
) -> None:
    """The end of a run: its answer, and where all figures are."""
    show_answer(console, results, firm)
    run = results.journal.name
    for line in (f"Run {run}; all figures: `firesteel show`; report:", str(report)):
        console.print(line, highlight=False, soft_wrap=True, markup=False)


def cost_grid(results: Sequence[Result]) -> Grid | None:
    """Costs of configurations that were not offloaded: a row with the main figures for each, and
    for each way of fetching its files.  None if the run has no such rows.
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
    return Grid.of("What configurations cost", rows)


def _label(part: Sequence[Result]) -> str:
    """What a configuration is called; by its handshakes where nothing else of it was measured."""
    of = part[0].identity
    whole = titles.configuration(of.protocol, of.cipher, of.mac, *of.how)
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


def show_figures(console: Console, results: Results) -> None:
    """All figures of a run, and from which sizes on offload takes less than software."""
    show_setups(console, results)
    places = Places.of(results.means)
    for part in grouped(results.means, lambda each: each.identity.workload).values():
        for grid in figures_grids(part, len(results.seeds)):
            show(console, grid)
    show(console, break_even_grid(results.means, places))
    show_limits(console, results)
    show_remarks(console, results)


def figures_grids(part: Sequence[Result], seeds: int, caption: str = "") -> Iterator[Grid]:
    """All figures of an experiment: what limited its rows, then a table a metric when a parameter
    varies, else one.
    """
    title = caption or titles.experiment(part[0].identity.workload)
    of_seeds = f" ({seeds} seeds)" if seeds > 1 else ""
    parameters = {each.at: each.at for each in part}
    bounds: dict[str, dict[str, Text]] = {}
    for row in Rows(part):
        if row.bound:
            bounds.setdefault(row.label, {"": row.label})[row.identity.parameter.text] = row.bound
    found = [Grid.of(f"{title}: limited by", bounds.values())]
    if len(parameters) == 1:
        heads = {each.metric: _head(each.metric) for each in part}
        found.append(
            _pivoted(names.listed(title, *parameters) + of_seeds, part, "metric", heads, seeds)
        )
    else:
        for metric, those in grouped(part, lambda each: each.metric).items():
            name = f"{title}: {names.quantity(metric)}{of_seeds}"
            heads = {each.at: each.at for each in those}
            found.append(_pivoted(name, those, "at", heads, seeds))
    yield from filter(None, found)


def _pivoted(
    title: str, part: Iterable[Result], of: str, heads: Mapping[str, str], seeds: int
) -> Grid | None:
    """A row a configuration; a column for each `metric` or each parameter `at` which it was."""
    rows = []
    for those in by_configuration(part):
        found = {getattr(each, of): each for each in those}
        cells = {head: _with_spread(found.get(key), seeds) for key, head in heads.items()}
        rows.append({"": those[0].label, **cells})
    return Grid.of(title, rows)


def break_even_grid(figures: Sequence[Result], places: Places) -> Grid | None:
    """From which size on each implementation takes less than software: time, and the CPU's time;
    by place.
    """
    rows: dict[tuple[str, str], dict[str, Text]] = {}
    for place, those in grouped(figures, lambda each: each.identity.place).items():
        for each in break_even(those):
            what, measured = places.label(each.what, place), titles.experiment(each.experiment)
            start: dict[str, Text] = {"": what, "measured": measured}
            row = rows.setdefault((each.experiment, what), start)
            row[f"less\n{names.metric(each.metric)}"] = each.size
    caption = "Break-even: sizes from which offload takes less than software"
    return Grid.of(caption, rows.values(), wordy=("measured",))


def by_configuration(results: Iterable[Result]) -> Iterable[list[Result]]:
    """The results of each configuration at each place."""
    return grouped(results, lambda each: (each.identity.side, each.identity.place)).values()


def _head(metric: str) -> str:
    lines = [*names.metric(metric).split(" "), names.unit(unit_of(metric))]
    return "\n".join(filter(None, lines))


def _with_spread(result: Result | None, seeds: int) -> str:
    """`11.26 ±0.02`; of how many seeds, where these are not all: `11.26 ±0.02 (4)`; and
    `≈11.26 ±1.03` of what has not converged.
    """
    if result is None:
        return MISSING
    text, own = result.text, result.sample.seeds
    return text if own == seeds else f"{text} ({own})"


def show_setups(console: Console, results: Results) -> None:
    """What the figures below were measured on."""
    for sentence in results.measured_on:
        say(console, f"Measured on {sentence}.")
    if results.measured_on:
        console.print()


def show_limits(console: Console, results: Results) -> None:
    """What the experiment's limits are, and whether they are met."""
    found = outcomes(results.means, results.journal.limits)
    for grid, notes in limits_grids(found):
        show(console, grid)
        for note in notes:
            say(console, note)
            console.print()
    if told := conclusion(found):
        say(console, told)
        for origin in origins(found):
            say(console, origin)


def show_remarks(console: Console, results: Results) -> None:
    """The method, what the peers limited, and the cells that are missing with the reason."""
    for text in filter(None, (results.part, disagreement(results.records))):
        say(console, text, "yellow")
    say(console, method(results.measured_cpus), "dim")
    if (seeds := len(results.seeds)) > 1:
        say(
            console,
            f"Every figure is the mean of {seeds} seeds, ± half of its 95 % interval. Where fewer "
            "seeds gave the figure, their number is in brackets.",
            "dim",
        )
    if said := results.spread_said:
        say(console, said, "dim")
    for text in peer_limited(results.means):
        say(console, f"limited by the peer {text}", "yellow")
    if not results.converged:
        say(console, UNCONVERGED_MEANS, "dim")
    _show_missing(console, results, len(results.journal.entries))


def _show_missing(console: Console, results: Results, most: int) -> None:
    """The cells without figures, with the reason; of each kind the first ones by name."""
    places = Places.of_cells(entry.cell for entry in results.journal.entries)
    for word, style, entries in (
        ("failed", "red", results.failed),
        ("not measured", "yellow", results.waiting),
    ):
        for entry in entries[:most]:
            reason = f": {entry.problem.splitlines()[0]}" if entry.problem else ""
            say(console, f"{word}: {places.of_cell(entry.cell)}{reason}", style)
        if len(entries) > most:
            say(console, f"{word}: {len(entries) - most} more; see the report.", style)


def peer_limited(results: Iterable[Result]) -> list[str]:
    """Of labelled figures, the rows that say nothing of the measured board, each with the CPU use
    of the other nodes.
    """
    return [
        f"{_called(row)}: the other nodes' CPUs were busy for {row.results[PEER].value:.0f} % of "
        "the time; no verdict; measure again with `--peer clients`, or `--peer FILE` with more "
        "instructions_per_second"
        for row in Rows(results)
        if row.peer_limited
    ]


def _called(row: Row) -> str:
    series = titles.experiment(row.identity.workload)
    return names.listed(row.label, series, row.identity.parameter.text)


def show_choices(console: Console, groups: Sequence[Sequence[Choice]]) -> None:
    """Costs and results of boards: a table for each kind of traffic, the cheapest first."""
    for group in groups:
        show(console, choices_grid(group))
    say(
        console,
        "best: no other row of the table costs no more, is as fast, and takes as little of "
        f"the CPU, equal within {SLACK * 100:g} %. Costs are those that were given.",
    )


def show_sensitivity(console: Console, found: Sensitivity, *, rows: bool) -> None:
    """The summary, then the verdicts that change; with `rows` what each assumption does to each."""
    say(console, found.headline, "bold")
    for sentence in together.sentences(found.judged):
        say(console, sentence)
    if found.crossovers:
        console.print()
        show(console, changes_grid(found))
        say(console, INTERPOLATED, "dim")
    titles = {each.name: each.title for each in found.assumptions}
    for row in found.judged:
        if standing(row) == "holds" and (pairs := together.pairs_in_words(row, titles)):
            say(console, f"would change with two at their ends: {row.name}: {pairs}")
    for row in found.judged:
        if standing(row) == "not known":
            say(console, f"not measured at both ends of every range: {row.name}", "yellow")
    if found.left_out:
        say(console, f"Not varied: {', '.join(found.left_out)}.")
    if rows:
        console.print()
        show(console, swings_grid(found))
    else:
        say(console, "With --rows: what each assumption does to each row.")


def show_design(console: Console, answer: design.Answer) -> None:
    """The answer to a question of design in sentences, then a row for each candidate that was
    measured.
    """
    for number, sentence in enumerate(answer.sentences):
        say(console, sentence, "" if number else "bold")
    if answer.differences:
        say(console, answer.differences, "yellow")
    console.print()
    order = {id(value): index for index, value in enumerate(answer.search.values)}
    rows = []
    for trial in sorted(answer.trials, key=lambda each: order[id(each.candidate)]):
        row = {"": trial.candidate.text}
        for each in answer.requirements:
            said = worst(trial.standings, each)
            traffic = f"{each.traffic}:" if each.traffic else ""
            lines = (traffic, each.metric, f"{each.sign} {each.bound_text}")
            row["\n".join(filter(None, lines))] = said.said if said else MISSING
        met = {"limited by": trial.bounds, "met": "yes" if trial.holds else "no"}
        rows.append(row | met)
    show(console, Grid.of(f"The worst figure at each {answer.title}", rows))


def design_frame(answer: design.Answer) -> pl.DataFrame:
    """A tidy row for each figure that a requirement is of, at each candidate."""
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(("path", "candidate", "requirement", "traffic", "what"), pl.String),
        "value": pl.Float64,
        "met": pl.Boolean,
        "bound": pl.String,
        "note": pl.String,
        "answer": pl.Boolean,
    }
    rows = [
        (
            answer.path,
            f"{value:.15g}" if isinstance(value := trial.candidate.value, float) else value,
            *(each.requirement.text, each.traffic, each.what, each.value, each.holds),
            *(each.row.bound or "", each.why_not, trial.candidate == answer.search.first),
        )
        for trial in answer.trials
        for each in trial.standings
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
