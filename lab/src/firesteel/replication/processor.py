# SPDX-License-Identifier: Apache-2.0
"""What others published of a processor: the folder `published/NAME/` with `processor.toml`, and a
row of `costs.csv` for each operation (published/README.md).

No code knows a processor by its name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from firesteel.analysis import study
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.base.tidy import read_lines
from firesteel.board.profile import check_named
from firesteel.model.parameter import Parameter, operation_window

FILE = "processor.toml"
COSTS = "costs.csv"

Kind = Literal["assembler", "compiled", "kernel", "memory"]
"""Which code a row is of: assembler's, a compiler's, the kernel's; or memory's own time."""

Role = Literal["fitted", "held-out"]
"""Whether a board may be fitted to a row."""

KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Size = Annotated[int, Field(gt=0)]


class Goal(Table):
    """How far a board may be off, percent."""

    each: Positive
    """Each row."""

    median: Positive | None = None
    """The median of the rows of one role; no goal without it."""


class Source(Table):
    """Where figures come from."""

    title: str
    """What it is called, and who published it."""

    url: str
    """The address of the page."""

    conditions: str
    """Processor, clock and software of the measurement."""


class Scaling(Table):
    """How the figure of another processor becomes one of this."""

    processor: str
    """Whose figure it is."""

    factor: Positive
    """How many times as many cycles this one takes."""

    why: str
    """What the factor follows from."""


class Fact(Table):
    """What is known of the processor that is no row."""

    name: str
    """What it is."""

    value: float | tuple[float, ...]
    """The number, or those to choose from."""

    unit: str
    """Of the number."""

    source: str
    """A key of `sources`."""

    place: str
    """Where in the source."""


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

    sources: Mapping[str, Source]
    """Where figures come from, by the names that rows have for them."""

    scalings: Mapping[str, Scaling] = {}
    """How figures of other processors were scaled, by the names that rows have for it."""

    facts: tuple[Fact, ...] = ()
    """What else is known of the processor."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for fact in self.facts:
            check_key("source", fact.source, self.sources)
        if missing := [kind for kind in KINDS if kind not in self.goals]:
            raise ValueError(f"`goals` has no `{missing[0]}`; needed are {', '.join(KINDS)}")
        return self


def _or_none(text: object) -> object:
    return None if text == "" else text


class Cost(Table):
    """A row of `costs.csv`: what an operation costs, in a line whose fields are texts."""

    id: Annotated[str, Field(min_length=1)]
    """The row's name."""

    what: Annotated[str, Field(min_length=1)]
    """The operation."""

    size: Annotated[_Size | None, BeforeValidator(_or_none)]
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

    clock_hz: Annotated[Positive | None, BeforeValidator(_or_none)]
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
        """What figures of ours have that are of the same operation."""
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
    found = tuple(_load(path) for path in sorted(where.glob(f"*/{FILE}")))
    if not found:
        raise FiresteelError(f"{where}: there is no processor; NAME/{FILE} is needed.")
    return found


def _load(path: Path) -> Processor:
    file = toml.read_model(path, ProcessorFile)
    for board in file.boards:
        check_named(board, path)
    return Processor(path.parent.name, file, _read_costs(path.parent / COSTS, file))


def _read_costs(path: Path, file: ProcessorFile) -> tuple[Cost, ...]:
    columns = tuple(Cost.model_fields)
    costs: dict[str, Cost] = {}
    for number, line in enumerate(read_lines(path, columns, "published costs"), 2):
        try:
            cost = _cost(columns, line, file)
            _check_new(cost.id, costs)
        except ValueError as error:
            raise FiresteelError(f"{path}: row {number}: {_sentence(error)}.") from None
        costs[cost.id] = cost
    return tuple(costs.values())


def _cost(columns: Sequence[str], line: Sequence[str], file: ProcessorFile) -> Cost:
    if len(line) != len(columns):
        raise ValueError(f"it has {len(line)} fields; needed are {len(columns)}")
    cost = Cost.model_validate(dict(zip(columns, line, strict=True)))
    check_key("source", cost.source, file.sources)
    if cost.scaled_from:
        check_key("scaled_from", cost.scaled_from, file.scalings)
    return cost


def check_key(what: str, key: str, known: Mapping[str, Any]) -> None:
    """Raises `ValueError` when it is not among those that are known."""
    if key not in known:
        raise ValueError(f"`{what}` is `{key}`; allowed are {', '.join(known) or 'none'}")


def _check_new(name: str, known: Mapping[str, Cost]) -> None:
    if name in known:
        raise ValueError(f"there is a row `{name}` already; names are unique")


def _sentence(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    told = first["msg"].removeprefix("Value error, ")
    return f"`{where}`: {told}, found `{first['input']}`" if where else told
