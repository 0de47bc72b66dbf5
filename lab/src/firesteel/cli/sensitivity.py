# SPDX-License-Identifier: Apache-2.0
"""`firesteel sensitivity`: how far assumptions may be off before verdicts change."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from firesteel.base.tidy import to_csv, to_json
from firesteel.board.assumptions import load_assumptions
from firesteel.board.files import sweep
from firesteel.campaign.run import Options, default_jobs, execute
from firesteel.campaign.standing import StandingRunner
from firesteel.cli import run as run_command
from firesteel.cli.common import (
    ClockOption,
    ExperimentArgument,
    Format,
    JobsOption,
    OnlyOption,
    QuickOption,
    SeedsOption,
    StoreOption,
    open_store,
    stops,
)
from firesteel.experiment.collection import Collection, load
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.terminal.screen import Screen


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("sensitivity")(sensitivity)


def sensitivity(
    experiment: ExperimentArgument,
    quick: QuickOption = False,
    only: OnlyOption = None,
    seeds: SeedsOption = None,
    assumption: Annotated[
        list[str] | None,
        typer.Option(
            "--assumption",
            metavar="NAME",
            help="Vary only this assumption of board/assumptions.toml, such as register-access; "
            "may be given more than once.",
        ),
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Show what each assumption does to each row.")
    ] = False,
    jobs: JobsOption = None,
    form: Format = "table",
    store: StoreOption = None,
    clock: ClockOption = None,
) -> None:
    """Measure at which value of each assumption a verdict changes.

    Hardware and the software that it is compared with are measured at both ends of each
    assumption's range, all else as it is.  Cells whose records are in the store are not measured
    again.  The study is kept in the store, and reports of the same rows show it.
    """
    from firesteel.sensitivity.judge import make_study
    from firesteel.sensitivity.plan import make_plan
    from firesteel.sensitivity.summary import Sensitivity, frame
    from firesteel.terminal.sensitivity_table import show_sensitivity

    told = load(experiment, clock=clock)
    plan = make_plan(
        told, told.cells(quick, seeds), only or [], load_assumptions(), assumption or []
    )
    cells = plan.all_cells
    options = Options(quick=quick, jobs=jobs or default_jobs(cells))
    place = open_store(store)
    sweep(place.sensitivity.all_logs())
    patch = told.libcrypto if isinstance(told, Collection) else None
    runner = StandingRunner(run_command.make_runner(told.catalog, patch), told.catalog)
    screen = Screen(Console(stderr=True), place, options.jobs)
    with stops(_what_is_kept), screen:
        journal = execute(plan.subject, cells, options, runner, place.sensitivity, screen)
    study = make_study(plan, journal, place, told.catalog)
    if form == "table":
        show_sensitivity(Console(), Sensitivity.of(study), rows=rows)
    else:
        tidy = frame(study.rows)
        sys.stdout.write(to_csv(tidy) if form == "csv" else to_json(tidy))
    _conclude(place, journal)


def _what_is_kept(_: Journal) -> str:
    return "are finished and kept. The same command continues from there."


def _conclude(store: Store, journal: Journal) -> None:
    """Says on standard error what failed, with status 1."""
    if failed := journal.count("failed"):
        logs = store.sensitivity.logs(journal.name)
        typer.echo(f"{failed} of {len(journal.entries)} cells failed; logs: {logs}", err=True)
        sys.exit(1)
