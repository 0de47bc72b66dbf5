# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands share, and how they write what they found."""

import io
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

import polars as pl
import typer
from rich import box
from rich.table import Table

from firesteel.base import interrupts
from firesteel.base.errors import FiresteelError, reason_of, shortened
from firesteel.base.files import atomic_write
from firesteel.base.tidy import to_csv, to_json
from firesteel.judge.pairing import disagreement
from firesteel.judge.results import Results
from firesteel.run.loop import Interrupted
from firesteel.store.journal import Journal
from firesteel.store.store import Store, usual_store

Format = Literal["table", "csv", "json"]
"""A table for people, or tidy rows for programs."""


def open_store(directory: Path | None) -> Store:
    """The store in that directory, or the default one; `FiresteelError` when it cannot be one."""
    root = directory.absolute() if directory else usual_store()
    try:
        there = stat.S_ISDIR(root.stat().st_mode)
    except FileNotFoundError:
        return Store(root)  # It is made when something is written.
    except (OSError, ValueError) as error:
        raise FiresteelError(
            f"The store {shortened(root)} cannot be used: {reason_of(error)}."
        ) from None
    if not there:
        raise FiresteelError(f"The store {root} is a file; allowed is a directory.")
    return Store(root)


@contextmanager
def stops(what_is_kept: Callable[[Journal], str]) -> Iterator[None]:
    """What is measured inside may be stopped by the user: says how far it came, and of the cells so
    far `what_is_kept`, with status 130.
    """
    try:
        with interrupts.unwrapped():
            yield
    except Interrupted as stopped:
        journal = stopped.journal
        done, count = journal.count("done"), len(journal.entries)
        typer.echo(f"firesteel: stopped; {done} of {count} cells {what_is_kept(journal)}", err=True)
        sys.exit(130)
    except KeyboardInterrupt:
        typer.echo("firesteel: stopped before anything was measured.", err=True)
        sys.exit(130)


@contextmanager
def written_to(output: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that is written whole or not at all, whose path is then printed.

    Raises `StoreError` where no file of that name can be.
    """
    if output is None:
        yield sys.stdout
        return
    with atomic_write(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield text
        text.detach()
    typer.echo(output)


def table(*columns: str, title: str | None = None, numbers: Sequence[str] = ()) -> Table:
    """An empty table for a terminal; columns with `numbers` stand to the right."""
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for name in columns:
        justify: Literal["left", "right"] = "right" if name in numbers else "left"
        made.add_column(name, justify=justify, no_wrap=name != columns[-1])
    return made


def as_text(frame: pl.DataFrame, form: str) -> str:
    """Tidy rows as CSV or JSON."""
    return to_csv(frame) if form == "csv" else to_json(frame)


def write_rows(
    results: Results, frame: pl.DataFrame, form: str, file: TextIO | None = None
) -> None:
    """Writes a frame as CSV or JSON; on standard error how many cells are not in it, and where its
    records are of different software.
    """
    (file or sys.stdout).write(as_text(frame, form))
    tell_missing(results.journal)
    for text in filter(None, (results.part, disagreement(results.records))):
        typer.echo(f"firesteel: {text}", err=True)


def tell_missing(journal: Journal) -> None:
    """Says on standard error how many cells of a run have no figures, if there are such."""
    count = len(journal.entries)
    if missing := count - journal.count("done"):
        typer.echo(f"firesteel: {missing} of {count} cells have no figures.", err=True)
