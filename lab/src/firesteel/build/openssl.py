# SPDX-License-Identifier: Apache-2.0
"""libcrypto for the guest with the one change that `board/openssl/` has: GHASH in NEON code.

Its source is that of the very version in the image, fetched and held against the archive's signed
index as OpenSSH's is.  Nothing else needs it: it is built when a run asks for it.
"""

from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD
from firesteel.build.apt import source_package
from firesteel.build.buildroot import BuildRoot, product_room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.image import Packages
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in

PACKAGE = "libssl3t64"
"""Debian's package with the library."""

FILE = "libcrypto.so.3"
"""Its name."""

_RECIPE = BOARD / "openssl"


def fetch(cache: Cache, runner: Runner, packages: Packages) -> Path:
    """The directory with the source package, unopened, fetched if need be."""
    version = packages.version(PACKAGE)
    build = source_package(runner, f"openssl={version}")
    return cache.product("openssl-source", key_of({"suite": SUITE, "version": version}), build)


def guest_path(architecture: Architecture) -> str:
    """Where Debian's library is."""
    return f"{architecture.libraries}/{FILE}"


def make(
    cache: Cache, runner: Runner, source: Path, root: BuildRoot, architecture: Architecture
) -> Path:
    """`libcrypto.so.3`, built if need be."""
    parts = {path.name: path for path in _RECIPE.iterdir()}
    with filled_in(parts, architecture) as recipe:
        inputs = {
            "source": tree_digest(*source.glob("*.dsc")),
            "recipe": tree_digest(recipe),
            "build root": root.inputs,
        }

        def build(partial: Path) -> None:
            readable = {"/firesteel/recipe": recipe, "/firesteel/source": source}
            command = ["sh", "/firesteel/recipe/build.sh"]
            with product_room(partial, readable) as room:
                root.run(runner, "Building libcrypto", command, room)

        return cache.product("libcrypto", key_of(inputs), build) / FILE
