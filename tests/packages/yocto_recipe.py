# SPDX-License-Identifier: Apache-2.0
"""Recipes of the Yocto layer, read without BitBake: variables, and shell functions."""

import re
from dataclasses import dataclass
from pathlib import Path

from tools.packages import PACKAGING

LAYER = PACKAGING / "yocto/meta-firesteel"

PLACES = {
    "bindir": "/usr/bin",
    "datadir": "/usr/share",
    "includedir": "/usr/include",
    "libdir": "/usr/lib",
    "mandir": "/usr/share/man",
    "sysconfdir": "/etc",
}
"""Where things go in Yocto, unless a distribution says otherwise."""

_SET = re.compile(r"^([A-Za-z_:${}-]+?) [+?]?= \"(.*?)\"$", re.MULTILINE | re.DOTALL)
_FUNCTION = re.compile(r"^(\w[\w:]*)\(\) \{\n(.*?)\n\}$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Recipe:
    """A file `NAME_VERSION.bb`."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem.partition("_")[0]

    @property
    def version(self) -> str:
        return self.path.stem.partition("_")[2]

    def value(self, variable: str, **known: str) -> str:
        """A variable's value, with the places of Yocto and what is `known` in it."""
        values = dict(_SET.findall(self.path.read_text().replace("\\\n", " ")))
        return self.expanded(values[variable], **known)

    def function(self, name: str, **known: str) -> str:
        """The lines of a shell function."""
        return self.expanded(dict(_FUNCTION.findall(self.path.read_text()))[name], **known)

    def expanded(self, text: str, **known: str) -> str:
        known = {**PLACES, "PN": self.name, "PV": self.version, **known}
        return re.sub(r"\$\{(\w+)\}", lambda match: known.get(match[1], match[0]), text)


def recipes() -> dict[str, Recipe]:
    """All recipes by name."""
    found = (Recipe(path) for path in sorted(LAYER.rglob("*.bb")))
    return {recipe.name: recipe for recipe in found}
