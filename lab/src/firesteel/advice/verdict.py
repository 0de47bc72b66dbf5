# SPDX-License-Identifier: Apache-2.0
"""The rule by which figures become an answer; docs/advice.md has it in words.

1. A figure is better, worse, or the same when it differs by no more than `NOISE`, or not in the
   same direction with every seed.
2. All figures that say which way is good decide together (`answer`).
3. Where they disagree, the sizes tell from which one on none is worse (`threshold`).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.direction import better

Verdict = Literal["better", "worse", "same", ""]
"""How hardware stands beside software; nothing where the figure is only told."""

Answer = Literal["yes", "no", "no difference", "it depends"]

NOISE = 0.005
"""Figures that differ by no more than this share of software's are the same.

A figure is exact for one seed.  How much it varies with others is not known of a single record, so
this is an assumption, which several seeds check.
"""

DECIDING = (
    "throughput",
    "connections",
    "rtt_mean",
    "latency",
    "connection_time",
    "time_per_request_p50",
    "instructions_per_request_p50",
    "cpu_seconds_per_mb",
    "cpu_seconds_per_connection",
)
"""Metrics that decide, each once: neither the mean beside its median nor the share of the CPU,
which says nothing without the work that was done with it."""

TOLD = ("cpu",)
"""Metrics that are shown besides."""

_NOT_BY_SIZE = ("file-transfer", "packet-sizes")
"""Experiments whose parameter is a size, but not that of a packet, a block or a request."""

_SIZE = re.compile(r"(\d+) (B|KiB|MiB)\b")
_FACTORS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


@dataclass(frozen=True)
class Row:
    """One figure in software and in hardware: a pair of values for each seed."""

    experiment: str
    parameter: str
    metric: str
    unit: str
    values: tuple[tuple[float, float], ...]

    @property
    def software(self) -> float:
        """The mean of all seeds."""
        return math.fsum(software for software, _ in self.values) / len(self.values)

    @property
    def hardware(self) -> float:
        """The mean of all seeds."""
        return math.fsum(hardware for _, hardware in self.values) / len(self.values)

    @property
    def ratio(self) -> float | None:
        """Hardware divided by software; None when software has 0."""
        return self.hardware / self.software if self.software else None

    @property
    def verdict(self) -> Verdict:
        """By `NOISE` and, of several seeds, by whether each differs in the same direction."""
        if self.metric not in DECIDING:
            return ""
        more = self.hardware - self.software
        higher = {hardware > software for software, hardware in self.values}
        if abs(more) <= NOISE * abs(self.software) or len(higher) > 1:
            return "same"
        return "better" if (more > 0) == (better(self.metric) == "higher") else "worse"

    @property
    def size(self) -> int | None:
        """Bytes of the packet, block or request; None where there is no such size."""
        found = _SIZE.match(self.parameter)
        if self.experiment in _NOT_BY_SIZE or not found:
            return None
        return int(found[1]) * _FACTORS[found[2]]


def is_shown(metric: str) -> bool:
    """Whether the metric decides or is told."""
    return metric in DECIDING or metric in TOLD


def answer(rows: Iterable[Row]) -> Answer:
    """What all figures say together."""
    verdicts = {row.verdict for row in rows}
    if {"better", "worse"} <= verdicts:
        return "it depends"
    if "better" in verdicts:
        return "yes"
    return "no" if "worse" in verdicts else "no difference"


def nearest(rows: Sequence[Row], size: int) -> list[Row]:
    """The rows of the measured size that is nearest to `size` by ratio, of each experiment; of two
    as near, the smaller.  Rows without a size or a verdict are left out.
    """
    kept = []
    for experiment in dict.fromkeys(row.experiment for row in rows):
        mine = [row for row in rows if row.experiment == experiment and row.verdict]
        sizes = sorted({row.size for row in mine if row.size is not None})
        if sizes:
            best = min(sizes, key=lambda each: abs(math.log(max(each, 1) / size)))
            kept += [row for row in mine if row.size == best]
    return kept


def threshold(rows: Sequence[Row]) -> str | None:
    """The smallest size, as its parameter has it, from which on no figure is worse and some are
    better; None when there is none, or when something without a size is worse.
    """
    if any(row.verdict == "worse" and row.size is None for row in rows):
        return None
    sizes = sorted({row.size for row in rows if row.size is not None})
    least = None
    for size in reversed(sizes):
        if any(row.verdict == "worse" for row in rows if row.size == size):
            break
        least = size
    if least is None or answer(row for row in rows if (row.size or 0) >= least) != "yes":
        return None
    return next(row.parameter.split(",")[0] for row in rows if row.size == least)
