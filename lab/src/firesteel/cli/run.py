# SPDX-License-Identifier: Apache-2.0
"""`firesteel run`, `sensitivity` and `verify`: measure the cells of an experiment, find at which
value of an assumption a verdict changes, and measure a run's cells again to compare the records.

Status of `verify`: 0 if all are the same, 1 if one differs or failed, and 2 if inputs differ, so
that nothing can be verified with them.
"""

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from firesteel.base import interrupts
from firesteel.base.errors import FiresteelError, RequestError, StoreError
from firesteel.boards.assumptions import load_assumptions
from firesteel.boards.files import sweep
from firesteel.boards.run import run_topology
from firesteel.build.cache import cache_directory
from firesteel.cli import bench
from firesteel.cli.application import command
from firesteel.cli.bench import Measuring
from firesteel.cli.common import Format, as_text, open_store, stops
from firesteel.judge.results import MOST, Results, load_results
from firesteel.judge.robustness import robustness_of
from firesteel.run.estimate import Estimate
from firesteel.run.experiment.collection import Collection
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import (
    USUAL_BUDGET,
    Method,
    NotEnumerableError,
    sweep_of_options,
)
from firesteel.run.loop import default_jobs
from firesteel.run.verify import USUAL_SAMPLE, Outcome, Sample, choose, verify
from firesteel.show.run import show_end
from firesteel.show.screen import Screen
from firesteel.store.journal import Journal
from firesteel.store.record import libcrypto_of
from firesteel.store.setup import catalog_of
from firesteel.store.store import LATEST, Store
from firesteel.workloads import titles


@command("run", usual=USUAL_BUDGET)
def run(
    experiment: str,
    measuring: Measuring,
    fresh: bool = False,
    vary: list[str] | None = None,
    sample: Method | None = None,
    budget: int | None = None,
) -> Estimate | None:
    """Measure an experiment, print the answer and write the report.

    Cells that have a record in the store are not measured again.
    """
    told = measuring.load(experiment, sweep_of_options(vary or (), sample, budget))
    if (sample or budget) and not told.varied:
        raise RequestError("--sample and --cells need a sweep, which --vary defines.")
    if budget and not told.sampled:
        raise RequestError("--cells needs a sample; --sample chooses its points.")
    quick, only = measuring.quick, measuring.only or []
    try:
        cells = select(told.cells(quick, measuring.seeds, only), only)
    except NotEnumerableError as error:
        raise FiresteelError(f"{error} With --sample, only some points are measured.") from None
    place = open_store(measuring.store)
    said = {"--vary": vary, "--sample": sample, "--cells": budget}
    with measuring.bench(told, cells, place, fresh=fresh, said=said) as lab:
        if measuring.dry_run:
            return lab.foretell(cells, dry=True)
        if told.varied:
            lab.foretell(cells)
        journal = lab.measure(told, cells, partial(_what_is_kept, fresh=fresh))
    labels = told.profiled(quick) if isinstance(told, Collection) else ()
    results = load_results(place, journal.name, MOST)
    complete = _profile(place, results, labels, lab.options.jobs)
    # Most commands do without the library of charts.
    from firesteel.show.report.write import write_report

    path = write_report(place, results)
    if failed := journal.count("failed"):
        count = len(journal.entries)
        typer.echo(f"{failed} of {count} cells failed; logs: {place.logs(journal.name)}")
    show_end(Console(), results, path, robustness_of(place, results))
    if journal.count("failed") or not complete:
        sys.exit(1)
    return None


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
) -> Estimate | None:
    """For each assumption, find the value at which a verdict changes.

    Hardware and software are measured at both ends of each assumption's range, with everything
    else unchanged.  The study is kept in the store.  If a report contains rows that the study
    measured, the report also shows the study's results.
    """
    from firesteel.judge.sensitivity import frame
    from firesteel.search.plan import make_plan, make_study
    from firesteel.show.run import show_sensitivity

    told = measuring.load(experiment, sweep_of_options(vary or ()))
    all_cells = told.cells(measuring.quick, measuring.seeds)
    only, names, known = measuring.only or [], assumption or [], load_assumptions()
    plan = make_plan(told, all_cells, only, known, names, together=together)
    cells, place = plan.all_cells, open_store(measuring.store)
    with measuring.bench(told, cells, place, place.sensitivity, said={"--vary": vary}) as lab:
        cost = lab.foretell(cells, dry=measuring.dry_run)
        if measuring.dry_run:
            return cost
        journal = lab.measure(plan.subject, cells)
    study = make_study(plan, journal, place, told.catalog)
    if form == "table":
        show_sensitivity(Console(), study, rows=rows)
    else:
        sys.stdout.write(as_text(frame(study.rows), form))
    if failed := journal.count("failed"):
        logs = place.sensitivity.logs(journal.name)
        typer.echo(f"{failed} of {len(journal.entries)} cells failed; logs: {logs}", err=True)
        sys.exit(1)
    return None


