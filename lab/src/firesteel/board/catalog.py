# SPDX-License-Identifier: Apache-2.0
"""The topologies and profiles that may be named: each file is read once.

What was read first is what is used to the end: a file that is edited while an experiment runs
changes nothing of it.

Files may lie outside of the checkout: a name that ends in `.toml` is a path.  Such a file is called
by its name without the suffix from then on, as those of the checkout are, so that records say the
same wherever it lies.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.patterns import in_words
from firesteel.board.cores import NAME
from firesteel.board.profile import PROFILES, Clock, Profile, load_profile, read_profile
from firesteel.board.topology import TOPOLOGIES, Topology, load_topology

_SUFFIX = ".toml"


@dataclass(frozen=True)
class Origin:
    """What a board or topology is made of that no file has: another one, by its name, with these
    numbers, by their paths (`board.numbers`).
    """

    base: str
    numbers: Mapping[str, float]


class Catalog:
    """Topologies and profiles by name; with a `clock`, boards that have a processor have that one,
    whatever their files say.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._topologies: dict[str, Topology] = {}
        self._profiles: dict[str, Profile] = {}
        self._paths: dict[tuple[str, str], Path] = {}
        self._origins: dict[str, Origin] = {}

    def topology(self, name: str) -> Topology:
        """The topology of that name; `FiresteelError` when there is none or its file is wrong."""
        if name not in self._topologies:
            self._topologies[name] = load_topology(name)
        return self._topologies[name]

    def profile(self, name: str) -> Profile:
        """The profile of that name; `FiresteelError` when there is none or its file is wrong."""
        if name not in self._profiles:
            self._profiles[name] = self._on_clock(load_profile(name))
        return self._profiles[name]

    def keep(self, name: str, content: Topology | Profile, origin: Origin | None = None) -> None:
        """That is what the name stands for from now on, whatever its file says."""
        if origin:
            self._origins[name] = origin
        if isinstance(content, Topology):
            self._topologies[name] = content
        else:
            self._profiles[name] = content

    def origin(self, name: str) -> Origin:
        """What a board or topology is made of: nothing but itself, if a file has it."""
        return self._origins.get(name) or Origin(name, {})

    def find_topology(self, said: str, directory: Path) -> str:
        """The name of a topology that is called by its name or its path.

        A path is of `directory`, or else of the working directory, and so are those of profiles
        that the file has in it.  Raises `FiresteelError` when there is none or its file is wrong.
        """
        if not said.endswith(_SUFFIX):
            self.topology(said)
            return said
        name, path, is_new = self._claim("topology", said, directory, TOPOLOGIES)
        if is_new:
            read = toml.read_model(path, Topology)
            nodes = {node: each.profile for node, each in read.nodes.items()}
            found = {node: self.find_profile(each, path.parent) for node, each in nodes.items()}
            self.keep(name, read.override(profiles=found))
        return name

    def find_profile(self, said: str, directory: Path) -> str:
        """The name of a profile that is called by its name or its path, as for topologies."""
        if not said.endswith(_SUFFIX):
            self.profile(said)
            return said
        name, path, is_new = self._claim("profile", said, directory, PROFILES)
        if is_new:
            self.keep(name, self._on_clock(read_profile(path)))
        return name

    def _on_clock(self, profile: Profile) -> Profile:
        return profile.on_clock(self._clock) if self._clock else profile

    def _claim(
        self, kind: str, said: str, directory: Path, checkout: Path
    ) -> tuple[str, Path, bool]:
        """The name that a file goes by, where it is, and whether it was not read before.

        `checkout` is where the checkout has files of that kind.
        """
        places = [directory / said, Path.cwd() / said]
        path = next((place for place in places if toml.is_there(place)), places[0]).absolute()
        name = path.name.removesuffix(_SUFFIX)
        if not re.fullmatch(NAME, name):
            raise FiresteelError(
                f"{path}: a {kind} goes by the name of its file; allowed is {in_words(NAME)}."
            )
        own = checkout / path.name
        if toml.is_there(own) and path.resolve() != own.resolve():
            raise FiresteelError(
                f"{path}: the checkout has a {kind} `{name}` too, and results would be of either; "
                "give the file another name."
            )
        is_new = (kind, name) not in self._paths
        before = self._paths.setdefault((kind, name), path)
        if before != path:
            raise FiresteelError(
                f"{path}: {before} is a {kind} `{name}` too, and results would be of either; give "
                "one of the files another name."
            )
        return name, path, is_new
