# SPDX-License-Identifier: Apache-2.0
"""Kernel modules that only tests need, built for a guest's kernel as the image's own are."""

from pathlib import Path

from firesteel.build.buildroot import Room
from firesteel.build.image import untar
from firesteel.build.places import BOARD, SILEX
from firesteel.build.products import Products
from firesteel.build.progress import Runner

MODULES = Path(__file__).resolve().parent / "guest"
"""Where the modules of the board tests are."""

_BUILD = """
from pathlib import Path
from assemble.build import module
headers = Path("/firesteel/headers")
names = [path.name for path in (headers / "usr/src").glob("linux-headers-*")]
(kernel,) = [name for name in names if not name.endswith("-common")]
release = kernel.removeprefix("linux-headers-")
module(Path("/firesteel/source/{name}"), headers, release, Path("/firesteel/work/{name}"))
"""


def build_module(
    products: Products, name: str, source: Path, directory: Path, kernel: Path | None = None
) -> bytes:
    """The module `name` from the directory `source`, built in the empty one `directory`.

    `kernel` is the archive with the headers of the kernel that it is for, if not the image's own.
    """
    headers, work = directory / "headers", directory / "work"
    headers.mkdir()
    work.mkdir()
    untar(kernel or products.packages().headers, headers)
    room = Room(
        writable={"/firesteel/work": work},
        readable={
            "/firesteel/headers": headers,
            "/firesteel/recipe": BOARD / "image",
            "/firesteel/silex": SILEX,
            f"/firesteel/source/{name}": source,
        },
    )
    command = ["env", "--chdir=/firesteel/recipe", "python3", "-B", "-c", _BUILD.format(name=name)]
    products.build_root().run(Runner(directory / "logs"), f"Building {name}.ko", command, room)
    return (work / name / f"{name}.ko").read_bytes()
