# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL, `frontends/wolfssl/`, built for the guest, where the provider's
libfiresteel is under it, of the same sources.
"""

from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD, FRONT_ENDS
from firesteel.build.buildroot import BuildRoot, product_room
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.progress import Runner
from firesteel.build.provider import common, library, sources
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
    wolfssl: Path,
    root: BuildRoot,
) -> FrontEnd:
    """The front end for the wolfSSL in a directory (`wolfssl.make`), built if need be."""
    parts = common() | library() | sources(_SOURCE)
    parts |= {
        "frontends/wolfssl/include": _SOURCE / "include",
        _SCRIPT.name: _SCRIPT,
        f"{architecture.name}.ini": _CROSS,
    }
    with filled_in(parts, architecture) as recipe:
        inputs = {
            "recipe": tree_digest(recipe),
            "wolfssl": tree_digest(wolfssl / "usr"),
            "build root": root.inputs,
        }

        def build(partial: Path) -> None:
            readable = {
                "/firesteel/source": recipe,
                "/firesteel/wolfssl": wolfssl,
            }
            command = ["sh", f"/firesteel/source/{_SCRIPT.name}"]
            with product_room(partial, readable) as room:
                root.run(runner, "Building wolfSSL's front end", command, room)

        directory = cache.product("wolfssl-front-end", key_of(inputs), build)
    return FrontEnd(directory, architecture.libraries)
