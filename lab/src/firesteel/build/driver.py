# SPDX-License-Identifier: Apache-2.0
"""The Linux driver, `driver/`, built for the guest's kernel."""

import subprocess
from pathlib import Path

from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.image import Packages
from firesteel.build.places import DRIVER, SILEX
from firesteel.build.progress import Runner


def make(cache: Cache, runner: Runner, packages: Packages, root: BuildRoot) -> Path:
    """`firesteel.ko`, built if need be.  It needs the kernel's module `authenc`."""
    key = key_of(
        {
            "sources": tree_digest(DRIVER, SILEX),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }
    )

    def build(partial: Path) -> None:
        headers = partial / "headers"
        headers.mkdir()
        tar = ["tar", "--extract", "--no-same-owner", f"--file={packages.headers}"]
        subprocess.run([*tar, f"--directory={headers}"], check=True)
        output = partial / "output"
        output.mkdir()
        room = Room(
            writable={"/firesteel/output": output},
            readable={
                "/firesteel/headers": headers,
                "/firesteel/source/driver": DRIVER,
                "/firesteel/source/silex": SILEX,
            },
        )
        command = ["/firesteel/source/driver/build.sh", "/firesteel/headers", "/firesteel/output"]
        root.run(runner, "Building the driver", command, room)
        (output / "firesteel.ko").rename(partial / "firesteel.ko")
        for directory in (headers, output):
            remove_tree(directory)

    return cache.product("driver", key, build) / "firesteel.ko"
