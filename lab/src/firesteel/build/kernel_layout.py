# SPDX-License-Identifier: Apache-2.0
"""Where the guest's kernel keeps what a profile reads from outside: `board/kernel-layout/`.

Built with that kernel's own headers.
"""

import shutil
from pathlib import Path

from firesteel.base.checkout import BOARD
from firesteel.build.buildroot import BuildRoot
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.image import Packages
from firesteel.build.modules import module_room
from firesteel.build.progress import Runner
from firesteel.build.recipe import module_script

_SOURCE = BOARD / "kernel-layout"

FILE = "layout.ko"
"""The file of the product."""


def make(cache: Cache, runner: Runner, packages: Packages, root: BuildRoot) -> Path:
    """`layout.ko` for the packages' kernel, built if need be.  It is read and never loaded."""
    with module_script(packages.architecture) as script:
        inputs = {
            "sources": tree_digest(_SOURCE),
            "recipe": tree_digest(script),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }

        def build(partial: Path) -> None:
            readable = {"/firesteel/module.sh": script}
            command = ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work"]
            with module_room(partial, packages.headers, readable) as (work, room):
                shutil.copytree(_SOURCE, work, dirs_exist_ok=True)
                root.run(runner, "Reading the kernel's layout", command, room)
                (work / FILE).rename(partial / FILE)

        return cache.product("kernel-layout", key_of(inputs), build) / FILE
