# SPDX-License-Identifier: Apache-2.0
"""Quantities as people read and write them, and the values of a number that varies.

A quantity is `50 MHz`, `1 Gbit/s`, `8 MiB` or `120`; values are:

    50 MHz, 100 MHz          each of these
    50..400 MHz x8           8 values from 50 to 400 MHz, as far apart each
    50..400 MHz x4 log       4 values, each so many times the one before
    50..400 MHz              any from 50 to 400 MHz: for samples alone; `log` as above

A number without a unit takes the next number's unit; if no number has one, the key's unit counts.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from firesteel.base.toml import Table, pattern

SCALES: Mapping[str, Mapping[str, float]] = {
    "Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "1/s": {"MIPS": 1e6, "GIPS": 1e9},
    "ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9},
    "µs": {"µs": 1, "ms": 1e3, "s": 1e6},
    "ms": {"ms": 1, "s": 1e3},
    "bit/s": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
    "B/s": {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9},
    "B": {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30},
    "MiB": {"MiB": 1, "GiB": 1 << 10},
    "cycles": {"cycles": 1},
}
"""Units of numbers, with the names of each that are a multiple of it, the smallest first."""

_UNITS = {
    "_per_second": "1/s",
    "hertz": "Hz",
    "_hz": "Hz",
    "_bit_s": "bit/s",
    "_byte_s": "B/s",
    "_ns": "ns",
    "_us": "µs",
    "_ms": "ms",
    "_cycles": "cycles",
    "mebibytes": "MiB",
}
"""Ends of keys, with the units of their numbers."""

FACTOR = "\N{MULTIPLICATION SIGN}"
"""The unit of plain factors: they multiply the value in the board's file."""

BitRate = Annotated[
    str,
    Field(
        pattern=pattern(
            r"^([1-9][0-9]{0,2}(\.[0-9])? Mbit/s|([1-9][0-9]?(\.[0-9])?|100) Gbit/s)$",
            "a rate from 1 Mbit/s to 100 Gbit/s with a space before the unit and at most one "
            'decimal, as "100 Mbit/s" or "2.5 Gbit/s"',
        )
    ),
]
"""Such as `1 Gbit/s`."""

FileSize = Annotated[
    str,
    Field(
        pattern=pattern(
            r"^[1-9][0-9]{0,4} (KiB|MiB|GiB)$",
            'a size in KiB, MiB or GiB with a space before the unit, as "8 MiB" or "512 KiB"',
        )
    ),
]
"""Such as `128 MiB`."""

_SPELLINGS = str.maketrans({"\N{GREEK SMALL LETTER MU}": "µ"})

_QUANTITY = re.compile(r"([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\D*)")


def unit_of(key: str) -> str:
    """The unit of the number of a key, or of a path that ends in it; empty of a count."""
    return next((unit for end, unit in _UNITS.items() if key.endswith(end)), "")


def scale_for(value: float, unit: str) -> tuple[str, float]:
    """The name and the size of the unit for a value: a thousand or a million times the base unit,
    if the value then is at least one.
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
        raise ValueError(f'"{text.strip()}" is not a number')
    return float(found[1].replace("_", "")), found[2].strip()


def in_unit(number: float, name: str, unit: str) -> float:
    """A number with that unit's name in the unit; ValueError where it is none of its names."""
    name = name.translate(_SPELLINGS).replace("us", "µs") if unit in ("ns", "µs") else name
    if not name:
        return number
    known = SCALES.get(unit, {})
    if name not in known:
        allowed = ", ".join(known) or "a number without a unit"
        raise ValueError(f'"{name}" is not a unit for this key; allowed: {allowed}')
    # A decimal fraction of a large unit is a whole number of the small one.
    return float(f"{number * known[name]:.15g}")


def bits_of(rate: BitRate) -> int:
    """A rate in bit/s."""
    return int(in_unit(*split(rate), "bit/s"))


def rate_text(bits: int) -> str:
    """A rate in bit/s as people write it: `2.5 Gbit/s`."""
    return exactly(bits, "bit/s")


_BIT_RATE: TypeAdapter[BitRate] = TypeAdapter(BitRate)


def read_rate(text: str) -> BitRate:
    """A rate of the command line in the spelling of files, from any spacing and unit.

    Raises `ValueError`, which says what is allowed.
    """
    try:
        bits = round(in_unit(*split(text), "bit/s"))
        return rate_text(bits_of(_BIT_RATE.validate_python(rate_text(bits))))
    except ValueError:  # Pydantic's is one too.
        raise ValueError(
            "allowed is a rate from 1 Mbit/s to 100 Gbit/s with at most one decimal in Mbit/s, or "
            'from 1 Gbit/s on in Gbit/s, such as "2.5 Gbit/s"'
        ) from None


def bytes_of(size: FileSize) -> int:
    """A size in bytes."""
    return int(in_unit(*split(size), "B"))


def in_words(value: float, unit: str) -> str:
    """A number with its unit, as people write it: `70 MHz`, `640 ns`, `554 MIPS`."""
    return f"{FACTOR}{_short(value)}" if unit == FACTOR else _scaled(value, unit, _short)


def exactly(value: float, unit: str) -> str:
    """The same with all digits, because a refused value may be next to an allowed one."""
    return _scaled(value, unit, lambda number: f"{number:.15g}")


