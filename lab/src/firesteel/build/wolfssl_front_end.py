# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL, `frontends/wolfssl/`, built for the guest, where the provider's
libfiresteel is under it.
"""

from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD, FRONT_ENDS, LIBRARY
from firesteel.build.buildroot import BuildRoot, product_room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.progress import Runner
from firesteel.build.provider import Provider, common
from firesteel.build.recipe import filled_in

_SCRIPT = BOARD / "buildroot" / "wolfssl-front-end.sh"
_CROSS = BOARD / "buildroot" / "cross.ini"
_SOURCE = FRONT_ENDS / "wolfssl"

PRELOAD = "libfiresteel-wolfssl-preload.so"
"""What programs that do not know of the front end preload."""

FILES = ("libfiresteel-wolfssl.so.0", PRELOAD)
"""The files of a product."""


@dataclass(frozen=True)
class FrontEnd:
    """A directory with `FILES`, shared objects for the guest."""

    directory: Path

    libraries: str
    """The guest's directory for libraries."""

    def by_guest_path(self) -> dict[str, Path]:
        """The files by where the loader looks for them."""
        return {f"{self.libraries}/{name}": self.directory / name for name in FILES}


def make(
    cache: Cache,
    runner: Runner,
    architecture: Architecture,
    provider: Provider,
    wolfssl: Path,
    root: BuildRoot,
) -> FrontEnd:
    """The front end for the wolfSSL in a directory (`wolfssl.make`), built if need be."""
    kept = [*_SOURCE.glob("*.[ch]"), *_SOURCE.glob("meson*"), *_SOURCE.glob("*.map")]
    parts = {f"frontends/wolfssl/{path.name}": path for path in kept}
    parts |= common() | {
        "frontends/wolfssl/include": _SOURCE / "include",
        "lib/include": LIBRARY / "include",
        **{f"lib/{name}": LIBRARY / name for name in ("cancel.h", "fork.c", "fork.h")},
        _SCRIPT.name: _SCRIPT,
        f"{architecture.name}.ini": _CROSS,
    }
    with filled_in(parts, architecture) as recipe:
        inputs = {
            "recipe": tree_digest(recipe),
            "library": tree_digest(provider.library),
            "wolfssl": tree_digest(wolfssl / "usr"),
            "build root": root.inputs,
        }

        def build(partial: Path) -> None:
            readable = {
                "/firesteel/source": recipe,
                "/firesteel/library": provider.library.parent,
                "/firesteel/wolfssl": wolfssl,
            }
            command = ["sh", f"/firesteel/source/{_SCRIPT.name}"]
            with product_room(partial, readable) as room:
                root.run(runner, "Building wolfSSL's front end", command, room)

        directory = cache.product("wolfssl-front-end", key_of(inputs), build)
    return FrontEnd(directory, architecture.libraries)
