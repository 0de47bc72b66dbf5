# SPDX-License-Identifier: Apache-2.0
"""Numbers of boards and links by their paths, the same with other numbers, and their names.

A path has the keys of the file with dots between them: `cpu.hertz`,
`cores.crypto0.timing.clock_hz`, `links.wire.latency_ns`.  Of things that have names, as windows of
cores and links do, `*` means all.  A path of a board belongs to the measured node; paths of other
nodes begin with their name: `peer:cpu.hertz`.

So that two boards can be compared, defaults that are known are values like others.  Numbers that do
not matter to a board are left out, because its clock counts something else.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from firesteel.base import quantity, toml
from firesteel.base.errors import FiresteelError
from firesteel.boards.cores import Cores, Timing
from firesteel.boards.profile import (
    MEANINGS,
    UNITS,
    Clock,
    Cpu,
    Profile,
    table_of,
)
from firesteel.boards.topology import Link, Topology

Value = bool | int | float | str
"""Of one path."""

COSTS = "cpu.costs"
"""What the processor spends: no number but a table, of which classes are scaled."""

ALL = "*"

_CLOCKS: Mapping[str, Clock] = {
    "cpu.instructions_per_second": "flat",
    "cpu.hertz": "cycles",
    COSTS: "cycles",
}
"""What makes a difference on boards with one clock alone."""

COUNT = "cpu.count"

_OF_SEVERAL = "cpu.quantum_ns"
"""What makes a difference on boards with several CPUs alone."""

_COSTLY = ("cpu.hertz", "cpu.level_2")
"""What the processor's costs follow from."""

_UNSEEN = ("cpu.counted", COSTS)
"""What the board does not notice, and what has paths of its own."""

_LINKS = "links."
_CORES = "cores."

_LONGEST = 120
"""Characters of what a name says of numbers."""

_TITLES = {
    "hertz": "processor frequency",
    "instructions_per_second": "instruction rate",
    "mebibytes": "memory",
    "clock_hz": "clock",
    "register_ns": "register access",
    "dma_bytes_per_beat": "bus width in bytes",
    "dma_latency_cycles": "DMA latency",
    "pk_multipliers": "number of multipliers",
    "sets": "number of sets",
    "ways": "number of ways",
    "rate_bit_s": "bit rate",
    "latency_ns": "latency",
    "queue_frames": "queue in frames",
    "interrupt_delay_us": "interrupt delay",
}
"""Numbers in words, by the last key of their path."""

_COUNTED = {"cpu": "CPU", "cores": "crypto core"}
"""What `count` is the number of, by the table that has it."""

_Part = TypeVar("_Part", bound=BaseModel)

_Change = Callable[[float | None, float], float | None]
"""What becomes of a number, given the least that a file may have, but at least 1; None stands for a
number that the file leaves out.
"""


