# SPDX-License-Identifier: Apache-2.0
"""`firesteel export`: the figures of a run in a file for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from firesteel.analysis.export import Form, export_frames, write_export
from firesteel.base.errors import FiresteelError, reason_of, shortened
from firesteel.cli.common import RunArgument, StoreOption, open_store, tell_missing
from firesteel.store.atomic import atomic_write
from firesteel.store.store import LATEST


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("export")(export)


def export(
    run: RunArgument = LATEST,
    form: Annotated[Form, typer.Option("--format", help="File format.")] = "csv",
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the file [default: RUN.FORMAT in the current directory].",
        ),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write all figures of a run, with boards, cores and links.

    Each seed has its own rows.

    The file is written whole or not at all; its path is printed.
    """
    place = open_store(store)
    journal = place.journal(run)
    path = output or Path(f"{journal.name}.{form}")
    _check(path)
    with atomic_write(path) as file:  # Figures of a large run need not be in memory together.
        records = place.each_record(journal, journal.entries)
        write_export(export_frames(journal, records), form, file)
    typer.echo(path)
    tell_missing(journal)


def _check(path: Path) -> None:
    """Raises `FiresteelError` where no file of that name can be."""
    try:
        if path.is_dir():
            raise FiresteelError(f"{path}: this is a directory; name a file.")
        if not path.absolute().parent.is_dir():
            raise FiresteelError(f"{path}: there is no directory {path.absolute().parent}.")
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{shortened(path)}: cannot be written: {reason_of(error)}.") from None
