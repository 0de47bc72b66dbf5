# SPDX-License-Identifier: Apache-2.0
"""`firesteel list`, `answer`, `show`, `limits` and `report`: look at what was measured."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from firesteel.analysis.pareto import prices_of
from firesteel.analysis.results import MOST, load_results
from firesteel.analysis.robustness import robustness_of
from firesteel.analysis.thresholds import frame, outcomes
from firesteel.base.errors import FiresteelError
from firesteel.cli.common import COST_HELP, Format, RunArgument, StoreOption, open_store, write_rows
from firesteel.experiment.collection import load
from firesteel.experiment.experiment import experiment_names
from firesteel.store.journal import Summary
from firesteel.store.progress import is_written
from firesteel.store.store import LATEST, Store
from firesteel.terminal.answer import show_answer
from firesteel.terminal.table import show_figures, show_limits, show_remarks


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("list")(list_all)
    app.command("answer")(answer)
    app.command("show")(show)
    app.command("limits")(limits)
    app.command("report")(report)


def list_all(store: StoreOption = None) -> None:
    """List all experiments and all runs in the store."""
    console = Console()
    _list_experiments(console)
    console.print()
    _list_runs(console, open_store(store))


def answer(run: RunArgument = LATEST, store: StoreOption = None) -> None:
    """Say whether offload helps in a run, by kind of traffic."""
    place = open_store(store)
    results = load_results(place, run, MOST)
    show_answer(Console(), results, robustness_of(place, results))


def show(run: RunArgument = LATEST, form: Format = "table", store: StoreOption = None) -> None:
    """Print all figures of a run, or of a very large one those of a thousand cells."""
    results = load_results(open_store(store), run, MOST)
    if form == "table":
        show_figures(Console(), results)
    else:
        write_rows(results, results.tidy, form)


def limits(run: RunArgument = LATEST, form: Format = "table", store: StoreOption = None) -> None:
    """Check a run's figures against its limits.

    Limits are thresholds (acceptance criteria): the experiment's table `limits`, as it was when
    the run started.  Status 1 unless all are met.
    """
    results = load_results(open_store(store), run)
    found = outcomes(results.means, results.journal.limits)
    if form != "table":
        write_rows(results, frame(found), form)
    elif found:
        show_limits(Console(), results)
        show_remarks(Console(), results)
    else:
        typer.echo(f"The experiment of the run {results.journal.name} has no limits.")
    if any(outcome.verdict not in ("met", "") for outcome in found):
        sys.exit(1)


def report(
    run: RunArgument = LATEST,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the report [default: next to the run in the store].",
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Show published figures for every board, even where board and link differ.",
        ),
    ] = False,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="OF=COST",
            help=f"Weigh what boards cost against what they give. {COST_HELP}",
        ),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write a run's report (HTML) and print its path."""
    from firesteel.report.write import write_report

    place = open_store(store)
    results = load_results(place, run, MOST)
    prices = prices_of(cost or ())
    typer.echo(write_report(place, results, output, published, prices))


def _list_experiments(console: Console) -> None:
    table = _table("Experiments", "name", "cells", "what it measures")
    for name in experiment_names():
        try:
            experiment = load(name)
            table.add_row(name, str(len(experiment.cells())), escape(experiment.title))
        except FiresteelError as error:
            table.add_row(name, "–", escape(str(error)))
    console.print(table)


def _list_runs(console: Console, store: Store) -> None:
    known = store.run_names()
    if not known:
        console.print(f"No runs in {store.root} yet.", highlight=False)
        return
    latest = store.latest(known)
    table = _table("Runs", "name", "sizes", "finished", "failed", "")
    for name in known:
        try:
            run = store.summary(name)
        except FiresteelError as error:
            table.add_row(name, "–", "–", "–", escape(str(error)))
            continue
        table.add_row(
            name,
            "quick" if run.quick else "full",
            f"{run.done} of {run.cells}",
            str(run.failed),
            ", ".join(_marks(store, run, is_latest=name == latest)),
        )
    console.print(table)


def _marks(store: Store, run: Summary, *, is_latest: bool) -> Iterator[str]:
    """What is to be known of a run before it is chosen."""
    if is_latest:
        yield LATEST
    if is_written(store.progress_path(run.name)):
        yield "under way"
    elif run.waiting:
        yield "not finished"


def _table(title: str, *columns: str) -> Table:
    table = Table(
        *columns,
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        show_edge=False,
        pad_edge=False,
    )
    table.columns[0].no_wrap = True
    return table
