# SPDX-License-Identifier: Apache-2.0
"""How far flat time is off: what cryptography is charged on a board whose clock counts
instructions, beside what is published for the processor that it stands for (`cycles.toml` of a
published study).

That clock charges every instruction alike.  Code for cryptography executes more instructions in a
cycle than other code does, so a rate that suits programs as a whole makes it too slow.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from firesteel.analysis.study import STUDIES, load_studies
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.board.profile import Cpu, check_named, load_profile

FILE = "cycles.toml"

Measured = Iterable[tuple[str, Cpu | None]]
"""Names of measured boards with their CPUs as recorded; None of a record that does not tell."""

_Positive = Annotated[float, Field(gt=0)]


class Board(Table):
    """A board's file, and the processor that it stands for."""

    profile: str
    """The profile of the board."""

    processor: str
    """The processor, by its maker's name."""

    clock_hz: _Positive
    """The clock that the board stands for."""


class Speed(Table):
    """What a real processor does."""

    bytes_per_second: _Positive
    """Bytes that it processes in a second."""

    clock_hz: _Positive
    """Its clock while it did that."""

    @property
    def cycles(self) -> float:
        """For a byte."""
        return self.clock_hz / self.bytes_per_second


class Algorithm(Table):
    """What an algorithm costs here and there."""

    name: str
    """What it is called."""

    suite: str
    """The suite of an experiment by which it is measured, `CIPHER:MAC`."""

    instructions_per_byte: _Positive
    """Instructions that the board executes for a byte."""

    published: Speed
    """What is published for such a processor."""


class Cycles(Table):
    """The file."""

    board: Board
    """The board, and what it stands for."""

    algorithms: Annotated[tuple[Algorithm, ...], Field(min_length=1)]
    """What cryptography costs."""

    def charged(self, algorithm: Algorithm) -> float:
        """Cycles of the real clock for a byte, as the board's rate of instructions has them."""
        rate = load_profile(self.board.profile).on_clock("flat").cpu.rate
        return algorithm.instructions_per_byte * self.board.clock_hz / rate

    def stands_for(self, cpu: Cpu | None) -> bool:
        """Whether what the file says holds for a board with that CPU: it counts instructions, at
        the same rate.
        """
        own = load_profile(self.board.profile).cpu
        return cpu is not None and (cpu.clock, cpu.model, cpu.instructions_per_second) == (
            "flat",
            own.model,
            own.instructions_per_second,
        )

    @property
    def most(self) -> float:
        """How many times as slow as published software is at the worst."""
        return max(self.charged(each) / each.published.cycles for each in self.algorithms)


def load_cycles() -> tuple[Cycles, ...]:
    """The files of all studies that have one.

    Raises `FiresteelError` when one says something that is not allowed, or none has any.
    """
    found = [path for study in load_studies() if (path := study.file(FILE))]
    if not found:
        raise FiresteelError(f"{STUDIES}: no study has a `{FILE}`; one is needed.")
    return tuple(_read(path) for path in found)


def _read(path: Path) -> Cycles:
    cycles = toml.read_model(path, Cycles)
    check_named(cycles.board.profile, path)
    return cycles


def flat_time(measured: Measured) -> str:
    """What that does to figures of these boards, whose clocks count instructions.

    A file is of one CPU at one rate; of any other board it is not known.
    """
    files = load_cycles()
    boards = dict.fromkeys((name, _of(cpu, files)) for name, cpu in measured)
    told = [
        _costs(names, cycles)
        for cycles in files
        if (names := [name for name, its in boards if its is cycles])
    ]
    if unknown := [name for name, its in boards if its is None]:
        told.append(
            f"How far off cryptography in software is on the {boards_named(unknown)} is not known."
        )
    return " ".join(told)


def cycles_of(measured: Measured) -> tuple[Cycles, ...]:
    """The files of these boards; none where one of the boards has none."""
    files = load_cycles()
    found = [_of(cpu, files) for _, cpu in measured]
    return () if None in found else tuple(dict.fromkeys(filter(None, found)))


def _of(cpu: Cpu | None, files: Iterable[Cycles]) -> Cycles | None:
    return next((cycles for cycles in files if cycles.stands_for(cpu)), None)


def boards_named(boards: Sequence[str]) -> str:
    """Boards by their names, in a sentence; those that differ in numbers alone, as in a sweep, by
    that of the board that they are made of.
    """
    names = dict.fromkeys(name.partition("+")[0] for name in boards)
    return f"board{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _costs(boards: Sequence[str], cycles: Cycles) -> str:
    """What these boards are charged, and what it makes of figures, in two sentences."""
    costs = "; ".join(
        f"{cycles.charged(each):.0f} for {each.name}, where "
        f"{each.published.cycles:.0f} are published"
        for each in cycles.algorithms
    )
    return (
        f"On the {boards_named(boards)}, cryptography in software is charged more cycles "
        f"per byte than a {cycles.board.processor} takes: {costs}. Where these keep the CPU "
        f"busy, gains are up to {cycles.most:.1f} times too high and break-evens too low; for "
        "other algorithms it is not known by how much."
    )
