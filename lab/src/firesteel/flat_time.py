# SPDX-License-Identifier: Apache-2.0
"""How far flat time is off: what cryptography is charged on a board, beside what is published for
the processor that it stands for (`published/cycles.toml`).

Virtual time charges every instruction alike.  Code for cryptography executes more instructions in a
cycle than other code does, so a rate that suits programs as a whole makes it too slow.
"""

from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from firesteel import toml
from firesteel.board.profile import load_profile
from firesteel.published import PUBLISHED
from firesteel.schema import Table

CYCLES = PUBLISHED.with_name("cycles.toml")

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

    @property
    def most(self) -> float:
        """How many times as slow as published software is at the worst."""
        return max(self.charged(each) / each.published.cycles for each in self.algorithms)


def load_cycles(path: Path = CYCLES) -> Cycles:
    """The file's content; `FiresteelError` when it says something that is not allowed."""
    return toml.read_model(path, Cycles)


@cache
def flat_time() -> str:
    """What that does to figures, in two sentences."""
    cycles = load_cycles()
    costs = "; ".join(
        f"{cycles.charged(each):.0f} for {each.name}, where "
        f"{each.published.cycles:.0f} are published"
        for each in cycles.algorithms
    )
    return (
        f"On the board {cycles.board.profile}, cryptography in software is charged more cycles "
        f"per byte than a {cycles.board.processor} takes: {costs}. Where it keeps the CPU "
        f"busy, gains are up to {cycles.most:.1f} times too high and break-evens too low."
    )
