# SPDX-License-Identifier: Apache-2.0
"""A profile: what a board is.  Each is a file in `board/profiles/`."""

import tomllib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from firesteel.architectures import ARCHITECTURES, DEFAULT, architecture_of, cpu_models
from firesteel.architectures.architecture import Architecture
from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, shortened
from firesteel.base.quantity import Measures
from firesteel.base.toml import Table, check_distinct
from firesteel.boards.cores import Cores

PROCESSORS = CHECKOUT / "board" / "processors"
"""Where the processors of this checkout are."""

UNITS = 8
"""Units of a cycle: the emulator counts in eighths."""

_COSTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("costs.toml").read_text(encoding="utf-8")
)

INSTRUCTIONS = tuple(_COSTS["instructions"])
"""The emulator's classes of instructions."""

EVENTS = tuple(_COSTS["events"])
"""The emulator's other events that cost time."""

SHARING = tuple(_COSTS["sharing"])
"""The emulator's events that cost time if several CPUs share memory."""

INSTRUCTIONS_64 = tuple(_COSTS["instructions-64"])
"""The emulator's further classes of instructions in 64-bit code."""

MEANINGS: Mapping[str, str] = {
    name: meaning for table in _COSTS.values() for name, meaning in table.items()
}
"""What each class of instructions and each event is."""

CACHES = ("fetch", "data", "level-2", "translation")
"""What the emulator models, in lines; `translation` in pages."""

LINE_BYTES: Literal[32] = 32
"""Bytes of a line, unless the processor's file says otherwise."""

MOST_CYCLES = 2047
"""Of one cost; of its nanoseconds, too."""

_LEAST_COST = 1
"""In the emulator's units: what costs something at all is never free."""


class Cost(Table):
    """The cost of a class of instructions or an event, and its source."""

    cycles: float = Field(default=0, ge=0, le=MOST_CYCLES, multiple_of=1 / UNITS)
    """Cycles, in eighths."""
    nanoseconds: float = Field(default=0, ge=0, le=MOST_CYCLES)
    """Additional memory time, independent of the processor's frequency."""
    source: str = Field(min_length=1)
    """Source of the number: a document, or the rows it was fitted to."""

    def units(self, hertz: int) -> int:
        """What the emulator charges at that frequency."""
        return round((self.cycles + self.nanoseconds * hertz / 1e9) * UNITS)


class Cache(Table):
    """The shape of a cache; both numbers are powers of two."""

    sets: int = Field(ge=1, le=65536)
    """Number of sets."""
    ways: int = Field(ge=1, le=16)
    """Lines in each set; the oldest line is replaced first."""

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


def instructions_of(found: Collection[str]) -> tuple[str, ...]:
    """The further classes of a processor with the found ones: the classes of 64-bit code or
    none.
    """
    return INSTRUCTIONS + (INSTRUCTIONS_64 if set(found) & set(INSTRUCTIONS_64) else ())


def _each_of(names: tuple[str, ...], also: tuple[str, ...] = ()) -> Any:
    """Says in a JSON schema that a table has these keys, may have others, and has no more."""
    return Field(
        json_schema_extra={"propertyNames": {"enum": [*names, *also]}, "required": list(names)}
    )


def _registered(name: str) -> str:
    if name not in ARCHITECTURES:
        allowed = " or ".join(map(repr, ARCHITECTURES))
        raise PydanticCustomError("architecture", "allowed is {allowed}", {"allowed": allowed})
    return name


ArchitectureName = Annotated[
    str,
    AfterValidator(_registered),
    WithJsonSchema({"type": "string", "enum": list(ARCHITECTURES)}),
]
"""An architecture's name."""


