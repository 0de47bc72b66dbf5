# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them: `50 MHz`, `1 Gbit/s`, `120`."""

import math
import re
from collections.abc import Mapping

SCALES: Mapping[str, Mapping[str, float]] = {
    "Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "1/s": {"MIPS": 1e6, "GIPS": 1e9},
    "ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9},
    "µs": {"µs": 1, "ms": 1e3, "s": 1e6},
    "bit/s": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
    "MiB": {"MiB": 1, "GiB": 1 << 10},
    "cycles": {"cycles": 1},
}
"""Units of numbers, with the names of each that are a multiple of it, the smallest first."""

_SPELLINGS = str.maketrans({"\N{GREEK SMALL LETTER MU}": "µ"})

_QUANTITY = re.compile(r"([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\D*)")


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
