# SPDX-License-Identifier: Apache-2.0
"""The crypto cores of a board: which there are, how long they take, and how they fail.

Keys that a profile leaves out have the model's defaults (`model/configure.c`): the cores of the
2015 board, at 100 MHz and without faults.
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.quantity import Measures
from firesteel.base.toml import Table, pattern

CLOCK_HZ = 100_000_000
REGISTER_NS = 120
_DEFAULTS = {
    "clock_hz": CLOCK_HZ,
    "register_ns": REGISTER_NS,
    "dma_latency_cycles": 30,
    "dma_bytes_per_beat": 8,
    "pk_multipliers": 16,
}
"""What the model has where a profile leaves it out."""

Cycles = Annotated[int, Field(ge=0, le=1_000_000)]

NAME = pattern(
    r"^[a-z][a-z0-9-]{0,30}$",
    'a name of lower-case letters, digits and hyphens that begins with a letter, as "gateway-a"; '
    "31 characters at most",
)
"""Of nodes, links and cores: guests and the emulator know them by it."""

_RESERVED = re.compile(r"wire|eth\d+")
"""What other devices of a board are called."""


class Timing(Measures):
    """How long the cores take; `docs/cores.md` says what each constant means."""

    zero: bool = False
    """The cores take no time; allows no other key."""
    clock_hz: int | None = Field(default=None, ge=1_000_000, le=10_000_000_000)
    """Clock of the cores; default: 100 MHz."""
    register_ns: int | None = Field(default=None, ge=0, le=1_000_000)
    """Time that a register access costs the CPU; default: 120."""
    dma_bytes_per_beat: Literal[1, 2, 4, 8, 16, 32] | None = None
    """Width of the bus; default: 8."""
    dma_latency_cycles: Cycles | None = None
    """Cycles from a request to its first beat, and from a write's last beat to memory's answer;
    default: 30.
    """
    fetcher: Literal["ahead", "serial"] | None = None
    """Whether the next descriptor is read while data flow (`ahead`) or afterwards (`serial`);
    default: `ahead`.
    """
    start_cycles: Cycles | None = None
    """Cycles from START to the first request."""
    end_cycles: Cycles | None = None
    """Cycles from memory's last answer to the status bit."""
    aes128_cycles: Cycles | None = None
    """Cycles for a block of 16 bytes with a 128-bit key."""
    aes192_cycles: Cycles | None = None
    """The same with a 192-bit key."""
    aes256_cycles: Cycles | None = None
    """The same with a 256-bit key."""
    aes_key_cycles: Cycles | None = None
    """Key expansion."""
    sha1_cycles: Cycles | None = None
    """One block of 64 bytes."""
    sha256_cycles: Cycles | None = None
    """One block of 64 bytes; also for SHA-224."""
    sha512_cycles: Cycles | None = None
    """One block of 128 bytes; also for SHA-384."""
    pk_operation_cycles: Cycles | None = None
    """Fixed cost of each public-key operation."""
    pk_product_cycles: Cycles | None = None
    """Cost of each modular product."""
    pk_row_cycles: Cycles | None = None
    """Cycles from the start of a product's row until its
    [reduction](../pk-timing.md#a-wait-in-each-row) can begin; default: 0, no wait.
    """

    def used(self, key: str) -> int | Any:
        """A value of the profile, or the model's default; None if only the model knows it, or if
        nothing takes time.
        """
        if self.zero and key in _DEFAULTS:
            return 0 if key in ("register_ns", "dma_latency_cycles") else None
        value = getattr(self, key)
        return _DEFAULTS.get(key) if value is None else value

    @model_validator(mode="after")
    def _zero_stands_alone(self) -> Self:
        # A record says of every key that it is null
        others = {name for name, value in self if name != "zero" and value is not None}
        if self.zero and others:
            raise ValueError(
                f"nothing takes time with `zero`; leave out: {', '.join(sorted(others))}"
            )
        return self


_OF_ONE_KIND = {"factor": "late", **dict.fromkeys(("accesses", "within_ns", "for_ns"), "gone")}
"""Keys of faults that are for one kind alone."""


