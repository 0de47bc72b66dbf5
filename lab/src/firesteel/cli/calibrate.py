# SPDX-License-Identifier: Apache-2.0
"""`firesteel calibrate`: boards beside published figures of the processor that they stand for, and
the costs of the processor that follow from these.
"""

import sys
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis.results import Results, load_results
from firesteel.base.errors import RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.build.artifacts import refuse_in_bundle
from firesteel.cli.common import Format, StoreOption, open_store, tell_missing
from firesteel.replication.calibration import calibrate as compared
from firesteel.replication.calibration import choose
from firesteel.replication.priors import load_priors
from firesteel.replication.processor import Processor, load_processors
from firesteel.store.store import LATEST, Store
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
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="Fit the processor's costs to the rows for it instead, from one run on a board "
            "whose instructions were counted.",
        ),
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="With --fit: write the costs to board/processors/ of this checkout."
        ),
    ] = False,
    form: Format = "table",
    store: StoreOption = None,
) -> None:
    """Compare boards with published figures of the processor that they stand for.

    Rows that a board may be fitted to stand apart from rows that are held out, with the median and
    the worst deviation of each and the goals.
    """
    _check(runs, fit=fit, write=write)
    if write:
        refuse_in_bundle("calibrate --write")
    place = open_store(store)
    results = [load_results(place, run) for run in runs or [LATEST]]
    chosen = choose(load_processors(), results, processor)
    if fit:
        _fit(chosen, results[0], place, form, write=write)
        return
    found = compared(chosen, results)
    if form == "table":
        show_calibration(Console(), found)
        return
    sys.stdout.write(to_csv(found.frame) if form == "csv" else to_json(found.frame))
    for each in results:
        tell_missing(each.journal)


def _check(runs: list[str] | None, *, fit: bool, write: bool) -> None:
    if write and not fit:
        raise RequestError("--write goes with --fit, which makes the costs that are written.")
    if fit and len(runs or []) > 1:
        raise RequestError(f"--fit takes one run; {len(runs or [])} are named.")


def _fit(processor: Processor, results: Results, store: Store, form: str, *, write: bool) -> None:
    # Loading numerics takes time that no other command has to wait for.
    from firesteel.replication.all_rows import all_rows
    from firesteel.replication.cost_fit import fit_costs
    from firesteel.replication.counted import counted
    from firesteel.terminal.cost_fit_table import show_cost_fit

    rows, priors = counted(processor, results, store), load_priors(processor)
    found = fit_costs(processor, rows, priors)
    if form == "table":
        show_cost_fit(Console(), found, all_rows(processor, rows, priors))
    else:
        sys.stdout.write(to_csv(found.frame) if form == "csv" else to_json(found.frame))
    if write:
        found.write()
