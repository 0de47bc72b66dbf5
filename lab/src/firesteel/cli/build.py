# SPDX-License-Identifier: Apache-2.0
"""`firesteel build`: make what boards need before it is asked for."""

from enum import StrEnum
from typing import Annotated

import typer

from firesteel.build.artifacts import DCO_MODULES, Image, refuse_in_bundle
from firesteel.build.products import Products


class What(StrEnum):
    """What can be built."""

    ALL = "all"
    ROOT = "root"
    QEMU = "qemu"
    IMAGE = "image"
    DRIVER = "driver"
    PROVIDER = "provider"
    OPENSSH = "openssh"
    DEBUG_KERNEL = "debug-kernel"
    LIBCRYPTO = "libcrypto"
    OPENVPN_DCO = "openvpn-dco"
    LIGHTTPD = "lighttpd"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("build")(build)


def build(
    what: Annotated[
        What,
        typer.Argument(
            metavar="WHAT",
            help="root (the Debian tree with the compilers), qemu, image, driver, provider (for "
            "OpenSSL in the guest, with libfiresteel), openssh (with a MAC `none` for "
            "measurements), all of these, debug-kernel (the image with a kernel that detects "
            "driver bugs), libcrypto (with GHASH in NEON code, for measurements), openvpn-dco "
            "(the kernel module for OpenVPN's data channel offload), or lighttpd (with wolfSSL "
            "and wolfSSL's front end).",
            show_default=False,
        ),
    ] = What.ALL,
) -> None:
    """Build what the boards need and is not built yet.

    Prints the path of each product.
    """
    refuse_in_bundle("build")
    products = Products()
    if what is What.ALL:
        products.make_all()
    if what is What.DEBUG_KERNEL:
        _print(products.debug_image())
    if what is What.LIBCRYPTO:
        typer.echo(f"libcrypto\t{products.libcrypto().file}")
    if what is What.OPENVPN_DCO:
        for name, module in zip(("openvpn-dco", "in batches"), DCO_MODULES, strict=True):
            typer.echo(f"{name}\t{products.openvpn_dco().directory / module}")
    if what is What.LIGHTTPD:
        typer.echo(f"lighttpd\t{products.lighttpd().directory}")
        typer.echo(f"front end\t{products.wolfssl_front_end().directory}")
    if what in (What.ROOT, What.ALL):
        typer.echo(f"root\t{products.build_root().tree}")
    if what in (What.QEMU, What.ALL):
        typer.echo(f"qemu\t{products.emulator()}")
    if what in (What.IMAGE, What.ALL):
        _print(products.image())
    if what in (What.DRIVER, What.ALL):
        typer.echo(f"driver\t{products.driver()}")
    if what in (What.PROVIDER, What.ALL):
        built = products.provider()
        for name, file in zip(("provider", "library"), built.names, strict=True):
            typer.echo(f"{name}\t{built.directory / file}")
    if what in (What.OPENSSH, What.ALL):
        typer.echo(f"openssh\t{products.openssh().directory}")


def _print(image: Image) -> None:
    typer.echo(f"kernel\t{image.kernel}")
    typer.echo(f"initramfs\t{image.initramfs}")