def typed(value: float, unit: str) -> str:
    """A value to the last digit, in the form for a command: `1.2GHz`."""
    name, factor = scale_for(value, unit)
    return f"{value / factor:.15g}{name}" if name in SCALES.get(unit, {}) else f"{value:.15g}"


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
    *("read_byte_s", "write_byte_s", "quantum_ns"),
)
"""Keys of boards and links whose numbers may have units."""

_OF_KEYS = ("default", "description", "title")
"""What a JSON schema says of a key and not of its value."""


def _whole(text: str, unit: str) -> int:
    """What is said with a name of the unit; ValueError where it is no whole number of that."""
    number, name = split(text)
    if not name:
        raise ValueError(f"a number in quotes has a unit: {', '.join(SCALES[unit])}")
    found = in_unit(number, name, unit)
    if not found.is_integer():
        raise ValueError(f"it is {found:.15g} {unit}, which is not a whole number")
    return int(found)


class Measures(Table):
    """A table whose numbers may be written with their units: `hertz = "1.2 GHz"`."""

    @field_validator(*_MEASURED, mode="wrap", check_fields=False)
    @classmethod
    def _read_unit(
        cls, value: Any, check: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Any:
        unit = unit_of(info.field_name or "")
        try:
            return check(_whole(value, unit) if isinstance(value, str) else value)
        except ValidationError as error:
            told = error.errors()[0].get("ctx", {})
            for bound, side in (("ge", "more"), ("le", "less")):
                if bound in told:
                    told["allowed"] = f"allowed are {exactly(told[bound], unit)} and {side}"
                    raise PydanticCustomError("bound", "{allowed}", told) from None
            raise

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        made = handler(schema)
        table = handler.resolve_ref_schema(made)
        for key, number in table["properties"].items():
            if key in _MEASURED:
                kept = {name: number.pop(name) for name in _OF_KEYS if name in number}
                names = [*SCALES[unit_of(key)]]
                usual = names[len(names) // 2]
                written = pattern(
                    rf"^[0-9][0-9_]*([.][0-9]+)? ?({'|'.join(map(re.escape, names))})$",
                    f'a number with its unit, as "1.5 {usual}"',
                )
                either = [*number.get("anyOf", [number]), {"type": "string", "pattern": written}]
                table["properties"][key] = {"anyOf": either, **kept}
        return made


MOST_VALUES = 10_000
"""Of one number that varies."""

_DIGITS = 4
"""Of values between the ends of a range, so that people can read them."""

_RANGE = re.compile(r"(.+?)\.\.(.+?)(?:\s*x\s*(\d+))?(\s*log)?")


@dataclass(frozen=True)
class Levels:
    """The values in their order; or, only for samples, all values from `low` to `high`, on a
    logarithmic scale if `log`.
    """

    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    def at(self, share: float) -> float:
        """The value that lies so far on the way through them, from 0 to 1: a whole number of few
        digits.
        """
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        low, high = (math.log(end) if self.log else end for end in (self.low, self.high))
        found = low + (high - low) * share
        return float(round(float(f"{math.exp(found) if self.log else found:.{_DIGITS}g}")))


def read_levels(said: Sequence[str | float] | str | float, unit: str) -> Levels:
    """What was said of a number with that unit; ValueError where it cannot be understood."""
    texts = [said] if isinstance(said, str | int | float) else list(said)
    items = [part.strip() for text in texts for part in f"{text}".split(",")]
    if not items:
        raise ValueError("there is no value")
    values: list[float] = []
    name = ""  # Of the unit of what comes behind
    for item in reversed(items):
        ranged = _RANGE.fullmatch(item)
        ends: list[float] = []
        for text in (ranged[2], ranged[1]) if ranged else (item,):
            number, own = split(text)
            name = own or name
            ends.insert(0, in_unit(number, name, unit))
        if ranged is None:
            if not ends[0].is_integer():
                raise ValueError(f"{ends[0]:.15g} is not a whole number, in the unit of the key")
            values.insert(0, ends[0])
            continue
        span = Levels(low=ends[0], high=ends[1], log=bool(ranged[4]))
        values[:0] = _steps(span, int(ranged[3]) if ranged[3] else 0)
        if not ranged[3]:
            if len(items) > 1:
                raise ValueError("a range without `xN` allows no other value")
            return span
    if twice := [value for number, value in enumerate(values) if value in values[:number]]:
        raise ValueError(f"{twice[0]:.15g} appears more than once")
    return Levels(tuple(values))


def _steps(span: Levels, count: int) -> Iterator[float]:
    """So many values of a range, none for 0; ValueError where it is no range."""
    low, high = span.low, span.high
    if low >= high:
        raise ValueError(f"the range goes from {low:.15g} to {high:.15g}; its end must be larger")
    if span.log and low <= 0:
        raise ValueError("a range with `log` begins above 0")
    if count == 1 or count > MOST_VALUES:
        raise ValueError(f"a range has {count} values; allowed are 2 to {MOST_VALUES}")
    for number in range(count):
        inner = 0 < number < count - 1
        yield span.at(number / (count - 1)) if inner else float(round((low, high)[number > 0]))