_VERDICTS = ("same", "different", "failed", "not comparable")


@command("verify", usual=USUAL_SAMPLE)
def verify_run(
    run: str = LATEST,
    sample: int | None = None,
    seed: int | None = None,
    everything: bool = False,
    only: list[str] | None = None,
    jobs: int | None = None,
    store: Path | None = None,
) -> None:
    """Measure cells again and compare the records byte for byte.

    The exit status is 1 if a record differs or a cell fails.  The exit status is 2 if a record
    cannot be verified because the builds in this checkout differ from the builds that made the
    record.  The command does not change the store.
    """
    place = open_store(store)
    journal = place.journal(run)
    if everything and (sample is not None or seed is not None):
        raise RequestError("--all takes every cell; leave out --sample and --seed.")
    place.records(journal)  # All are read: damage is reported before anything is built or measured.
    count = None if everything else sample or USUAL_SAMPLE
    done = [entry for entry in journal.entries if entry.state == "done"]
    if not done:
        raise FiresteelError(
            f"The run {journal.name} has no finished cell, so there is nothing to verify."
        )
    kept = select([entry.cell for entry in done], only or [], alone=True)
    chosen = choose(place, [entry for entry in done if entry.cell in kept], count, seed)
    scratch = _scratch(journal)
    keep = False
    try:
        outcomes = _verify(place, journal, chosen, scratch, jobs)
        keep = any(outcome.verdict in ("different", "failed") for outcome in outcomes)
    finally:
        if not keep:
            shutil.rmtree(scratch.root, ignore_errors=True)
    how = f"{chosen.how} of those that fit {' '.join(only)}" if only else chosen.how
    verdicts = _say(journal, how, outcomes)
    if keep:
        typer.echo(f"The new records and logs are in {scratch.root}")
    sys.exit(1 if keep else 2 if verdicts["not comparable"] else 0)


def _scratch(journal: Journal) -> Store:
    """An empty store in the cache directory, on whose disk boards have room."""
    top = cache_directory() / "verify"
    for killed in top.glob("*"):
        sweep(Store(killed).all_logs())
    try:
        top.mkdir(parents=True, exist_ok=True)
        return Store(Path(tempfile.mkdtemp(prefix=f"{journal.name}-", dir=top)))
    except OSError as error:
        raise StoreError(f"{top}: cannot be written: {error.strerror}.") from None


def _verify(
    place: Store, journal: Journal, chosen: Sample, scratch: Store, jobs: int | None
) -> list[Outcome]:
    side_by_side = jobs or default_jobs([entry.cell for entry in chosen.entries])
    screen = Screen(Console(stderr=True), place, side_by_side)
    records = [place.as_measured(journal, entry) for entry in chosen.entries]
    boards = catalog_of((record.cell, record.setup) for record in records)
    runner = bench.make_runner(boards, libcrypto_of(records), run_topology)
    with stops(lambda _: "were measured again; nothing is kept."), screen:
        return verify(place, journal, chosen.entries, runner, scratch, screen, side_by_side)


def _say(journal: Journal, how: str, outcomes: Sequence[Outcome]) -> Counter[str]:
    """Says what came of it; how many cells have each verdict."""
    for outcome in outcomes:
        reason = f": {outcome.reason}" if outcome.reason else ""
        typer.echo(f"{outcome.verdict:<14} {titles.of_cell(outcome.entry.cell)}{reason}")
    count: Counter[str] = Counter(outcome.verdict for outcome in outcomes)
    told = ", ".join(f"{count[word]} {word}" for word in _VERDICTS if count[word])
    of = f"{len(outcomes)} of {len(journal.entries)} cells ({how})"
    typer.echo(f"Run {journal.name}, {of}: {told}.")
    if count["same"] == len(outcomes):
        typer.echo(
            "The records measured on this machine are identical to the stored ones, byte for byte."
        )
    elif count["not comparable"] == len(outcomes):
        typer.echo(
            "Nothing can be verified here, because the records were made with other inputs; use "
            "the same checkout and the same Debian packages (docs/verifying.md)."
        )
    return count
