# SPDX-License-Identifier: Apache-2.0
"""`firesteel fit` and `fidelity`: the boards beside the published one."""

from pathlib import Path
from typing import Annotated

import typer

from firesteel.build.places import CHECKOUT
from firesteel.cli.common import RunArgument, StoreOption, open_store
from firesteel.compare import compare
from firesteel.fidelity import page
from firesteel.fit import steps
from firesteel.results import load_results
from firesteel.store import LATEST, write_whole


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("fit")(fit)
    app.command("fidelity")(fidelity)


def fit(
    run: RunArgument = LATEST,
    write: Annotated[
        bool, typer.Option("--write", help="Change the profiles and the topology in this checkout.")
    ] = False,
    store: StoreOption = None,
) -> None:
    """Say what rate and latency would bring a run's fitted rows to the published ones.

    One step: measure again with what it says, until nothing is left to change.
    """
    results = load_results(open_store(store), run)
    for step in steps(compare(results.figures)):
        files = ", ".join(str(path.relative_to(CHECKOUT)) for path in step.files)
        if step.is_done:
            typer.echo(f"{step.key} = {step.now:_} fits ({step.wanted:_}).")
            continue
        typer.echo(f"{step.key} = {step.wanted:_} {step.unit}, not {step.now:_}: {files}")
        if write:
            step.write()


def fidelity(
    run: RunArgument = LATEST,
    longer: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="A run of the same transfers with longer files."),
    ] = None,
    habits: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="A run of `causes` or `causes-clients`; may be given more than once.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it [default: printed].")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write the page that holds a run's figures against the published ones, with causes."""
    place = open_store(store)
    results = load_results(place, run)
    beside = load_results(place, longer) if longer else None
    then = [load_results(place, each) for each in habits or []]
    text = page(results, compare(results.figures), beside, then)
    if output:
        write_whole(output.absolute(), text.encode())
    else:
        typer.echo(text, nl=False)
