# SPDX-License-Identifier: Apache-2.0
"""A web server for the guest, lighttpd: Debian's, with its module for TLS by wolfSSL.

It is not part of the image, so that records of other programs do not depend on it.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.build import wolfssl
from firesteel.build.apt import apt_within, extract, source_package
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner

_PACKAGES = ("lighttpd", "lighttpd-mod-wolfssl")
"""Of one source and one version; the image has all libraries that they need but wolfSSL."""

PROGRAM, MODULE = "lighttpd", "mod_wolfssl.so"

FILES = (PROGRAM, MODULE, wolfssl.FILE)
"""The files of a product."""


@dataclass(frozen=True)
class Lighttpd:
    """A directory with `FILES`."""

    directory: Path

    libraries: str
    """The guest's directory for libraries."""

    def by_guest_path(self) -> dict[str, Path]:
        """The files by where Debian has them."""
        places = ("/usr/sbin", "/usr/lib/lighttpd", self.libraries)
        return {
            f"{place}/{name}": self.directory / name
            for place, name in zip(places, FILES, strict=True)
        }


def fetch(cache: Cache, runner: Runner, architecture: Architecture) -> Path:
    """Debian's packages, unopened, fetched if need be."""
    names = [f"{package}:{architecture.name}" for package in _PACKAGES]

    def build(partial: Path) -> None:
        with apt_within(partial, runner, architecture.name) as apt:
            apt.download("lighttpd", names, partial)

    key = key_of({"suite": SUITE, "packages": " ".join(names)})
    return cache.product("lighttpd-packages", key, build)


def fetch_source(cache: Cache, runner: Runner, packages: Path) -> Path:
    """The source package of that version, unopened, fetched if need be."""
    (program,) = packages.glob(f"{PROGRAM}_*.deb")
    version = program.name.split("_")[1].replace("%3a", ":")
    build = source_package(runner, f"{PROGRAM}={version}")
    return cache.product("lighttpd-source", key_of({"suite": SUITE, "version": version}), build)


def make(cache: Cache, packages: Path, tls: Path, architecture: Architecture) -> Lighttpd:
    """Program and module out of the packages, with the library of `wolfssl.make`'s directory `tls`;
    made if need be.
    """
    inputs = {
        "architecture": architecture.name,
        "packages": tree_digest(*packages.glob("*.deb")),
        "wolfssl": tree_digest(tls / "usr/lib"),
    }

    def build(partial: Path) -> None:
        work = partial / "work"
        extract(packages, work)
        shutil.copy(work / "usr/sbin" / PROGRAM, partial)
        shutil.copy(work / "usr/lib/lighttpd" / MODULE, partial)
        shutil.copyfile(wolfssl.library(tls), partial / wolfssl.FILE)
        remove_tree(work)

    directory = cache.product("lighttpd", key_of(inputs), build)
    return Lighttpd(directory, architecture.libraries)
