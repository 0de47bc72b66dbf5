# SPDX-License-Identifier: Apache-2.0
"""`firesteel bundle`: the lab in one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from firesteel.architectures.registry import ARCHITECTURES
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build import bundle as bundles
from firesteel.build.artifacts import ALL, FOR_SOME, What, gather, refuse_in_bundle
from firesteel.build.bundle import PYTHONS, check_python
from firesteel.build.products import Products


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("bundle")(bundle)


def bundle(
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="DIR",
            help="Where the files are written [default: dist in the checkout].",
            show_default=False,
        ),
    ] = CHECKOUT / "dist",
    python: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERSION",
            help=f"Python that the bundle runs on; may be given more than once [default: "
            f"{', '.join(PYTHONS)}].",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRODUCT",
            help="A product to leave out, for instance as its source cannot be fetched; may be "
            f"given more than once. Runs that need it then fail. One of: {', '.join(FOR_SOME)}.",
        ),
    ] = None,
    sources: Annotated[
        bool,
        typer.Option(
            "--sources/--no-sources",
            help="Write the sources of all that boards run, too; do not pass a bundle on without.",
        ),
    ] = True,
) -> None:
    """Write the whole lab into one file that runs where there is Python and nothing else.

    Builds what is not built yet. Prints the path of each file.
    """
    refuse_in_bundle("bundle")
    pythons = python or list(PYTHONS)
    for version in pythons:
        check_python(version)
    kinds = kinds_of(without or [])
    with _writing(to):
        to.mkdir(parents=True, exist_ok=True)
    gathered = {
        name: gather(Products(architecture=each), kinds) for name, each in ARCHITECTURES.items()
    }
    wheels = {version: Products().wheels(version) for version in pythons}
    path = to / bundles.file_name(pythons)
    with _writing(to):
        bundles.write(path, gathered, wheels)
    typer.echo(f"bundle\t{path}")
    if not sources:
        return
    try:
        with _writing(to):
            typer.echo(f"sources\t{Products().write_sources(to)}")
    except FiresteelError as error:
        raise FiresteelError(
            f"The bundle is written, but not the sources that go with it: {error}"
        ) from None


def kinds_of(without: list[str]) -> list[What]:
    """The products that go into the bundle."""
    if unknown := [name for name in without if name not in FOR_SOME]:
        raise FiresteelError(f"--without {unknown[0]}: allowed are {', '.join(FOR_SOME)}.")
    return [kind for kind in ALL if kind not in without]


@contextmanager
def _writing(to: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FiresteelError(f"{to}: a file cannot be written: {error.strerror}.") from None
