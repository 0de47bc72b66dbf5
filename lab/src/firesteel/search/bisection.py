# SPDX-License-Identifier: Apache-2.0
"""The first of ordered values at which something holds, by bisection.

It is assumed that what holds at a value holds at all behind it.  Trying some of them cannot prove
that; `Search.contradiction` says where those that were tried show otherwise.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass
class Search(Generic[Value]):
    """Values in the order in which it becomes easier to hold, and at which of them it does, as far
    as they were tried.
    """

    values: Sequence[Value]
    tried: dict[int, bool] = field(default_factory=dict)

    @property
    def first_index(self) -> int | None:
        """Where the first value is that holds, with all that were tried behind it; None where the
        last one does not.
        """
        found = None
        for index, holds in sorted(self.tried.items(), reverse=True):
            if not holds:
                break
            found = index
        return found

    @property
    def first(self) -> Value | None:
        """That value."""
        found = self.first_index
        return None if found is None else self.values[found]

    @property
    def last_holding(self) -> Value | None:
        """The last value that was tried at which it holds, whatever is behind it."""
        holding = [index for index, holds in self.tried.items() if holds]
        return self.values[max(holding)] if holding else None

    @property
    def before(self) -> Value | None:
        """The nearest value before that one that was tried: there it does not hold.  None where
        there is no value before it.
        """
        end = len(self.values) if self.first_index is None else self.first_index
        earlier = [index for index in self.tried if index < end]
        return self.values[max(earlier)] if earlier else None

    @property
    def gap(self) -> tuple[int, int]:
        """Where the first value that holds lies: behind the one, up to the other, where there is
        any; both are the same if it is the very first.
        """
        end = len(self.values) - 1 if self.first_index is None else self.first_index
        return max((index for index in self.tried if index < end), default=end), end

    @property
    def contradiction(self) -> tuple[Value, Value] | None:
        """A value at which it holds, and one behind it at which it does not."""
        holding = [index for index, holds in self.tried.items() if holds]
        for index, holds in sorted(self.tried.items()):
            if not holds and holding and min(holding) < index:
                return self.values[min(holding)], self.values[index]
        return None


def search(
    values: Sequence[Value], holds: Callable[[Value], bool], probes: int = 0
) -> Search[Value]:
    """Tries both ends, so many `probes` evenly in between, and then halves what is left."""
    found = Search(values)
    for index in _to_try(found, probes):
        found.tried[index] = holds(values[index])
    return found


def most_tried(count: int, probes: int = 0) -> int:
    """How many of so many values `search` tries at the most."""
    anyway = sorted(_anyway(count, probes))
    return len(anyway) + max((b - a - 1).bit_length() for a, b in pairwise(anyway))


def _to_try(found: Search[Value], probes: int) -> Iterator[int]:
    """The values to try, each by what came of those before."""
    yield from _anyway(len(found.values), probes)
    while found.first_index is not None:
        fails, end = found.gap
        middle = (fails + end) // 2
        if middle in found.tried:
            break
        yield middle


def _anyway(count: int, probes: int) -> list[int]:
    """Which of so many values are tried whatever comes of it."""
    last = count - 1
    between = (round(last * number / (probes + 1)) for number in range(1, probes + 1))
    return list(dict.fromkeys((last, 0, *between)))
