# SPDX-License-Identifier: Apache-2.0
"""The topologies and profiles that may be named: each file is read once.

The first reading counts to the end: editing a file does not change a running experiment.

Files may lie outside of the checkout: a name that ends in `.toml` is a path.  From then on such a
file is known by its name without the suffix, like files of the checkout, so that records do not
depend on its place.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import Levels, read_levels
from firesteel.base.toml import in_words
from firesteel.boards import numbers
from firesteel.boards.cores import NAME
from firesteel.boards.profile import (
    MOST_CPUS,
    PROFILES,
    Clock,
    Profile,
    load_profile,
    read_profile,
)
from firesteel.boards.real import is_real, real_profile
from firesteel.boards.topology import TOPOLOGIES, Topology, load_topology
from firesteel.model.cell import Cell

_SUFFIX = ".toml"


@dataclass(frozen=True)
class Origin:
    """The origin of a board or topology without a file: the name of another, and the numbers that
    differ, by their paths (`boards.numbers`).
    """

    base: str
    numbers: Mapping[str, float]


class Catalog:
    """Topologies and profiles by name; with a `clock`, boards with a processor use it, whatever
    their files say.
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
        """The profile of that name; `FiresteelError` when there is none or its file is wrong.

        That of a real machine is what it says of itself when it is first asked.
        """
        if name not in self._profiles:
            real = is_real(name)
            self._profiles[name] = (
                real_profile(name) if real else self._on_clock(load_profile(name))
            )
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
        """The origin of a board or topology: itself, if it has a file."""
        return self._origins.get(name) or Origin(name, {})

    def find_topology(self, said: str, directory: Path) -> str:
        """The name of a topology that is called by its name or its path.

        A path is relative to `directory`, or else to the working directory.  The same holds for
        paths of profiles in the file.  Raises `FiresteelError` when there is none or its file is
        wrong.
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
        """The name of a profile that is called by its name or its path, as for topologies; or by
        the address of a real machine.
        """
        if not said.endswith(_SUFFIX):
            self.profile(said)
            return said
        name, path, is_new = self._claim("profile", said, directory, PROFILES)
        if is_new:
            read = read_profile(path)
            try:
                self.keep(name, self._on_clock(read))
            except FiresteelError as error:
                raise FiresteelError(f"{path}: {error}") from None
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
                f"{path}: the file's name is the {kind}'s name; allowed is {in_words(NAME)}."
            )
        own = checkout / path.name
        before = self._paths.get((kind, name))
        if toml.is_there(own) and path.resolve() != own.resolve():
            before = own
        if before not in (None, path):
            raise FiresteelError(
                f"{path}: {before} is also a {kind} `{name}`, so results could come from either; "
                "give "
                "the file another name."
            )
        self._paths[kind, name] = path
        return name, path, before is None


Point = Mapping[str, float]
"""Numbers by their paths, each in the unit of its key."""

RATE = "rate_bit_s"
"""What a cell may also say of all its links."""


@dataclass(frozen=True)
class Axis:
    """A number that varies."""

    path: str
    levels: Levels

    @staticmethod
    def read(path: str, said: Sequence[str | float] | str | float) -> "Axis":
        """An axis as people write it; ValueError where there is no such number, or its values
        cannot be understood.
        """
        found = numbers.Path.of(path.strip())
        found.check()
        return Axis(path.strip(), read_levels(said, found.unit))


def at_point(cell: Cell, point: Point, catalog: Catalog) -> Cell:
    """The cell with these numbers, on boards and links that the catalog has from now on; itself
    where they are what it has anyway.

    Raises `FiresteelError` where a board or link lacks a number, or may not have a value of it.
    """
    make = Maker(catalog)
    for path in point:
        make.check(cell, path, point)
    return cell.model_copy(update=make.update(cell, point))


def origin_of(cell: Cell, catalog: Catalog) -> tuple[Cell, dict[str, float]]:
    """The cell on boards and topology from files, and the point at which this cell varies it."""
    topology = catalog.origin(cell.topology)
    boards = {node: catalog.origin(board) for node, board in cell.profiles.items()}
    bases = {node: origin.base for node, origin in boards.items()}
    found = cell.model_copy(update={"topology": topology.base, "profiles": bases})
    return found, {**topology.numbers, **boards[cell.measured].numbers}


class Maker:
    """Makes boards and topologies with other numbers, each once, and keeps them in the catalog
    under a telling name: `socrates+cpu.hertz=1000000000`.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: dict[tuple[str, tuple[tuple[str, float], ...]], str] = {}

    def update(self, cell: Cell, point: Point) -> dict[str, object]:
        """What the cell has otherwise at a point, whose numbers have been checked."""
        boards: dict[str, dict[str, float]] = {}
        links: dict[str, float] = {}
        for path, value in point.items():
            of = numbers.Path.of(path)
            its = links if of.on_links else boards.setdefault(of.node or cell.measured, {})
            its[of.keys] = value
        profiles, elsewhere = dict(cell.profiles), dict[str, float]()
        for node, its in boards.items():
            profiles[node] = self._named(cell.profiles[node], its)
            if node != cell.measured and profiles[node] != cell.profiles[node]:
                elsewhere |= {f"{node}:{keys}": value for keys, value in its.items()}
        update: dict[str, object] = {"profiles": profiles}
        if cell.link_rate_bit_s and any(path.endswith(RATE) for path in links):
            links = {f"links.*.{RATE}": float(cell.link_rate_bit_s), **links}
            update["link_rate_bit_s"] = None
        if links or elsewhere:
            update["topology"] = self._named(cell.topology, links | elsewhere, of_links=True)
        return update

    def check(self, cell: Cell, path: str, paths: Collection[str]) -> None:
        """Raises `FiresteelError` unless the number is there, and matters, perhaps only with
        another of the `paths` that vary.
        """
        of, topology = numbers.Path.of(path), self._catalog.topology(cell.topology)
        node = of.node or cell.measured
        if node not in topology.nodes:
            known = ", ".join(topology.nodes)
            raise FiresteelError(f"{path}: there is no node `{node}`; the nodes are: {known}.")
        name = cell.profiles[node]
        if is_real(name):
            raise FiresteelError(f"{path}: numbers of the real machine {name} cannot be changed.")
        board = self._catalog.profile(name)
        if not numbers.numbers_at(path, topology, {node: board}, node):
            where = f"topology `{cell.topology}`" if of.on_links else f"board `{name}`"
            raise FiresteelError(f"{path}: the {where} has no such number.")
        cpu = board.cpu
        others = map(numbers.Path.of, paths)
        if (node, numbers.COUNT) in ((each.node or cell.measured, each.keys) for each in others):
            cpu = cpu.model_copy(update={"count": MOST_CPUS})
        if not of.on_links and (why := numbers.why_idle(cpu, of.keys)):
            raise FiresteelError(f"{path}: it makes no difference to the board `{name}`, {why}.")

    def check_apart(self, cell: Cell, paths: Sequence[str]) -> None:
        """Raises `FiresteelError` where two of the paths lead to one number of the cell."""
        known: dict[tuple[str, str], str] = {}
        for path in paths:
            of = numbers.Path.of(path)
            node = "" if of.on_links else of.node or cell.measured
            part = self._catalog.profile(cell.profiles[node]) if node else None
            for keys in numbers.paths_of(part or self._catalog.topology(cell.topology), of.keys):
                other = known.setdefault((node, keys), path)
                if other != path:
                    where = f"node `{node}`" if node else f"topology `{cell.topology}`"
                    raise FiresteelError(
                        f"{path}: that is the same number as {other}, `{keys}` of the {where}; "
                        "allowed is one of these paths."
                    )

    def _named(self, name: str, wanted: Point, *, of_links: bool = False) -> str:
        """What a board is called that has these numbers; or a topology whose links have them, or
        nodes that are not measured, of which the name tells.
        """
        key = (name, tuple(wanted.items()))
        if key not in self._made:
            base = self._catalog.origin(name)
            read = self._catalog.topology if of_links else self._catalog.profile
            content: Topology | Profile = read(base.base)
            changes: dict[str, float] = {}
            for path, value in sorted({**base.numbers, **wanted}.items()):
                elsewhere = bool(numbers.Path.of(path).node)
                made = content if elsewhere else numbers.with_number(content, path, value)
                if elsewhere or made != content:
                    content, changes[path] = made, value
            self._made[key] = numbers.made_name(base.base, changes) if changes else base.base
            if changes:
                self._catalog.keep(self._made[key], content, Origin(base.base, changes))
        return self._made[key]
