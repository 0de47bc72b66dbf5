# SPDX-License-Identifier: Apache-2.0
"""What programs for the guest are compiled and linked against: libraries in the very versions that
are in the image, and their headers.

They are no part of the build root, whose packages decide the key of all that is built in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.errors import FiresteelError
from firesteel.build.apt import Apt, extract
from firesteel.build.buildroot import Room, product_room
from firesteel.build.cache import Cache, key_of, remove_tree
from firesteel.build.image import Packages
from firesteel.build.mirror import SUITE, find_mirror
from firesteel.build.progress import Runner

_HEADERS: Mapping[str, str | None] = {
    "libcrypt1": "libcrypt-dev",
    "libssl3t64": "libssl-dev",
    "libzstd1": None,
    "zlib1g": "zlib1g-dev",
}
"""Libraries of the image, and the package of the same version with the headers of each; without
one where another library needs it."""


@dataclass(frozen=True)
class Development:
    """A directory with a tree `usr/` of libraries and headers for the guest."""

    directory: Path
    key: str
    """Hash of what is in it."""

    architecture: Architecture


def build_against(
    development: Development, readable: Mapping[str, Path], compile_: Callable[[Room], None]
) -> Callable[[Path], None]:
    """What fills a product's directory: `compile_` in a room with the tree in /firesteel/target,
    the directory in /firesteel/output, and /firesteel/work, which is thrown away.
    """

    def build(partial: Path) -> None:
        seen = {"/firesteel/target": development.directory, **readable}
        with product_room(partial, seen) as room:
            compile_(room)

    return build


def wanted(packages: str, architecture: Architecture) -> list[str]:
    """The packages to fetch, for apt, by the versions in the image's package list."""
    versions = dict(line.split() for line in packages.splitlines())
    if missing := sorted(_HEADERS.keys() - versions.keys()):
        raise FiresteelError(
            f"board/image/packages.txt does not bring {', '.join(missing)}, which programs for the "
            "guest need."
        )
    names = [(name, name) for name in _HEADERS]
    names += [(headers, name) for name, headers in _HEADERS.items() if headers]
    return [f"{package}:{architecture.name}={versions[name]}" for package, name in names]


def make(cache: Cache, runner: Runner, packages: Packages) -> Development:
    """The tree, fetched if need be."""
    names = wanted(packages.list.read_text(), packages.architecture)

    def build(partial: Path) -> None:
        work = partial / "work"
        work.mkdir()
        apt = Apt(work, find_mirror(), runner, f"amd64 {packages.architecture.name}")
        apt.update()
        apt.download("the libraries' headers", names, work)
        extract(work, partial)
        remove_tree(work)

    key = key_of({"suite": SUITE, "packages": " ".join(names)})
    directory = cache.product("development", key, build)
    return Development(directory, key, packages.architecture)
