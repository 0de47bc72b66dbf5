# SPDX-License-Identifier: Apache-2.0
"""`firesteel verify`: measures cells of a run again on this machine, and compares the records.

Status 0: all are the same.  1: one differs or failed.  2: inputs differ, so that nothing can be
verified with them.
"""

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from firesteel.base.errors import FiresteelError, RequestError, StoreError
from firesteel.boards.files import sweep
from firesteel.boards.run import run_topology
from firesteel.build.cache import cache_directory
from firesteel.cli import bench
from firesteel.cli.application import command
from firesteel.cli.common import (
    open_store,
    stops,
)
from firesteel.run.experiment.experiment import select
from firesteel.run.loop import default_jobs
from firesteel.run.verify import USUAL_SAMPLE, Outcome, Sample, choose, verify
from firesteel.show.screen import Screen
from firesteel.store.journal import Journal
from firesteel.store.record import libcrypto_of
from firesteel.store.setup import catalog_of
from firesteel.store.store import LATEST, Store
from firesteel.workloads import titles

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

    The exit status is 1 if a record differs or a cell fails.  The exit status is 2 if the builds in
    this checkout differ from the builds that made the records, so that no record can be verified.
    The store does not change.
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
    kept = select([entry.cell for entry in done], only or [])
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
    verdicts = _conclude(journal, how, outcomes)
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


def _conclude(journal: Journal, how: str, outcomes: Sequence[Outcome]) -> Counter[str]:
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