class Fault(Measures):
    """A fault on demand: strikes one operation in `rate` at random, or only the `nth` (from 1).

    It can strike from `from_ms` until `until_ms` of the board's virtual time, without them ever.
    `gone` can be aimed: it follows one register access in `accesses` at random, or strikes up to
    `within_ns` after an operation's start; and be back after `for_ns`.
    """

    kind: Literal[
        "dma-error",
        "wrong-tag",
        "stuck-busy",
        "lost-interrupt",
        "spurious-interrupt",
        "late",
        "flipped-bit",
        "gone",
    ]
    """Kind of the fault (see [Faults](../cores.md#faults))."""
    rate: int | None = Field(default=None, ge=1, le=2**53)
    """One of this many operations fails, at random; an alternative to `nth`."""
    nth: int | None = Field(default=None, ge=1, le=2**53)
    """Only the operation with this number fails, counted from 1."""
    factor: int | None = Field(default=None, ge=2, le=1_000_000)
    """For `late` only: factor by which the operation takes longer."""
    from_ms: int | None = Field(default=None, ge=1, le=1_000_000_000)
    """Virtual time from which the fault can occur."""
    until_ms: int | None = Field(default=None, ge=1, le=1_000_000_000)
    """Virtual time until which the fault can occur."""
    accesses: int | None = Field(default=None, ge=1, le=2**53)
    """For `gone` only, instead of `rate` and `nth`: the fault follows one of this many register
    accesses.
    """
    within_ns: int | None = Field(default=None, ge=1, le=10**15)
    """For `gone` only: longest random time from the start of an operation to the fault."""
    for_ns: int | None = Field(default=None, ge=1, le=10**15)
    """For `gone` only: the window returns after this time, in its power-on state."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        kind = f"fault `{self.kind}`"
        if [self.rate, self.nth, self.accesses].count(None) != 2:
            ways = "`rate`, `nth` or `accesses`" if self.kind == "gone" else "`rate` or `nth`"
            raise ValueError(f"{kind} needs {ways}, one of them")
        for key, only in _OF_ONE_KIND.items():
            if getattr(self, key) is not None and self.kind != only:
                raise ValueError(f"{kind} has `{key}`; only `{only}` takes it")
        if self.until_ms is not None and self.until_ms <= (self.from_ms or 0):
            raise ValueError(f"{kind} ends before it begins; `until_ms` must be above `from_ms`")
        if self.within_ns is not None and self.accesses is not None:
            raise ValueError(f"{kind} has `accesses` and `within_ns`; leave one out")
        return self

    def __str__(self) -> str:
        """As the model reads it: `late:rate=100:factor=50`."""
        said = self.model_dump(exclude={"kind"}, exclude_none=True).items()
        return ":".join([self.kind, *(f"{key.split('_')[0]}={value}" for key, value in said)])


class Cores(Table):
    """One window of cores: a CryptoMaster with engines, a public-key engine, or both.

    `name` is what its counters are called by; `bus` is where the guest finds it.
    """

    name: str = Field(pattern=NAME)
    """Prefix of the window's counters; not `wire` or a network interface such as `eth0`."""
    # Not said of a single window, whose records stay what they are.
    count: int = Field(default=1, ge=1, le=8, exclude_if=lambda count: count == 1)
    """Number of such windows, named `NAME`, `NAME-2`, `NAME-3` and so on."""
    bus: Literal["pci", "sysbus"] = "pci"
    """How the guest finds the window: as a PCI function, or in the device tree."""
    aes: bool = False
    """BA411E with a CryptoMaster. A window needs at least one core."""
    hash: bool = False
    """BA413 with the same CryptoMaster."""
    pk: bool = False
    """BA414E."""
    pk_multipliers: Literal[1, 4, 16, 64, 256] | None = None
    """Number of multipliers of BA414E; default: 16."""
    timing: Timing = Timing()
    """Timing constants of the cores, which are assumed (see [Time](../cores.md#time))."""
    faults: tuple[Fault, ...] = ()
    """Faults to inject, each kind at most once."""

    @property
    def windows(self) -> tuple["Cores", ...]:
        """Each window by itself."""
        names = (self.name, *(f"{self.name}-{number}" for number in range(2, self.count + 1)))
        return tuple(self.model_copy(update={"name": name, "count": 1}) for name in names)

    def used(self, key: str) -> int | Any:
        """A value, or the model's where it is left out; no multipliers without a BA414E."""
        value = getattr(self, key)
        if key == "pk_multipliers":
            return (value or _DEFAULTS[key]) if self.pk else None
        return value

    @model_validator(mode="after")
    def _is_of_use(self) -> Self:
        if not (self.aes or self.hash or self.pk):
            raise ValueError(f"`{self.name}` has no core; set one of `aes`, `hash`, `pk`")
        if _RESERVED.fullmatch(self.name):
            raise ValueError(f"`{self.name}` is the name of a network device; choose another name")
        kinds = [fault.kind for fault in self.faults]
        for kind in kinds:
            if kinds.count(kind) > 1:
                raise ValueError(f"`{self.name}` has the fault `{kind}` twice; each may come once")
        return self

    def properties(self, seed: int) -> dict[str, str]:
        """The properties of the emulator's device except its name, in the model's keys.

        `seed` starts the faults' random numbers.
        """
        parts = {
            "cryptomaster": self.aes or self.hash,
            "aes": self.aes,
            "hash": self.hash,
            "pk": self.pk,
            "pk_multipliers": self.pk_multipliers,
            **self.timing.model_dump(),
        }
        words = {True: "on", False: "off"}
        told = {
            key: words[value] if isinstance(value, bool) else str(value)
            for key, value in parts.items()
            if value is not None
        }
        if self.faults:
            told["faults"] = ";".join(str(fault) for fault in self.faults)
            told["seed"] = str(seed)
        return told
