# SPDX-License-Identifier: Apache-2.0
"""cryptsetup as Debian has it, for the test that follows the page on disks.

It is not part of the image, whose disks are set up by `dmsetup`: what is measured is the kernel.
"""

from pathlib import Path

from firesteel.build.apt import apt_within, extract
from firesteel.build.cache import Cache, key_of, remove_tree
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner

_PACKAGES = ("cryptsetup-bin", "libcryptsetup12", "libjson-c5", "libpopt0")
"""The program, and the libraries that the image lacks."""


def fetch(cache: Cache, runner: Runner, architecture: str) -> Path:
    """A directory with a tree `usr/` of the image's release for Debian's `architecture`, fetched if
    need be.
    """
    names = [f"{package}:{architecture}" for package in _PACKAGES]

    def build(partial: Path) -> None:
        fetched = partial / "packages"
        fetched.mkdir()
        with apt_within(partial, runner, architecture) as apt:
            apt.download("cryptsetup", names, fetched)
        extract(fetched, partial)
        remove_tree(fetched)

    key = key_of({"suite": SUITE, "packages": " ".join(names)})
    return cache.product("cryptsetup", key, build)
