# SPDX-License-Identifier: Apache-2.0
"""Bit rates as people write them: `100 Mbit/s`, `2.5 Gbit/s`."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from firesteel.base.patterns import pattern

_UNITS = {"Mbit/s": 1_000_000, "Gbit/s": 1_000_000_000}

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


def bits_of(rate: BitRate) -> int:
    """A rate in bit/s."""
    number, unit = rate.split()
    return int(Decimal(number) * _UNITS[unit])


def rate_text(bits: int) -> str:
    """The same in words, in the largest unit of which it has one or more."""
    unit = next((name for name, size in reversed(_UNITS.items()) if bits >= size), "Mbit/s")
    return f"{Decimal(bits) / _UNITS[unit]:f}".removesuffix(".0") + f" {unit}"