class Processor(Table):
    """A processor's caches and costs: one number for everything that the emulator distinguishes."""

    title: str = Field(min_length=1)
    """Display name."""
    architecture: ArchitectureName = DEFAULT.name
    """32-bit (`armhf`) or 64-bit (`arm64`) instructions."""
    line_bytes: Literal[32, 64] = LINE_BYTES
    """Bytes of a cache line."""
    stride_lines: Literal[1, 2, 4, 8, 16] | None = None
    """Largest stride, in lines, at which prefetching makes misses cheaper; default: only the next
    line.
    """
    caches: Annotated[dict[str, Cache], _each_of(CACHES)]
    """`fetch`, `data`, `level-2` and `translation`."""
    instructions: Annotated[dict[str, Cost], _each_of(INSTRUCTIONS, INSTRUCTIONS_64)]
    """Costs by [class of instruction](#instructions-that-cost), all of them; for `arm64` also
    [classes of 64-bit code](#instructions-of-64-bit-code).
    """
    events: Annotated[dict[str, Cost], _each_of(EVENTS)]
    """Costs by [event](#events-that-cost), all of them."""
    sharing: Annotated[dict[str, Cost], _each_of(SHARING)] = Field(default={})
    """Costs of [events of several CPUs](#events-of-several-cpus); only boards with one CPU can
    leave them out.
    """

    @model_validator(mode="after")
    def _are_whole(self) -> Self:
        for table, known in (
            ("caches", CACHES),
            ("instructions", self.classes),
            ("events", EVENTS),
            ("sharing", SHARING if self.sharing else ()),
        ):
            check_whole(table, set(getattr(self, table)), known)
        return self

    @property
    def classes(self) -> tuple[str, ...]:
        """The emulator's classes of its instructions."""
        bits = ARCHITECTURES[self.architecture].code.instructions.bits
        return INSTRUCTIONS + (INSTRUCTIONS_64 if bits == 64 else ())

    def table(self, hertz: int, caches: Mapping[str, Cache] | None = None, cpus: int = 1) -> str:
        """All of it that so many CPUs know, in the emulator's words: `NAME:VALUE/…`, costs in
        eighths of a cycle of that frequency, caches in sets and ways.

        `caches` replace caches of the same name.  Raises `FiresteelError` where it lacks what
        several CPUs need.
        """
        if cpus > 1 and not self.sharing:
            raise FiresteelError(
                f"The board has {cpus} CPUs, but the file of its processor, {self.title}, has no "
                f"[sharing]: give there the cost of {', '.join(SHARING)}, or give the board one "
                "CPU."
            )
        costs = {**self.instructions, **self.events, **self.sharing}
        names = INSTRUCTIONS + EVENTS + (SHARING if cpus > 1 else ())
        names += self.classes[len(INSTRUCTIONS) :]
        table = {name: costs[name].units(hertz) for name in names}
        for name, cache in {**self.caches, **(caches or {})}.items():
            table |= {f"{name}-sets": cache.sets, f"{name}-ways": cache.ways}
        if self.line_bytes != LINE_BYTES:
            table["line-bytes"] = self.line_bytes
        if self.stride_lines:
            table["stride-lines"] = self.stride_lines
        return "/".join(f"{name}:{value}" for name, value in table.items())


def table_of(costs: str | None) -> dict[str, int]:
    """Numbers by name, in the form for the emulator (`Processor.table`)."""
    pairs = (each.partition(":") for each in (costs or "").split("/") if each)
    return {name: int(value) for name, _, value in pairs}


def scaled(table: str, classes: Collection[str], factor: float) -> str:
    """A table in the emulator's words (`Processor.table`) with the costs of some classes of
    instructions or events times a factor, each rounded to an eighth of a cycle.

    Free classes stay free; all other classes cost at least an eighth.  Raises `ValueError` where
    the table lacks a class, or a cost is more than the emulator takes.
    """
    costs = table_of(table)
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
    "what is modelled are a Cortex-A9 and a Cortex-A53 (docs/calibration.md), and their figures "
    "must not stand for another processor"
)
"""The answer to a request for another processor."""


def load_processor(name: str, directory: Path = PROCESSORS) -> Processor:
    """The processor of that name; `FiresteelError` when there is none or its file is wrong."""
    if directory == PROCESSORS and name not in (known := processor_names()):
        raise FiresteelError(
            f"There is no processor `{shortened(name)}` in {directory}; there are: "
            f"{', '.join(known)}; {MODELLED}."
        )
    path = directory / f"{name}.toml"
    if not path.is_file():
        return toml.read_named("processor", name, directory, Processor)
    return _read_processor(path, path.stat().st_mtime_ns)


