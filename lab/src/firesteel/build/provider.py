# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider, `provider/`, and libfiresteel under it, `lib/`, built for the guest."""

from dataclasses import dataclass
from pathlib import Path

from firesteel.base.checkout import BOARD, LIBRARY, PROVIDER, SILEX
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, snapshot, tree_digest
from firesteel.build.development import Development, build_against
from firesteel.build.progress import Runner

_SCRIPT = BOARD / "buildroot" / "user-space.sh"
_CROSS = BOARD / "buildroot" / "armhf.ini"


@dataclass(frozen=True)
class Provider:
    """Shared objects for the guest."""

    provider: Path
    """`firesteel.so`, a module of OpenSSL."""

    library: Path
    """`libfiresteel.so.0`, which it needs."""


def recipe() -> dict[str, Path]:
    """What it is built from: where the script finds it, and where it is.  No tests, no model."""
    parts = {path.name: path for path in (_SCRIPT, _CROSS)}
    for folder in (LIBRARY, PROVIDER):
        kept = [*folder.glob("*.[ch]"), *folder.glob("meson*"), *folder.glob("*.map")]
        parts |= {f"{folder.name}/{path.name}": path for path in kept}
        parts[f"{folder.name}/man"] = folder / "man"
    # The library's own small program, and what is installed with it.
    for name in ("include", "tests/test-bare.c"):
        parts[f"lib/{name}"] = LIBRARY / name
    return parts | {f"silex/{path.name}": path for path in SILEX.glob("*.h")}


def make(cache: Cache, runner: Runner, development: Development, root: BuildRoot) -> Provider:
    """Provider and library, built if need be."""
    with snapshot(recipe()) as parts:
        inputs = {
            "recipe": tree_digest(parts),
            "development": development.key,
            "build root": root.inputs,
        }

        def compile_(room: Room) -> None:
            command = ["sh", "/firesteel/source/user-space.sh"]
            root.run(runner, "Building the provider", command, room)

        build = build_against(development, {"/firesteel/source": parts}, compile_)
        directory = cache.product("provider", key_of(inputs), build)
    return Provider(directory / "firesteel.so", directory / "libfiresteel.so.0")
