# SPDX-License-Identifier: Apache-2.0
"""The debug kernel: the source of the image's own kernel, configured to find faults of drivers.

What `board/debug-kernel/` makes of it stands in for the image's kernel; see `image.Kernel`.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError
from firesteel.build.apt import Apt
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.image import Kernel, Packages, kernel_of
from firesteel.build.mirror import SUITE, find_mirror
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in

DEBUG, RACE = BOARD / "debug-kernel", BOARD / "race-kernel"
"""Directories with a configuration each: of the kernel that stands in for an image's own, and of
the one that finds races, for a 64-bit board of the tests.  The first has the script for both."""

CMDLINE = DEBUG / "cmdline"
"""The file with the arguments of the first."""


@dataclass(frozen=True)
class KernelSource:
    """Debian's package with the kernel's source, unopened."""

    directory: Path
    name: str
    version: str


def source_of(packages: str) -> tuple[str, str]:
    """Name and version of the package with the source of the kernel in a package list."""
    _, version = kernel_of(packages)
    series = ".".join(version.split(".")[:2])
    return f"linux-source-{series}", version


def fetch(cache: Cache, runner: Runner, packages: Packages) -> KernelSource:
    """The source of the very kernel in `packages`, fetched if need be."""
    name, version = source_of(packages.list.read_text())

    def build(partial: Path) -> None:
        work = partial / "apt"
        work.mkdir()
        apt = Apt(work, find_mirror(), runner)
        apt.update()
        try:
            apt.download("the kernel's source", [f"{name}={version}"], partial)
        except FiresteelError as error:
            raise FiresteelError(
                f"{error}\nThe image's kernel is {version}; if the mirror's {SUITE} has a newer "
                f"one, delete {packages.directory} and build the image again."
            ) from None
        shutil.rmtree(work)

    key = key_of({"suite": SUITE, "package": name, "version": version})
    return KernelSource(cache.product("kernel-source", key, build), name, version)


def make(
    cache: Cache,
    runner: Runner,
    source: KernelSource,
    root: BuildRoot,
    architecture: Target,
    configuration: Path = DEBUG,
) -> Kernel:
    """The kernel of a configuration, built if need be: only what changed since the last build of
    this source.
    """
    parts = {name: configuration / name for name in ("config", "patches")}
    kind = configuration.name
    with filled_in({"build.sh": DEBUG / "build.sh", **parts}, architecture) as recipe:
        base = {
            "package": source.name,
            "version": source.version,
            "build root": root.inputs,
            "patches": tree_digest(recipe / "patches"),
        }
        key = key_of({**base, "recipe": tree_digest(recipe)})

        def build(partial: Path) -> None:
            with cache.work_directory(kind, key_of(base)) as work:
                room = Room(
                    writable={"/firesteel/work": work, "/firesteel/output": partial},
                    readable={"/firesteel/recipe": recipe, "/firesteel/source": source.directory},
                )
                command = ["sh", "/firesteel/recipe/build.sh"]
                root.run(runner, f"Building the {kind}", command, room)

        directory = cache.product(kind, key, build)
    return Kernel(directory, key, f"{source.name} {source.version}")
