# SPDX-License-Identifier: Apache-2.0
"""Numbers of a profile or a topology by their paths, and the same with other numbers.

A path has the keys of the file with dots between them: `cpu.hertz`,
`cores.crypto0.timing.clock_hz`, `links.wire.latency_ns`.  Of things that have names, as windows of
cores and links do, `*` means all.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock, Cpu, Profile
from firesteel.board.quantity import scale_for

COSTS = "cpu.costs"
"""What the processor spends: no number but a table, of which classes are scaled."""

ALL = "*"

_CLOCKS: dict[str, Clock] = {
    "cpu.instructions_per_second": "flat",
    "cpu.hertz": "cycles",
    COSTS: "cycles",
}
"""What makes a difference on boards with one clock alone."""

_COSTLY = ("cpu.hertz", "cpu.level_2")
"""What the processor's costs follow from."""

_UNITS = (
    *(("_per_second", "1/s"), ("hertz", "Hz"), ("_hz", "Hz"), ("_bit_s", "bit/s")),
    *(("_ns", "ns"), ("_us", "µs"), ("_cycles", "cycles"), ("mebibytes", "MiB")),
)
"""Ends of keys, with the units of their numbers."""

_RATE = "1/s"

FACTOR = "\N{MULTIPLICATION SIGN}"
"""The unit of what has none of its own: times what the board's file says."""

_Part = TypeVar("_Part", bound=BaseModel)


_Change = Callable[[float | None], float | None]
"""What becomes of a number; None stands for one that the file leaves out."""


def check(path: str, of: type[BaseModel] = Profile) -> None:
    """Raises `ValueError` where no profile, or topology, has a number of that path."""
    model = of
    keys = path.split(".")
    while keys:
        key = keys.pop(0)
        if key not in model.model_fields:
            allowed = ", ".join(model.model_fields)
            raise ValueError(f"`{key}` of `{path}` is unknown; allowed here: {allowed}")
        annotation = model.model_fields[key].annotation
        inner = toml.models_in(annotation)
        if keys and _is_list(annotation) and "name" not in inner[0].model_fields:
            raise ValueError(f"`{path}` is of one of several `{key}`, which have no names")
        if not inner and not keys and _is_number(annotation):
            return
        if inner and _is_list(annotation):
            keys = keys[1:]  # A name, or all.
        if not (inner and keys):
            raise ValueError(f"`{path}` is no number of a {of.__name__.lower()}")
        model = inner[0]


def unit_of(path: str) -> str:
    """The unit of a number; empty of a count."""
    return next((unit for end, unit in _UNITS if path.endswith(end)), "")


def in_words(value: float, unit: str) -> str:
    """A number with its unit, as people write it: `70 MHz`, `640 ns`, `554 MIPS`."""
    if unit == FACTOR:
        return f"{FACTOR}{_short(value)}"
    return _scaled(value, unit, _short)


def counts(cpu: Cpu, path: str) -> bool:
    """Whether a number makes a difference on a board: its clock may count something else."""
    return _CLOCKS.get(path, cpu.clock) == cpu.clock


def values_of(part: BaseModel, path: str) -> tuple[float, ...]:
    """The numbers of that path that a board or topology has, defaults of the model included; none
    where it lacks what they are of, as a board without cores does, and without those that are 0.
    """
    return tuple(value for value in numbers_of(part, path) if value)


def numbers_of(part: BaseModel, path: str) -> tuple[float | None, ...]:
    """All of them, also those that are 0, and None for one whose default the model alone knows."""
    *above, last = path.split(".")
    return tuple(_value(owner, last) for _, owner in _owners(part, above))


def paths_of(part: BaseModel, path: str) -> tuple[str, ...]:
    """The path of each number that a path leads to, with names in the place of `*`."""
    *above, last = path.split(".")
    return tuple(".".join((*at, last)) for at, _ in _owners(part, above))


