# SPDX-License-Identifier: Apache-2.0
"""`firesteel build`: make what boards need before it is asked for, or the lab in one file."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from firesteel.architectures.registry import ARCHITECTURES
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.build import bundle as bundles
from firesteel.build.artifacts import ALL as ALL_KINDS
from firesteel.build.artifacts import (
    DCO_MODULES,
    FOR_SOME,
    Image,
    What,
    gather,
    is_bundle,
    refuse_in_bundle,
)
from firesteel.build.bundle import PYTHONS, check_python
from firesteel.build.doctor import IN_A_BUNDLE, lacks, this_machine
from firesteel.build.products import Products
from firesteel.cli.application import command, refuse_options

_Paths = Iterator[tuple[str, object]]
"""What is printed of a product: names and paths."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("build")(command(build, pythons=PYTHONS, for_some=FOR_SOME))


def _image(image: Image) -> _Paths:
    yield from (("kernel", image.kernel), ("initramfs", image.initramfs))


def _provider(products: Products) -> _Paths:
    built = products.provider()
    for name, file in zip(("provider", "library"), built.names, strict=True):
        yield name, built.directory / file


def _dco(products: Products) -> _Paths:
    built = products.openvpn_dco()
    for name, module in zip(("openvpn-dco", "in batches"), DCO_MODULES, strict=True):
        yield name, built.directory / module


def _race_board(products: Products) -> _Paths:
    board = products.race_board()
    yield from (("emulator", board.emulator), ("kernel", board.kernel.directory))


def _lighttpd(products: Products) -> _Paths:
    yield "lighttpd", products.lighttpd().directory
    yield "front end", products.wolfssl_front_end().directory


def _all(products: Products) -> _Paths:
    products.make_all()
    for name in ("root", "qemu", "image", "driver", "provider", "openssh"):
        yield from _PRODUCTS[name](products)


_PRODUCTS: Mapping[str, Callable[[Products], _Paths]] = {
    "all": _all,
    "root": lambda products: iter([("root", products.build_root().tree)]),
    "qemu": lambda products: iter([("qemu", products.emulator())]),
    "image": lambda products: _image(products.image()),
    "driver": lambda products: iter([("driver", products.driver())]),
    "provider": _provider,
    "openssh": lambda products: iter([("openssh", products.openssh().directory)]),
    "debug-kernel": lambda products: _image(products.debug_image()),
    "race-kernel": _race_board,
    "libcrypto": lambda products: iter([("libcrypto", products.libcrypto().file)]),
    "openvpn-dco": _dco,
    "lighttpd": _lighttpd,
}
_BUNDLE = "bundle"


def _known(what: str) -> str:
    if what not in (names := [*_PRODUCTS, _BUNDLE]):
        raise RequestError(f"WHAT {what}: allowed are {', '.join(names)}.")
    return what


def build(
    what: str = "all",
    check: bool = False,
    to: Path | None = None,
    python: list[str] | None = None,
    without: list[str] | None = None,
    sources: bool = True,
) -> None:
    """Build what the boards need and is not built yet, or the lab in one file.

    Prints the path of each product.

    Options:
        what <WHAT>: root (the Debian tree with the compilers), qemu, image, driver, provider (for
            OpenSSL in the guest, with libfiresteel), openssh (with a MAC `none` for measurements),
            all of these, debug-kernel (the image with a kernel that detects driver bugs),
            race-kernel (a 64-bit kernel that detects data races, and an emulator), libcrypto (with
            GHASH in NEON code, for measurements), openvpn-dco (the kernel module
            for OpenVPN's data channel offload), lighttpd (with wolfSSL and wolfSSL's front end), or
            bundle: the whole lab in one file that runs where there is Python and nothing else.
        check: Build nothing: check that this machine can build and run boards, and say how to fix
            what is missing, with status 1.
        to DIR: Of the bundle: where files are written [default: dist in the checkout].
        python VERSION: Of the bundle: Python that it runs on; may be given more than once [default:
            {pythons}].
        without PRODUCT: Of the bundle: a product to leave out, for instance as its source cannot be
            fetched; may be given more than once. Runs that need it then fail. One of: {for_some}.
        sources --sources/--no-sources: Of the bundle: write the sources of all that boards run,
            too; do not pass a bundle on without.
    """
    what = _known(what)
    of_bundle: dict[str, Any] = {
        "--to": to,
        "--python": python,
        "--without": without,
        "--no-sources": not sources,
    }
    if check or what != _BUNDLE:
        refuse_options("is for `firesteel build bundle`.", of_bundle)
    if check:
        check_machine()
        return
    refuse_in_bundle("build")
    if what == _BUNDLE:
        _bundle(to or CHECKOUT / "dist", python or list(PYTHONS), without or [], sources=sources)
        return
    for name, path in _PRODUCTS[what](Products()):
        typer.echo(f"{name}\t{path}")


def check_machine() -> None:
    """Says what this machine lacks for building and running boards, with status 1 in that case."""
    found = lacks(this_machine(), IN_A_BUNDLE if is_bundle() else None)
    if found:
        *others, last = found
        for sentence in others:
            typer.echo(f"firesteel: {sentence}", err=True)
        raise FiresteelError(last)
    typer.echo("This machine meets all requirements.")


def _bundle(to: Path, pythons: list[str], without: list[str], *, sources: bool) -> None:
    for version in pythons:
        check_python(version)
    kinds = kinds_of(without)
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
    return [kind for kind in ALL_KINDS if kind not in without]


@contextmanager
def _writing(to: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FiresteelError(f"{to}: a file cannot be written: {error.strerror}.") from None
