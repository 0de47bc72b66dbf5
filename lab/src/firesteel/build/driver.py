# SPDX-License-Identifier: Apache-2.0
"""The Linux driver, `driver/`, built for the guest's kernel."""

import shutil
from pathlib import Path

from firesteel.base.checkout import DRIVER, SILEX
from firesteel.build.buildroot import BuildRoot
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.checkers import Checkers
from firesteel.build.image import Kernel, Packages
from firesteel.build.modules import module_room
from firesteel.build.progress import Runner
from firesteel.build.recipe import module_script

FILE = "firesteel.ko"
"""The file of the product."""


def make(
    cache: Cache,
    runner: Runner,
    packages: Packages,
    root: BuildRoot,
    kernel: Kernel | None = None,
) -> Path:
    """`firesteel.ko`, built if need be; for `kernel`, if given, in the stead of the packages'.

    It needs the kernel's module `authenc`.
    """
    with module_script(packages.architecture) as script:
        inputs = {
            "sources": tree_digest(DRIVER, SILEX),
            "recipe": tree_digest(script),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }
        if kernel is not None:
            inputs["kernel"] = kernel.key

        def build(partial: Path) -> None:
            readable = {"/firesteel/module.sh": script}
            places = ["/firesteel/headers", "/firesteel/work/driver"]
            command = ["/firesteel/module.sh", *places, "W=1"]
            with module_room(partial, (kernel or packages).headers, readable) as (work, room):
                _lay_out(work, DRIVER)
                root.run(runner, "Building the driver", command, room)
                (work / "driver" / FILE).rename(partial / FILE)

        return cache.product("driver", key_of(inputs), build) / FILE


def check(
    directory: Path,
    runner: Runner,
    packages: Packages,
    root: BuildRoot,
    checkers: Checkers,
    source: Path = DRIVER,
) -> list[str]:
    """What the kernel's checkers say of the driver in `source`, a line each.

    `directory`, which must be empty, is for what is needed meanwhile.
    """
    places = [f"/firesteel/{name}" for name in ("module.sh", "headers", "checkers", "work")]
    command = ["/firesteel/work/driver/check.sh", *places]
    with module_script(packages.architecture) as script:
        readable = {"/firesteel/checkers": checkers.directory, "/firesteel/module.sh": script}
        with module_room(directory, packages.headers, readable) as (work, room):
            _lay_out(work, source)
            root.run(runner, "Checking the driver", command, room)
            return (work / "messages").read_text().splitlines()


def _lay_out(work: Path, source: Path) -> None:
    """A copy of the sources, as Kbuild builds beside them."""
    shutil.copytree(source, work / "driver")
    shutil.copytree(SILEX, work / "silex")
