# SPDX-License-Identifier: Apache-2.0
"""`firesteel run` and `sensitivity`: measure the cells of an experiment, and at which value of an
assumption a verdict changes.
"""

import sys
from collections.abc import Sequence
from functools import partial

import typer
from rich.console import Console

from firesteel.base import interrupts
from firesteel.base.errors import RequestError
from firesteel.boards.assumptions import load_assumptions
from firesteel.cli.application import command
from firesteel.cli.bench import Measuring
from firesteel.cli.common import Format, as_text
from firesteel.judge.results import MOST, Results, load_results
from firesteel.judge.robustness import robustness_of
from firesteel.run.experiment.collection import Collection
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import USUAL_BUDGET, Method, sweep_of_options
from firesteel.show.run import show_end
from firesteel.store.journal import Journal
from firesteel.store.store import Store


@command("run", usual=USUAL_BUDGET)
def run(
    experiment: str,
    measuring: Measuring,
    fresh: bool = False,
    vary: list[str] | None = None,
    sample: Method | None = None,
    budget: int | None = None,
) -> None:
    """Measure an experiment, print the answer and write the report.

    Cells that have a record in the store are not measured again.
    """
    told = measuring.load(experiment, sweep_of_options(vary or (), sample, budget))
    if (sample or budget) and not told.varied:
        raise RequestError("--sample and --cells need a sweep, which --vary defines.")
    if budget and not told.sampled:
        raise RequestError("--cells needs a sample; --sample chooses its points.")
    quick, only = measuring.quick, measuring.only or []
    cells = select(told.cells(quick, measuring.seeds, only), only)
    place = measuring.open_store()
    said = {"--vary": vary, "--sample": sample, "--cells": budget}
    with measuring.bench(told, cells, place, fresh=fresh, said=said) as bench:
        if measuring.dry_run or told.varied:
            bench.foretell(cells, dry=measuring.dry_run)
        if measuring.dry_run:
            return
        journal = bench.measure(told, cells, partial(_what_is_kept, fresh=fresh))
    labels = told.profiled(quick) if isinstance(told, Collection) else ()
    results = load_results(place, journal.name, MOST)
    complete = _profile(place, results, labels, bench.options.jobs)
    _conclude(place, results)
    if journal.count("failed") or not complete:
        sys.exit(1)


def _profile(store: Store, results: Results, labels: Sequence[str], jobs: int) -> bool:
    """Makes the profiles that the experiment asks for; whether all are there."""
    if not labels:
        return True
    from firesteel.profiling.keep import make_all

    run = results.journal.name
    tell = partial(typer.echo, err=True)
    try:
        with interrupts.unwrapped():
            problems = make_all(store, run, results.records, labels, jobs, tell)
    except KeyboardInterrupt:
        typer.echo(
            "firesteel: stopped; all cells are measured and kept, but not all are profiled. "
            f"`firesteel report {run}` writes the report.",
            err=True,
        )
        sys.exit(130)
    for problem in problems:
        typer.echo(f"firesteel: no profile: {problem}", err=True)
    return not problems


def _conclude(store: Store, results: Results) -> None:
    # Most commands do without the library of charts.
    from firesteel.show.report.write import write_report

    journal = results.journal
    path = write_report(store, results)
    if failed := journal.count("failed"):
        count = len(journal.entries)
        typer.echo(f"{failed} of {count} cells failed; logs: {store.logs(journal.name)}")
    show_end(Console(), results, path, robustness_of(store, results))


def _what_is_kept(journal: Journal, *, fresh: bool) -> str:
    return (
        f"are finished and kept. The same command{' without --fresh' if fresh else ''} continues "
        f"from there; `firesteel show {journal.name}` shows what is finished."
    )


@command("sensitivity")
def sensitivity(
    experiment: str,
    measuring: Measuring,
    vary: list[str] | None = None,
    assumption: list[str] | None = None,
    together: bool = False,
    rows: bool = False,
    form: Format = "table",
) -> None:
    """Find the value of each assumption at which a verdict changes.

    Hardware and software are measured at both ends of each assumption's range, with everything
    else unchanged.  The study is kept in the store, and reports that contain the same rows also
    show the results of the study.
    """
    from firesteel.judge.sensitivity import frame
    from firesteel.search.plan import make_plan, make_study
    from firesteel.show.run import show_sensitivity

    told = measuring.load(experiment, sweep_of_options(vary or ()))
    all_cells = told.cells(measuring.quick, measuring.seeds)
    only, names, known = measuring.only or [], assumption or [], load_assumptions()
    plan = make_plan(told, all_cells, only, known, names, together=together)
    cells, place = plan.all_cells, measuring.open_store()
    with measuring.bench(told, cells, place, place.sensitivity, said={"--vary": vary}) as bench:
        bench.foretell(cells, dry=measuring.dry_run)
        if measuring.dry_run:
            return
        journal = bench.measure(plan.subject, cells)
    study = make_study(plan, journal, place, told.catalog)
    if form == "table":
        show_sensitivity(Console(), study, rows=rows)
    else:
        sys.stdout.write(as_text(frame(study.rows), form))
    if failed := journal.count("failed"):
        logs = place.sensitivity.logs(journal.name)
        typer.echo(f"{failed} of {len(journal.entries)} cells failed; logs: {logs}", err=True)
        sys.exit(1)
