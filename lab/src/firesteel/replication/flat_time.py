# SPDX-License-Identifier: Apache-2.0
"""How far flat time is off: what cryptography is charged on a board, beside what is published for
the processor that it stands for (`cycles.toml` of a published study).

Virtual time charges every instruction alike.  Code for cryptography executes more instructions in a
cycle than other code does, so a rate that suits programs as a whole makes it too slow.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from firesteel.analysis.study import STUDIES, files
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.board.profile import Cpu, load_profile

Measured = Iterable[tuple[str, Cpu | None]]
"""Names of measured boards with their CPUs as recorded; None of a record that does not tell."""

_Positive = Annotated[float, Field(gt=0)]


class Board(Table):
    """A board's file, and the processor that it stands for."""

    profile: str
    processor: str
    clock_hz: _Positive


class Speed(Table):
    """What a real processor does."""

    bytes_per_second: _Positive
    clock_hz: _Positive

    @property
    def cycles(self) -> float:
        """For a byte."""
        return self.clock_hz / self.bytes_per_second


class Algorithm(Table):
    """What an algorithm costs here and there."""

    name: str
    suite: str
    instructions_per_byte: _Positive
    published: Speed


class Cycles(Table):
    """The file."""

    board: Board
    algorithms: Annotated[tuple[Algorithm, ...], Field(min_length=1)]

    def charged(self, algorithm: Algorithm) -> float:
        """Cycles of the real clock for a byte, as the board's rate of instructions has them."""
        rate = load_profile(self.board.profile).cpu.instructions_per_second
        return algorithm.instructions_per_byte * self.board.clock_hz / rate

    def stands_for(self, cpu: Cpu | None) -> bool:
        """Whether what the file says holds for a board with that CPU."""
        return cpu == load_profile(self.board.profile).cpu

    @property
    def most(self) -> float:
        """How many times as slow as published software is at the worst."""
        return max(self.charged(each) / each.published.cycles for each in self.algorithms)


def load_cycles(path: Path | None = None) -> Cycles:
    """The content of the file, or of the first study's that has one.

    Raises `FiresteelError` when it says something that is not allowed.
    """
    return toml.read_model(path or cycles_file(), Cycles)


def cycles_file() -> Path:
    """The first study's file; `FiresteelError` when none has one."""
    found = files("cycles.toml")
    if not found:
        raise FiresteelError(f"{STUDIES}: no study has a `cycles.toml`; one is needed.")
    return found[0]


def flat_time(measured: Measured | None = None) -> str:
    """What that does to figures of these boards, or to those of the file's own.

    The file is of one CPU at one rate; of any other board it is not known.
    """
    cycles = load_cycles()
    boards = [(cycles.board.profile, True)] if measured is None else _known(measured, cycles)
    known, unknown = (
        [name for name, is_so in boards if is_so is wanted] for wanted in (True, False)
    )
    told = [_costs(known, cycles)] if known else []
    if unknown:
        told.append(
            f"How far off cryptography in software is on the {_named(unknown)} is not known."
        )
    return " ".join(told)


def is_known(measured: Measured) -> bool:
    """Whether the file stands for all of these boards."""
    return all(known for _, known in _known(measured, load_cycles()))


def _known(measured: Measured, cycles: Cycles) -> list[tuple[str, bool]]:
    return list(dict.fromkeys((name, cycles.stands_for(cpu)) for name, cpu in measured))


def _named(boards: Sequence[str]) -> str:
    return f"board{'s' if len(boards) > 1 else ''} {', '.join(boards)}"


def _costs(boards: Sequence[str], cycles: Cycles) -> str:
    """What these boards are charged, and what it makes of figures, in two sentences."""
    costs = "; ".join(
        f"{cycles.charged(each):.0f} for {each.name}, where "
        f"{each.published.cycles:.0f} are published"
        for each in cycles.algorithms
    )
    return (
        f"On the {_named(boards)}, cryptography in software is charged more cycles "
        f"per byte than a {cycles.board.processor} takes: {costs}. Where these keep the CPU "
        f"busy, gains are up to {cycles.most:.1f} times too high and break-evens too low; for "
        "other algorithms it is not known by how much."
    )
