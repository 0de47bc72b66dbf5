# SPDX-License-Identifier: Apache-2.0
"""Programs that only tests need, built for the guest from C files in a directory."""

from pathlib import Path

from firesteel.base.checkout import SILEX
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from firesteel.build.progress import Runner

_BUILD = """
set -e
cd /firesteel/source/{name}
{triplet}-gcc -std=gnu17 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -static \\
    -I/firesteel/source -o /firesteel/work/{name} *.c
{triplet}-strip /firesteel/work/{name}
"""


def build_program(products: Products, source: Path, directory: Path) -> bytes:
    """The static program from the directory `source`, called like it, built in the empty one
    `directory`."""
    name = source.name
    work = directory / "work"
    work.mkdir()
    room = Room(
        writable={"/firesteel/work": work},
        readable={"/firesteel/source/silex": SILEX, f"/firesteel/source/{name}": source},
    )
    triplet = products.architecture.toolchain.triplet
    build = _BUILD.format(name=name, triplet=triplet)
    command = ["sh", "-c", build]
    products.build_root().run(Runner(directory / "logs"), f"Building {name}", command, room)
    return (work / name).read_bytes()
