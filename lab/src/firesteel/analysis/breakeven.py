# SPDX-License-Identifier: Apache-2.0
"""From which size on another implementation costs less than software: the one place of it.

Terminal, report and advice have it from here, from the same rows with the same seeds.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel.analysis.compare import CONFIGURATION, configuration
from firesteel.analysis.judging import SLACK, standing
from firesteel.analysis.noise import Sample
from firesteel.model.cell import IN_SOFTWARE
from firesteel.model.parameter import parameter_of
from firesteel.workloads import titles

_METRICS = {
    "cpu_time_per_request_p50": "less of the CPU's time",
    "time_per_request_p50": "less time",
}
"""Medians: what the kernel does besides, now and then, is not in them."""

_MEANS = {"openssl-speed": "time_per_request"}
"""Experiments that time no single request."""

_OF_MEANS = dict.fromkeys(_MEANS.values(), "less time")


@dataclass(frozen=True)
class BreakEven:
    """An implementation beside software, by one metric.

    It costs less, by the rule of `analysis.judging`, at every size that was measured of both from
    `least` bytes on; None when it does not at the largest.  `above` is the next smaller size, at
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
        costs = (_METRICS | _OF_MEANS)[self.metric]
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


_Row = tuple[int, Sample, Sample]
"""A size in bytes, software there, and the other implementation."""


def break_even(figures: pl.DataFrame) -> Iterator[BreakEven]:
    """Each implementation beside the software of the same suite, by each metric.

    `figures` are rows of `analysis.spread`.  Only those with one request in flight count.
    """
    keys = ["experiment", "protocol", "cipher", "mac", "as_in_2015", "parameter", "metric"]
    part = figures.filter(
        pl.col("metric").is_in(list(_METRICS))
        | (pl.col("metric") == pl.col("experiment").replace_strict(_MEANS, default=None))
    )
    software = {
        tuple(row[key] for key in keys): Sample.of_row(row)
        for row in part.filter(pl.col("implementation") == "software").iter_rows(named=True)
    }
    groups = ["experiment", *CONFIGURATION, "metric"]
    others = part.filter(~pl.col("implementation").is_in(IN_SOFTWARE))
    for group in others.partition_by(groups, maintain_order=True):
        rows = group.to_dicts()
        both = [
            (_bytes(row), software[key], Sample.of_row(row))
            for row in rows
            if (key := tuple(row[key] for key in keys)) in software
        ]
        if both:
            yield _of(rows[0], sorted(both, key=lambda row: row[0]))


def _of(first: dict[str, Any], rows: Sequence[_Row]) -> BreakEven:
    """Of the rows of one implementation, the smallest size first."""
    metric = first["metric"]
    what = (first["experiment"], configuration(first), metric)
    fewest = len(rows)
    while fewest and standing(metric, *rows[fewest - 1][1:]) == "better":
        fewest -= 1
    if fewest == len(rows):
        return BreakEven(*what, None)
    if not fewest:
        return BreakEven(*what, rows[0][0])
    below, least = rows[fewest - 1], rows[fewest]
    return BreakEven(*what, least[0], below[0], _crossing(below, least))


def _crossing(below: _Row, least: _Row) -> float:
    """Where the other one comes to be better by the slack, if both costs grow in a straight line:
    so much for a request, and so much for each byte.

    A cost that is better already at the smaller size, but in the noise, tells nothing of what is in
    between.
    """
    (size, *both), (larger, *better) = below, least
    first, last = (other.value - (1 - SLACK) * one.value for one, other in (both, better))
    if first <= 0 or last >= 0:
        return larger
    return size + (larger - size) * first / (first - last)


def _bytes(row: dict[str, Any]) -> int:
    size = parameter_of(row["experiment"], row["parameter"]).size_bytes
    if size is None:
        raise ValueError(f"{row['parameter']}: not a size")
    return size
