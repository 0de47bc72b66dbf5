# SPDX-License-Identifier: Apache-2.0
"""`firesteel export`: the figures of a run in a file for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from firesteel.analysis.export import Form, encode, export_frame
from firesteel.analysis.results import load_results
from firesteel.base.errors import FiresteelError, reason_of, shortened
from firesteel.cli.common import RunArgument, StoreOption, open_store, tell_missing
from firesteel.store.store import LATEST, write_whole


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
    results = load_results(open_store(store), run)
    path = output or Path(f"{results.journal.name}.{form}")
    _check(path)
    write_whole(path, encode(export_frame(results), form))
    typer.echo(path)
    tell_missing(results)


def _check(path: Path) -> None:
    """Raises `FiresteelError` where no file of that name can be."""
    try:
        if path.is_dir():
            raise FiresteelError(f"{path}: this is a directory; name a file.")
        if not path.absolute().parent.is_dir():
            raise FiresteelError(f"{path}: there is no directory {path.absolute().parent}.")
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{shortened(path)}: cannot be written: {reason_of(error)}.") from None
