# SPDX-License-Identifier: Apache-2.0
"""A processor: what its instructions, its cache misses and its exceptions cost.

Each is a file in `board/processors/`.  The emulator charges by it on boards whose clock counts
cycles ([virtual time](../virtual-time.md)).
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, shortened
from firesteel.base.schema import Table

PROCESSORS = CHECKOUT / "board" / "processors"
"""Where the processors of this checkout are."""

UNITS = 8
"""Of a cycle: the emulator counts in eighths."""

_INSTRUCTIONS: Mapping[str, str] = {
    "integer": "move, sum or logic; a shift by a constant",
    "shifted-operand": "sum or logic with an operand that is shifted by a constant",
    "register-shift": "shift by a register, alone or of an operand",
    "multiply": "product of 32 bits",
    "multiply-long": "product of 64 bits",
    "divide": "division",
    "load": "one register from memory; also a preload",
    "store": "one register to memory",
    "load-multiple": "two registers or more from memory, besides what each costs",
    "load-multiple-register": "each register of such a load",
    "store-multiple": "two registers or more to memory, besides what each costs",
    "store-multiple-register": "each register of such a store",
    "branch": "direct branch, taken or not",
    "call": "branch with a link",
    "indirect-branch": "branch to a register or to what was loaded; a return",
    "neon-double": "NEON: sum, logic, comparison, on 64 bits",
    "neon-quad": "NEON: the same on 128 bits",
    "neon-multiply-double": "NEON: product on 64 bits; anything on floating point",
    "neon-multiply-quad": "NEON: the same on 128 bits, or with a result of 128 bits",
    "neon-permute-double": "NEON: permutation on 64 bits",
    "neon-permute-quad": "NEON: permutation on 128 bits",
    "neon-shift-double": "NEON: shift on 64 bits",
    "neon-shift-quad": "NEON: shift on 128 bits",
    "neon-load": "NEON's and floating-point registers from memory, besides what each costs",
    "neon-load-register": "each 64 bits of such a load",
    "neon-store": "NEON's and floating-point registers to memory, besides what each costs",
    "neon-store-register": "each 64 bits of such a store",
    "neon-core-move": "move between the register files",
    "float": "floating point, one number",
    "float-divide": "floating point: division, square root",
    "barrier": "DSB, DMB, ISB",
    "system-read": "reading a system register or the processor's state",
    "system-write": "writing one",
    "cache-maintenance": "cleaning or invalidating a line by its address",
    "supervisor-call": "SVC, besides the exception",
    "exception-return": "return from an exception",
    "other": "anything else",
    "dependent-integer": "on top, if the next instruction needs the result of a sum or shift",
    "dependent-load": "on top, if it needs what was loaded",
    "dependent-multiply": "on top, if it needs a product of 32 bits",
}

_EVENTS: Mapping[str, str] = {
    "exception": "an exception is taken, of any kind",
    "fetch-level-2": "a line of code comes from the second level",
    "fetch-level-2-next": "the same, and the line before it is in the first level",
    "fetch-memory": "a line of code comes from memory",
    "fetch-memory-next": "the same, and the line before it is in the first level",
    "load-level-2": "a line that is read comes from the second level",
    "load-level-2-next": "the same, and the line before it is in the first level",
    "load-memory": "a line that is read comes from memory",
    "load-memory-next": "the same, and the line before it is in the first level",
    "store-level-2": "a line that is written comes from the second level",
    "store-memory": "a line that is written comes from memory",
    "store-memory-next": "the same, and the line before it is in the first level",
    "translation": "the translation of a miss's page is not at hand",
    "uncached-load": "memory is read that the guest has not cached",
    "uncached-store": "memory is written that the guest has not cached",
}

MEANINGS: Mapping[str, str] = {**_INSTRUCTIONS, **_EVENTS}
"""What each class of instructions and each event is."""

INSTRUCTIONS = tuple(_INSTRUCTIONS)
"""Classes of instructions, as the emulator has them (`board/qemu/devices/cycles-classes.h`)."""

EVENTS = tuple(_EVENTS)
"""What costs time besides, as the emulator has it."""

CACHES = ("fetch", "data", "level-2", "translation")
"""What the emulator models, in lines of 32 bytes; `translation` in pages."""

MOST_CYCLES = 2047
"""Of one cost."""

_LEAST_COST = 1
"""In the emulator's units: what costs something at all is never free."""


class Cost(Table):
    """What a class of instructions or an event costs each time, and who says so."""

    cycles: float = Field(default=0, ge=0, le=MOST_CYCLES, multiple_of=1 / UNITS)
    """Cycles, in eighths."""
    nanoseconds: float = Field(default=0, ge=0, le=MOST_CYCLES)
    """Time on top of them, whatever the processor's frequency: that of memory."""
    source: str = Field(min_length=1)
    """Where the number is from: a document, or what it was fitted to."""

    def units(self, hertz: int) -> int:
        """What the emulator charges at that frequency."""
        return round((self.cycles + self.nanoseconds * hertz / 1e9) * UNITS)


class Cache(Table):
    """The shape of a cache; both numbers are powers of two."""

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


def check_whole(table: str, found: set[str], known: tuple[str, ...]) -> None:
    """Raises `ValueError` unless the names found in a table are those that are known."""
    if missing := sorted(set(known) - found):
        raise ValueError(f"`{missing[0]}` is missing in [{table}]")
    if strange := sorted(found - set(known)):
        raise ValueError(f"`{strange[0]}` in [{table}] is unknown; there are: {', '.join(known)}")


def _each_of(names: tuple[str, ...]) -> Any:
    """Says in a JSON schema that a table has these keys and no others."""
    return Field(
        json_schema_extra={"propertyNames": {"enum": list(names)}, "required": list(names)}
    )


class Processor(Table):
    """A processor's caches and costs: everything that the emulator tells apart, once."""

    title: str = Field(min_length=1)
    """Its name for people."""
    caches: Annotated[dict[str, Cache], _each_of(CACHES)]
    """`fetch`, `data`, `level-2`, `translation`: all of them."""
    instructions: Annotated[dict[str, Cost], _each_of(INSTRUCTIONS)]
    """By class of instruction: [all of them](#instructions-that-cost)."""
    events: Annotated[dict[str, Cost], _each_of(EVENTS)]
    """By event: [all of them](#events-that-cost)."""

    @model_validator(mode="after")
    def _are_whole(self) -> Self:
        check_whole("caches", set(self.caches), CACHES)
        check_whole("instructions", set(self.instructions), INSTRUCTIONS)
        check_whole("events", set(self.events), EVENTS)
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
        if costs[name] > MOST_CYCLES * UNITS:
            raise ValueError(
                f"`{name}` would cost {costs[name] / UNITS:g} cycles; allowed are {MOST_CYCLES}"
            )
    return "/".join(f"{name}:{value}" for name, value in costs.items())


def processor_names() -> list[str]:
    """The names of all processors, sorted."""
    return toml.names_in(PROCESSORS)


MODELLED = (
    "what is modelled is one Cortex-A9 (docs/calibration.md), and its figures must not stand for "
    "another processor"
)
"""What is said to who asks for another one."""


def load_processor(name: str, directory: Path = PROCESSORS) -> Processor:
    """The processor of that name; `FiresteelError` when there is none or its file is wrong."""
    if directory == PROCESSORS and name not in (known := processor_names()):
        raise FiresteelError(
            f"There is no processor `{shortened(name)}` in {directory}; there are: "
            f"{', '.join(known)}; {MODELLED}."
        )
    return toml.read_named("processor", name, directory, Processor)
