# SPDX-License-Identifier: Apache-2.0
"""Our QEMU: Debian's source with the patches and devices of `board/qemu/`, and the cores' model."""

import re
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD, MODEL, PROBE_HEADER, SILEX
from firesteel.base.errors import FiresteelError
from firesteel.build.apt import apt_within
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, snapshot, tree_digest
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner

UPSTREAM = "10.0"
"""The upstream release series that our patches fit."""

_RECIPE = BOARD / "qemu"
_INPUTS = ("build.sh", "patches")

MEASURED, REAL_TIME = "targets", "real-time-targets"
"""Directories with targets of the emulator: of boards that are measured, and of one that only tests
have.  Each is a build of its own, so that a change of one leaves the other's records alone."""


@dataclass(frozen=True)
class Qemu:
    """A finished emulator."""

    directory: Path
    """A static program for each target, which run on the host as they are."""

    key: str
    """Hash of everything that went into it."""

    version: str
    """Debian's version of the source, such as `1:10.0.13+ds-0+deb13u1`."""

    def program(self, architecture: Target) -> Path:
        """What runs boards of an architecture."""
        return self.directory / architecture.machine.emulator


@dataclass(frozen=True)
class QemuSource:
    """Debian's source package, unopened."""

    directory: Path

    @property
    def description(self) -> Path:
        """The `.dsc` file: the version, and the digests of the other files."""
        return next(self.directory.glob("*.dsc"))

    @property
    def version(self) -> str:
        """Debian's version; `FiresteelError` when there is none."""
        match = re.search(r"^Version: (\S+)$", self.description.read_text(), re.MULTILINE)
        if match is None:
            raise FiresteelError(f"{self.description} has no version; delete its directory.")
        return match[1]


def check_version(version: str) -> None:
    """Refuse a source of another release series than the pinned one with a `FiresteelError`."""
    upstream = re.sub(r"^\d+:", "", version).split("+")[0].split("-")[0]
    if not upstream.startswith(f"{UPSTREAM}."):
        raise FiresteelError(
            f"The mirror's {SUITE} has the source of QEMU {upstream}, but the patches in "
            f"board/qemu/patches fit only {UPSTREAM}.x: use a mirror that has it, or port the "
            "patches."
        )


def fetch(cache: Cache, runner: Runner) -> QemuSource:
    """The source package, fetched if need be; a wrong version is refused and not kept."""

    def build(partial: Path) -> None:
        with apt_within(partial, runner) as apt:
            apt.source("qemu", partial)
        check_version(QemuSource(partial).version)

    key = key_of({"suite": SUITE, "upstream": UPSTREAM})
    return QemuSource(cache.product("qemu-source", key, build))


def recipe(targets: str = MEASURED) -> dict[str, Path]:
    """What is built besides Debian's source: where build.sh finds it, and where it is."""
    parts = {name: _RECIPE / name for name in _INPUTS}
    parts["targets"] = _RECIPE / targets
    for path in (_RECIPE / "devices").iterdir():
        if path.name != "layers.txt":  # says what may call what, and is no part of the emulator
            parts[f"devices/{path.name}"] = path
    parts[PROBE_HEADER.name] = PROBE_HEADER
    for folder, pattern in ((SILEX, "*.h"), (MODEL, "*.[ch]")):
        parts |= {f"{folder.name}/{path.name}": path for path in folder.glob(pattern)}
    return parts


def make(
    cache: Cache, runner: Runner, source: QemuSource, root: BuildRoot, targets: str = MEASURED
) -> Qemu:
    """The emulator, built if need be: only what changed since the last build of this source."""
    kind = "qemu" if targets == MEASURED else "qemu-real-time"
    base = {"source": tree_digest(source.description), "build root": root.inputs}
    with snapshot(recipe(targets)) as parts:
        key = key_of({**base, "recipe": tree_digest(parts)})
        work_key = key_of({**base, "build.sh": tree_digest(parts / "build.sh")})

        def build(partial: Path) -> None:
            with cache.work_directory(kind, work_key) as work:
                room = Room(
                    writable={"/firesteel/work": work, "/firesteel/output": partial},
                    readable={"/firesteel/recipe": parts, "/firesteel/source": source.directory},
                )
                root.run(runner, "Building QEMU", ["sh", "/firesteel/recipe/build.sh"], room)

        directory = cache.product(kind, key, build)
    return Qemu(directory, key, source.version)
