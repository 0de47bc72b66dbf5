# SPDX-License-Identifier: Apache-2.0
"""Machines of Debian's releases, on which packages are installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.build.buildroot import BuildRoot, Room, read_list
from firesteel.build.products import Products
from tools.packages import suite_root

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Machine:
    """A machine root; each scene finds it as it was made, and without a network."""

    products: Products
    suite: str
    root: BuildRoot

    def play(self, scene: str, *arguments: str, seen: Mapping[str, Path]) -> None:
        """Play a scene of `scenes/` as root; `seen` is what it finds below /firesteel."""
        readable = {f"/firesteel/{name}": path for name, path in seen.items()}
        readable |= {
            "/firesteel/scenes": _HERE / "scenes",
            "/firesteel/machine.sh": _HERE / "machine.sh",
        }
        command = ["sh", "/firesteel/machine.sh", scene, *arguments]
        what = f"Playing {scene} on {self.suite}"
        self.root.run(self.products.runner, what, command, Room(readable=readable), "0:0")


def machine(suite: str) -> Machine:
    """A machine of a release, made if need be."""
    products, packages = Products(), read_list(_HERE / "machine.txt")
    return Machine(products, suite, suite_root(products, "machine root", suite, packages, "amd64"))
