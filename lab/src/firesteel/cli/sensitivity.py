# SPDX-License-Identifier: Apache-2.0
"""`firesteel sensitivity`: how far assumptions may be off before verdicts change."""

import sys

import typer
from rich.console import Console

from firesteel.board.assumptions import load_assumptions
from firesteel.cli.application import command
from firesteel.cli.bench import ExperimentArgument, Measuring
from firesteel.cli.common import Format, as_text


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("sensitivity")(command(sensitivity))


def sensitivity(
    experiment: ExperimentArgument,
    measuring: Measuring,
    assumption: list[str] | None = None,
    rows: bool = False,
    form: Format = "table",
) -> None:
    """Measure at which value of each assumption a verdict changes.

    Hardware and the software that it is compared with are measured at both ends of each
    assumption's range, all else as it is.  Cells whose records are in the store are not measured
    again.  The study is kept in the store, and reports of the same rows show it.

    Options:
        assumption NAME: Vary only this assumption of board/assumptions.toml, such as
            register-access; may be given more than once.
        rows: Show what each assumption does to each row.
    """
    from firesteel.analysis.sensitivity import Sensitivity, frame
    from firesteel.sensitivity.plan import make_plan, make_study
    from firesteel.terminal.run import show_sensitivity

    told = measuring.load(experiment)
    all_cells = told.cells(measuring.quick, measuring.seeds)
    plan = make_plan(told, all_cells, measuring.only or [], load_assumptions(), assumption or [])
    cells, place = plan.all_cells, measuring.open_store()
    with measuring.bench(told, cells, place, place.sensitivity) as bench:
        bench.foretell(cells, dry=measuring.dry_run)
        if measuring.dry_run:
            return
        journal = bench.measure(plan.subject, cells)
    study = make_study(plan, journal, place, told.catalog)
    if form == "table":
        show_sensitivity(Console(), Sensitivity.of(study), rows=rows)
    else:
        sys.stdout.write(as_text(frame(study.rows), form))
    if failed := journal.count("failed"):
        logs = place.sensitivity.logs(journal.name)
        typer.echo(f"{failed} of {len(journal.entries)} cells failed; logs: {logs}", err=True)
        sys.exit(1)
