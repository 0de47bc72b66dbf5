# SPDX-License-Identifier: Apache-2.0
"""`firesteel profile`: where a cell's instructions went."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer
from rich.console import Console

from firesteel.cli.application import command
from firesteel.cli.common import as_text, open_store
from firesteel.store.record import Record
from firesteel.store.store import Store

if TYPE_CHECKING:
    from firesteel.profiling.document import Profile


@command("profile")
def profile(
    run: str,
    cell: list[str] | None = None,
    only: list[str] | None = None,
    window: str | None = None,
    alone: bool = False,
    top: int = 30,
    form: Literal["table", "csv", "json", "folded"] = "table",
    fresh: bool = False,
    store: Path | None = None,
) -> None:
    """Run a cell again and count the instructions that each function executes.

    The command fails if the cell does not reproduce its record.  Profiles are stored with the run.
    """
    from firesteel.profiling.document import folded
    from firesteel.profiling.keep import choose_records, choose_windows
    from firesteel.show.report.profiles import named_by_place, tidy

    place = open_store(store)
    journal = place.journal(run)
    records = list(place.records(journal))
    told = choose_records(records, " ".join(cell or []), only or [], alone=alone)
    profiles = [
        _profile(place, journal.name, record, name, fresh=fresh)
        for record, name in zip(told, choose_windows(told, window), strict=True)
    ]
    profiles = named_by_place(profiles, records)
    if form == "table":
        _show(place, told, profiles, top)
    else:
        sys.stdout.write(folded(profiles) if form == "folded" else as_text(tidy(profiles), form))


def _profile(store: Store, run: str, record: Record, window: str, *, fresh: bool) -> "Profile":
    """The profile from the store, or made now."""
    from firesteel.profiling import keep

    if not fresh and (found := keep.find(store, run, record, window)):
        return found
    typer.echo(f"Profiling {record.cell.label}, window {window} ...", err=True)
    made = keep.make(store, run, record, window)
    typer.echo(f"Wrote {keep.path_of(store, run, record, window)}", err=True)
    return made


def _show(store: Store, records: Sequence[Record], profiles: Sequence["Profile"], top: int) -> None:
    """The tables of each configuration, what computes side by side."""
    from firesteel.judge.replication.method import method
    from firesteel.judge.results import cpus_of
    from firesteel.profiling.document import spents_of
    from firesteel.profiling.keep import setting
    from firesteel.show.report.profiles import profile_grids

    console = Console()
    groups: dict[str, list[Profile]] = {}
    for record, profile in zip(records, profiles, strict=True):
        groups.setdefault(setting(record.cell), []).append(profile)
    for group in groups.values():
        for grid in profile_grids(group, spents_of(store, group), top):
            grid.show(console)
    console.print(method(cpus_of(records)), highlight=False)
