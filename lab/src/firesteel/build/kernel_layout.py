# SPDX-License-Identifier: Apache-2.0
"""Where the guest's kernel keeps what a profile reads from outside: `board/kernel-layout/`.

Built with that kernel's own headers.
"""

import shutil
from pathlib import Path

from firesteel.base.checkout import BOARD
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.image import Packages, untar
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
            headers, work = partial / "headers", partial / "work"
            headers.mkdir()
            untar(packages.headers, headers)
            shutil.copytree(_SOURCE, work)
            room = Room(
                writable={"/firesteel/work": work},
                readable={"/firesteel/headers": headers, "/firesteel/module.sh": script},
            )
            command = ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work"]
            root.run(runner, "Reading the kernel's layout", command, room)
            (work / FILE).rename(partial / FILE)
            for directory in (headers, work):
                remove_tree(directory)

        return cache.product("kernel-layout", key_of(inputs), build) / FILE
