# SPDX-License-Identifier: Apache-2.0
"""Programs with all of libfiresteel in them, built for the guest."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from guest_module import MODULES

from firesteel.base.checkout import CHECKOUT, PROVIDER
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from firesteel.build.progress import Runner

_BUILD = """
set -e
cd /firesteel/source/lib
sources=$(ls *.c | grep -v '^model.c$')
{triplet}-gcc -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread \\
    -Iinclude -Itests -o /firesteel/work/{name} $sources {programs}
{triplet}-strip /firesteel/work/{name}
"""


def build_library_program(
    products: Products, name: str, directory: Path, more: tuple[str, ...] = ()
) -> bytes:
    """The static program from `guest/NAME`, built in the empty `directory`.

    `more` are C files of `lib/` that the library itself has not.
    """
    place = f"/firesteel/source/{name}"
    programs = ("-static", *more, f"{place}/*.c")
    return _build(products, name, directory, programs, {place: MODULES / name})


def build_selftest(products: Products, directory: Path) -> bytes:
    """`firesteel-selftest` as a static program, built in the empty `directory`."""
    return _build(products, "firesteel-selftest", directory, ("-static", "selftest/*.c"), {})


def build_check(products: Products, directory: Path) -> bytes:
    """`firesteel-provider` for the guest's OpenSSL, built in the empty `directory`."""
    target = "/firesteel/target"
    headers = f"{target}/usr/include"
    libraries = f"{target}/usr/lib/{products.architecture.toolchain.triplet}"
    programs = (
        "-I/firesteel/source/provider",
        *("-isystem", headers, "-isystem", f"{headers}/{Path(libraries).name}"),
        "/firesteel/source/provider/check/*.c",
        *(f"-L{libraries}", "-Wl,--allow-shlib-undefined", "-lcrypto"),
    )
    readable = {"/firesteel/source/provider": PROVIDER, target: products.development()}
    return _build(products, "firesteel-provider", directory, programs, readable)


def _build(
    products: Products,
    name: str,
    directory: Path,
    programs: Sequence[str],
    readable: Mapping[str, Path],
) -> bytes:
    work = directory / "work"
    work.mkdir()
    room = Room(
        writable={"/firesteel/work": work},
        readable={
            "/firesteel/source/lib": CHECKOUT / "lib",
            "/firesteel/source/silex": CHECKOUT / "silex",
            **readable,
        },
    )
    triplet = products.architecture.toolchain.triplet
    build = _BUILD.format(name=name, programs=" ".join(programs), triplet=triplet)
    command = ["sh", "-c", build]
    products.build_root().run(Runner(directory / "logs"), f"Building {name}", command, room)
    return (work / name).read_bytes()
