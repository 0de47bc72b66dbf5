# SPDX-License-Identifier: Apache-2.0
"""A board and links that advice is asked for, which nobody need have measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File

from firesteel.advice.records import RecordPair, Wanted
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board.catalog import Axis, Catalog, at_point
from firesteel.board.numbers import base_of
from firesteel.board.profile import Profile, load_profile
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.store.setup import Setup, catalog_of


@dataclass(frozen=True)
class Asked:
    """What is asked for besides a question: a board of its own, by its name, and numbers of boards
    and links, by their paths (`board.numbers`).
    """

    board: tuple[str, Profile] | None = None
    numbers: Mapping[str, float] | None = None

    def beside(self, base: RecordPair) -> Wanted:
        """Where that is, all else as `base` has it.

        Raises `FiresteelError` where there is no such number, or a board may not have it.
        """
        cell, catalog = _as_in_files(base)
        if self.board:
            name, profile = self.board
            catalog.keep(name, profile)
            cell = cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: name}})
        cell = at_point(cell, self.numbers or {}, catalog)
        return Wanted(cell, setup_of(cell, catalog))


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
