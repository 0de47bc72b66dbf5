# SPDX-License-Identifier: Apache-2.0
"""Fetching Debian packages and sources with an apt that shares nothing with the machine's.

It runs on the host as the calling user: the machine's ways to reach the mirror count, its own
sources and state do not, and neither is touched.
"""

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.build.cache import remove_tree
from firesteel.build.mirror import Mirror, apt_options, find_mirror
from firesteel.build.progress import Runner


class Apt:
    """An apt with its state in `directory`, which must exist; Debian's `architectures` count."""

    def __init__(
        self, directory: Path, mirror: Mirror, runner: Runner, architectures: str = "amd64"
    ) -> None:
        self._runner = runner
        self._configuration = directory / "apt.conf"
        for name in ("lists/partial", "cache/archives/partial"):
            (directory / name).mkdir(parents=True)
        (directory / "status").touch()
        (directory / "sources.list").write_text(
            "\n".join(mirror.sources(("deb", "deb-src"))) + "\n"
        )
        own = {
            "Dir::State::lists": "lists",
            "Dir::State::status": "status",
            "Dir::Cache": "cache",
            "Dir::Etc::sourcelist": "sources.list",
        }
        lines = [f'{option} "{directory / name}";' for option, name in own.items()]
        lines += ['Dir::Etc::sourceparts "-";', 'APT::Sandbox::User "";']
        names = "".join(f'"{name}"; ' for name in architectures.split())
        lines += ["#clear APT::Architectures;", f"APT::Architectures {{ {names}}};"]
        self._configuration.write_text("\n".join([*apt_options(), *lines]) + "\n")
        self._environment = {"APT_CONFIG": str(self._configuration), "LC_ALL": "C.UTF-8"}

    def update(self) -> None:
        """Fetch the mirror's indexes."""
        self._run("Reading the mirror's package index", ["update"])

    def source(self, package: str, target: Path) -> None:
        """Fetch the newest source package, unopened, into the directory `target`."""
        command = ["source", "--download-only", package]
        self._run(f"Fetching the source of {package}", command, target)

    def sources(self, what: str, packages: list[str], target: Path) -> None:
        """Fetch source packages (`NAME=VERSION`), unopened, into the directory `target`."""
        command = ["source", "--download-only", "--only-source", *packages]
        self._run(f"Fetching {what}", command, target)

    def show(self, packages: list[str]) -> str:
        """What the indexes say of `packages` (`NAME:ARCHITECTURE=VERSION`), a paragraph each."""
        done = subprocess.run(
            ["apt-cache", "show", *packages],
            env=os.environ | self._environment,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise FiresteelError(
                f"The mirror does not know a package in the version that was built with ({reason})."
            )
        return done.stdout

    def download(self, what: str, packages: list[str], target: Path) -> None:
        """Fetch `packages` (`NAME:ARCHITECTURE=VERSION`) into the directory `target`."""
        self._run(f"Fetching {what}", ["download", *packages], target)

    def _run(self, what: str, command: list[str], target: Path | None = None) -> None:
        self._runner.run(what, ["apt-get", "-q", *command], self._environment, target)


def extract(packages: Path, tree: Path) -> None:
    """Extract all packages that lie in a directory into `tree`, which is made if need be."""
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", str(package), str(tree)], check=True)


@contextlib.contextmanager
def apt_within(product: Path, runner: Runner, architectures: str = "amd64") -> Iterator[Apt]:
    """An apt of the usual mirror that knows its indexes; what it keeps in a product's directory is
    removed when the product has what it needs.
    """
    state = product / "apt"
    state.mkdir()
    apt = Apt(state, find_mirror(), runner, architectures)
    apt.update()
    yield apt
    remove_tree(state)


def source_package(runner: Runner, package: str) -> Callable[[Path], None]:
    """What fills a product's directory with the source package (`NAME=VERSION`), unopened."""

    def build(partial: Path) -> None:
        with apt_within(partial, runner) as apt:
            apt.source(package, partial)

    return build
