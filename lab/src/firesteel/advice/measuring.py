# SPDX-License-Identifier: Apache-2.0
"""A board and links that advice is asked for, which nobody need have measured.

The command that measures a board that was not: an experiment of the checkout, with numbers of
its board or links varied (`--vary`).

The command that measures between two points of a sweep.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File

from firesteel.advice.question import BOTH, Question, is_asked, only_words, profile_of, that_measure
from firesteel.advice.records import Measured, Place, RecordPair
from firesteel.analysis.rows import grouped
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board.catalog import Catalog
from firesteel.board.numbers import Path, base_of, is_made
from firesteel.board.parts import Value
from firesteel.board.profile import Profile, load_profile
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import Experiment
from firesteel.experiment.sweep import RATE, Axis, at_point, origin_of, sweep_of_options
from firesteel.model.cell import Cell
from firesteel.model.place import Place as CellPlace
from firesteel.protocols.site import site_of
from firesteel.store.differences import Difference, differences
from firesteel.store.journal import Journal
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


def how_to_measure_at(question: Question, wanted: Wanted, near: Measured) -> str:
    """The command, in half a sentence: of the experiment of a record nearby, if the checkout has
    it and it can, or else of the smallest that can.
    """
    asked = replace(question, profile=None, topology=None, link=None)
    there = [experiment.name for experiment, _ in that_measure(asked)]
    for name in dict.fromkeys((near.experiment, *there)):
        words = _words(asked, wanted, name, near.quick)
        if words:
            return f"`firesteel run {' '.join(words)}` measures it"
    if not there:
        return (
            "no experiment of the checkout measures it; docs/experiments.md shows how to write one"
        )
    name, board = wanted.place.profile, ""
    if is_made(name):
        name = "my-board"
        board = f" and {name}.toml with the board's numbers (docs/add-a-profile.md)"
    return (
        f"a copy of experiments/{there[0]}.toml with `profiles = {{ {wanted.cell.measured} = "
        f'"{name}.toml" }}`{board} measures it (docs/experiments.md)'
    )


def _words(asked: Question, wanted: Wanted, name: str, quick: bool) -> list[str]:
    """What the experiment is run with to measure it; nothing where it cannot be."""
    try:
        told = load(name)
        place = None if told.varied else _nearest(asked, wanted, told, quick)
        if place is None:
            return []
        at, away = place
        numbers = wanted.setup.parts(wanted.cell.measured)
        vary = [f"{path}={_typed(path, numbers[path])}" for path in away]
        swept = load(name, sweep=sweep_of_options(vary))
        cells = swept.cells(quick)
    except FiresteelError:
        return []  # No experiment of the checkout, or of numbers that do not vary.
    if any(path.endswith(RATE) for path in away):
        at = replace(at, link="")  # What varies, cells do not say besides.
    fitting = [cell for cell in cells if _is_at(asked, at, origin_of(cell, swept.catalog)[0])]
    if not fitting:
        return []
    words = [name, *(["--quick"] if quick else []), *only_words(cells, fitting)]
    return words + [word for text in vary for word in ("--vary", shlex.quote(text))]


def _typed(path: str, value: Value) -> str:
    return Path.of(path).typed(value) if isinstance(value, int | float) else f"{value}"


def _nearest(
    asked: Question, wanted: Wanted, told: Experiment | Collection, quick: bool
) -> tuple[CellPlace, Away] | None:
    """Where the experiment measures it on boards and links that differ in the fewest numbers."""
    cells = [cell for cell in told.cells(quick) if is_asked(asked, cell)]
    found = []
    for place, those in grouped(cells, lambda cell: cell.place).items():
        if _are_both(those) and place.node == wanted.cell.measured:
            away = wanted.away(setup_of(those[0], told.catalog))
            if away is not None:
                found.append((place, away))
    return min(found, key=lambda each: len(each[1]), default=None)


def _are_both(cells: Sequence[Cell]) -> bool:
    return {cell.implementation for cell in cells} == BOTH


def _is_at(asked: Question, at: CellPlace, cell: Cell) -> bool:
    """Whether a cell, as its boards and links are without numbers that vary, is asked for there."""
    return is_asked(asked, cell) and cell.place == at


_VALUES = 4
"""How many values are measured, both ends among them, whose records are in the store."""


def narrowing_command(
    run: Journal, path: Path, ends: tuple[float, float], others: Mapping[Path, float | None]
) -> str:
    """What measures the run's experiment at values of a number between two others, with one value
    of each other number that varied; empty where the checkout has no such experiment, or no number
    lies between.
    """
    if not path.unit:
        return ""  # Of counts, such as engines, a board may have few values only.
    low, high = ends
    spaced = " log" if low > 0 else ""
    vary = [f"{path.text}={path.typed(low)}..{path.typed(high)} x{_VALUES}{spaced}"]
    vary += [f"{other.text}={other.typed(at)}" for other, at in others.items() if at is not None]
    try:
        cells = load(run.experiment, sweep=sweep_of_options(vary)).cells(run.quick)
    except FiresteelError:
        return ""  # The experiment was a file of elsewhere, or is another one by now.
    measured = {_suite(entry.cell) for entry in run.entries}
    fitting = [cell for cell in cells if _suite(cell) in measured]
    words = ["firesteel run", run.experiment, *(["--quick"] if run.quick else [])]
    words += only_words(cells, fitting)
    return " ".join([*words, *(f"--vary {shlex.quote(text)}" for text in vary)])


def _suite(cell: Cell) -> tuple[str, str, str]:
    return cell.protocol, cell.cipher, cell.mac
