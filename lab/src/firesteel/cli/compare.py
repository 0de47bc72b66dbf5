# SPDX-License-Identifier: Apache-2.0
"""`firesteel compare`: a run next to published figures, or next to another run."""

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

import polars as pl
import typer
from rich.console import Console

from firesteel.analysis import changes as between
from firesteel.analysis.changes import Condition, condition, percentage
from firesteel.analysis.compare import frame, load_published
from firesteel.analysis.pairing import Pairing, choice, pair
from firesteel.analysis.places import beside_published
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.study import load_studies
from firesteel.base.errors import FiresteelError
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import (
    Format,
    OnlyOption,
    RunArgument,
    StoreOption,
    open_store,
    write_rows,
)
from firesteel.experiment.experiment import select
from firesteel.replication import ratios
from firesteel.replication.statements import COLUMNS, Answer, answered, answers
from firesteel.store.store import LATEST
from firesteel.terminal.compare import (
    MOST_LINES,
    offence,
    show_changes,
    show_comparison,
    show_ratios,
    show_statements,
    show_within_limits,
)


class Part(StrEnum):
    """What of a run is compared with published figures."""

    FIGURES = "figures"
    RATIOS = "ratios"
    STATEMENTS = "statements"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("compare")(command(compare_runs, most=MOST_LINES))


def compare_runs(
    run: RunArgument = LATEST,
    other: str | None = None,
    part: Part | None = None,
    study: str | None = None,
    only: OnlyOption = None,
    pairs: list[str] | None = None,
    everything: bool = False,
    form: Format = "table",
    fail_if: list[str] | None = None,
    noise: str | None = None,
    baseline: Path | None = None,
    store: StoreOption = None,
) -> None:
    """Compare a run with published figures, or with a later run.

    With two runs: the parameters in which their boards and links differ, then what changed from the
    first to the second beyond the noise between seeds.

    Options:
        other <RUN_B>: A later run, to show what changed since the first.
        part: Of one run: its figures [default] next to the published ones, ratios of hardware to
            software likewise, or the statements of published studies, and whether the run confirms
            them.
        study NAME: Statements of this published study, a folder of published/ [default: all of
            which the run says something].
        pairs --pair KEY=A:B: Compare cells with A in RUN with those with B in RUN_B, where the runs
            were made on several boards: board=socrates:socrates-hash; also of link and topology;
            may be given more than once.
        everything --all: Show everything [default: what matters most, in {most} lines].
        fail_if KIND:PERCENT%: Exit with status 1 when a figure of RUN_B is worse, or has changed,
            by more than this, such as worse:5%; may be given more than once.
        noise PERCENT%: Noise to assume where both runs have a single seed.
        baseline DIR: The store of the first run [default: the store of RUN_B].
    """
    of_two = {
        "--only": only,
        "--pair": pairs,
        "--fail-if": fail_if,
        "--noise": noise,
        "--baseline": baseline,
    }
    shown = _all_shown if everything else show_within_limits
    if other is None:
        refuse_options("is for two runs; name the second one too.", of_two)
        results = load_results(open_store(store), run)
        part = part or (Part.STATEMENTS if study else Part.FIGURES)
        if part is not Part.STATEMENTS:
            refuse_options("goes with `--part statements`.", {"--study": study})
        _beside_published(results, part, study, form, shown)
        return
    refuse_options("is for one run; leave out RUN_B.", {"--part": part, "--study": study})
    conditions = [condition(text) for text in fail_if or []]
    assumed = percentage("--noise", noise) if noise else None
    before = load_results(open_store(baseline or store), run)
    after = load_results(open_store(store), other)
    pairing = pair(before, after, [choice(text) for text in pairs or []], only or [], select)
    changed = between.changes(before, after, pairing, assumed)
    if form == "table":
        shown(Console(), lambda console: show_changes(console, before, after, pairing, changed))
    else:
        write_rows(after, between.frame(changed), form)
    if _fails(before, after, pairing, changed, conditions):
        sys.exit(1)


Shown = Callable[[Console, Callable[[Console], None]], None]
"""How much is shown: all of it, or the first lines."""


def _all_shown(console: Console, show: Callable[[Console], None]) -> None:
    show(console)


def _beside_published(
    results: Results, part: Part, study: str | None, form: str, shown: Shown
) -> None:
    if part is Part.STATEMENTS:
        _show_statements(results, _statements(results, study), form, shown)
        return
    comparison = beside_published(results.means, load_published())
    if part is Part.RATIOS:
        found = ratios.ratios(comparison, results.clocks)
        if form != "table":
            write_rows(results, ratios.frame(found), form)
        elif found:
            clocks = results.clocks
            shown(Console(), partial(show_ratios, comparison=comparison, clocks=clocks))
        else:
            typer.echo(f"No published ratio is of what the run {results.journal.name} measured.")
    elif form == "table":
        shown(Console(), lambda console: show_comparison(console, results, comparison))
    else:
        write_rows(results, frame(comparison), form)


def _statements(results: Results, study: str | None) -> dict[str, list[Answer]]:
    """Those of a study, or of all of which the run says something."""
    if study is None:
        return {name: list(those) for name, those in answered(results).items()}
    known = {each.name: each for each in load_studies()}
    if study not in known:
        there = ", ".join(known)
        raise FiresteelError(f"There is no study `{study}`; there are: {there}.")
    return {study: list(answers(known[study], results.means))}


def _show_statements(
    results: Results, found: dict[str, list[Answer]], form: str, shown: Shown
) -> None:
    if not any(found.values()):
        typer.echo(f"No statement of a study is about figures of the run {results.journal.name}.")
    elif form == "table":
        shown(Console(), partial(show_statements, found=found))
    else:
        rows = [each.columns for those in found.values() for each in those]
        write_rows(results, pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String)), form)


def _fails(
    before: Results,
    after: Results,
    pairing: Pairing,
    changed: Sequence[between.Changed],
    conditions: Sequence[Condition],
) -> bool:
    """Says on standard error which conditions hold; whether one does."""
    places = between.places_of(before, after, changed)
    failed = [
        offence(condition, each, places)
        for condition in conditions
        for each in changed
        if condition.holds(each.change)
    ]
    if conditions:
        failed += [f"no longer measured: {name}" for name in pairing.gone]
    for text in failed:
        typer.echo(f"firesteel: {text}", err=True)
    return bool(failed)
