# SPDX-License-Identifier: Apache-2.0
"""`firesteel fit` and `fidelity`: the boards beside the published one."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.build.artifacts import refuse_in_bundle
from firesteel.cli.common import RunArgument, StoreOption, open_store
from firesteel.replication import fidelity_file, fit_file
from firesteel.replication.counterparts import beside_study, clock_beside, study_for
from firesteel.replication.fidelity import Further, page
from firesteel.replication.fit import steps
from firesteel.replication.ratios import frame, ratios
from firesteel.store.store import LATEST, write_whole

StudyOption = Annotated[
    str | None,
    typer.Option(
        "--study",
        metavar="NAME",
        help="The published study, a folder of published/ [default: that of the board and the "
        "topology].",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("fit")(fit)
    app.command("fidelity")(fidelity)


def fit(
    run: RunArgument = LATEST,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Write the new values to the profiles and the topology of this checkout.",
        ),
    ] = False,
    study: StudyOption = None,
    store: StoreOption = None,
) -> None:
    """Fit instruction rate and link latency to the published rows.

    Each row asks for a number of its own; the files have their mean.  This is one step: measure
    again with the new numbers, until none changes.  The instruction rate is fitted to runs whose
    boards count instructions (`firesteel run --clock flat`).
    """
    if write:
        refuse_in_bundle("fit --write")
    results = load_results(open_store(store), run)
    chosen = study_for(results.means, study, fit_file.FILE)
    comparison = beside_study(results.means, chosen)
    numbers = fit_file.load_fit(chosen).on(clock_beside(results, chosen))
    _tell_without_effect(numbers)
    for step in steps(comparison, numbers):
        for asked in step.asked:
            typer.echo(f"  {asked.name}, {asked.metric}: {asked.number:,} {step.unit}")
        files = ", ".join(str(path.relative_to(CHECKOUT)) for path in step.files)
        if step.is_done:
            typer.echo(f"{step.key}: {step.now:,} fits; the rows ask for {step.wanted:,}.")
            continue
        typer.echo(f"{step.key}: the rows ask for {step.wanted:,}; now {step.now:,} ({files})")
        if write:
            step.write()


def _tell_without_effect(numbers: fit_file.Fit) -> None:
    """Says which numbers are not fitted, as the run's clock does not go by them."""
    counted = "cycles" if numbers.clock == "cycles" else "instructions"
    for number in numbers.without_effect:
        typer.echo(
            f"{number.key}: not fitted, as the clocks of these boards count {counted}; "
            f"`{numbers.file.command(number.clock or numbers.clock)}` measures what its fit needs."
        )


def fidelity(
    run: RunArgument = LATEST,
    other: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="The same run on the other clock, to compare the two."),
    ] = None,
    longer: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="A run of the same transfers with longer files (`transfer-length`)."
        ),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="A run of variants, such as `causes` or `causes-hardware`; may be given more than "
            "once.",
        ),
    ] = None,
    habits: Annotated[list[str] | None, typer.Option(metavar="RUN", hidden=True)] = None,
    form: Annotated[
        Literal["markdown", "csv", "json"],
        typer.Option(
            "--format",
            help="The page, or only the ratios of hardware to software, with the published ones, "
            "as tidy rows.",
        ),
    ] = "markdown",
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the page [default: standard output]."),
    ] = None,
    study: StudyOption = None,
    store: StoreOption = None,
) -> None:
    """Write the page that compares a run with the published figures of a study."""
    if habits:
        raise RequestError("--habits is now --variants.")
    place = open_store(store)
    results = load_results(place, run)
    chosen = study_for(results.means, study, fidelity_file.FILE)
    comparison = beside_study(results.means, chosen)
    if form != "markdown":
        tidy = frame(ratios(comparison, results.clocks))
        _write(to_csv(tidy) if form == "csv" else to_json(tidy), output)
        return
    further = Further(
        other=load_results(place, other) if other else None,
        longer=load_results(place, longer) if longer else None,
        variants=[load_results(place, each) for each in variants or []],
    )
    _write(page(chosen, results, comparison, further), output)


def _write(text: str, output: Path | None) -> None:
    if output:
        write_whole(output.absolute(), text.encode())
    else:
        typer.echo(text, nl=False)
