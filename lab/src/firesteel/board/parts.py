# SPDX-License-Identifier: Apache-2.0
"""All that a board, or a link, says: values by their paths (`board.parameters`).

So that two boards can be held beside each other, defaults that are known are values like others,
and what makes no difference to a board is left out: its clock counts something else.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.board import parameters
from firesteel.board.processor import EVENTS, INSTRUCTIONS, UNITS
from firesteel.board.profile import Cpu, Profile
from firesteel.board.topology import Link

Value = bool | int | float | str
"""Of one path."""

_OF_CYCLES = ("cpu.processor", "cpu.hertz", "cpu.level_2.")
_OF_INSTRUCTIONS = ("cpu.instructions_per_second",)
"""Beginnings of paths that matter to boards with one clock alone."""

_NOTHING = ("cpu.counted", parameters.COSTS)
"""What the board does not notice, and what has paths of its own."""

_ENDS = ("kind", "nodes")
"""What a link connects, and how."""


def parts_of_board(profile: Profile) -> dict[str, Value]:
    """What a board says.

    Of the costs of a processor only those have a path, `cpu.costs.CLASS` in cycles, that are not
    what its file in this checkout says.
    """
    other = _OF_INSTRUCTIONS if profile.cpu.clock == "cycles" else _OF_CYCLES
    left_out = (*_NOTHING, *other)
    said = {path: value for path, value in _walk(profile) if not path.startswith(left_out)}
    return said | {_cost_path(name): cost for name, cost in _own_costs(profile.cpu)}


def parts_of_link(link: Link) -> dict[str, Value]:
    """What a link says besides what it connects."""
    return {path: value for path, value in _walk(link) if path not in _ENDS}


def check(path: str, value: Value) -> None:
    """Raises `ValueError` where no board has a value of that path, or may not have that one."""
    model: type[BaseModel] = Profile
    *above, last = path.split(".")
    for key in above:
        field = model.model_fields.get(key)
        inner = toml.models_in(field.annotation) if field else ()
        if not inner:
            raise ValueError(f"`{path}` is no value of a profile")
        model = inner[0]
    field = model.model_fields.get(last)
    if field is None or toml.models_in(field.annotation):
        allowed = ", ".join(model.model_fields)
        raise ValueError(f"`{last}` of `{path}` is no value of a profile; there are: {allowed}")
    try:
        whole: Any = Annotated[field.annotation, field]
        TypeAdapter[Value](whole).validate_python(value, strict=True)
    except ValidationError as error:
        told = error.errors()[0]["msg"].replace("Input should be", "allowed is")
        raise ValueError(f"`{path}` is {value!r}; {told}") from None


def cost_at(profile: Profile, path: str) -> float | None:
    """What the board's processor spends on the class of that path, in cycles, be it what the file
    says or not; None where it is no such path, or the clock does not count it.
    """
    cpu = profile.cpu
    name = path.removeprefix(_cost_path(""))
    if cpu.clock != "cycles" or name == path:
        return None
    return _cycles(name, _table(cpu.costs).get(name))


def unit_at(path: str) -> str:
    """The unit of a value; empty where it has none."""
    return "cycles" if path.startswith(_cost_path("")) else parameters.unit_of(path)


def _walk(part: BaseModel, before: str = "") -> Iterator[tuple[str, Value]]:
    for key in type(part).model_fields:
        if key == "name":
            continue  # It is in the path.
        value = getattr(part, f"used_{key}", getattr(part, key))
        path = before + key
        if isinstance(value, BaseModel):
            yield from _walk(value, f"{path}.")
        elif isinstance(value, tuple) and value and hasattr(value[0], "name"):
            for each in value:
                yield from _walk(each, f"{path}.{each.name}.")
        elif isinstance(value, tuple):
            yield from [(path, ", ".join(map(str, value)))] if value else []
        elif value is not None:
            yield path, value


def _cost_path(name: str) -> str:
    return f"{parameters.COSTS}.{name}"


def _own_costs(cpu: Cpu) -> Iterator[tuple[str, float]]:
    """The costs, with the shapes of caches, that differ from those of the processor's file."""
    if cpu.clock != "cycles":
        return
    try:
        filed = cpu.model_copy(update={"costs": None}).on_clock("cycles").costs
    except FiresteelError:
        filed = None  # A store of elsewhere: nothing is known of the file.
    usual = _table(filed)
    for name, value in _table(cpu.costs).items():
        cycles = _cycles(name, value)
        if cycles is not None and usual.get(name) != value:
            yield name, cycles


def _table(costs: str | None) -> Mapping[str, int]:
    """Numbers by name, as the emulator is told them."""
    pairs = (each.partition(":") for each in (costs or "").split("/") if each)
    return {name: int(value) for name, _, value in pairs}


def _cycles(name: str, value: int | None) -> float | None:
    """Costs are counted in parts of a cycle; shapes of caches are numbers."""
    if value is None:
        return None
    return value / UNITS if name in INSTRUCTIONS + EVENTS else value
