# SPDX-License-Identifier: Apache-2.0
"""`firesteel list`, `show`, `report` and `profile`: look at what was measured, and where a cell's
instructions went.
"""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

import polars as pl
import typer
from rich.console import Console
from rich.markup import escape

from firesteel.base import interrupts
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import as_text, open_store, table, tell_missing, write_rows, written_to
from firesteel.judge.export import export_frames, write_export, write_flent
from firesteel.judge.pareto import Choice, choices, prices_of
from firesteel.judge.results import MOST, Results, load_results
from firesteel.judge.robustness import robustness_of
from firesteel.judge.thresholds import frame, outcomes
from firesteel.run.attach import End, Follower, under_way
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import experiment_names
from firesteel.show.run import show_answer, show_choices, show_figures, show_limits, show_remarks
from firesteel.show.screen import Screen
from firesteel.store.journal import Journal, is_under_way
from firesteel.store.record import Record
from firesteel.store.store import LATEST, Store

if TYPE_CHECKING:
    from firesteel.profiling.document import Profile

Samples = Literal["csv", "json", "parquet", "flent"]
Form = Literal["table", Samples]
Part = Literal["answer", "figures", "samples", "limits", "cost"]

_FORMS: dict[Part, tuple[Form, ...]] = {
    "answer": ("table",),
    "samples": ("csv", "json", "parquet", "flent"),
    "figures": ("table", "csv", "json"),
    "limits": ("table", "csv", "json"),
    "cost": ("table", "csv", "json"),
}
"""The formats of each part, the usual one first."""


@command("list")
def list_all(store: Path | None = None) -> None:
    """List all experiments and all runs in the store."""
    console = Console()
    shown = table("name", "cells", "what it measures", title="Experiments")
    for name in experiment_names():
        try:
            experiment = load(name)
            shown.add_row(name, str(len(experiment.cells())), escape(experiment.title))
        except FiresteelError as error:
            shown.add_row(name, "–", escape(str(error)))
    console.print(shown)
    console.print()
    _list_runs(console, open_store(store))


@command("show")
def show(
    run: str | None = None,
    part: Part | None = None,
    follow: bool = False,
    cost: list[str] | None = None,
    form: Form | None = None,
    output: Path | None = None,
    store: Path | None = None,
) -> None:
    """Show part of a run: its answer, figures, samples, limits or costs.

    For a very large run, the answer and the figures are limited to a thousand cells.
    Samples, limits and costs are always printed for all cells.

    No price is preset; --cost sets prices.  The price of a software row excludes the price of the
    cores.
    """
    if follow:
        given = {"--part": part, "--cost": cost, "--format": form, "--output": output}
        refuse_options("shows what a run measured; leave out --follow.", given)
        _follow(open_store(store), run)
        return
    part = part or ("cost" if cost else "figures")
    if bool(cost) != (part == "cost"):
        raise RequestError("--cost OF=COST and `--part cost` go together.")
    form = form or _FORMS[part][0]
    if form not in _FORMS[part]:
        raise RequestError(
            f"--format {form}: allowed for --part {part}: {', '.join(_FORMS[part])}."
        )
    if form in ("parquet", "flent") and output is None:
        raise RequestError(f"--format {form} goes to a file: add --output FILE.")
    place, run = open_store(store), LATEST if run is None else run
    if part == "samples" and form != "table":
        _write_samples(place, run, form, output)
        return
    # Of a very large run some cells are shown; limits and costs are of all.
    results = load_results(place, run, MOST if part in ("answer", "figures") else None)
    with written_to(output) as file:
        passed = _show(place, results, part, form, cost or [], file)
    if not passed:
        sys.exit(1)


def _show(
    place: Store, results: Results, part: Part, form: str, cost: list[str], file: TextIO
) -> bool:
    """Writes one part of a run; whether its limits are met, where it is about these."""
    console = Console(file=file)
    match part, form:
        case "answer", _:
            show_answer(console, results, robustness_of(place, results))
        case "cost", "table":
            show_choices(console, choices(results, prices_of(cost)))
        case "cost", _:
            found = choices(results, prices_of(cost))
            file.write(as_text(_frame([each for group in found for each in group]), form))
        case "limits", _:
            limits = outcomes(results.means, results.journal.limits)
            if form != "table":
                write_rows(results, frame(limits), form, file)
            elif limits:
                show_limits(console, results)
                show_remarks(console, results)
            else:
                print(f"The experiment of the run {results.journal.name} has no limits.", file=file)
            return all(outcome.verdict in ("met", "") for outcome in limits)
        case _, "table":
            show_figures(console, results)
        case _:
            write_rows(results, results.tidy, form, file)
    return True


