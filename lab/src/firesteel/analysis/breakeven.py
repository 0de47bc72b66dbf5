# SPDX-License-Identifier: Apache-2.0
"""From which size on another implementation costs less than software: the one place of it.

Terminal, report and advice have it from here, from the same rows with the same seeds.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firesteel.analysis.comparison import SLACK, Comparison
from firesteel.analysis.pairs import find, with_software
from firesteel.analysis.rows import Result, Rows, of_metrics
from firesteel.model.identity import Identity
from firesteel.workloads import titles
from firesteel.workloads.registry import SERIES

_METRICS = {
    "cpu_time_per_request_p50": "less of the CPU's time",
    "time_per_request_p50": "less time",
    "time_per_request": "less time",
}
"""What one request takes; each series says by which of them it breaks even."""


@dataclass(frozen=True)
class BreakEven:
    """An implementation beside software, by one metric.

    It costs less, by `analysis.comparison`, at every size that was measured of both from `least`
    bytes on; None when it does not at the largest.  `above` is the next smaller size, at
    which it does not; None when it does at the smallest, so that nobody knows where it breaks even.
    `crossing` is the size in between, interpolated; `least` where noise hides it.
    """

    experiment: str
    what: str
    metric: str
    least: int | None
    above: int | None = None
    crossing: float | None = None

    @property
    def size(self) -> str:
        """In words, as short as a table's cell."""
        if self.least is None:
            return "not up to the largest"
        if self.crossing is None:
            return f"below {self.least} B"
        return f"{self._crossing} B"

    @property
    def sentence(self) -> str:
        """The result in words."""
        costs = _METRICS[self.metric]
        who = f"{titles.experiment(self.experiment)}: {self.what} takes {costs}"
        if self.least is None:
            return f"{who} than software at no measured size."
        if self.crossing is None:
            return (
                f"{who} than software at every measured size; it breaks even below the smallest "
                f"one ({self.least} B)."
            )
        if self.crossing >= self.least:
            return (
                f"{who} than software from {self.least} B on (at {self.above} B the difference is "
                "in the noise)."
            )
        return (
            f"{who} than software from about {self._crossing} B on (interpolated between "
            f"{self.above} B and {self.least} B)."
        )

    @property
    def _crossing(self) -> int:
        """With the digits that interpolating between sizes far apart is good for."""
        assert self.crossing is not None
        step = 10 ** max(math.floor(math.log10(self.crossing)) - 1, 0)
        return int(round(self.crossing / step) * step)


_Point = tuple[int, Comparison]
"""A size in bytes, and the other implementation beside software there."""


def break_even(results: Iterable[Result]) -> Iterator[BreakEven]:
    """Each implementation beside the software of the same suite, by each metric."""
    rows = Rows(of_metrics(results, _METRICS))
    found: dict[tuple[str, str, str], list[_Point]] = {}
    for pair in find(rows, with_software):
        identity = pair.identity
        for metric in _costs(identity.workload):
            if pair.has(metric):
                point = (_bytes(identity), pair.compared(metric))
                found.setdefault(
                    (identity.workload, titles.of_identity(identity), metric), []
                ).append(point)
    for what, points in found.items():
        yield _of(what, sorted(points, key=lambda point: point[0]))


def _costs(workload: str) -> Sequence[str]:
    return SERIES[workload].costs if workload in SERIES else ()


def _of(what: tuple[str, str, str], points: Sequence[_Point]) -> BreakEven:
    """Of one implementation, the smallest size first."""
    fewest = len(points)
    while fewest and points[fewest - 1][1].standing == "better":
        fewest -= 1
    if fewest == len(points):
        return BreakEven(*what, None)
    if not fewest:
        return BreakEven(*what, points[0][0])
    below, least = points[fewest - 1], points[fewest]
    return BreakEven(*what, least[0], below[0], _crossing(below, least))


def _crossing(below: _Point, least: _Point) -> float:
    """Where the other one comes to be better by the slack, if both costs grow in a straight line:
    so much for a request, and so much for each byte.

    A cost that is better already at the smaller size, but in the noise, tells nothing of what is in
    between.
    """
    (size, smaller), (larger, greater) = below, least
    first, last = (each.other.value - (1 - SLACK) * each.one.value for each in (smaller, greater))
    if first <= 0 or last >= 0:
        return larger
    return size + (larger - size) * first / (first - last)


def _bytes(identity: Identity) -> int:
    size = identity.parameter.size_bytes
    if size is None:
        raise ValueError(f"{identity.parameter.text}: not a size")
    return size
