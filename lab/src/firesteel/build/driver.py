# SPDX-License-Identifier: Apache-2.0
"""The Linux driver, `driver/`, built for the guest's kernel."""

import shutil
from pathlib import Path

from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.image import Packages, untar
from firesteel.build.places import DRIVER, MODULE_SCRIPT, SILEX
from firesteel.build.progress import Runner


def make(cache: Cache, runner: Runner, packages: Packages, root: BuildRoot) -> Path:
    """`firesteel.ko`, built if need be.  It needs the kernel's module `authenc`."""
    key = key_of(
        {
            "sources": tree_digest(DRIVER, SILEX),
            "recipe": tree_digest(MODULE_SCRIPT),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }
    )

    def build(partial: Path) -> None:
        headers, work = partial / "headers", partial / "work"
        headers.mkdir()
        untar(packages.headers, headers)
        for source in (DRIVER, SILEX):
            shutil.copytree(source, work / source.name)
        room = Room(
            writable={"/firesteel/work": work},
            readable={"/firesteel/headers": headers, "/firesteel/module.sh": MODULE_SCRIPT},
        )
        command = ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work/driver", "W=1"]
        root.run(runner, "Building the driver", command, room)
        (work / "driver" / "firesteel.ko").rename(partial / "firesteel.ko")
        for directory in (headers, work):
            remove_tree(directory)

    return cache.product("driver", key, build) / "firesteel.ko"