def changed(part: _Part, path: str, change: Callable[[float], float]) -> _Part:
    """A profile or topology with all numbers of that path changed, but for those that are 0.

    Costs of memory, which takes its time whatever the processor's frequency, follow a change of
    that.  Raises `FiresteelError` where a file may not have the new number.
    """

    def scaled(value: float | None) -> float | None:
        return max(1, round(change(value))) if value else value

    return _whole(_changed(part, path.split("."), scaled), path)


def with_number(part: _Part, path: str, value: float) -> _Part:
    """A profile or topology with that number, wherever the path leads; one that is used anyway
    stays left out, so that an equal board has an equal profile.

    Raises `FiresteelError` where it may not have that number.
    """
    return _whole(_changed(part, path.split("."), lambda _: round(value)), path)


def with_checked(part: _Part, path: str, value: float) -> _Part:
    """The same of a number that has been found to be allowed; without costs that follow from it
    (`is_costly`).
    """
    return _changed(part, path.split("."), lambda _: round(value))


def is_costly(path: str) -> bool:
    """Whether the costs of the processor follow from a number."""
    return path.startswith(_COSTLY)


def _whole(made: _Part, path: str) -> _Part:
    """What was changed, held against its model; with the costs of its processor."""
    if isinstance(made, Profile) and is_costly(path):
        cpu = made.cpu.model_copy(update={"costs": None}).on_clock(made.cpu.clock)
        made = made.model_copy(update={"cpu": cpu})
    try:
        return type(made).model_validate(made.model_dump())
    except ValidationError as error:
        first = error.errors()[0]
        allowed = _allowed(first, unit_of(path))
        if isinstance(first["input"], dict):  # Two numbers that do not go together.
            raise FiresteelError(f"`{path}`: {allowed}.") from None
        found = _scaled(first["input"], unit_of(path), _exact)
        raise FiresteelError(f"`{path}` would be {found}; {allowed}.") from None


def _allowed(problem: ErrorDetails, unit: str) -> str:
    """What may stand for a number that is refused, in the words of its unit."""
    for bound, side in (("ge", "more"), ("le", "less")):
        if bound in problem.get("ctx", {}):
            return f"allowed are {_scaled(problem['ctx'][bound], unit, _exact)} and {side}"
    said = problem["msg"].removeprefix("Value error, ")
    return said.replace("Input should be", "allowed is")


def _owners(
    part: BaseModel, keys: Sequence[str], at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], BaseModel]]:
    """The tables whose path these keys are, each with its own, below the path `at` of the part."""
    if not keys:
        yield at, part
        return
    inner = getattr(part, keys[0])
    if isinstance(inner, tuple):
        for each in inner:
            if keys[1] in (ALL, each.name):
                yield from _owners(each, keys[2:], (*at, keys[0], each.name))
    elif inner is not None:
        yield from _owners(inner, keys[1:], (*at, keys[0]))


def _value(owner: BaseModel, key: str) -> float | None:
    """A number; where the file leaves it out, the one that is used."""
    found: float | None = getattr(owner, f"used_{key}", getattr(owner, key))
    return found


def _changed(part: _Part, keys: Sequence[str], change: _Change) -> _Part:
    key, *rest = keys
    inner = getattr(part, key)
    if not rest:
        value = _value(part, key)
        wanted = change(value)
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


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is tuple


def _is_number(annotation: Any) -> bool:
    """Whether a field holds a number: any in a range, or one of several."""
    if get_origin(annotation) is Literal:
        return all(type(each) is int for each in get_args(annotation))
    return annotation is int or any(_is_number(each) for each in get_args(annotation))


def _scaled(value: float, unit: str, digits: Callable[[float], str]) -> str:
    """A number in the multiple of its unit that people use for it."""
    name, scale = ("MIPS", 1e6) if unit == _RATE else scale_for(value, unit)
    return f"{digits(value / scale)} {name}".rstrip()


def _exact(value: float) -> str:
    """All its digits, for what is refused may be next to what is allowed."""
    return f"{value:.15g}"


def _short(value: float) -> str:
    """To three digits, or a whole number, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.10g}"
