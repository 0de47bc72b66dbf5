# SPDX-License-Identifier: Apache-2.0
"""The topologies and profiles that may be named: each file is read once.

What was read first is what is used to the end: a file that is edited while an experiment runs
changes nothing of it.
"""

from firesteel.board.profile import Profile, load_profile
from firesteel.board.topology import Topology, load_topology


class Catalog:
    """Topologies and profiles by name."""

    def __init__(self) -> None:
        self._topologies: dict[str, Topology] = {}
        self._profiles: dict[str, Profile] = {}

    def topology(self, name: str) -> Topology:
        """The topology of that name; `FiresteelError` when there is none or its file is wrong."""
        if name not in self._topologies:
            self._topologies[name] = load_topology(name)
        return self._topologies[name]

    def profile(self, name: str) -> Profile:
        """The profile of that name; `FiresteelError` when there is none or its file is wrong."""
        if name not in self._profiles:
            self._profiles[name] = load_profile(name)
        return self._profiles[name]
