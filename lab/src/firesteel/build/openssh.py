# SPDX-License-Identifier: Apache-2.0
"""OpenSSH for the guest with a MAC `none`, which Debian's has not: `board/openssh/`.

Its source is that of the very version in the image.  apt holds it against the archive's signed
index; the digest of its description, which has those of the other files, is part of the key.
"""

from dataclasses import dataclass
from pathlib import Path

from firesteel.build.apt import Apt
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, remove_tree, snapshot, tree_digest
from firesteel.build.development import Development, build_against
from firesteel.build.image import Packages
from firesteel.build.mirror import SUITE, find_mirror
from firesteel.build.places import BOARD
from firesteel.build.progress import Runner
from firesteel.errors import FiresteelError

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


def version_of(packages: str) -> str:
    """The version of OpenSSH in a package list."""
    versions = dict(line.split() for line in packages.splitlines())
    try:
        return versions["openssh-server"]
    except KeyError:
        raise FiresteelError("board/image/packages.txt does not bring openssh-server.") from None


def fetch(cache: Cache, runner: Runner, packages: Packages) -> Path:
    """The directory with the source package, unopened, fetched if need be."""
    version = version_of(packages.list.read_text())

    def build(partial: Path) -> None:
        work = partial / "apt"
        work.mkdir()
        apt = Apt(work, find_mirror(), runner)
        apt.update()
        apt.source(f"openssh={version}", partial)
        remove_tree(work)

    return cache.product("openssh-source", key_of({"suite": SUITE, "version": version}), build)


def make(
    cache: Cache, runner: Runner, source: Path, development: Development, root: BuildRoot
) -> OpenSsh:
    """The programs, built if need be."""
    with snapshot({path.name: path for path in _RECIPE.iterdir()}) as recipe:
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
