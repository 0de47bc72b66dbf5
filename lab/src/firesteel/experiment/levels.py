# SPDX-License-Identifier: Apache-2.0
"""The values that a number takes in a sweep, as people write them.

    50 MHz, 100 MHz          each of these
    50..400 MHz x8           8 values from 50 to 400 MHz, as far apart each
    50..400 MHz x4 log       4 values, each so many times the one before
    50..400 MHz              any from 50 to 400 MHz: for samples alone; `log` as above

A number without a unit has that of the next one that has one; without any, that of the key.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firesteel.board.quantity import in_unit, split

MOST_VALUES = 10_000
"""Of one number."""

_DIGITS = 4
"""Of values between the ends of a range, so that people can read them."""

_RANGE = re.compile(r"(.+?)\.\.(.+?)(?:\s*x\s*(\d+))?(\s*log)?")


@dataclass(frozen=True)
class Levels:
    """The values in their order; or else, for samples alone, all from `low` to `high`, taken by
    their logarithms if `log`.
    """

    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    def at(self, share: float) -> float:
        """The value that lies so far on the way through them, from 0 to 1."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        return _readable(_between(self.low, self.high, share, log=self.log))


@dataclass(frozen=True)
class _Item:
    """A number, or a range of `count`, 0 where it is not said."""

    ends: tuple[str, ...]
    count: int = 1
    log: bool = False


def read_levels(said: Sequence[str | float] | str | float, unit: str) -> Levels:
    """What was said of a number with that unit; ValueError where it cannot be understood."""
    texts = [said] if isinstance(said, str | int | float) else list(said)
    items = [_item(part) for text in texts for part in f"{text}".split(",")]
    if not items:
        raise ValueError("there is no value")
    numbers = iter(_in_one_unit([end for item in items for end in item.ends], unit))
    spans = [(item, [next(numbers) for _ in item.ends]) for item in items]
    for item, ends in spans:
        _check(item, ends)
    open_ended = [(item, ends) for item, ends in spans if not item.count]
    if open_ended and len(items) > 1:
        raise ValueError("a range without `xN` stands alone")
    for item, (low, high) in open_ended:
        return Levels(low=low, high=high, log=item.log)
    values = tuple(value for item, ends in spans for value in _values(item, ends))
    _check_values(values)
    return Levels(values)


def _item(text: str) -> _Item:
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return _Item((text,))
    low, high, count, log = found.groups()
    return _Item((low, high), int(count) if count else 0, bool(log))


def _in_one_unit(texts: Sequence[str], unit: str) -> list[float]:
    found: list[float] = []
    name = ""
    for text in reversed(texts):
        number, own = split(text)
        name = own or name
        found.append(in_unit(number, name, unit))
    return found[::-1]


def _check(item: _Item, ends: Sequence[float]) -> None:
    if len(ends) == 1:
        if not ends[0].is_integer():
            raise ValueError(f"{ends[0]:.15g} is not a whole number, in the unit of the key")
        return
    low, high = ends
    if low >= high:
        raise ValueError(f"the range goes from {low:.15g} to {high:.15g}; its end must be above")
    if item.log and low <= 0:
        raise ValueError("a range with `log` begins above 0")
    if item.count == 1 or item.count > MOST_VALUES:
        raise ValueError(f"a range has {item.count} values; allowed are 2 to {MOST_VALUES}")


def _values(item: _Item, ends: Sequence[float]) -> Iterator[float]:
    if len(ends) == 1:
        yield ends[0]
        return
    low, high = ends
    yield float(round(low))
    for number in range(1, item.count - 1):
        yield _readable(_between(low, high, number / (item.count - 1), log=item.log))
    yield float(round(high))


def _check_values(values: Sequence[float]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{value:.15g} is there more than once")
        seen.add(value)


def _between(low: float, high: float, share: float, *, log: bool) -> float:
    if log:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
    return low + (high - low) * share


def _readable(value: float) -> float:
    """A whole number of few digits."""
    return float(round(float(f"{value:.{_DIGITS}g}")))
