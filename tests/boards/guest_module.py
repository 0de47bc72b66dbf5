# SPDX-License-Identifier: Apache-2.0
"""Kernel modules that only tests need, built for the guest's kernel as the image's own are."""

import subprocess
from pathlib import Path

from firesteel.build.buildroot import Room
from firesteel.build.places import BOARD, SILEX
from firesteel.build.products import Products
from firesteel.build.progress import Runner

_MODULES = Path(__file__).resolve().parent / "guest"

_BUILD = """
from pathlib import Path
from assemble.build import module
headers = Path("/firesteel/headers")
(kernel,) = (headers / "usr/src").glob("linux-headers-*-armmp")
release = kernel.name.removeprefix("linux-headers-")
module(Path("/firesteel/source/{name}"), headers, release, Path("/firesteel/work/{name}"))
"""


def build_module(products: Products, name: str, directory: Path) -> bytes:
    """The module `name` of `tests/boards/guest/`, built in an empty directory."""
    headers, work = directory / "headers", directory / "work"
    headers.mkdir()
    work.mkdir()
    tar = ["tar", "--extract", "--no-same-owner", f"--file={products.packages().headers}"]
    subprocess.run([*tar, f"--directory={headers}"], check=True)
    room = Room(
        writable={"/firesteel/work": work},
        readable={
            "/firesteel/headers": headers,
            "/firesteel/recipe": BOARD / "image",
            "/firesteel/silex": SILEX,
            f"/firesteel/source/{name}": _MODULES / name,
        },
    )
    command = ["env", "--chdir=/firesteel/recipe", "python3", "-B", "-c", _BUILD.format(name=name)]
    products.build_root().run(Runner(directory / "logs"), f"Building {name}.ko", command, room)
    return (work / name / f"{name}.ko").read_bytes()
