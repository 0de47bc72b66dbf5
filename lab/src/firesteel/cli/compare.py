# SPDX-License-Identifier: Apache-2.0
"""`firesteel compare`: a run next to published figures, or next to another run."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl
import typer
from rich.console import Console

from firesteel.analysis import changes as between
from firesteel.analysis.changes import condition, percentage
from firesteel.analysis.compare import frame, load_published
from firesteel.analysis.pairing import choice, pair
from firesteel.analysis.places import beside_published
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.study import load_studies
from firesteel.base.errors import FiresteelError
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import (
    Format,
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

Part = Literal["figures", "ratios", "statements"]
"""What of a run is compared with published figures."""


@command("compare", most=MOST_LINES)
def compare_runs(
    run: str = LATEST,
    other: str | None = None,
    part: Part | None = None,
    study: str | None = None,
    only: list[str] | None = None,
    pairs: list[str] | None = None,
    everything: bool = False,
    form: Format = "table",
    fail_if: list[str] | None = None,
    noise: str | None = None,
    baseline: Path | None = None,
    store: Path | None = None,
) -> None:
    """Compare a run with published figures, or with a later run.

    With two runs: the parameters in which their boards and links differ, then what changed from the
    first to the second beyond the noise between seeds.
    """
    shown = _all_shown if everything else show_within_limits
    if other is None:
        of_two = {"--only": only, "--pair": pairs, "--fail-if": fail_if, "--noise": noise}
        why = "is for two runs; name the second one too."
        refuse_options(why, {**of_two, "--baseline": baseline})
        results = load_results(open_store(store), run)
        part = part or ("statements" if study else "figures")
        if part != "statements":
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
    if failed:
        sys.exit(1)


Shown = Callable[[Console, Callable[[Console], None]], None]
"""How much is shown: all of it, or the first lines."""


def _all_shown(console: Console, show: Callable[[Console], None]) -> None:
    show(console)


def _beside_published(
    results: Results, part: Part, study: str | None, form: str, shown: Shown
) -> None:
    name = results.journal.name
    if part == "statements":
        stated = _statements(results, study)
        if not any(stated.values()):
            typer.echo(f"No statement of a study is about figures of the run {name}.")
        elif form == "table":
            shown(Console(), partial(show_statements, found=stated))
        else:
            rows = [each.columns for those in stated.values() for each in those]
            write_rows(results, pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String)), form)
        return
    comparison = beside_published(results.means, load_published())
    if part == "ratios":
        found = ratios.ratios(comparison, results.clocks)
        if form != "table":
            write_rows(results, ratios.frame(found), form)
        elif found:
            clocks = results.clocks
            shown(Console(), partial(show_ratios, comparison=comparison, clocks=clocks))
        else:
            typer.echo(f"No published ratio is of what the run {name} measured.")
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
