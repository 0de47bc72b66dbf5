# SPDX-License-Identifier: Apache-2.0
"""Kernel modules that only tests need, built for a guest's kernel as the image's own are."""

import shutil
from collections.abc import Callable
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import SILEX
from firesteel.boards.job import JobFile
from firesteel.build.buildroot import BuildRoot, Room, module_script, untar
from firesteel.build.products import Products
from firesteel.build.progress import Runner

MODULES = Path(__file__).resolve().parent / "guest"
"""Where the modules of the board tests are."""


def build_module(
    products: Products, name: str, source: Path, directory: Path, kernel: Path | None = None
) -> bytes:
    """The module `name` from the directory `source`, built in the empty one `directory`.

    `kernel` is the archive with the headers of the kernel that it is for, if not the image's own.
    """
    headers = kernel or products.packages().headers
    root = products.build_root()
    return build_module_for(products.architecture, root, headers, name, source, directory)


def build_module_for(
    target: Target, root: BuildRoot, kernel: Path, name: str, source: Path, directory: Path
) -> bytes:
    """Likewise, for any target, in its build root."""
    headers, work = directory / "headers", directory / "work"
    headers.mkdir()
    untar(kernel, headers)
    shutil.copytree(source, work)
    command = ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work"]
    with module_script(target) as script:
        room = Room(
            writable={"/firesteel/work": work},
            readable={
                "/firesteel/headers": headers,
                "/firesteel/module.sh": script,
                "/firesteel/silex": SILEX,
            },
        )
        root.run(Runner(directory / "logs"), f"Building {name}.ko", command, room)
    return (work / f"{name}.ko").read_bytes()


def job_modules(new_directory: Callable[[str], Path], *names: str) -> dict[str, JobFile]:
    """Modules of `MODULES`, for the image's own kernel, by the paths at which jobs find them."""
    return {
        f"/job/{name}.ko": JobFile(
            build_module(Products(), name, MODULES / name, new_directory(name))
        )
        for name in names
    }
