# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider, `provider/`, and libfiresteel under it, `lib/`, built for the guest."""

from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD, CHECKOUT, FRONT_ENDS, LIBRARY, PROVIDER, SILEX
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


PROJECT = ("VERSION", "meson.build", "meson_options.txt")
"""What builds the library and all that stands on it, at the top of the checkout."""


def common() -> dict[str, Path]:
    """What provider and front ends share, and what builds them: where the scripts find it, and
    where it is.
    """
    folder = FRONT_ENDS / "common"
    shared = {f"frontends/common/{path.name}": path for path in folder.glob("*.[ch]")}
    return shared | {name: CHECKOUT / name for name in PROJECT}


def sources(folder: Path) -> dict[str, Path]:
    """The files of a compiled part's own folder."""
    kept = [*folder.glob("*.[ch]"), *folder.glob("meson*"), *folder.glob("*.map")]
    name = folder.relative_to(CHECKOUT)
    return {f"{name}/{path.name}": path for path in kept}


def library() -> dict[str, Path]:
    """libfiresteel: its sources, its own small program, and what is installed with it."""
    parts = sources(LIBRARY) | {f"silex/{path.name}": path for path in SILEX.glob("*.h")}
    return parts | {
        f"lib/{name}": LIBRARY / name for name in ("include", "man", "tests/test-bare.c")
    }


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
    parts = {_SCRIPT.name: _SCRIPT, f"{architecture.name}.ini": _CROSS}
    parts |= common() | library() | sources(PROVIDER)
    folders = (*PROVIDER_FOLDERS, "man")
    return parts | {f"provider/{folder}": PROVIDER / folder for folder in folders}


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
