# SPDX-License-Identifier: Apache-2.0
"""Assumptions: numbers of boards and links that nobody has measured, with the range in which each
may lie.

They are in `board/assumptions.toml`.  `Assumption.on` says what one means for a board or a
topology: the same with the number at either end of its range, all else as it was.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import FACTOR, in_words, unit_of
from firesteel.base.toml import Table, check_distinct
from firesteel.boards import numbers
from firesteel.boards.cores import NAME
from firesteel.boards.numbers import COSTS
from firesteel.boards.profile import (
    BOARD_FILES,
    INSTRUCTIONS_64,
    MEANINGS,
    SHARING,
    Profile,
    scaled,
    table_of,
)
from firesteel.boards.topology import Topology

ASSUMPTIONS = BOARD_FILES / "assumptions.toml"
"""Those of this checkout."""

End = Literal["low", "high"]
ENDS: tuple[End, ...] = ("low", "high")


@dataclass(frozen=True)
class Level:
    """A board or topology with an assumption at one end of its range; the number is `value`."""

    value: float
    content: Profile | Topology


@dataclass(frozen=True)
class Variation:
    """An assumption on one board or topology: `nominal` is the number in its file; all three
    numbers have `unit`.
    """

    unit: str
    nominal: float
    low: Level
    high: Level

    def at(self, end: End) -> Level:
        """That end."""
        return self.low if end == "low" else self.high


class Assumption(Table):
    """A number that is assumed, and the range in which it may lie."""

    name: str = Field(pattern=NAME)
    """Name for `--assumption`."""
    title: str = Field(min_length=1)
    """Display name."""
    parameter: str
    """Path of the number in a [profile](profile.md), such as `cpu.hertz`, or in a
    [topology](topology.md), such as `links.*.latency_ns`, where `*` stands for all links; or
    `cpu.costs`.
    """
    classes: tuple[str, ...] | None = None
    """[Classes of instructions and events](processor.md#instructions-that-cost) whose costs vary
    together; for `cpu.costs` only.
    """
    relative: bool = True
    """Whether `low` and `high` are factors of the board's number, or values in its unit."""
    low: float = Field(gt=0)
    """Lower end of the range."""
    high: float = Field(gt=0)
    """Upper end of the range, above `low`."""
    absent: bool = False
    """Whether the number, then 0, also varies on boards that do not set it; needs `relative =
    false`.
    """
    clause: str | None = None
    """Beginning of a sentence that ends in `more than 640 ns`, such as `a register access takes`;
    default: from the title.
    """
    needs: dict[str, bool | int | str] | None = None
    """Values that a board needs for the number to matter, by path, such as `{ "memory.dma" =
    "non-coherent" }`.
    """
    why: str = Field(min_length=1)
    """Why the number is assumed, and the reason for the range."""

    @model_validator(mode="after")
    def _is_of_something(self) -> Self:
        if self.absent and self.relative:
            raise ValueError("`absent` goes with `relative = false`: 0 times a factor is 0")
        if self.low >= self.high:
            raise ValueError(
                f"`low` is {self.low:g} and `high` {self.high:g}; `high` must be larger"
            )
        for path in self.needs or ():
            numbers.type_at(path)
        if self.parameter != COSTS:
            if self.classes is not None:
                raise ValueError(f"`classes` are for `{COSTS}` only")
            numbers.Path("", self.parameter).check()
            return self
        if not self.classes:
            raise ValueError(f"`{COSTS}` needs `classes`")
        if not self.relative:
            raise ValueError(f"`{COSTS}` has no values; leave out `relative`")
        check_distinct("classes", self.classes)
        for name in self.classes:
            if name not in MEANINGS:
                raise ValueError(f"`classes` has `{name}`; allowed are {', '.join(MEANINGS)}")
        return self

    @property
    def said(self) -> str:
        """How a sentence on the number begins."""
        return self.clause or f"{self.title} is"

    @property
    def on_cores(self) -> bool:
        """Whether it is of the cores, and so nothing to whoever does not use them."""
        return self.parameter.startswith("cores.")

    @property
    def on_links(self) -> bool:
        """Whether it is of a topology's links, and not of a board."""
        return self.parameter.startswith("links.")

    def unit_at(self, value: float) -> str:
        """The unit of a value at an end of the range: none but a factor is there where boards have
        several numbers.
        """
        factor = self.parameter == COSTS or (self.relative and value in (self.low, self.high))
        return FACTOR if factor else unit_of(self.parameter)

    def on(self, content: Profile | Topology) -> Variation | None:
        """Its meaning for a board, or for a topology if it concerns links.  None if it has no
        meaning: the board lacks the part or its requirement, or its clock counts something else.

        Raises `FiresteelError` where it is of several numbers that are not the same, or a file may
        not have the number at an end.
        """
        if isinstance(content, Topology) != self.on_links:
            return None
        if isinstance(content, Profile) and not self._matters(content):
            return None
        try:
            if self.parameter == COSTS and isinstance(content, Profile):
                return self._of_costs(content)
            return self._of_number(content)
        except (FiresteelError, ValueError) as error:
            told = str(error).rstrip(".")
            raise FiresteelError(f"The assumption `{self.name}` cannot vary: {told}.") from None

    def _matters(self, board: Profile) -> bool:
        said = numbers.parts_of_board(board) if self.needs else {}
        has_needs = all(said.get(path) == value for path, value in (self.needs or {}).items())
        not_of_all = set(self.classes or ()) & {*SHARING, *INSTRUCTIONS_64}
        is_known = not_of_all <= table_of(board.cpu.costs).keys()
        return not numbers.why_idle(board.cpu, self.parameter) and has_needs and is_known

    def _of_costs(self, profile: Profile) -> Variation:
        costs = profile.cpu.costs or ""

        def level(factor: float) -> Level:
            cpu = profile.cpu.model_copy(
                update={"costs": scaled(costs, self.classes or (), factor)}
            )
            return Level(factor, profile.model_copy(update={"cpu": cpu}))

        return Variation(FACTOR, 1.0, level(self.low), level(self.high))

    def _of_number(self, content: Profile | Topology) -> Variation | None:
        values = set(filter(None, numbers.numbers_of(content, self.parameter)))
        if not values:
            return self._of_none(content) if self.absent else None
        if len(values) > 1 and not self.relative:
            said = ", ".join(f"{value:g}" for value in sorted(values))
            raise FiresteelError(f"`{self.parameter}` is several numbers ({said}), one is allowed")

        def level(end: float) -> Level:
            made = numbers.changed(
                content, self.parameter, lambda value: value * end if self.relative else end
            )
            found = next(filter(None, numbers.numbers_of(made, self.parameter)))
            return Level(found if len(values) == 1 else end, made)

        unit, nominal = unit_of(self.parameter), next(iter(values))
        if len(values) > 1:
            unit, nominal = FACTOR, 1.0
        return Variation(unit, nominal, level(self.low), level(self.high))

    def _of_none(self, content: Profile | Topology) -> Variation | None:
        """Of a board without it; None where it may have none."""
        if not numbers.numbers_of(content, self.parameter):
            return None
        try:
            low, high = (
                Level(end, numbers.with_number(content, self.parameter, end))
                for end in (self.low, self.high)
            )
        except FiresteelError:  # Such as of cores that take no time at all.
            return None
        return Variation(unit_of(self.parameter), 0, low, high)


class Assumptions(Table):
    """What the file says."""

    assumptions: Annotated[tuple[Assumption, ...], Field(min_length=1)]
    """The assumptions, in the order of presentation; their names are unique."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        check_distinct("assumptions", tuple(each.name for each in self.assumptions))
        return self


def load_assumptions(path: Path = ASSUMPTIONS) -> tuple[Assumption, ...]:
    """All of a file; `FiresteelError` where it is not there or says what is not allowed."""
    return toml.read_model(path, Assumptions).assumptions


def name_at(of: str, assumption: str, value: float) -> str:
    """The name of a board or topology with that value of an assumption:
    `socrates+register-access-50`.
    """
    return f"{of}+{assumption}-{value:.15g}"


def level_in_words(name: str) -> str:
    """Such a name as people read it: `register access 50 ns`; others as they are.  Numbers of a
    sweep come before it.
    """
    of, _, said = name.rpartition("+")
    swept = f"{numbers.name_in_words(of)}, " if numbers.is_made(of) else ""
    for each in _known():
        try:
            value = float(said.removeprefix(f"{each.name}-"))
        except ValueError:
            continue
        if name == name_at(of, each.name, value):
            return f"{swept}{each.title} {in_words(value, each.unit_at(value))}"
    return name


@cache
def _known() -> tuple[Assumption, ...]:
    return load_assumptions()