def _write_samples(place: Store, run: str, form: Samples, output: Path | None) -> None:
    """Writes them in pieces, as those of a large run are many; nothing of a damaged run."""
    journal = place.journal(run)
    with written_to(output) as file, tempfile.TemporaryFile() as whole:
        records = place.each_record(journal, journal.entries)
        frames = export_frames(journal, records)
        if form == "flent":
            write_flent(journal, frames, whole)
        else:
            write_export(frames, form, whole)
        whole.seek(0)
        shutil.copyfileobj(whole, file.buffer)
    tell_missing(journal)


def _frame(found: list[Choice]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "what": each.row.label,
                "parameter": each.row.identity.parameter.text,
                **each.row.identity.where,
                "implementation": each.row.identity.implementation,
                "cost": each.cost,
                "speed_by": each.speed[0],
                "speed": each.speed[1].value,
                "work_by": each.work[0] if each.work else "",
                "work": each.work[1].value if each.work else None,
                "best": each.beaten_by is None,
            }
            for each in found
        ]
    )


@command("report")
def report(
    run: str = LATEST,
    output: Path | None = None,
    published: bool = False,
    cost: list[str] | None = None,
    store: Path | None = None,
) -> None:
    """Write a run's report (HTML) and print its path."""
    from firesteel.show.report.write import write_report

    place = open_store(store)
    results = load_results(place, run, MOST)
    prices = prices_of(cost or ())
    typer.echo(write_report(place, results, output, published, prices))


def _list_runs(console: Console, store: Store) -> None:
    known = store.run_names()
    if not known:
        console.print(f"No runs in {store.root} yet.", highlight=False)
        return
    latest = store.latest(known)
    shown = table("name", "sizes", "finished", "failed", "", title="Runs")
    for name in known:
        try:
            run = store.summary(name)
        except FiresteelError as error:
            shown.add_row(name, "–", "–", "–", escape(str(error)))
            continue
        marks = [LATEST] if name == latest else []
        if is_under_way(store.progress_path(name)):
            marks.append("under way")
        elif run.count("waiting"):
            marks.append("not finished")
        sizes = "quick" if run.quick else "full"
        finished = f"{run.count('done')} of {len(run.entries)}"
        shown.add_row(name, sizes, finished, str(run.count("failed")), ", ".join(marks))
    console.print(shown)


def _follow(store: Store, run: str | None) -> None:
    """Follows a run that another process executes, until it ends; status 1 unless all is done."""
    place, name = _find(store, run)
    follower = Follower(place, name)
    screen = Screen(Console(stderr=True), place, follower.at_once, clock=follower.now)
    try:
        with interrupts.unwrapped(), screen:
            end = follower.follow(screen)
    except KeyboardInterrupt:
        typer.echo(f"firesteel: the run {name} is no longer followed.", err=True)
        sys.exit(130)
    typer.echo(_how_it_ended(place, follower.journal, end))
    if follower.journal.count("done") < len(follower.journal.entries):
        sys.exit(1)


def _find(store: Store, run: str | None) -> tuple[Store, str]:
    """The run, among those of the store, of its studies of sensitivity and its designs."""
    places = (store, store.sensitivity, store.design)
    if run is not None:
        place = next((place for place in places if run in place.run_names()), store)
        return place, place.find(run)
    found = [(place, name) for place in places for name in under_way(place)]
    if not found:
        raise FiresteelError(
            f"No run is under way in {store.root}; `firesteel list` lists runs of experiments, "
            "and not those of `firesteel sensitivity` and `firesteel design`."
        )
    return max(found, key=lambda each: each[0].journal_path(each[1]).stat().st_mtime_ns)


def _how_it_ended(place: Store, journal: Journal, end: End) -> str:
    # Studies and designs are in directories that have the names of their commands.
    command = "run" if place.runs.name == "runs" else place.runs.name
    name, failed = journal.name, journal.count("failed")
    done = f"{journal.count('done')} of {len(journal.entries)} cells are done"
    done += f", {failed} failed" if failed else ""
    if end == "gone":
        again = f"the same `firesteel {command}` continues from there"
        return f"The process of the run {name} is gone: {done} and kept; {again}."
    if journal.count("waiting"):
        return f"The run {name} was stopped: {done}."
    then = f"`firesteel show {name} --part answer`"
    if command != "run":
        then = f"the same `firesteel {command}` has the answer, and measures what it still lacks"
    return f"The run {name} has ended: {done}; {then}."


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
        _show_profiles(place, told, profiles, top)
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


def _show_profiles(
    store: Store, records: Sequence[Record], profiles: Sequence["Profile"], top: int
) -> None:
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
