# SPDX-License-Identifier: Apache-2.0
"""wolfSSL as Debian has it, for its front end and for guests' programs: library, headers and source
package.

They are no part of the build root, whose packages decide the key of all that is built in it.
"""

import subprocess
from pathlib import Path

from firesteel.build.apt import apt_within, extract
from firesteel.build.cache import Cache, key_of, remove_tree
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner

_PACKAGES = ("libwolfssl42t64", "libwolfssl-dev")
"""The library, whose package has its number in its name, and what programs are compiled with."""


FILE = "libwolfssl.so.42"
"""The library's name."""


def make(cache: Cache, runner: Runner, architecture: str = "amd64") -> Path:
    """A directory with a tree `usr/` of the build root's release for Debian's `architecture`, and
    `source/` with the source package of the same version, unopened; fetched if need be.
    """
    names = [f"{package}:{architecture}" for package in _PACKAGES]

    def build(partial: Path) -> None:
        fetched, source = partial / "packages", partial / "source"
        fetched.mkdir()
        source.mkdir()
        with apt_within(partial, runner, architecture) as apt:
            apt.download("wolfSSL", names, fetched)
            extract(fetched, partial)
            apt.source(f"wolfssl={_version(next(fetched.glob('*.deb')))}", source)
        remove_tree(fetched)

    key = key_of({"suite": SUITE, "packages": " ".join(names)})
    return cache.product("wolfssl", key, build)


def library(directory: Path) -> Path:
    """The library in such a directory."""
    (link,) = directory.glob(f"usr/lib/*/{FILE}")
    return link.resolve()


def _version(package: Path) -> str:
    command = ["dpkg-deb", "--field", str(package), "Version"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
