# SPDX-License-Identifier: Apache-2.0
"""The command line.  Each module of this package adds its commands to the application.

Status 0 is success, 1 an error that one sentence explains, 130 a stop by the user.  Status 2 is a
wrong command line, or a senseless request.  Results go to standard output; progress, remarks and
errors to standard error.
"""

import errno
import gc
import os
import sys
from typing import Annotated

import typer

from firesteel import __version__
from firesteel.base import interrupts
from firesteel.base.checkout import unreleased
from firesteel.base.errors import FiresteelError, with_short_words
from firesteel.cli import (  # noqa: F401 - each adds its commands
    advise,
    build,
    compare,
    console,
    design,
    machines,
    run,
    show,
)
from firesteel.cli.application import app

__all__ = ["app", "collect_seldom", "main"]


def _print_version(wanted: bool) -> None:
    if wanted:
        after = " with unreleased changes (CHANGELOG.md)" if unreleased() else ""
        typer.echo(f"firesteel {__version__}{after}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """What all commands share."""


def main() -> None:
    """Runs the command line; what a user can mend is explained in a sentence, not a traceback."""
    collect_seldom()
    interrupts.listen()
    if sys.stdout is None:
        typer.echo("firesteel: standard output is closed; results go there.", err=True)
        sys.exit(1)
    try:
        with interrupts.unwrapped():
            try:
                app(prog_name="firesteel")
            finally:
                sys.stdout.flush()
    except FiresteelError as error:
        typer.echo(f"firesteel: {with_short_words(str(error), sys.argv[1:])}", err=True)
        sys.exit(error.status)
    except KeyboardInterrupt:
        typer.echo("firesteel: stopped.", err=True)
        sys.exit(130)
    except OSError as error:
        if error.filename is not None:
            raise
        if error.errno != errno.EPIPE:  # A reader that has seen enough is no mistake.
            typer.echo(f"firesteel: standard output cannot be written: {error.strerror}.", err=True)
        os._exit(1)  # Python would try again what the output did not take.


def collect_seldom() -> None:
    """Makes Python collect garbage less often.  Cells, figures and rows are many objects that live
    to the end, and scanning them again and again took a third of the time.
    """
    gc.set_threshold(100_000, 50, 50)