@dataclass(frozen=True)
class Path:
    """A path, taken apart: `node` is whose board it is of, empty for the measured one's, and `keys`
    is the path in the profile or in the topology.
    """

    node: str
    keys: str

    @staticmethod
    @cache
    def of(text: str) -> "Path":
        """The parts of a path."""
        node, colon, keys = text.rpartition(":")
        return Path(node if colon else "", keys)

    @property
    def text(self) -> str:
        """The path as it is typed: `peer:cpu.hertz`."""
        return f"{self.node}:{self.keys}" if self.node else self.keys

    @property
    def on_links(self) -> bool:
        """Whether it is of a topology."""
        return self.keys.startswith(_LINKS) and not self.node

    @property
    def on_cores(self) -> bool:
        """Whether it is of the cores, and so nothing to whoever does not use them."""
        return self.keys.startswith(_CORES)

    def check(self) -> None:
        """Raises `ValueError` where there is no number of that path on any board or link."""
        of = Topology if self.on_links else Profile
        if not _is_number(type_at(self.keys, of)):
            raise ValueError(f"`{self.keys}` is not a number of a {of.__name__.lower()}")

    @property
    def unit(self) -> str:
        """Its unit; empty of a count."""
        return quantity.unit_of(self.keys)

    @property
    def title(self) -> str:
        """What people call it: `clock of crypto0`, `latency of wire`, `memory of peer`."""
        *above, last = self.keys.split(".")
        if self._counted:
            return " of ".join(filter(None, (f"number of {self._counted}s", self.node)))
        words = _TITLES.get(last)
        if words is None:
            stem = last.removesuffix("_hz").removesuffix("_ns").removesuffix("_cycles")
            words = stem.replace("_", " ")
        owner = above[1] if len(above) > 1 and above[0] in ("cores", "links") else ""
        if owner == ALL:
            owner = f"all {above[0]}"
        return " of ".join(filter(None, (words, owner, self.node)))

    @property
    def _counted(self) -> str:
        """What it is the number of; empty of any other number."""
        first, *_, last = self.keys.split(".")
        return _COUNTED.get(first, "") if last == "count" else ""

    def said(self, value: float) -> str:
        """A value of it with its unit: `50 MHz`, `4 CPUs`."""
        if self._counted:
            return f"{value:g} {self._counted}{'s' if value != 1 else ''}"
        return quantity.in_words(value, self.unit)

    def in_words(self, value: float) -> str:
        """A value with what it is of: `memory 1 GiB`, `4 CPUs`."""
        return self.said(value) if self._counted else f"{self.title} {self.said(value)}"

    def typed(self, value: float) -> str:
        """The value to the last digit, in the form for a command: `1.2GHz`."""
        return quantity.typed(value, self.unit)


def type_at(path: str, of: type[BaseModel] = Profile) -> Any:
    """The type of the values of a path; `ValueError` where there is none."""
    model, keys = of, path.split(".")
    while True:
        key = keys.pop(0)
        if key not in model.model_fields:
            allowed = ", ".join(model.model_fields)
            raise ValueError(f"`{key}` of `{path}` is unknown; allowed here: {allowed}")
        field = model.model_fields[key]
        inner = toml.models_in(field.annotation)
        if not (inner or keys):
            return field.annotation
        if inner and get_origin(field.annotation) is tuple:
            if keys and "name" not in inner[0].model_fields:
                raise ValueError(f"`{path}` refers to one of several `{key}`, which have no names")
            keys = keys[1:]  # A name, or all.
        if not (inner and keys):
            raise ValueError(f"`{path}` is not a value of a {of.__name__.lower()}")
        model = inner[0]


def _is_number(annotation: Any) -> bool:
    """Whether a field holds a number: any in a range, or one of several."""
    if get_origin(annotation) is Literal:
        return all(type(each) is int for each in get_args(annotation))
    return annotation is int or any(_is_number(each) for each in get_args(annotation))


def why_idle(cpu: Cpu, path: str) -> str:
    """Why a number makes no difference on a board, as the end of a sentence; empty if it makes
    one.
    """
    if path == _OF_SEVERAL and cpu.count == 1:
        return "which has one CPU"
    if _CLOCKS.get(path, cpu.clock) == cpu.clock:
        return ""
    counted = "cycles" if cpu.clock == "cycles" else "instructions"
    return f"whose clock counts {counted} (docs/virtual-time.md)"


def numbers_of(part: BaseModel, path: str) -> tuple[float | None, ...]:
    """The numbers of that path in a board or topology, including defaults; None for a default that
    only the model knows.  Empty if the board lacks the part, such as cores.
    """
    return tuple(value for at, value in _walk(part) if _fits(path, at))


def paths_of(part: BaseModel, path: str) -> tuple[str, ...]:
    """The path of each number that a path leads to, with names instead of `*`."""
    return tuple(at for at, _ in _walk(part) if _fits(path, at))


def _fits(path: str, at: str) -> bool:
    """Whether a path leads to the one of a value."""
    pairs = zip_longest(path.split("."), at.split("."))
    return all(wanted in (ALL, found) for wanted, found in pairs)


