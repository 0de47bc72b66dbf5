# SPDX-License-Identifier: Apache-2.0
"""The driver against the newest kernel that Debian has, which boards do not run yet."""

import re
import shutil
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import DRIVER, SILEX
from firesteel.base.errors import FiresteelError
from firesteel.build.apt import Apt, extract
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.mirror import Mirror
from firesteel.build.progress import Runner
from firesteel.build.recipe import module_script

SUITE = "sid"
"""The Debian suite whose kernel is the newest that is meant for users."""

_HEADERS = "/firesteel/headers"
_FLAVOUR = "armmp"
"""Debian's kernel for boards, as `linux-headers-armmp`."""


def build_driver(
    directory: Path,
    runner: Runner,
    mirror: Mirror,
    architecture: Architecture,
    root: BuildRoot,
    source: Path = DRIVER,
) -> str:
    """Build the driver in `source` in the empty `directory`; returns the kernel's release.

    `FiresteelError` if it does not compile, or if the compiler warns.
    """
    headers, work = directory / "headers", directory / "work"
    for each in (headers, work):
        each.mkdir()
    release = _fetch_headers(directory, headers, runner, mirror, architecture)
    shutil.copytree(source, work / "driver")
    shutil.copytree(SILEX, work / "silex")
    command = ["/firesteel/module.sh", _HEADERS, "/firesteel/work/driver", "W=1"]
    command += _settings(release, architecture)
    with module_script(architecture) as script:
        readable = {_HEADERS: headers, "/firesteel/module.sh": script}
        room = Room({"/firesteel/work": work}, readable)
        root.run(runner, f"Building the driver for Linux {release}", command, room)
    return release


def _settings(release: str, architecture: Architecture) -> list[str]:
    """What `make` is told besides.

    These headers name the compiler that they come with, and where they are installed.  Theirs knows
    an attribute of theirs that the build root's does not.
    """
    return [
        f"KBUILD_OUTPUT={_HEADERS}/usr/src/linux-headers-{release}",
        f"CC={architecture.toolchain.triplet}-gcc",
        "KCFLAGS=-Werror -Wno-attributes",
    ]


def _fetch_headers(
    directory: Path, tree: Path, runner: Runner, mirror: Mirror, architecture: Architecture
) -> str:
    """Extract the headers of the suite's kernel into `tree`; returns the kernel's release."""
    packages, state = directory / "packages", directory / "apt"
    for each in (packages, state):
        each.mkdir()
    apt = Apt(state, mirror, runner, f"amd64 {architecture.name}")
    apt.update()
    text = apt.show([f"linux-headers-{_FLAVOUR}:{architecture.name}"])
    found = re.search(rf"linux-headers-(\d\S*-{_FLAVOUR})\b", text)
    if found is None:
        raise FiresteelError(
            f"linux-headers-{_FLAVOUR} of the suite {mirror.suite} names no kernel to build for."
        )
    release = found[1]
    base = release.removesuffix(f"-{_FLAVOUR}")
    names = [
        f"linux-headers-{release}:{architecture.name}",
        f"linux-headers-{base}-common",
        f"linux-kbuild-{base}:amd64",
    ]
    apt.download("the newest kernel's headers", names, packages)
    extract(packages, tree)
    return release
