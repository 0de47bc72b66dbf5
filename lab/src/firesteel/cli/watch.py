# SPDX-License-Identifier: Apache-2.0
"""`firesteel watch`: follow a run that is executed in another terminal."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from firesteel.base import interrupts
from firesteel.base.errors import FiresteelError
from firesteel.campaign.attach import End, Follower, under_way
from firesteel.cli.common import StoreOption, open_store
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.terminal.screen import Screen


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("watch")(watch)


def watch(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            help="A run's name [default: the newest one under way].",
            show_default=False,
        ),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Follow a run that another process executes, until it ends.

    Shows which cells are being measured, how many are done and have failed, and how long the rest
    will take.  Ctrl-C stops watching; the run goes on.  Status 1 unless all its cells are done.
    """
    place, name = _find(open_store(store), run)
    follower = Follower(place, name)
    screen = Screen(Console(stderr=True), place, follower.at_once, clock=follower.now)
    try:
        with interrupts.unwrapped(), screen:
            end = follower.follow(screen)
    except KeyboardInterrupt:
        typer.echo(f"firesteel: the run {name} is no longer watched.", err=True)
        sys.exit(130)
    journal = follower.journal
    typer.echo(_how_it_ended(place, journal, end))
    if journal.count("done") < len(journal.entries):
        sys.exit(1)


def _find(store: Store, run: str | None) -> tuple[Store, str]:
    """The run, among those of the store, of its studies of sensitivity and its designs."""
    places = (store, store.sensitivity, store.design)
    if run is None:
        found = [(place, name) for place in places for name in under_way(place)]
        if not found:
            raise FiresteelError(
                f"No run is under way in {store.root}; `firesteel list` lists runs of experiments, "
                "and not those of `firesteel sensitivity` and `firesteel design`."
            )
        return max(found, key=lambda each: each[0].journal_path(each[1]).stat().st_mtime_ns)
    place = next((place for place in places if run in place.run_names()), store)
    return place, place.find(run)


def _how_it_ended(place: Store, journal: Journal, end: End) -> str:
    # Studies and designs are in directories that have the names of their commands.
    command = "run" if place.runs.name == "runs" else place.runs.name
    count = len(journal.entries)
    done = f"{journal.count('done')} of {count} cells are done"
    if failed := journal.count("failed"):
        done += f", {failed} failed"
    if end == "gone":
        return (
            f"The process of the run {journal.name} is gone: {done} and kept; the same `firesteel "
            f"{command}` continues from there."
        )
    if journal.count("waiting"):
        return f"The run {journal.name} was stopped: {done}."
    told = f"The run {journal.name} has ended: {done}; "
    if command == "run":
        return f"{told}`firesteel answer {journal.name}`."
    return f"{told}the same `firesteel {command}` has the answer, and measures what it still lacks."
