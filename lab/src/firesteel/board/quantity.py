# SPDX-License-Identifier: Apache-2.0
"""Quantities as people read and write them: `50 MHz`, `1 Gbit/s`, `120`."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import GetJsonSchemaHandler, ValidationInfo, field_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from firesteel.base.patterns import pattern
from firesteel.base.schema import Table

SCALES: Mapping[str, Mapping[str, float]] = {
    "Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "1/s": {"MIPS": 1e6, "GIPS": 1e9},
    "ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9},
    "µs": {"µs": 1, "ms": 1e3, "s": 1e6},
    "ms": {"ms": 1, "s": 1e3},
    "bit/s": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
    "MiB": {"MiB": 1, "GiB": 1 << 10},
    "cycles": {"cycles": 1},
}
"""Units of numbers, with the names of each that are a multiple of it, the smallest first."""

_UNITS = {
    "_per_second": "1/s",
    "hertz": "Hz",
    "_hz": "Hz",
    "_bit_s": "bit/s",
    "_ns": "ns",
    "_us": "µs",
    "_ms": "ms",
    "_cycles": "cycles",
    "mebibytes": "MiB",
}
"""Ends of keys, with the units of their numbers."""

FACTOR = "\N{MULTIPLICATION SIGN}"
"""The unit of what has none of its own: times what the board's file says."""

_SPELLINGS = str.maketrans({"\N{GREEK SMALL LETTER MU}": "µ"})

_QUANTITY = re.compile(r"([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\D*)")


def unit_of(key: str) -> str:
    """The unit of the number of a key, or of a path that ends in it; empty of a count."""
    return next((unit for end, unit in _UNITS.items() if key.endswith(end)), "")


def scale_for(value: float, unit: str) -> tuple[str, float]:
    """The name of a unit in which a value is written, and how large that is: a thousand times the
    unit itself, or a million, where that leaves one or more.
    """
    found = (unit, 1.0)
    for name, factor in SCALES.get(unit, {}).items():
        if factor % 1000 == 0 and value >= factor:
            found = name, factor
    return found


def split(text: str) -> tuple[float, str]:
    """A number and the name of its unit, which may be empty; ValueError where it is none."""
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or not math.isfinite(float(found[1].replace("_", ""))):
        raise ValueError(f'"{text.strip()}" is no number')
    return float(found[1].replace("_", "")), found[2].strip()


def in_unit(number: float, name: str, unit: str) -> float:
    """A number with that unit's name in the unit; ValueError where it is none of its names."""
    name = name.translate(_SPELLINGS).replace("us", "µs") if unit in ("ns", "µs") else name
    if not name:
        return number
    known = SCALES.get(unit, {})
    if name not in known:
        allowed = ", ".join(known) or "a number without a unit"
        raise ValueError(f'"{name}" is no unit of it; allowed: {allowed}')
    # A decimal fraction of a large unit is a whole number of the small one.
    return float(f"{number * known[name]:.15g}")


def in_words(value: float, unit: str) -> str:
    """A number with its unit, as people write it: `70 MHz`, `640 ns`, `554 MIPS`."""
    return f"{FACTOR}{_short(value)}" if unit == FACTOR else _scaled(value, unit, _short)


def exactly(value: float, unit: str) -> str:
    """The same with all digits, as what is refused may be next to what is allowed."""
    return _scaled(value, unit, lambda number: f"{number:.15g}")


def typed(value: float, unit: str) -> str:
    """A value to the last digit, as it is typed in a command: `1.2GHz`."""
    name, factor = scale_for(value, unit)
    if name not in SCALES.get(unit, {}):
        return f"{value:.15g}"
    return f"{value / factor:.15g}{name}"


def _scaled(value: float, unit: str, digits: Callable[[float], str]) -> str:
    """A number in the multiple of its unit that people use for it."""
    name, scale = ("MIPS", 1e6) if unit == "1/s" else scale_for(value, unit)
    return f"{digits(value / scale)} {name}".rstrip()


def _short(value: float) -> str:
    """To three digits, or a whole number, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.10g}"


_MEASURED = (
    *("hertz", "instructions_per_second", "mebibytes", "interrupt_delay_us", "clock_hz"),
    *("register_ns", "rate_bit_s", "latency_ns", "from_ms", "until_ms", "within_ns", "for_ns"),
)
"""Keys of boards and links whose numbers may have units."""

_OF_KEYS = ("default", "description", "title")
"""What a JSON schema says of a key and not of its value."""


class Measures(Table):
    """A table whose numbers may be written with their units: `hertz = "1.2 GHz"`."""

    @field_validator(*_MEASURED, mode="before", check_fields=False)
    @classmethod
    def _read_unit(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        unit, (number, name) = unit_of(info.field_name or ""), split(value)
        if not name:
            raise ValueError(f"a number in quotes has a unit: {', '.join(SCALES[unit])}")
        found = in_unit(number, name, unit)
        if not found.is_integer():
            raise ValueError(f"it is {found:.15g} {unit}, which is no whole number")
        return int(found)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        made = handler(schema)
        table = handler.resolve_ref_schema(made)
        for key, number in table["properties"].items():
            if key in _MEASURED:
                kept = {name: number.pop(name) for name in _OF_KEYS if name in number}
                either = [*number.get("anyOf", [number]), _written(unit_of(key))]
                table["properties"][key] = {"anyOf": either, **kept}
        return made


def _written(unit: str) -> dict[str, str]:
    """The JSON schema of a number with its unit."""
    names = [*SCALES[unit]]
    usual = names[len(names) // 2]
    made = rf"^[0-9][0-9_]*([.][0-9]+)? ?({'|'.join(map(re.escape, names))})$"
    return {"type": "string", "pattern": pattern(made, f'a number with its unit, as "1.5 {usual}"')}
