# SPDX-License-Identifier: Apache-2.0
"""`firesteel run`: measure the cells of an experiment."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis.results import MOST, Results, load_results
from firesteel.analysis.robustness import robustness_of
from firesteel.base import interrupts
from firesteel.base.errors import RequestError
from firesteel.board.files import sweep
from firesteel.campaign.run import Options
from firesteel.cli.bench import bench_at, options_for
from firesteel.cli.common import (
    CellsOption,
    ClockOption,
    DryRunOption,
    ExperimentArgument,
    JobsOption,
    OnlyOption,
    QuickOption,
    SampleOption,
    SeedsOption,
    StoreOption,
    VaryOption,
    open_store,
)
from firesteel.cli.machines import OnOption, TlsCaOption, TlsCertOption, TlsKeyOption
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import select
from firesteel.experiment.sweep import sweep_of_options
from firesteel.machines.tls import Tls
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.terminal.answer import show_end


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("run")(run)


def run(
    experiment: ExperimentArgument,
    quick: QuickOption = False,
    only: OnlyOption = None,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    store: StoreOption = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure all cells again, even those in the store.")
    ] = False,
    clock: ClockOption = None,
    vary: VaryOption = None,
    sample: SampleOption = None,
    budget: CellsOption = None,
    dry_run: DryRunOption = False,
    on: OnOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Measure an experiment, print the answer and write the report.

    Cells whose records are in the store are not measured again.
    """
    told = load(experiment, clock=clock, sweep=sweep_of_options(vary or (), sample, budget))
    if (sample or budget) and not told.varied:
        raise RequestError("--sample and --cells are for a sweep; --vary says what varies.")
    if budget and not told.sampled:
        raise RequestError("--cells is for a sample; --sample says how its points are taken.")
    cells = select(told.cells(quick, seeds, only or ()), only or [])
    options = options_for(cells, quick=quick, jobs=jobs, on=on, fresh=fresh)
    place = open_store(store)
    sweep(place.all_logs())
    with bench_at(on, Tls(tls_ca, tls_cert, tls_key), told, options, place) as bench:
        if dry_run or told.varied:
            bench.foretell(cells)
        if dry_run:
            return
        journal = bench.measure(told, cells, place, _what_is_kept)
    labels = told.profiled(quick) if isinstance(told, Collection) else ()
    results = load_results(place, journal.name, MOST)
    complete = _profile(place, results, labels, options)
    _conclude(place, results)
    if journal.count("failed") or not complete:
        sys.exit(1)


def _profile(store: Store, results: Results, labels: Sequence[str], options: Options) -> bool:
    """Makes the profiles that the experiment asks for; whether all are there."""
    if not labels:
        return True
    from firesteel.profiling.keep import make_all

    run = results.journal.name
    tell = partial(typer.echo, err=True)
    try:
        with interrupts.unwrapped():
            problems = make_all(store, run, results.records, labels, options.jobs, tell)
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
    # The charts' library is slow to load, so it is only when it is needed.
    from firesteel.report.write import write_report

    journal = results.journal
    path = write_report(store, results)
    if failed := journal.count("failed"):
        count = len(journal.entries)
        typer.echo(f"{failed} of {count} cells failed; logs: {store.logs(journal.name)}")
    show_end(Console(), results, path, robustness_of(store, results))


def _what_is_kept(journal: Journal) -> str:
    return (
        "are finished and kept. The same command without --fresh continues from there; "
        f"`firesteel show {journal.name}` shows what is finished."
    )
