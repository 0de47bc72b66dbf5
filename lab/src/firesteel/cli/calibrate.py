# SPDX-License-Identifier: Apache-2.0
"""`firesteel calibrate`: boards beside published figures of the processor that they stand for."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis.results import load_results
from firesteel.base.tidy import to_csv, to_json
from firesteel.cli.common import Format, StoreOption, open_store, tell_missing
from firesteel.replication.calibration import calibrate as compared
from firesteel.replication.calibration import choose
from firesteel.replication.processor import load_processors
from firesteel.store.store import LATEST
from firesteel.terminal.calibration_table import show_calibration


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("calibrate")(calibrate)


def calibrate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs of `calibration`, also on several boards, which stand in columns; see "
            "`firesteel list` [default: latest].",
            show_default=False,
        ),
    ] = None,
    processor: Annotated[
        str | None,
        typer.Option(
            "--processor",
            metavar="NAME",
            help="The processor, a folder of published/ [default: the one that the boards stand "
            "for].",
            show_default=False,
        ),
    ] = None,
    form: Format = "table",
    store: StoreOption = None,
) -> None:
    """Compare boards with published figures of the processor that they stand for.

    Rows that a board may be fitted to stand apart from rows that are held out, with the median and
    the worst deviation of each and the goals.
    """
    place = open_store(store)
    results = [load_results(place, run) for run in runs or [LATEST]]
    found = compared(choose(load_processors(), results, processor), results)
    if form == "table":
        show_calibration(Console(), found)
        return
    sys.stdout.write(to_csv(found.frame) if form == "csv" else to_json(found.frame))
    for each in results:
        tell_missing(each)
