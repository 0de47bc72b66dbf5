# SPDX-License-Identifier: Apache-2.0
"""`firesteel statements`: what published studies state, and whether a run confirms it."""

from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from firesteel.analysis.results import load_results
from firesteel.analysis.study import load_studies
from firesteel.base.errors import FiresteelError
from firesteel.cli.common import Format, RunArgument, StoreOption, open_store, write_rows
from firesteel.replication.statements import COLUMNS, answered, answers
from firesteel.store.store import LATEST
from firesteel.terminal.studies import show_statements


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("statements")(statements)


def statements(
    run: RunArgument = LATEST,
    study: Annotated[
        str | None,
        typer.Option(
            "--study",
            metavar="NAME",
            help="The published study, a folder of published/ [default: all of which the run says "
            "something].",
            show_default=False,
        ),
    ] = None,
    form: Format = "table",
    store: StoreOption = None,
) -> None:
    """Show what published studies state, and whether a run's figures confirm it."""
    results = load_results(open_store(store), run)
    if study is None:
        found = answered(results)
    else:
        known = {each.name: each for each in load_studies()}
        if study not in known:
            there = ", ".join(known)
            raise FiresteelError(f"There is no study `{study}`; there are: {there}.")
        found = {study: answers(known[study], results.means)}
    if not any(found.values()):
        typer.echo(f"No statement of a study is about figures of the run {results.journal.name}.")
    elif form == "table":
        show_statements(Console(), found)
    else:
        rows = [each.columns for those in found.values() for each in those]
        write_rows(results, pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String)), form)
