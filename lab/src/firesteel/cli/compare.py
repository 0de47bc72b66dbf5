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

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import Format, open_store, write_rows
from firesteel.judge import changes as between
from firesteel.judge.changes import condition, percentage
from firesteel.judge.compare import frame, load_published
from firesteel.judge.pairing import check_allowed, choice, pair, words_of
from firesteel.judge.places import beside_published
from firesteel.judge.replication import ratios
from firesteel.judge.replication.statements import COLUMNS, Answer, answered, answers
from firesteel.judge.results import Results, load_results
from firesteel.judge.study import load_studies
from firesteel.run.experiment.experiment import select
from firesteel.show.compare import (
    MOST_LINES,
    limited,
    offence,
    show_changes,
    show_comparison,
    show_ratios,
    show_statements,
)
from firesteel.store.store import LATEST

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
    allowed: list[str] | None = None,
    everything: bool = False,
    form: Format = "table",
    fail_if: list[str] | None = None,
    noise: str | None = None,
    baseline: Path | None = None,
    store: Path | None = None,
) -> None:
    """Compare a run with published figures, or with a later run.

    For two runs, the command first lists the board and link parameters that differ between the
    runs.  Then the command shows the changes that exceed the noise (see --noise).
    """
    if other is None:
        of_two = {"--only": only, "--pair": pairs, "--fail-if": fail_if, "--noise": noise}
        why = "is for two runs; name the second one too."
        refuse_options(why, {**of_two, "--baseline": baseline, "--allow-difference": allowed})
        results = load_results(open_store(store), run)
        part = part or ("statements" if study else "figures")
        if part != "statements":
            refuse_options("goes with `--part statements`.", {"--study": study})
        _beside_published(results, part, study, form, everything=everything)
        return
    refuse_options("is for one run; leave out RUN_B.", {"--part": part, "--study": study})
    conditions = [condition(text) for text in fail_if or []]
    assumed = percentage("--noise", noise) if noise else None
    try:
        before = load_results(open_store(baseline or store), run)
        after = load_results(open_store(store), other)
        pairing = pair(before, after, [choice(text) for text in pairs or []], only or [], select)
        check_allowed((before, after), pairing.differences, allowed or [])
        changed = between.changes(before, after, pairing, assumed)
    except FiresteelError as error:  # Status 1 is that of figures that are worse.
        raise RequestError(str(error)) from None
    if form == "table":
        with limited(Console(), everything=everything) as console:
            show_changes(console, before, after, pairing, changed)
    else:
        write_rows(after, between.frame(changed), form)
        if pairing.differences:
            typer.echo(f"firesteel: the runs differ in: {words_of(pairing.differences)}", err=True)
    places = between.places_of(before, after, changed)
    failed = [
        offence(condition, each, places)
        for condition in conditions
        for each in changed
        if condition.holds(each)
    ]
    if conditions:
        failed += [f"no longer measured: {name}" for name in pairing.gone]
    for text in failed:
        typer.echo(f"firesteel: {text}", err=True)
    if failed:
        sys.exit(1)


def _beside_published(
    results: Results, part: Part, study: str | None, form: str, *, everything: bool
) -> None:
    name, nothing = results.journal.name, ""
    show: Callable[[Console], None]
    if part == "statements":
        stated = _statements(results, study)
        rows = [each.columns for those in stated.values() for each in those]
        nothing = "" if rows else f"No statement of a study is about figures of the run {name}."
        tidy = partial(pl.DataFrame, rows, schema=dict.fromkeys(COLUMNS, pl.String))
        show = partial(show_statements, found=stated)
    else:
        comparison = beside_published(results.means, load_published())
        tidy = partial(frame, comparison)
        show = partial(show_comparison, results=results, comparison=comparison)
        if part == "ratios":
            found = ratios.ratios(comparison, results.clocks)
            if not found:
                nothing = f"No published ratio is of what the run {name} measured."
            tidy = partial(ratios.frame, found)
            show = partial(show_ratios, comparison=comparison, clocks=results.clocks)
    if form != "table":
        write_rows(results, tidy(), form)
    elif nothing:
        typer.echo(nothing)
    else:
        with limited(Console(), everything=everything) as console:
            show(console)


def _statements(results: Results, study: str | None) -> dict[str, list[Answer]]:
    """Those of a study, or of all of which the run says something."""
    if study is None:
        return {name: list(those) for name, those in answered(results).items()}
    known = {each.name: each for each in load_studies()}
    if study not in known:
        there = ", ".join(known)
        raise FiresteelError(f"There is no study `{study}`; there are: {there}.")
    return {study: list(answers(known[study], results.means))}
