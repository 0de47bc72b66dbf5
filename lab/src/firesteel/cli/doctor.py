# SPDX-License-Identifier: Apache-2.0
"""`firesteel doctor`: what this machine lacks."""

import typer

from firesteel.base.errors import FiresteelError
from firesteel.build.artifacts import is_bundle
from firesteel.build.doctor import IN_A_BUNDLE, lacks, this_machine


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("doctor")(doctor)


def doctor() -> None:
    """Check that this machine can build and run boards.

    Says how to fix what is missing, and exits with status 1 then.
    """
    found = lacks(this_machine(), IN_A_BUNDLE if is_bundle() else None)
    if found:
        *others, last = found
        for sentence in others:
            typer.echo(f"firesteel: {sentence}", err=True)
        raise FiresteelError(last)
    typer.echo("This machine meets all requirements.")