def numbers_at(
    path: str, topology: Topology, profiles: Mapping[str, Profile], measured: str
) -> tuple[float | None, ...]:
    """All numbers of that path, as `numbers_of` gives them; none where there is nothing that they
    could be of.
    """
    found = Path.of(path)
    if found.on_links:
        return numbers_of(topology, found.keys)
    board = profiles.get(found.node or measured)
    return numbers_of(board, found.keys) if board else ()


def _value(owner: BaseModel, key: str) -> Any:
    """A value; where the file leaves it out, the one that is used."""
    return owner.used(key) if isinstance(owner, Cores | Timing) else getattr(owner, key)


def changed(part: _Part, path: str, change: Callable[[float], float]) -> _Part:
    """A profile or topology with all numbers of that path changed, but for those that are 0.  A
    number that would be too small becomes the least that a file may have.

    Costs of memory, which takes its time whatever the processor's frequency, follow a change of
    that.  Raises `FiresteelError` where a file may not have the new number.
    """

    def scaled(value: float | None, least: float) -> float | None:
        return max(least, round(change(value))) if value else value

    return _whole(_changed(part, path.split("."), scaled), path)


def with_number(part: _Part, path: str, value: float) -> _Part:
    """A profile or topology with that number, wherever the path leads; one that is used anyway
    stays left out, so that an equal board has an equal profile.

    Raises `FiresteelError` if that number is not allowed there.
    """
    return _whole(_changed(part, path.split("."), lambda *_: round(value)), path)


def _changed(part: _Part, keys: Sequence[str], change: _Change) -> _Part:
    key, *rest = keys
    inner = getattr(part, key)
    if not rest:
        value = _value(part, key)
        wanted = change(value, _least(part, key))
        # A default stays one, so that an equal board has an equal profile.
        new: Any = inner if wanted == value else wanted
    elif isinstance(inner, tuple):
        name, *below = rest
        new = tuple(
            _changed(each, below, change) if name in (ALL, each.name) else each for each in inner
        )
    else:
        new = None if inner is None else _changed(inner, rest, change)
    return part.model_copy(update={key: new})


def _least(part: BaseModel, key: str) -> float:
    found = type(part).model_fields[key].metadata
    bounds: list[float] = [each.ge for each in found if getattr(each, "ge", None)]
    return max([1, *bounds])


def _whole(made: _Part, path: str) -> _Part:
    """What was changed, held against its model; with the costs of its processor."""
    if isinstance(made, Profile) and (path == COUNT or path.startswith(_COSTLY)):
        cpu = made.cpu.model_copy(update={"costs": None}).on_clock(made.cpu.clock)
        made = made.model_copy(update={"cpu": cpu})
    try:
        return type(made).model_validate(made.model_dump())
    except ValidationError as error:
        first, unit = error.errors()[0], quantity.unit_of(path)
        allowed = (
            first["msg"].removeprefix("Value error, ").replace("Input should be", "allowed is")
        )
        for bound, side in (("ge", "more"), ("le", "less")):
            if bound in first.get("ctx", {}):
                allowed = f"allowed are {quantity.exactly(first['ctx'][bound], unit)} and {side}"
        if isinstance(first["input"], dict):  # Two numbers that do not go together.
            raise FiresteelError(f"`{path}`: {allowed}.") from None
        found = quantity.exactly(first["input"], unit)
        raise FiresteelError(f"`{path}` would be {found}; {allowed}.") from None


def parts_of_board(profile: Profile) -> dict[str, Value]:
    """What a board says, by path.

    A processor's cost has a path, `cpu.costs.CLASS` in cycles, only if it differs from the file in
    this checkout.
    """
    flat = profile.cpu.clock == "flat"
    other = ("cpu.processor", *_COSTLY) if flat else ("cpu.instructions_per_second",)
    left_out = (*_UNSEEN, *other)
    said = {path: value for path, value in _said(profile) if not path.startswith(left_out)}
    return said | {f"{COSTS}.{name}": cost for name, cost in _own_costs(profile.cpu)}


