# SPDX-License-Identifier: Apache-2.0
"""A board and links that advice is asked for, which nobody need have measured."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File

from firesteel.advice.question import profile_of
from firesteel.advice.records import Place, RecordPair
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board.catalog import Catalog
from firesteel.board.numbers import Value, base_of
from firesteel.board.profile import Profile, load_profile
from firesteel.experiment.sweep import Axis, at_point
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.store.differences import Difference, differences
from firesteel.store.setup import Setup, catalog_of

Away = Mapping[str, float]
"""How far a board is from another: the logarithm of a factor, by parameter, without those in which
both are equal."""


@dataclass(frozen=True)
class Asked:
    """What is asked for besides a question: a board of its own, by its name, and numbers of boards
    and links, by their paths (`board.numbers`).
    """

    board: tuple[str, Profile] | None = None
    numbers: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Wanted:
    """Where it would be measured: the cell in hardware, and what the names in it stand for."""

    cell: Cell
    setup: Setup

    @staticmethod
    def of(base: RecordPair, asked: Asked) -> "Wanted":
        """What is asked for, all else as `base` has it.

        Raises `FiresteelError` where there is no such number, or a board may not have it.
        """
        cell, catalog = _as_in_files(base)
        if asked.board:
            name, profile = asked.board
            catalog.keep(name, profile)
            cell = cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: name}})
        cell = at_point(cell, asked.numbers or {}, catalog)
        return Wanted(cell, setup_of(cell, catalog))

    @property
    def place(self) -> Place:
        """Its name, and what it is like."""
        words = self.setup.in_short(self.cell.measured)
        return Place(self.cell.topology, profile_of(self.cell), self.cell.link, words=words)

    @property
    def profile(self) -> Profile:
        """The measured board."""
        return self.setup.profiles[self.cell.measured]

    def away(self, setup: Setup) -> Away | None:
        """How far others are: the logarithm of a factor for each number that differs; None where
        they differ in something else.
        """
        if setup.shape != self.setup.shape:
            return None
        one, other = (each.parts(self.cell.measured) for each in (self.setup, setup))
        if one.keys() != other.keys():
            return None
        paths = [path for path in one if one[path] != other[path]]
        if not all(_is_positive(each[path]) for each in (one, other) for path in paths):
            return None
        return {path: math.log(float(other[path]) / float(one[path])) for path in paths}

    def differences(self, setup: Setup) -> tuple[Difference, ...]:
        """What is not the same on others: before as they have it, after as it is here."""
        return differences(setup, self.setup, self.cell.measured)


def named_in_files(cell: Cell) -> Cell:
    """The cell on boards and links that files have: on those that boards and links of sweeps were
    made of.
    """
    profiles = {node: base_of(name) for node, name in cell.profiles.items()}
    return cell.model_copy(update={"profiles": profiles, "topology": base_of(cell.topology)})


def _as_in_files(base: RecordPair) -> tuple[Cell, Catalog]:
    """That cell of a pair, and what its names stand for: what was measured, but for what a sweep
    made, whose numbers are those of files again.
    """
    cell, setup = base.cell, base.hardware.record.measurement.setup
    catalog = catalog_of([(cell, setup)])
    found = named_in_files(cell)
    for node, name in found.profiles.items():
        made = cell.profiles[node]
        if made != name:
            clock = catalog.profile(made).cpu.clock
            catalog.keep(name, load_profile(name).on_clock(clock))
    return found, catalog


def setup_of(cell: Cell, catalog: Catalog) -> Setup:
    """The boards and links that a cell would be measured on."""
    site = site_of(cell, catalog)
    order = tuple(site.topology.nodes)
    return Setup(topology=site.topology, profiles=dict(site.profiles), order=order)


def numbers(texts: list[str]) -> dict[str, float]:
    """What `--with PATH=VALUE` says; `RequestError` for what is no number of a board or link."""
    found: dict[str, float] = {}
    for text in texts:
        path, _, said = text.partition("=")
        try:
            axis = Axis.read(path, said)
            if len(axis.levels.values) != 1:
                raise ValueError("allowed is one value")
        except ValueError as error:
            raise RequestError(
                f"--with {text}: {error}; it takes PATH=VALUE, such as cpu.hertz=1GHz."
            ) from None
        if axis.path in found:
            raise RequestError(f"--with {text}: {axis.path} is there already.")
        found[axis.path] = axis.levels.values[0]
    return found


def board_in(said: str | None) -> tuple[str, Profile] | None:
    """The board in a file, and what it goes by; None where it is a name, or nothing.

    Raises `FiresteelError` when the file is not there or wrong.
    """
    if said is None or not said.endswith(".toml"):
        return None
    catalog = Catalog()
    try:
        name = catalog.find_profile(said, File.cwd())
    except FiresteelError as error:
        raise RequestError(f"--board {said}: {error}") from None
    return name, catalog.profile(name)


def _is_positive(value: Value) -> bool:
    return not isinstance(value, bool | str) and value > 0
