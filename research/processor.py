# SPDX-License-Identifier: Apache-2.0
"""Published figures of a processor, in the folder `published/NAME/`: `processor.toml`, and a row of
`costs.csv` for each operation.  `priors.toml` has the costs of instructions and misses before any
row is considered (published/README.md).

No code knows a processor by its name.
"""

import datetime
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.tidy import read_rows
from firesteel.base.toml import Table
from firesteel.boards.profile import (
    EVENTS,
    MOST_CYCLES,
    UNITS,
    check_named,
    check_whole,
    instructions_of,
)
from firesteel.judge import study
from firesteel.judge.results import Results
from firesteel.model.figure import Parameter, operation_window

FILE = "processor.toml"
COSTS = "costs.csv"
PRIORS = "priors.toml"

ASSUMED = "assumed"
"""The source of what nobody published."""

LEAST = 1 / UNITS
"""Cycles that a cost is not below: what the emulator counts in."""

Kind = Literal["assembler", "compiled", "kernel", "memory"]
"""Which code a row is of: assembler's, a compiler's, the kernel's; or memory's own time."""

Role = Literal["fitted", "held-out"]
"""Whether a board may be fitted to a row."""

KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

Item = TypeVar("Item")

_OrEmpty = Annotated[Item | None, BeforeValidator(lambda text: text or None)]


class FirstGoal(Table):
    """How far a board may be off, percent, and since when."""

    each: Positive
    """Each row."""

    median: Positive | None = None
    """The median of the rows of one role, at most `each`; no goal without it."""

    date: datetime.date
    """Day on which the goal was set: `2026-11-24`."""

    reason: str = ""
    """Why it was set so; left out if nobody wrote it down."""

    @model_validator(mode="after")
    def _can_miss_both(self) -> Self:
        if self.median is not None and self.median > self.each:
            raise ValueError(
                f"`median` is {self.median:g}, and `each` is {self.each:g}; allowed is a median up "
                "to `each`, as a looser one can never be missed first"
            )
        return self


class Goal(FirstGoal):
    """The same; a goal that was moved keeps its first values."""

    first: FirstGoal | None = None
    """What a goal that was moved was at first."""

    @property
    def first_each(self) -> float:
        """What `each` was at first, percent."""
        return (self.first or self).each


class ProcessorFile(Table):
    """What `processor.toml` may say."""

    processor: str
    """Its name."""

    clock_hz: Positive
    """The clock of the chip that boards stand for whose own clock counts instructions."""

    boards: tuple[str, ...] = ()
    """Profiles of this checkout that stand for it."""

    goals: Mapping[Kind, Goal]
    """How far a board may be off, by the kind of row."""

    sources: Mapping[str, Mapping[Literal["title", "url", "conditions"], str]]
    """The sources of figures, by their names in rows: title, publisher, address, and the processor,
    clock and software of the measurement.
    """

    scalings: Mapping[str, Mapping[Literal["processor", "factor", "why"], Positive | str]] = {}
    """Scaling of another `processor`'s figures, by its name in rows: this processor takes `factor`
    times as many cycles.
    """

    facts: tuple[Mapping[Literal["name", "value", "unit", "source", "place"], Any], ...] = ()
    """What else is known of the processor, each from a place in one of the `sources`; the value is
    a number, or numbers to choose from."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for fact in self.facts:
            _check_key("source", fact["source"], self.sources)
        if missing := [kind for kind in KINDS if kind not in self.goals]:
            raise ValueError(f"`goals` has no `{missing[0]}`; needed are {', '.join(KINDS)}")
        return self


class Cost(Table):
    """A row of `costs.csv`: what an operation costs, in a line whose fields are texts."""

    id: Annotated[str, Field(min_length=1)]
    """The row's name."""

    what: Annotated[str, Field(min_length=1)]
    """The operation."""

    size: _OrEmpty[Annotated[int, Field(gt=0)]]
    """Bytes that it is done with, if that matters."""

    implementation: str
    """Which code."""

    kind: Kind
    """Which kind of it."""

    role: Role
    """Whether a board may be fitted to it."""

    value: Positive
    """The figure."""

    unit: Literal["cycles/byte", "ns", "MB/s", "DMIPS/MHz"]
    """Its unit; a megabyte is 10^6 bytes."""

    clock_hz: _OrEmpty[Positive]
    """The clock of the source's processor; None where the figure is in cycles."""

    scales: Literal["clock", "memory"]
    """Whether its time goes with the processor's clock, or is memory's at any clock."""

    source: str
    """A key of `sources`."""

    place: str
    """Where in the source."""

    scaled_from: str
    """A key of `scalings`; empty for a figure of the processor itself."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.clock_hz is None and self.unit != "cycles/byte":
            raise ValueError(f"`clock_hz` is empty; a figure in {self.unit} needs one")
        return self

    @property
    def parameter(self) -> Parameter:
        """Columns that our figures of the same operation share."""
        return Parameter(operation=self.what, size_bytes=self.size)

    @property
    def window(self) -> str:
        """The window of a board's marks that is of the same operation."""
        return operation_window(self.what, self.size)

    def at(self, clock_hz: float) -> float:
        """The figure of a processor with another clock."""
        if self.unit not in ("ns", "MB/s") or self.scales == "memory" or self.clock_hz is None:
            return self.value
        faster = clock_hz / self.clock_hz
        return self.value * faster if self.unit == "MB/s" else self.value / faster


