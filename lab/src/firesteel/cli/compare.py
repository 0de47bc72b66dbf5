# SPDX-License-Identifier: Apache-2.0
"""`firesteel compare`: a run beside the published figures, or beside another run."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis import changes as between
from firesteel.analysis.changes import Condition, condition, percentage
from firesteel.analysis.compare import frame, load_published
from firesteel.analysis.pairing import Pairing, choice, pair
from firesteel.analysis.places import beside_published
from firesteel.analysis.results import Results, load_results
from firesteel.base.errors import RequestError
from firesteel.cli.common import (
    Format,
    OnlyOption,
    RunArgument,
    StoreOption,
    open_store,
    write_rows,
)
from firesteel.experiment.experiment import select
from firesteel.replication.statements import answered
from firesteel.store.store import LATEST
from firesteel.terminal.change_table import offence, show_changes
from firesteel.terminal.ratio_table import show_ratios
from firesteel.terminal.statement_table import show_statements
from firesteel.terminal.table import show_comparison


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("compare")(compare_runs)


PairsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pair",
        metavar="KEY=A:B",
        help="Compare cells with A in RUN with those with B in RUN_B, where the runs were made "
        "on several boards: board=socrates:socrates-hash; also of link and topology; may be "
        "given more than once.",
    ),
]

FailOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="KIND:PERCENT%",
        help="Exit with status 1 when a figure of RUN_B is worse, or has changed, by more than "
        "this, such as worse:5%; may be given more than once.",
    ),
]

NoiseOption = Annotated[
    str | None,
    typer.Option(metavar="PERCENT%", help="Noise to assume where both runs have a single seed."),
]

BaselineOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The store of the first run [default: the store of RUN_B]."),
]


def compare_runs(
    run: RunArgument = LATEST,
    other: Annotated[
        str | None,
        typer.Argument(metavar="RUN_B", help="A later run, to show what changed since the first."),
    ] = None,
    only: OnlyOption = None,
    pairs: PairsOption = None,
    form: Format = "table",
    fail_if: FailOption = None,
    noise: NoiseOption = None,
    baseline: BaselineOption = None,
    store: StoreOption = None,
) -> None:
    """Compare a run with the published figures, or with a later run.

    With one run: its figures and the published ones, then the ratios of hardware to software and
    what the studies state; `firesteel statements` prints the statements alone.

    With two runs: the parameters in which their boards and links differ, then what changed from the
    first to the second beyond the noise between seeds.
    """
    if other is None:
        if fail_if or noise or baseline or only or pairs:
            raise RequestError(
                "--fail-if, --noise, --baseline, --only and --pair need two runs; name the second "
                "one too."
            )
        _beside_published(load_results(open_store(store), run), form)
        return
    conditions = [condition(text) for text in fail_if or []]
    assumed = percentage("--noise", noise) if noise else None
    before = load_results(open_store(baseline or store), run)
    after = load_results(open_store(store), other)
    pairing = pair(before, after, [choice(text) for text in pairs or []], only or [], select)
    if _beside_other(before, after, pairing, assumed, conditions, form):
        sys.exit(1)


def _beside_published(results: Results, form: str) -> None:
    comparison = beside_published(results.means, load_published())
    if form == "table":
        show_comparison(Console(), results, comparison)
        show_ratios(Console(), comparison, results.clocks)
        show_statements(Console(), answered(results))
    else:
        write_rows(results, frame(comparison), form)


def _beside_other(
    before: Results,
    after: Results,
    pairing: Pairing,
    assumed: float | None,
    conditions: list[Condition],
    form: str,
) -> bool:
    """Prints what changed; whether one of the conditions fails it."""
    changed = between.changes(before, after, pairing, assumed)
    if form == "table":
        show_changes(Console(), before, after, pairing, changed)
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
    return bool(failed)