@lru_cache
def _read_processor(path: Path, _changed: int) -> Processor:
    return toml.read_model(path, Processor)


BOARD_FILES = CHECKOUT / "board"
"""The part of this checkout that says what boards are."""

PROFILES = BOARD_FILES / "profiles"
"""Where the profiles of this checkout are."""

DEFAULT_BOARD = "socrates"
"""The board of the thesis, which topologies have as the one with cores."""

LEAST_RATE = 1_000_000
MOST_RATE = 1_000_000_000_000
"""Instructions per second between which the emulator's clock works."""

MOST_HERTZ = 100_000_000_000
"""Cycles per second in the same way; the emulator counts them in eighths."""

Clock = Literal["flat", "cycles"]
"""What a board's clock counts: instructions, or cycles of a processor."""

Dma = Literal["coherent", "non-coherent"]
"""Whether devices see the content of the CPU's caches, and the CPU sees writes of devices."""

MOST_INTERRUPT_DELAY_US = 67_107
"""What the emulated controller's 16 bits of 1.024 µs hold."""


_MOST_MEMORY_MIB = max(each.machine.most_memory_mib for each in ARCHITECTURES.values())


MOST_CPUS = 8
"""That the emulator runs in one virtual time."""

QUANTUM_NS = 2000
"""How far the clocks of a board's CPUs may be apart, unless its file says otherwise."""

_COUNT = ("cores", "cpus", "number", "processors", "smp")
"""How people also call the number of CPUs of a board."""


def _known(model: str) -> str:
    models = cpu_models()
    if model not in models:
        allowed = " or ".join(map(repr, models))
        raise PydanticCustomError(
            "cpu_model",
            "allowed is {allowed}, whose instruction set boards have; {modelled}",
            {"allowed": allowed, "modelled": MODELLED},
        )
    return model


CpuModel = Annotated[
    str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": cpu_models()})
]
"""A CPU model of one of the architectures."""


def _check_processor(name: str, model: str | None) -> None:
    """Raises what pydantic takes unless there is that processor, with costs of the instructions of
    the model, if that is known.
    """
    names = processor_names()
    wanted = architecture_of(model).name if model else None
    fit = [
        each for each in names if wanted in (None, load_processor(each, PROCESSORS).architecture)
    ]
    if name not in fit:
        why = MODELLED
        if name in names:
            why = f"its costs do not apply to the instructions of a `{model}`"
        allowed = " or ".join(fit) or "none yet"
        raise PydanticCustomError(
            "processor", "allowed is {allowed}; {why}", {"allowed": allowed, "why": why}
        )


