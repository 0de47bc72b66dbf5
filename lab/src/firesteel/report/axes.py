# SPDX-License-Identifier: Apache-2.0
"""The axis of a number that a sweep varies: its scale, its ticks and its title."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt

from firesteel.board.numbers import Path
from firesteel.board.quantity import scale_for

_LOGARITHMIC = 4.0
"""The largest value divided by the smallest from which on a scale is logarithmic."""

_MOST_NAMED = 10
"""Values up to which an axis names each, as far as there is room."""

_LABELS = 34
"""Pixels for the numbers beside a field."""

_ROOM = 0.04
"""How much further than its values an axis goes, as a share of their range."""


@dataclass(frozen=True)
class Axis:
    """`values` are in the unit of the axis, sorted; `scale` is how large that is."""

    title: str
    values: tuple[float, ...]
    scale: float
    is_log: bool

    @staticmethod
    def of(path: Path, values: Iterable[float]) -> "Axis":
        """The axis of a number that takes these values."""
        there = sorted(set(values))
        least = next((value for value in there if value > 0), there[-1])
        name, scale = scale_for(least, path.unit)
        if path.unit == "1/s":
            name, scale = "MIPS", 1e6
        log = there[0] > 0 and there[-1] / there[0] >= _LOGARITHMIC
        title = f"{path.title}, {name}" if name else path.title
        return Axis(title, tuple(value / scale for value in there), scale, log)

    def at(self, value: float) -> float:
        """A value in the unit of the axis."""
        return value / self.scale

    @property
    def edges(self) -> tuple[float, ...]:
        """Around each value, half-way to its neighbours."""
        if len(self.values) == 1:
            (only,) = self.values
            return (only - 0.5, only + 0.5)
        middles = [self.between(*pair, 0.5) for pair in pairwise(self.values)]
        first, last = self.values[0], self.values[-1]
        return (self._beyond(first, middles[0]), *middles, self._beyond(last, middles[-1]))

    def encoded(self, channel: type[alt.X] | type[alt.Y], key: str, *, whole: bool = False) -> Any:
        """The encoding of a field by this axis; `whole` has room for all around each value."""
        low, high = (self.edges[0], self.edges[-1]) if whole else self._ends()
        named = whole or len(self.values) <= _MOST_NAMED
        scale = alt.Scale(type="log" if self.is_log else "linear", domain=[low, high], nice=False)
        axis = alt.Axis(
            values=list(self.values) if named else alt.Undefined,
            tickCount=alt.Undefined if named else 4,
            format=".4~r",
            ticks=not whole,
            domain=False,
            grid=not whole,
            labelOverlap="greedy",
            minExtent=_LABELS if channel is alt.Y else alt.Undefined,
        )
        return channel(f"{key}:Q", title=self.title, scale=scale, axis=axis)

    def _ends(self) -> tuple[float, float]:
        first, last = self.values[0], self.values[-1]
        if self.is_log:
            room = (last / first) ** _ROOM
            return first / room, last * room
        room = (last - first or 1) * _ROOM
        return first - room, last + room

    def between(self, one: float, other: float, share: float) -> float:
        """What lies so far on the way from one value to another."""
        return one * (other / one) ** share if self.is_log else one + (other - one) * share

    def _beyond(self, end: float, middle: float) -> float:
        """As far from an end as that is from the middle."""
        return end * end / middle if self.is_log else 2 * end - middle
