# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider, `provider/`, and libfiresteel under it, `lib/`, built for the guest."""

from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD, FRONT_ENDS, LIBRARY, PROVIDER, SILEX
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.development import Development, build_against
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in

_SCRIPT = BOARD / "buildroot" / "user-space.sh"
_CROSS = BOARD / "buildroot" / "cross.ini"

FILES = ("firesteel.so", "libfiresteel.so.0")
"""The files of a product."""

PROVIDER_FOLDERS = ("base", "check", "configurations", "symmetric", "keys", "public-key")
"""Where its sources lie, besides its own folder."""


def common() -> dict[str, Path]:
    """What provider and front ends share: where the scripts find it, and where it is."""
    folder = FRONT_ENDS / "common"
    return {f"frontends/common/{path.name}": path for path in folder.glob("*.[ch]")}


@dataclass(frozen=True)
class Provider:
    """Shared objects for the guest."""

    provider: Path
    """`firesteel.so`, a module of OpenSSL."""

    library: Path
    """`libfiresteel.so.0`, which it needs."""

    libraries: str
    """The guest's directory for libraries; OpenSSL's modules are in one below it."""


def recipe(architecture: Architecture) -> dict[str, Path]:
    """What it is built from: where the script finds it, and where it is.  No tests, no model."""
    parts = {_SCRIPT.name: _SCRIPT, f"{architecture.name}.ini": _CROSS} | common()
    parts |= {f"provider/{folder}": PROVIDER / folder for folder in PROVIDER_FOLDERS}
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
    architecture = development.architecture
    with filled_in(recipe(architecture), architecture) as parts:
        inputs = {
            "recipe": tree_digest(parts),
            "development": development.key,
            "build root": root.inputs,
        }

        def compile_(room: Room) -> None:
            command = ["sh", "/firesteel/source/user-space.sh"]
            root.run(runner, "Building the provider", command, room)

        build = build_against(development, {"/firesteel/source": parts}, compile_)
        return provider_in(cache.product("provider", key_of(inputs), build), architecture)


def provider_in(directory: Path, architecture: Architecture) -> Provider:
    """The provider whose files are in a directory."""
    provider, library = (directory / name for name in FILES)
    return Provider(provider, library, architecture.libraries)