def parts_of_link(link: Link) -> dict[str, Value]:
    """A link's parameters by path, without the nodes that it connects."""
    return {path: value for path, value in _said(link) if path not in ("kind", "nodes")}


def cost_at(profile: Profile, path: str) -> float | None:
    """The board's cost, in cycles, of the class in that path, from the file or not.  None for
    another path, or if the clock does not count it.
    """
    name = path.removeprefix(f"{COSTS}.")
    known = table_of(profile.cpu.costs) if profile.cpu.clock == "cycles" and name != path else {}
    return _cycles(name, known[name]) if name in known else None


def unit_at(path: str) -> str:
    """The unit of a value; empty if there is no unit."""
    return "cycles" if path.startswith(f"{COSTS}.") else quantity.unit_of(path)


def _walk(part: BaseModel, before: str = "") -> Iterator[tuple[str, Any]]:
    """All values by path; None for one that is left out and whose default the model alone knows."""
    for key in type(part).model_fields:
        value, path = _value(part, key), before + key
        if isinstance(value, BaseModel):
            yield from _walk(value, f"{path}.")
        elif isinstance(value, tuple) and value and hasattr(value[0], "name"):
            for each in value:
                yield from _walk(each, f"{path}.{each.name}.")
        elif key != "name":  # A name is in the path.
            yield path, value


def _said(part: BaseModel) -> Iterator[tuple[str, Value]]:
    """All values by path but those that are left out; lists are words."""
    for path, value in _walk(part):
        words = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        if words not in (None, ""):
            yield path, words


def _own_costs(cpu: Cpu) -> Iterator[tuple[str, float]]:
    """The costs, with the shapes of caches, that differ from those of the processor's file."""
    if cpu.clock != "cycles":
        return
    try:
        filed = cpu.model_copy(update={"costs": None}).on_clock("cycles").costs
    except FiresteelError:
        filed = None  # A store of elsewhere: nothing is known of the file.
    usual = table_of(filed)
    for name, value in table_of(cpu.costs).items():
        if usual.get(name) != value:
            yield name, _cycles(name, value)


def _cycles(name: str, value: int) -> float:
    """Costs are counted in parts of a cycle; shapes of caches are numbers."""
    return value / UNITS if name in MEANINGS else value


def made_name(base: str, numbers: Mapping[str, float]) -> str:
    """What a board or topology with other numbers is called: `socrates+cpu.hertz=1000000000`.  It
    may be part of a file's name, so one that is too long has a digest of the numbers.
    """
    said = "+".join(f"{path}={value:.15g}" for path, value in sorted(numbers.items()))
    if len(said) > _LONGEST:
        said = hashlib.sha256(said.encode()).hexdigest()[:16]
    return f"{base}+{said}"


def is_made(name: str) -> bool:
    """Whether a board or topology is one with other numbers, which no file has."""
    return "+" in name


def base_of(name: str) -> str:
    """What such a board or topology is made of; others are nothing but themselves."""
    return name.partition("+")[0] if numbers_in(name) else name


def numbers_in(name: str) -> dict[str, str] | None:
    """The numbers that such a name says, by their paths; None where it has a digest of them."""
    found: dict[str, str] = {}
    for each in name.split("+")[1:]:
        path, _, value = each.rpartition("=")
        try:
            float(value)
        except ValueError:
            return None
        if not path:
            return None
        found[path] = value
    return found


def name_in_words(name: str) -> str:
    """Such a name as people read it: `processor frequency 1 GHz`; others as they are."""
    numbers = ((Path.of(path), float(value)) for path, value in (numbers_in(name) or {}).items())
    return ", ".join(path.in_words(value) for path, value in numbers) or name


def board_in_words(name: str) -> str:
    """Such a name with the board or topology that it is made of: `socrates with processor frequency
    1 GHz`; others as they are.
    """
    said = name_in_words(name)
    return name if said == name else f"{base_of(name)} with {said}"
