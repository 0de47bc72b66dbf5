# SPDX-License-Identifier: Apache-2.0
"""Whether two figures of several seeds differ by more than chance: the one test of it.

With several seeds on both sides, Welch's 95 % interval of the difference of the means; with several
on one side, the interval in which a single further one would be.  One seed on both sides tells no
noise.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.spread import t_quantile

ROUNDING = 1 + 1e-9
"""So that a difference of just the margin is within it."""


@dataclass(frozen=True)
class Sample:
    """What `seeds` seeds say of a figure.

    `value` is what is shown, their median; `error` the standard error of their `mean`, 0 of one.
    """

    value: float
    mean: float
    error: float = 0.0
    seeds: int = 1

    @staticmethod
    def of(values: Sequence[float]) -> "Sample":
        """Of the figures of all seeds, one at the least."""
        n = len(values)
        error = statistics.stdev(values) / math.sqrt(n) if n > 1 else 0.0
        # The mean of equal values is their value, to the last digit.
        return Sample(float(statistics.median(values)), float(statistics.mean(values)), error, n)

    @staticmethod
    def of_row(row: Mapping[str, Any]) -> "Sample":
        """Of a row of `firesteel.spread`; one without these columns is of one seed."""
        low, high, seeds = row.get("ci95_low"), row.get("ci95_high"), row.get("seeds") or 1
        if low is None or high is None or seeds < 2:
            return Sample(row["value"], row["value"])
        error = (high - low) / 2 / t_quantile(seeds - 1)
        return Sample(row["value"], (low + high) / 2, error, seeds)

    def times(self, other: "Sample") -> "Sample":
        """The product of two figures, as if they varied apart from each other."""
        error = math.hypot(self.error * other.mean, other.error * self.mean)
        seeds = min(self.seeds, other.seeds)
        return Sample(self.value * other.value, self.mean * other.mean, error, seeds)

    def inverse(self) -> "Sample":
        """1 divided by the figure, which is not 0."""
        return Sample(1 / self.value, 1 / self.mean, self.error / self.mean**2, self.seeds)


def margin(one: Sample, other: Sample) -> float | None:
    """By how much the means may differ by chance; None where that is unknown."""
    if one.seeds > 1 and other.seeds > 1:
        return _welch(one, other)
    several = max(one, other, key=lambda sample: sample.seeds)
    if several.seeds > 1:
        return t_quantile(several.seeds - 1) * several.error * math.sqrt(several.seeds + 1)
    return None


def in_noise(one: Sample, other: Sample) -> bool:
    """Whether seeds tell that a difference of the figures may be chance."""
    most = margin(one, other)
    return most is not None and 0 < abs(other.mean - one.mean) <= most * ROUNDING


def _welch(one: Sample, other: Sample) -> float:
    """Half of the interval of the difference of two means whose variances may differ.

    Source: B. L. Welch, The generalization of "Student's" problem when several different population
    variances are involved, Biometrika 34 (1947).
    """
    parts = [one.error**2, other.error**2]
    total = sum(parts)
    if total == 0:
        return 0.0
    sizes = (one.seeds, other.seeds)
    freedom = 1 / sum((part / total) ** 2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    return float(t_quantile(freedom) * total**0.5)
