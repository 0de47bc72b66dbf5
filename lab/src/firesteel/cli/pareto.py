# SPDX-License-Identifier: Apache-2.0
"""`firesteel pareto`: which boards of a run are worth their cost."""

import sys
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from firesteel.analysis.pareto import Choice, choices, prices_of
from firesteel.analysis.results import load_results
from firesteel.base.tidy import to_csv, to_json
from firesteel.cli.common import COST_HELP, Format, RunArgument, StoreOption, open_store
from firesteel.store.store import LATEST
from firesteel.terminal.studies import show_choices


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("pareto")(pareto)


def pareto(
    cost: Annotated[
        list[str],
        typer.Option(
            "--cost",
            metavar="OF=COST",
            help=COST_HELP,
        ),
    ],
    run: RunArgument = LATEST,
    form: Format = "table",
    store: StoreOption = None,
) -> None:
    """Show what the boards of a run cost against their speed and CPU work.

    Costs are yours: Firesteel knows none.  To software, numbers of cores cost nothing.
    """
    prices = prices_of(cost)
    groups = choices(load_results(open_store(store), run), prices)
    if form == "table":
        show_choices(Console(), groups)
    else:
        found = _frame([each for group in groups for each in group])
        sys.stdout.write(to_csv(found) if form == "csv" else to_json(found))


def _frame(found: list[Choice]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "what": each.row.label,
                "parameter": each.row.identity.parameter.text,
                **each.row.identity.where,
                "implementation": each.row.identity.implementation,
                "cost": each.cost,
                "speed_by": each.speed[0],
                "speed": each.speed[1],
                "work_by": each.work[0] if each.work else "",
                "work": each.work[1] if each.work else None,
                "best": each.beaten_by is None,
            }
            for each in found
        ]
    )
