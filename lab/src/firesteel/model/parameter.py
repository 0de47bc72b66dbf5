# SPDX-License-Identifier: Apache-2.0
"""The swept value of a figure in numbers: `64 B, 16 in flight` is 64 bytes and 16 requests."""

import re
from dataclasses import dataclass

_FACTORS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_SIZE = re.compile(r"(\d+)(?:-(\d+))? (B|KiB|MiB)")
_SECTOR = re.compile(r"sector (\d+) B")
_IN_FLIGHT = re.compile(r"(?:(\d+) in flight|depth (\d+))")
_KEY = re.compile(r"[a-z]+-p?(\d+)")

_BY_REQUEST = ("kernel-crypto", "disk-")
"""How the names of experiments begin that keep several requests in flight."""


@dataclass(frozen=True)
class Parameter:
    """None is what the figure's parameter does not say.

    `size_bytes` is the size of a packet, block, request or file, or the smallest of a class of
    packets, whose largest is `size_bytes_most`.  `in_flight` are the requests that are kept under
    way at once, `sector_bytes` the sectors of an encrypted disk, `key_bits` the server's key.
    """

    size_bytes: int | None = None
    size_bytes_most: int | None = None
    in_flight: int | None = None
    sector_bytes: int | None = None
    key_bits: int | None = None


COLUMNS = tuple(Parameter.__dataclass_fields__)
"""Of a table: whole numbers."""


def parameter_of(experiment: str, text: str) -> Parameter:
    """What the parameter of a figure of that experiment says."""
    if key := _KEY.fullmatch(text):
        return Parameter(key_bits=int(key[1]))
    low, high = _sizes(text)
    sector, flight = _SECTOR.search(text), _IN_FLIGHT.search(text)
    several = int(flight[1] or flight[2]) if flight else None
    return Parameter(
        size_bytes=low,
        size_bytes_most=high,
        in_flight=several or (1 if experiment.startswith(_BY_REQUEST) else None),
        sector_bytes=int(sector[1]) if sector else None,
    )


def _sizes(text: str) -> tuple[int | None, int | None]:
    found = _SIZE.match(text)
    if not found:
        return None, None
    factor = _FACTORS[found[3]]
    return int(found[1]) * factor, int(found[2]) * factor if found[2] else None