class Prior(Table):
    """What a class of instructions or an event is taken for."""

    cycles: Annotated[Positive, Field(le=MOST_CYCLES, multiple_of=1 / UNITS)]
    """Cycles, in eighths."""

    nanoseconds: Annotated[float, Field(ge=0, le=MOST_CYCLES)] = 0
    """Time in addition to the cycles: memory's."""

    least: Annotated[float, Field(ge=LEAST, le=MOST_CYCLES, multiple_of=1 / UNITS)] = LEAST
    """Cycles that no fit goes below, in eighths."""

    source: Annotated[str, Field(min_length=1)]
    """A key of the processor's `sources`, or `assumed`."""

    why: Annotated[str, Field(min_length=1)]
    """How it follows from the source, or why it is assumed."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.least > self.cycles:
            raise ValueError(
                f"least is {self.least:g}; allowed is at most {self.cycles:g}, the prior"
            )
        return self

    @property
    def is_assumed(self) -> bool:
        """Whether nobody published it."""
        return self.source == ASSUMED

    @property
    def is_of_memory(self) -> bool:
        """Whether a part of it is memory's time."""
        return self.nanoseconds > 0

    def at(self, hertz: float) -> float:
        """Cycles, at that frequency."""
        return self.cycles + self.nanoseconds * hertz / 1e9

    @property
    def least_total(self) -> float:
        """Cycles that the sum of both parts is not below, whatever the frequency: of a cost that is
        memory's in part, the part that is not.
        """
        return self.cycles if self.is_of_memory else self.least


class PriorsFile(Table):
    """What `priors.toml` may say."""

    instructions: Mapping[str, Prior]
    """By class of instruction."""

    events: Mapping[str, Prior]
    """By event."""

    @model_validator(mode="after")
    def _are_whole(self) -> Self:
        check_whole("instructions", set(self.instructions), instructions_of(self.instructions))
        check_whole("events", set(self.events), EVENTS)
        return self


@dataclass(frozen=True)
class Processor:
    """A processor: the name of its folder, its file and its rows."""

    name: str
    file: ProcessorFile
    costs: tuple[Cost, ...]


def load_processors(directory: Path | None = None) -> tuple[Processor, ...]:
    """All of the checkout or a directory, by name.

    Raises `FiresteelError` when a file is not as it should be, or none is there.
    """
    where = directory or study.STUDIES
    found = []
    for path in sorted(where.glob(f"*/{FILE}")):
        file = toml.read_model(path, ProcessorFile)
        for board in file.boards:
            check_named(board, path)
        costs = tuple(_read_costs(path.parent / COSTS, file))
        found.append(Processor(path.parent.name, file, costs))
    if not found:
        raise FiresteelError(f"{where}: there is no processor; NAME/{FILE} is needed.")
    return tuple(found)


def load_priors(processor: Processor, directory: Path | None = None) -> Mapping[str, Prior]:
    """The priors of a processor of the checkout, or of a directory, in the emulator's order.

    Raises `FiresteelError` when there is no file, or it is not as it should be.
    """
    path = (directory or study.STUDIES) / processor.name / PRIORS
    if not toml.is_there(path):
        raise FiresteelError(
            f"{path}: is missing; a fit begins with what it says of each class of instructions and "
            "each event."
        )
    file = toml.read_model(path, PriorsFile)
    each = {**file.instructions, **file.events}
    for name, prior in each.items():
        try:
            _check_key("source", prior.source, {ASSUMED, *processor.file.sources})
        except ValueError as error:
            raise FiresteelError(f"{path}: `{name}`: {error}.") from None
    return {name: each[name] for name in instructions_of(each) + EVENTS}


def _read_costs(path: Path, file: ProcessorFile) -> Iterator[Cost]:
    columns, known = tuple(Cost.model_fields), set[str]()
    for number, line in enumerate(read_rows(path, columns, "published costs"), 2):
        try:
            cost = Cost.model_validate(line)
            _check_key("source", cost.source, file.sources)
            if cost.scaled_from:
                _check_key("scaled_from", cost.scaled_from, file.scalings)
            if cost.id in known:
                raise ValueError(f"there is a row `{cost.id}` already; names are unique")
        except ValueError as error:
            raise FiresteelError(f"{path}: row {number}: {_sentence(error)}.") from None
        known.add(cost.id)
        yield cost


def operations(results: Results, board: str) -> dict[str, dict[str, float]]:
    """Figures of single operations on a board: by the text of the parameter, then by metric."""
    found: dict[str, dict[str, float]] = {}
    for result in results.means:
        parameter = result.identity.parameter
        if parameter.operation is not None and result.identity.board == board:
            found.setdefault(parameter.text, {})[result.metric] = result.value
    return found


def in_unit(cost: Cost, values: Mapping[str, float], clock_hz: float) -> float | None:
    """Our figure in the row's unit, from values by metric; None where there is none."""
    metric = "operation_time" if cost.unit == "ns" else "throughput"
    if metric not in values or cost.unit == "DMIPS/MHz":
        return None
    if cost.unit == "cycles/byte":
        return clock_hz / (values[metric] * 1e6)
    return values[metric]


def _check_key(what: str, key: str, known: Collection[str]) -> None:
    """Raises `ValueError` when it is not among those that are known."""
    if key not in known:
        raise ValueError(f"`{what}` is `{key}`; allowed are {', '.join(sorted(known)) or 'none'}")


def _sentence(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    told = first["msg"].removeprefix("Value error, ")
    return f"`{where}`: {told}, found `{first['input']}`" if where else told
