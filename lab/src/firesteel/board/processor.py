# SPDX-License-Identifier: Apache-2.0
"""A processor: what its instructions, its cache misses and its exceptions cost.

Each is a file in `board/processors/`.  The emulator charges by it on boards whose clock counts
cycles ([virtual time](../virtual-time.md)).
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT

PROCESSORS = CHECKOUT / "board" / "processors"
"""Where the processors of this checkout are."""

UNITS = 8
"""Of a cycle: the emulator counts in eighths."""

INSTRUCTIONS = (
    *("integer", "shifted-operand", "register-shift", "multiply", "multiply-long", "divide"),
    *("load", "store", "load-multiple", "load-multiple-register"),
    *("store-multiple", "store-multiple-register", "branch", "call", "indirect-branch"),
    *("neon-double", "neon-quad", "neon-multiply-double", "neon-multiply-quad"),
    *("neon-permute-double", "neon-permute-quad", "neon-shift-double", "neon-shift-quad"),
    *("neon-load", "neon-load-register", "neon-store", "neon-store-register", "neon-core-move"),
    *("float", "float-divide", "barrier", "system-read", "system-write", "cache-maintenance"),
    *("supervisor-call", "exception-return", "other"),
    *("dependent-integer", "dependent-load", "dependent-multiply"),
)
"""Classes of instructions, as the emulator has them (`board/qemu/devices/cycles-classes.h`)."""

EVENTS = (
    *("exception", "fetch-level-2", "fetch-level-2-next", "fetch-memory", "fetch-memory-next"),
    *("load-level-2", "load-level-2-next", "load-memory", "load-memory-next"),
    *("store-level-2", "store-memory", "store-memory-next"),
    *("translation", "uncached-load", "uncached-store"),
)
"""What costs time besides, as the emulator has it."""

CACHES = ("fetch", "data", "level-2", "translation")
"""What the emulator models, in lines of 32 bytes; `translation` in pages."""

_MOST_CYCLES = 2047

_LEAST_COST = 1
"""In the emulator's units: what costs something at all is never free."""

_FROZEN = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Cost(BaseModel):
    """What a class of instructions or an event costs each time, and who says so."""

    model_config = _FROZEN

    cycles: float = Field(default=0, ge=0, le=_MOST_CYCLES, multiple_of=1 / UNITS)
    """Cycles, in eighths."""
    nanoseconds: float = Field(default=0, ge=0, le=_MOST_CYCLES)
    """Time on top of them, whatever the processor's frequency: that of memory."""
    source: str = Field(min_length=1)
    """Where the number is from: a document, or what it was fitted to."""

    def units(self, hertz: int) -> int:
        """What the emulator charges at that frequency."""
        return round((self.cycles + self.nanoseconds * hertz / 1e9) * UNITS)


class Cache(BaseModel):
    """The shape of a cache; both numbers are powers of two."""

    model_config = _FROZEN

    sets: int = Field(ge=1, le=65536)
    """Sets."""
    ways: int = Field(ge=1, le=16)
    """Lines in each set, of which the oldest is lost first."""

    @model_validator(mode="after")
    def _are_powers_of_two(self) -> Self:
        for name, value in (("sets", self.sets), ("ways", self.ways)):
            if value & (value - 1):
                raise ValueError(f"{name} is {value}; allowed are powers of two")
        return self


def _whole(table: str, found: set[str], known: tuple[str, ...]) -> None:
    if missing := sorted(set(known) - found):
        raise ValueError(f"`{missing[0]}` is missing in [{table}]")
    if strange := sorted(found - set(known)):
        raise ValueError(f"`{strange[0]}` in [{table}] is unknown; there are: {', '.join(known)}")


class Processor(BaseModel):
    """A processor's caches and costs: everything that the emulator tells apart, once."""

    model_config = _FROZEN

    title: str = Field(min_length=1)
    """Its name for people."""
    caches: dict[str, Cache]
    """`fetch`, `data`, `level-2`, `translation`."""
    instructions: dict[str, Cost]
    """By class of instruction."""
    events: dict[str, Cost]
    """By event."""

    @model_validator(mode="after")
    def _are_whole(self) -> Self:
        _whole("caches", set(self.caches), CACHES)
        _whole("instructions", set(self.instructions), INSTRUCTIONS)
        _whole("events", set(self.events), EVENTS)
        return self

    def table(self, hertz: int, caches: Mapping[str, Cache] | None = None) -> str:
        """All of it in the emulator's words: `NAME:VALUE/…`, costs in eighths of a cycle of that
        frequency, caches in sets and ways.

        `caches` stand in for those of the same name.
        """
        costs = {**self.instructions, **self.events}
        table = {name: costs[name].units(hertz) for name in INSTRUCTIONS + EVENTS}
        for name, cache in {**self.caches, **(caches or {})}.items():
            table |= {f"{name}-sets": cache.sets, f"{name}-ways": cache.ways}
        return "/".join(f"{name}:{value}" for name, value in table.items())


def scaled(table: str, classes: Collection[str], factor: float) -> str:
    """A table in the emulator's words (`Processor.table`) with the costs of some classes of
    instructions or events times a factor, each rounded to an eighth of a cycle.

    What costs nothing stays free; what costs something costs an eighth at the least.  Raises
    `ValueError` where the table lacks a class, or a cost is more than the emulator takes.
    """
    costs = {name: int(value) for name, _, value in (e.partition(":") for e in table.split("/"))}
    for name in classes:
        if name not in costs:
            raise ValueError(f"there is no class `{name}`; there are: {', '.join(costs)}")
        if costs[name]:
            costs[name] = max(_LEAST_COST, round(costs[name] * factor))
        if costs[name] > _MOST_CYCLES * UNITS:
            raise ValueError(
                f"`{name}` would cost {costs[name] / UNITS:g} cycles; allowed are {_MOST_CYCLES}"
            )
    return "/".join(f"{name}:{value}" for name, value in costs.items())


def processor_names() -> list[str]:
    """The names of all processors, sorted."""
    return toml.names_in(PROCESSORS)


def load_processor(name: str, directory: Path = PROCESSORS) -> Processor:
    """The processor of that name; `FiresteelError` when there is none or its file is wrong."""
    return toml.read_named("processor", name, directory, Processor)
