# SPDX-License-Identifier: Apache-2.0
"""What the kernel's developers check C with: sparse, and checkpatch from the kernel's source.

They are no part of the build root, whose packages decide the key of all that is built in it.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesteel.build.apt import Apt
from firesteel.build.cache import Cache, key_of, remove_tree
from firesteel.build.debug_kernel import KernelSource
from firesteel.build.mirror import SUITE, find_mirror
from firesteel.build.progress import Runner

_SCRIPTS = ("checkpatch.pl", "const_structs.checkpatch", "spelling.txt")


@dataclass(frozen=True)
class Checkers:
    """A directory with `sparse`, a program of the build root's release, and checkpatch's files."""

    directory: Path


def make(cache: Cache, runner: Runner, source: KernelSource) -> Checkers:
    """The checkers, fetched if need be; checkpatch is that of the kernel in `source`."""

    def build(partial: Path) -> None:
        work = partial / "work"
        work.mkdir()
        _extract_scripts(source, work, partial)
        apt = Apt(work, find_mirror(), runner)
        apt.update()
        apt.download("sparse", ["sparse"], work)
        (package,) = work.glob("*.deb")
        subprocess.run(["dpkg-deb", "--extract", package, work / "sparse"], check=True)
        (work / "sparse/usr/bin/sparse").rename(partial / "sparse")
        remove_tree(work)

    key = key_of({"suite": SUITE, "source": f"{source.name} {source.version}"})
    return Checkers(cache.product("checkers", key, build))


def _extract_scripts(source: KernelSource, work: Path, target: Path) -> None:
    """Put `_SCRIPTS` into `target`; `work` is for what else comes out."""
    (package,) = source.directory.glob("*.deb")
    subprocess.run(["dpkg-deb", "--extract", package, work / "source"], check=True)
    (archive,) = (work / "source").glob("usr/src/linux-source-*.tar.xz")
    names = [f"*/scripts/{name}" for name in _SCRIPTS]
    command = ["tar", "--extract", f"--file={archive}", f"--directory={target}"]
    command += ["--strip-components=2", "--no-same-owner", "--wildcards", *names]
    subprocess.run(command, check=True)
