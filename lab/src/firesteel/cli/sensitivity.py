# SPDX-License-Identifier: Apache-2.0
"""`firesteel sensitivity`: how far assumptions may be off before verdicts change."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from firesteel.base.tidy import to_csv, to_json
from firesteel.board.assumptions import load_assumptions
from firesteel.board.files import sweep
from firesteel.cli.bench import bench_at, options_for
from firesteel.cli.common import (
    ClockOption,
    DryRunOption,
    ExperimentArgument,
    Format,
    JobsOption,
    OnlyOption,
    QuickOption,
    SeedsOption,
    StoreOption,
    open_store,
)
from firesteel.cli.machines import OnOption, TlsCaOption, TlsCertOption, TlsKeyOption
from firesteel.experiment.collection import load
from firesteel.machines.tls import Tls
from firesteel.store.journal import Journal
from firesteel.store.store import Store


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
    dry_run: DryRunOption = False,
    on: OnOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Measure at which value of each assumption a verdict changes.

    Hardware and the software that it is compared with are measured at both ends of each
    assumption's range, all else as it is.  Cells whose records are in the store are not measured
    again.  The study is kept in the store, and reports of the same rows show it.
    """
    from firesteel.analysis.sensitivity import Sensitivity, frame
    from firesteel.sensitivity.plan import make_plan, make_study
    from firesteel.terminal.sensitivity_table import show_sensitivity

    told = load(experiment, clock=clock)
    plan = make_plan(
        told, told.cells(quick, seeds), only or [], load_assumptions(), assumption or []
    )
    cells = plan.all_cells
    options = options_for(cells, quick=quick, jobs=jobs, on=on)
    place = open_store(store)
    sweep(place.sensitivity.all_logs())
    with bench_at(on, Tls(tls_ca, tls_cert, tls_key), told, options, place) as bench:
        bench.foretell(cells)
        if dry_run:
            return
        journal = bench.measure(plan.subject, cells, place.sensitivity, _what_is_kept)
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
