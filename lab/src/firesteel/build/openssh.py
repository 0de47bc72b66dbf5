# SPDX-License-Identifier: Apache-2.0
"""OpenSSH for the guest with a MAC `none`, which Debian's has not: `board/openssh/`.

Its source is that of the very version in the image.  apt holds it against the archive's signed
index; the digest of its description, which has those of the other files, is part of the key.
"""

from dataclasses import dataclass
from pathlib import Path

from firesteel.base.checkout import BOARD
from firesteel.build.apt import source_package
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.development import Development, build_against
from firesteel.build.image import Packages
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in

_RECIPE = BOARD / "openssh"

GUEST_PATHS = (
    "/usr/bin/ssh",
    "/usr/bin/scp",
    "/usr/sbin/sshd",
    "/usr/lib/openssh/sshd-session",
    "/usr/lib/openssh/sshd-auth",
)
"""Where the programs look for one another, and where Debian's are."""


@dataclass(frozen=True)
class OpenSsh:
    """A directory with the programs of `GUEST_PATHS`."""

    directory: Path


def fetch(cache: Cache, runner: Runner, packages: Packages) -> Path:
    """The directory with the source package, unopened, fetched if need be."""
    version = packages.version("openssh-server")
    build = source_package(runner, f"openssh={version}")
    return cache.product("openssh-source", key_of({"suite": SUITE, "version": version}), build)


def make(
    cache: Cache, runner: Runner, source: Path, development: Development, root: BuildRoot
) -> OpenSsh:
    """The programs, built if need be."""
    parts = {path.name: path for path in _RECIPE.iterdir()}
    with filled_in(parts, development.architecture) as recipe:
        inputs = {
            "source": tree_digest(*source.glob("*.dsc")),
            "recipe": tree_digest(recipe),
            "development": development.key,
            "build root": root.inputs,
        }

        def compile_(room: Room) -> None:
            root.run(runner, "Building OpenSSH", ["sh", "/firesteel/recipe/build.sh"], room)

        readable = {"/firesteel/recipe": recipe, "/firesteel/source": source}
        build = build_against(development, readable, compile_)
        return OpenSsh(cache.product("openssh", key_of(inputs), build))
