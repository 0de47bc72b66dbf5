# SPDX-License-Identifier: Apache-2.0
"""What the commands of this package share: their arguments, and how mistakes are told."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from firesteel.base.errors import FiresteelError
from firesteel.build.cache import cache_directory
from firesteel.store.store import Store

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's name; see `firesteel list`.")
]

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Where runs are [default: as `firesteel`]."),
]

StudyOption = Annotated[
    str | None,
    typer.Option(
        "--study",
        metavar="NAME",
        help="The published study, a folder of published/ [default: that of the board and the "
        "topology].",
        show_default=False,
    ),
]


def open_store(directory: Path | None) -> Store:
    """The store in that directory, or the lab's default one."""
    return Store(directory.absolute() if directory else cache_directory() / "store")


def application(command: Callable[..., Any]) -> typer.Typer:
    """A program that is this command alone."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(command)
    return app


def main(app: typer.Typer) -> None:
    """Runs a program; what a user can mend is explained in a sentence, not a traceback."""
    try:
        app()
    except FiresteelError as error:
        typer.echo(f"research: {error}", err=True)
        sys.exit(error.status)
