# SPDX-License-Identifier: Apache-2.0
"""`firesteel build`: make what boards need before it is asked for, or the lab in one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from firesteel.architectures import DEFAULT
from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError, RequestError, meant
from firesteel.boards.catalog import Catalog
from firesteel.build import bundle
from firesteel.build.artifacts import ALL, FOR_SOME, gather, is_bundle, refuse_in_bundle
from firesteel.build.doctor import IN_A_BUNDLE, lacks, this_machine
from firesteel.build.products import Products
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import open_store

_OF_ALL = ("root", "qemu", "image", "driver", "provider", "openssh")
_KINDS = (*_OF_ALL, "debug-kernel", "race-kernel", "libcrypto", "openvpn-dco", "lighttpd")
_ALLOWED = ("all", *_KINDS, "bundle")


def _made(products: Products, what: str) -> Iterator[tuple[str, object]]:
    """What is printed of a product, built if need be: names and paths."""
    match what:
        case "all":
            products.make_all()
            for each in _OF_ALL:
                yield from _made(products, each)
        case "root":
            yield what, products.build_root().tree
        case "qemu":
            yield what, products.emulator()
        case "image" | "debug-kernel":
            image = products.image() if what == "image" else products.debug_image()
            yield from (("kernel", image.kernel), ("initramfs", image.initramfs))
        case "race-kernel":
            board = products.race_board()
            yield from (("emulator", board.emulator), ("kernel", board.kernel.directory))
        case "lighttpd":
            yield what, products.artifact("lighttpd").directory
            yield "front end", products.artifact("wolfssl-front-end").directory
        case "driver" | "provider" | "openssh" | "libcrypto" | "openvpn-dco":
            built = products.artifact(what)
            yield from ((name, built.directory / name) for name in built.names)


@command("build", pythons=", ".join(bundle.PYTHONS), for_some=", ".join(FOR_SOME))
def build(
    what: str = "all",
    check: bool = False,
    to: Path | None = None,
    python: list[str] | None = None,
    without: list[str] | None = None,
    sources: bool = True,
    relock: bool = False,
    board: str | None = None,
) -> None:
    """Build missing products that boards need, or put the whole lab into one file."""
    if what not in _ALLOWED:
        near = meant(what, _ALLOWED)
        raise RequestError(f"WHAT {what}{near}: allowed are {', '.join(_ALLOWED)}.")
    if check or what != "bundle":
        given = {"--to": to, "--python": python, "--without": without, "--no-sources": not sources}
        refuse_options("is for `firesteel build bundle`.", given)
    if check or what == "bundle":
        refuse_options("is for what guests of a board's architecture have.", {"--board": board})
    if check or what != "image":
        refuse_options("is for `firesteel build image`.", {"--relock": relock})
    if check:
        check_machine()
        return
    refuse_in_bundle("build")
    if what == "bundle":
        pythons = python or list(bundle.PYTHONS)
        write_bundle(to or CHECKOUT / "dist", pythons, without or [], sources=sources)
        return
    architecture = _architecture(board)
    products = Products(architecture=architecture)
    if relock:
        _relock(products, architecture)
    for name, path in _made(products, what):
        typer.echo(f"{name}\t{path}")


def _architecture(board: str | None) -> Architecture:
    if board is None:
        return DEFAULT
    catalog = Catalog()
    return catalog.profile(catalog.find_profile(board, Path.cwd())).architecture


def _relock(products: Products, architecture: Architecture) -> None:
    """Says which packages are others now, and which recorded runs were measured without them: those
    with a board of that architecture.
    """
    if not (changes := products.relock()):
        typer.echo("The mirror has the very packages of the lock.", err=True)
        return
    for each in changes:
        typer.echo(f"{each}.", err=True)
    recorded = open_store(RECORDED)
    names = [
        journal.name
        for journal in map(recorded.journal, recorded.run_names())
        if any(
            profile.architecture_name == architecture.name
            for record in recorded.each_record(journal, journal.entries)
            for profile in record.setup.profiles.values()
        )
    ]
    if names:
        typer.echo(
            f"What is recorded was measured with the packages before and stands for them alone: "
            f"{', '.join(names)}; `scripts/figures.sh measure` measures it again.",
            err=True,
        )


def check_machine() -> None:
    """Says what this machine lacks for building and running boards, with status 1 in that case."""
    found = lacks(this_machine(), IN_A_BUNDLE if is_bundle() else None)
    if found:
        *others, last = found
        for sentence in others:
            typer.echo(f"firesteel: {sentence}", err=True)
        raise FiresteelError(last)
    typer.echo("This machine meets all requirements.")


def write_bundle(to: Path, pythons: list[str], without: list[str], *, sources: bool) -> None:
    """Writes the bundle and its sources into a directory, and prints their paths."""
    for version in pythons:
        bundle.check_python(version)
    if unknown := [name for name in without if name not in FOR_SOME]:
        raise FiresteelError(f"--without {unknown[0]}: allowed are {', '.join(FOR_SOME)}.")
    with _writing(to):
        to.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind in ALL if kind not in without]
    gathered = {DEFAULT.name: gather(Products(), kinds)}
    wheels = {version: Products().wheels(version) for version in pythons}
    path = to / bundle.file_name(pythons)
    with _writing(to):
        bundle.write(path, gathered, wheels)
    typer.echo(f"bundle\t{path}")
    if sources:
        try:
            with _writing(to):
                typer.echo(f"sources\t{Products().write_sources(to)}")
        except FiresteelError as error:
            raise FiresteelError(
                f"The bundle is written, but not the sources that go with it: {error}"
            ) from None


@contextmanager
def _writing(to: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FiresteelError(f"{to}: a file cannot be written: {error.strerror}.") from None
