# SPDX-License-Identifier: Apache-2.0
"""The build root: a Debian 13 tree with all compilers, in which everything else is built; one for
each architecture of guests.

So the host's own release and packages do not matter.  It is made once by mmdebstrap and is
read-only afterwards.

Recipes lie below `board/` and say `@TRIPLET@` for what differs between architectures.  A product's
key comes from the filled-in recipe, so it differs between architectures and does not depend on any
other architecture.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD, MODULE_SCRIPT
from firesteel.build.cache import Cache, key_of, remove_tree, snapshot, tree_digest
from firesteel.build.debian import SUITE, apt_options, find_mirror
from firesteel.build.progress import Runner

SOURCE_DATE_EPOCH = "1767225600"
"""2026-01-01: the time that everything built believes in."""

_RECIPE = BOARD / "buildroot"
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class Context:
    """Where products are built, with whose progress, and for guests of which architecture."""

    cache: Cache
    runner: Runner
    architecture: Target


@dataclass(frozen=True)
class Room:
    """Files that a command in the build root sees in addition; paths inside lie below
    /firesteel.
    """

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

    /firesteel/work is empty, and is removed when the product is complete; the build may read
    `readable`.
    """
    work = product / "work"
    work.mkdir()
    yield Room({"/firesteel/work": work, "/firesteel/output": product}, readable)
    remove_tree(work)


@contextlib.contextmanager
def module_room(
    product: Path, headers: Path, readable: Mapping[str, Path]
) -> Iterator[tuple[Path, Room]]:
    """An empty directory for the sources, which a build sees as /firesteel/work, and its room.

    The archive `headers` is unpacked as /firesteel/headers; the build may also read `readable`.
    Both directories are in the product's, and are removed when it has its module.
    """
    work, unpacked = product / "work", product / "headers"
    for directory in (work, unpacked):
        directory.mkdir()
    untar(headers, unpacked)
    room = Room(
        writable={"/firesteel/work": work},
        readable={"/firesteel/headers": unpacked, **readable},
    )
    yield work, room
    for directory in (work, unpacked):
        remove_tree(directory)


def untar(archive: Path, target: Path) -> None:
    """Unpack an archive of a product into an existing directory, as the calling user's."""
    command = ["tar", "--extract", f"--file={archive}", f"--directory={target}"]
    subprocess.run([*command, "--no-same-owner"], check=True)


def make(at: Context) -> BuildRoot:
    """The build root, built if need be."""
    packages = read_list(_RECIPE / "packages.txt", at.architecture)
    root = Root("build-root", "build root", packages, types=("deb", "deb-src"))
    return root.make(at.cache, at.runner)


@dataclass(frozen=True)
class Root:
    """A Debian tree that can be entered as the build root is: `kind` names the product, `title`
    says what it is.

    The first of `suites` is the base.  `left_out` are folders of /usr/share whose files no package
    installs.
    """

    kind: str
    title: str
    packages: Sequence[str]
    suites: Sequence[str] = (SUITE,)
    architectures: str = "amd64"
    variant: str = "apt"
    types: tuple[str, ...] = ("deb",)
    left_out: Sequence[str] = ()

    def make(self, cache: Cache, runner: Runner) -> BuildRoot:
        """The tree, made if need be."""
        inputs = {"suite": " ".join(self.suites), "packages": " ".join(self.packages)}
        if self.architectures != "amd64":
            inputs["for"] = self.architectures
        key = key_of(inputs)

        def build(partial: Path) -> None:
            tree = partial / "root"
            sources = [
                line for suite in self.suites for line in find_mirror(suite).sources(self.types)
            ]
            # Mount points: enter.sh fills /firesteel.
            options = ['--customize-hook=mkdir "$1/firesteel"']
            options += [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in self.left_out]
            wanted = (self.variant, self.architectures, [*self.packages])
            command = mmdebstrap(*wanted, tree, sources, options, self.suites[0])
            runner.run_apart(f"Making the {self.title}", command)
            (partial / "packages.list").write_text(package_list(tree))

        return BuildRoot(cache.product(self.kind, key, build), key)


def mmdebstrap(
    variant: str,
    architectures: str,
    packages: list[str],
    target: Path,
    sources: list[str],
    options: list[str],
    suite: str = SUITE,
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
        *(f"--aptopt={option}" for option in apt_options()),
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


@contextlib.contextmanager
def filled_in(parts: Mapping[str, Path], architecture: Target) -> Iterator[Path]:
    """A `snapshot` of a recipe's `parts` for an architecture."""
    with snapshot(parts) as recipe:
        for path in recipe.rglob("*"):
            if path.is_file() and not path.is_symlink():
                _fill_in(path, architecture)
        yield recipe


@contextlib.contextmanager
def module_script(architecture: Target) -> Iterator[Path]:
    """The script that builds kernel modules for an architecture, inside its build root."""
    with filled_in({MODULE_SCRIPT.name: MODULE_SCRIPT}, architecture) as recipe:
        yield recipe / MODULE_SCRIPT.name


def _fill_in(path: Path, architecture: Target) -> None:
    recipe = path.read_bytes().decode("latin-1")  # Any byte is a letter of it.
    if (text := architecture.fill_in(recipe)) != recipe:
        path.write_bytes(text.encode("latin-1"))


def read_list(path: Path, architecture: Target | None = None) -> list[str]:
    """The items of a plain list file: one a line, `#` starts a comment."""
    text = path.read_text(encoding="utf-8")
    filled = architecture.fill_in(text) if architecture else text
    items = (line.split("#", 1)[0].strip() for line in filled.splitlines())
    return [item for item in items if item]