class Cpu(Measures):
    """The CPUs of a board, all alike: which core is emulated, and how fast virtual time lets it
    run.  Which architecture the board has follows from it.
    """

    model: CpuModel
    """CPU core that QEMU emulates: its instruction set, not its speed."""
    instructions_per_second: int | None = Field(default=None, ge=LEAST_RATE, le=MOST_RATE)
    """Instructions per second of [virtual time](../virtual-time.md); required if the clock counts
    instructions.
    """
    clock: Clock = "flat"
    """What the clock counts: instructions (`flat`), or `cycles` of the `processor`."""
    processor: str | None = None
    """A file in `board/processors/`, without its suffix; required if the clock counts cycles."""
    hertz: int | None = Field(default=None, ge=LEAST_RATE, le=MOST_HERTZ)
    """Frequency of the processor; required if the clock counts cycles."""
    level_2: Cache | None = None
    """The second-level cache, if it differs from the processor's file."""
    counted: bool = False
    """Whether the emulator also counts instructions by class, with the clock `cycles`; costs only
    host time.
    """
    count: int = Field(default=1, ge=1, le=MOST_CPUS)
    """CPUs of the board."""
    quantum_ns: int = Field(default=QUANTUM_NS, ge=10, le=1_000_000)
    """How far the clocks of several CPUs may be apart (see [Several
    CPUs](../virtual-time.md#several-cpus)).
    """
    costs: str | None = None
    """Only in records: the processor's costs in the emulator's format."""

    @model_validator(mode="before")
    @classmethod
    def _calls_it_count(cls, said: Any) -> Any:
        if isinstance(said, dict) and (found := next((k for k in _COUNT if k in said), None)):
            raise PydanticCustomError(
                "several", "`{key}` is not known: the number of CPUs is `count`", {"key": found}
            )
        return said

    @model_serializer(mode="wrap")
    def _says_nothing_of_one(self, said: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What only several CPUs have is not said of one, whose records stay what they are."""
        kept: dict[str, Any] = said(self)
        if self.count == 1:
            kept.pop("count", None)
            kept.pop("quantum_ns", None)
        return kept

    @field_validator("processor")
    @classmethod
    def _is_modelled(cls, name: str | None, info: ValidationInfo) -> str | None:
        """Of files alone: records have the costs, whatever processors there are now."""
        if name is not None and info.context:
            _check_processor(name, info.data.get("model"))
        return name

    @model_validator(mode="after")
    def _has_what_its_clock_needs(self) -> Self:
        if "clock" not in self.model_fields_set and (self.processor or self.hertz):
            raise ValueError(
                'clock is missing: processor and hertz belong to clock = "cycles"; clock = "flat" '
                "counts instructions"
            )
        if self.clock == "cycles" and None in (self.processor, self.hertz):
            raise ValueError('clock is "cycles", which needs processor and hertz')
        if self.clock == "flat" and self.instructions_per_second is None:
            raise ValueError('clock is "flat", which needs instructions_per_second')
        return self

    @property
    def icount(self) -> str:
        """The settings of the emulator's clock, for `-icount`."""
        clock = f"rate={self.rate},sleep=off"
        if self.count > 1:
            clock += f",quantum={self.quantum_ns}"
        if self.clock == "flat":
            return clock
        return f"{clock},cycles={self.costs}{'/count:1' if self.counted else ''}"

    @property
    def rate(self) -> int:
        """What the clock counts in a virtual second: instructions or cycles."""
        rate = self.hertz if self.clock == "cycles" else self.instructions_per_second
        assert rate is not None, "the clock has what it needs"
        return rate

    def on_clock(self, clock: Clock) -> "Cpu":
        """The same CPU with that clock, and with its processor's costs if this counts cycles.

        Raises `FiresteelError` when the processor's file is wrong, or the board lacks the clock's
        rate.
        """
        if clock == "flat" and self.instructions_per_second is None:
            raise FiresteelError(
                "A board of this run has no `instructions_per_second`, which the flat clock needs; "
                "add it to the board's file, or leave out `--clock`."
            )
        if clock == "flat" or self.processor is None or self.hertz is None:
            return self.model_copy(update={"clock": clock, "costs": None})
        caches = {"level-2": self.level_2} if self.level_2 else {}
        costs = self.costs
        if costs is None:
            processor = load_processor(self.processor, PROCESSORS)
            costs = processor.table(self.hertz, caches, self.count)
        return self.model_copy(update={"clock": clock, "costs": costs})

    @property
    def architecture(self) -> Architecture:
        """The model's."""
        return architecture_of(self.model)


class Memory(Measures):
    """Main memory, as far as the architecture's machine addresses it."""

    mebibytes: int = Field(ge=512, le=_MOST_MEMORY_MIB)
    """Main memory, MiB; at most 3 GiB without high memory."""
    dma: Dma = "coherent"
    """[DMA by all devices](../dma.md): `coherent` with the CPU's caches, or `non-coherent`, so that
    Linux maintains caches around DMA.
    """


class Ethernet(Measures):
    """A board's Ethernet controllers, all alike.

    An interrupt comes `interrupt_delay_us` after the first frame that was received or sent, and
    covers all frames up to then.
    """

    interrupt_delay_us: int = Field(ge=1, le=MOST_INTERRUPT_DELAY_US)
    """Time from the first frame to the interrupt, which covers all frames since then."""


MOST_STORAGE_MIB = 4096
MOST_BYTE_S = 100_000_000_000

STORAGE = "storage"
"""The name of a board's storage among the counters of marks, next to its cores."""


class Storage(Measures):
    """A disk in virtual time, which Linux names /dev/vda.

    A request waits for the latency, together with the others under way, and then for the medium,
    which transfers one request after the other.
    """

    mebibytes: int = Field(ge=1, le=MOST_STORAGE_MIB)
    """Size, MiB. Written data take host memory."""
    read_byte_s: int = Field(ge=1000, le=MOST_BYTE_S)
    """Bandwidth of reads, bytes per second."""
    write_byte_s: int = Field(ge=1000, le=MOST_BYTE_S)
    """Bandwidth of writes, bytes per second."""
    latency_ns: int = Field(ge=0, le=1_000_000_000)
    """Latency of each request, before its transfer."""
    queue_depth: int = Field(default=1, ge=1, le=256)
    """Requests that the disk takes at once; others wait in Linux's queue."""


class Profile(Table):
    """A board's parts.  Equal profiles make equal boards, whatever they are called.

    Without `ethernet` the controllers' driver chooses when to interrupt: for nearly every frame.
    `virtio_crypto` adds QEMU's own crypto device, which takes no virtual time.
    """

    cpu: Cpu
    """The CPUs that carry the load."""
    memory: Memory
    """Main memory."""
    ethernet: Ethernet | None = None
    """The Ethernet controllers, all alike; default: an interrupt after nearly every frame."""
    cores: tuple[Cores, ...] = ()
    """[windows of crypto cores](../cores.md); names are unique."""
    virtio_crypto: bool = False
    """Adds QEMU's own crypto device, which takes no virtual time."""
    # Records of boards without stay what they are.
    storage: Storage | None = Field(default=None, exclude_if=lambda storage: storage is None)
    """[A disk](../disk.md#a-disk-that-takes-time); default: none, and files lie in main memory."""

    @property
    def architecture(self) -> Architecture:
        """What image, emulator and programs are for."""
        return self.cpu.architecture

    @property
    def architecture_name(self) -> str:
        """What that is called."""
        return self.architecture.name

    def on_clock(self, clock: Clock) -> "Profile":
        """The same board with that clock; itself where it has no processor to count cycles of."""
        if self.cpu.processor is None:
            return self
        return self.model_copy(update={"cpu": self.cpu.on_clock(clock)})

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        most = self.architecture.machine.most_memory_mib
        if self.memory.mebibytes > most:
            raise ValueError(
                f"memory.mebibytes is {self.memory.mebibytes}; a board with a {self.cpu.model} has "
                f"at most {most}"
            )
        if self.virtio_crypto and self.memory.dma == "non-coherent":
            raise ValueError(
                'virtio_crypto is true and memory.dma is "non-coherent"; allowed is one of them, '
                "because Linux's driver assumes coherent DMA for that device"
            )
        counting = [each.name for each in self.windows] + [STORAGE] * (self.storage is not None)
        check_distinct("cores", tuple(counting))
        return self

    @property
    def windows(self) -> tuple[Cores, ...]:
        """Each window of crypto cores by itself."""
        return tuple(window for cores in self.cores for window in cores.windows)


def profile_names() -> list[str]:
    """The names of all profiles, sorted."""
    return toml.names_in(PROFILES)


def load_profile(name: str, directory: Path = PROFILES) -> Profile:
    """The profile of that name with its processor's costs; `FiresteelError` when there is none, or
    its file or the processor's is wrong.
    """
    profile = toml.read_named("profile", name, directory, Profile)
    return profile.on_clock(profile.cpu.clock)


def check_named(name: str, where: Path) -> None:
    """Raises `FiresteelError` for a file that names a profile which this checkout does not have."""
    if name not in (there := toml.names_in(PROFILES)):
        raise FiresteelError(
            f"{where}: there is no profile `{name}`; there are: {', '.join(there)}."
        )


def read_profile(path: Path) -> Profile:
    """The profile in that file, with the same errors."""
    profile = toml.read_model(path, Profile)
    return profile.on_clock(profile.cpu.clock)
