# SPDX-License-Identifier: Apache-2.0
"""The build root: a Debian 13 tree with all compilers, in which everything else is built; one for
each architecture of guests.

So the host's own release and packages do not matter.  It is made once by mmdebstrap and is
read-only afterwards.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD
from firesteel.build import mirror
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.progress import Runner
from firesteel.build.recipe import read_list

SOURCE_DATE_EPOCH = "1767225600"
"""2026-01-01: the time that everything built believes in."""

_RECIPE = BOARD / "buildroot"
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class Room:
    """What a command in the build root sees besides it; paths inside lie below /firesteel."""

    writable: Mapping[str, Path] = field(default_factory=dict)
    readable: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildRoot:
    """A finished build root."""

    directory: Path
    key: str

    @property
    def tree(self) -> Path:
        """The Debian tree."""
        return self.directory / "root"

    @property
    def inputs(self) -> str:
        """Digest of what of it decides the bytes that are built inside."""
        return tree_digest(self.directory / "packages.list", _RECIPE / "enter.sh")

    def run(
        self, runner: Runner, what: str, command: list[str], room: Room, user: str = ""
    ) -> None:
        """Run `command` inside as the calling user, or `user` (`UID:GID`).

        See `Runner.run_apart` for failures.
        """
        user = user or f"{os.getuid()}:{os.getgid()}"
        enter = [str(_RECIPE / "enter.sh"), str(self.tree), user]
        for inside, host in room.readable.items():
            enter += ["--bind-ro", str(host), inside]
        for inside, host in room.writable.items():
            enter += ["--bind", str(host), inside]
        runner.run_apart(what, [*enter, "--", *command])


@contextlib.contextmanager
def product_room(product: Path, readable: Mapping[str, Path]) -> Iterator[Room]:
    """The room of a build that puts its files into the product's directory, /firesteel/output.

    /firesteel/work is empty, and is removed when the product has what it needs; `readable` is what
    the build may read.
    """
    work = product / "work"
    work.mkdir()
    yield Room({"/firesteel/work": work, "/firesteel/output": product}, readable)
    remove_tree(work)


def make(cache: Cache, runner: Runner, architecture: Target) -> BuildRoot:
    """The build root, built if need be."""
    packages = read_list(_RECIPE / "packages.txt", architecture)
    key = key_of({"suite": mirror.SUITE, "packages": " ".join(packages)})

    def build(partial: Path) -> None:
        tree = partial / "root"
        sources = mirror.find_mirror().sources(("deb", "deb-src"))
        # Mount points: enter.sh fills /firesteel.
        options = ['--customize-hook=mkdir "$1/firesteel"']
        command = mmdebstrap("apt", "amd64", packages, tree, sources, options)
        runner.run_apart("Making the build root", command)
        (partial / "packages.list").write_text(package_list(tree))

    return BuildRoot(cache.product("build-root", key, build), key)


def mmdebstrap(
    variant: str,
    architectures: str,
    packages: list[str],
    target: Path,
    sources: list[str],
    options: list[str],
    suite: str = mirror.SUITE,
) -> list[str]:
    """The command that makes a Debian tree at `target`, with the machine's ways to fetch."""
    return [
        *("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"),
        f"SOURCE_DATE_EPOCH={SOURCE_DATE_EPOCH}",
        *proxies(),
        "mmdebstrap",
        "--mode=root",
        f"--variant={variant}",
        f"--architectures={architectures}",
        f"--include={','.join(packages)}",
        *(f"--aptopt={option}" for option in mirror.apt_options()),
        *options,
        suite,
        str(target),
        *sources,
    ]


def package_list(tree: Path) -> str:
    """The packages installed in a Debian tree: a line `NAME VERSION` each, sorted."""
    command = ["dpkg-query", f"--admindir={tree}/var/lib/dpkg", "--show"]
    command.append("--showformat=${Package} ${Version}\\n")
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return "".join(sorted(done.stdout.splitlines(keepends=True)))


def proxies() -> list[str]:
    """The proxy settings of the environment, as arguments of `env`."""
    return [f"{name}={os.environ[name]}" for name in _PROXIES if name in os.environ]
