# SPDX-License-Identifier: Apache-2.0
"""What several seeds give of a figure, and whether two figures differ by more than chance: the one
place of means, intervals, ratios and noise, and of how a ratio stands (`Gain`).

A figure of one seed is exact.  What another board would have, with other addresses and keys,
other seeds show: they are a sample of such boards, and the 95 % interval says where the mean of
all of them lies (Student's t distribution, as the variance is estimated from few values).

Of two figures, seeds that both have are paired: the same seed gives both the same addresses and
keys, so that what these do to a figure they do to both.  With other seeds on either side it is
Welch's 95 % interval of the difference of the means; with several on one side, the interval in
which a single further one would be.  One seed on both sides tells no noise but what the figures
tell of themselves, by the intervals of their own windows.
"""

import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from firesteel.model.figure import CONVERGED, t_quantile
from firesteel.model.metrics import better
from firesteel.table import UNCERTAINTY

SPREAD_COLUMNS = ("seeds", "converged", "ci95_low", "ci95_high", "min", "max")
"""Columns of `spreads` behind those that are given: how many seeds gave the figure, and what they
say of it; `value` is their mean.  With one seed the interval is the figure's own; its ends are null
where it has none.  `converged` says whether half of the interval is small beside the figure, or the
figure has no interval of its own to be small.
"""

BY_SEED = "by_seed"
"""The last column of `spreads`: every seed with its value and uncertainty, which a table of text
has no room for.
"""


def spreads(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """A row for each figure, which is what differs in `keys`, in the order of their first rows.

    `samples` has a row for each seed, with the figure in `value`, the seed in `seed` and the
    uncertainty.
    """
    value, own = pl.col("value"), pl.col(UNCERTAINTY)
    found = samples.group_by(keys, maintain_order=True).agg(
        # The mean of equal values is their value, to the last digit.
        pl.when(value.min() == value.max()).then(value.min()).otherwise(value.mean()),
        value.len().cast(pl.Int64).alias("seeds"),
        value.std().alias("_deviation"),
        value.min().alias("min"),
        value.max().alias("max"),
        own.first().alias("_own"),
        (own.is_null() | _small(own, value)).all().alias("_each_converged"),
        pl.struct("seed", "value", UNCERTAINTY).alias(BY_SEED),
    )
    quantiles = {n: t_quantile(n - 1) for n in found["seeds"].unique().to_list() if n > 1}
    between = (
        pl.col("seeds").replace_strict(quantiles, default=None, return_dtype=pl.Float64)
        * pl.col("_deviation")
        / pl.col("seeds").sqrt()
    )
    half = pl.when(pl.col("seeds") > 1).then(between).otherwise("_own")
    converged = pl.col("_each_converged") | _small(between, value).fill_null(value=False)
    return found.with_columns(
        (value - half).alias("ci95_low"),
        (value + half).alias("ci95_high"),
        converged.alias("converged"),
    ).select(*keys, "value", *SPREAD_COLUMNS, BY_SEED)


def _small(half: pl.Expr, value: pl.Expr) -> pl.Expr:
    return half <= value.abs() * CONVERGED


ROUNDING = 1 + 1e-9
"""So that a difference of just the margin is within it."""


@dataclass(frozen=True)
class Sample:
    """A figure of one seed or more: every seed with its value, one at the least."""

    by_seed: tuple[tuple[int, float], ...]
    uncertainty: float = 0.0
    """Half of the 95 % interval that a figure of one seed has by itself; 0 if it is exact."""

    converged: bool = True

    @staticmethod
    def of(values: Sequence[float]) -> "Sample":
        """Of the figures of the seeds from 1 on."""
        return Sample(tuple(enumerate(values, 1)))

    @staticmethod
    def of_row(row: Mapping[str, Any]) -> "Sample":
        """Of a row of `judge.intervals`; one without its columns is of one seed."""
        seeds = row.get(BY_SEED)
        converged = bool(row.get("converged", True))
        if not seeds:
            return Sample(((1, row["value"]),), converged=converged)
        by_seed = tuple(sorted((each["seed"], each["value"]) for each in seeds))
        own = (seeds[0].get(UNCERTAINTY) or 0.0) if len(seeds) == 1 else 0.0
        return Sample(by_seed, own, converged)

    @property
    def values(self) -> tuple[float, ...]:
        """One a seed."""
        return tuple(value for _, value in self.by_seed)

    @property
    def value(self) -> float:
        """What is shown: the mean.  That of equal values is their value, to the last digit."""
        values = self.values
        return float(values[0] if len(values) == 1 else statistics.mean(values))

    @property
    def seeds(self) -> int:
        """How many there are."""
        return len(self.by_seed)

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 of one seed, which tells none."""
        return statistics.stdev(self.values) / math.sqrt(self.seeds) if self.seeds > 1 else 0.0

    def times(self, other: "Sample") -> "Sample":
        """The product of two figures of the same boots, seed by seed.

        Where one of them varies with the other, as CPU use with throughput, their product varies
        less, or more, than two that do not.  Seeds of one alone are left out.
        """
        theirs = dict(other.by_seed)
        products = [(seed, value * theirs[seed]) for seed, value in self.by_seed if seed in theirs]
        if not products:
            raise ValueError("the two figures have no seed in common")
        return Sample(
            tuple(products),
            self.uncertainty * abs(other.value) + other.uncertainty * abs(self.value),
            self.converged and other.converged,
        )

    def inverse(self) -> "Sample":
        """1 divided by the figure, seed by seed; none of them is 0."""
        inverses = tuple((seed, 1 / value) for seed, value in self.by_seed)
        return Sample(inverses, self.uncertainty / self.value**2, self.converged)

    def logarithm(self) -> "Sample":
        """Of the figure, seed by seed, so that differences are ratios; all are above 0."""
        logarithms = tuple((seed, math.log(value)) for seed, value in self.by_seed)
        return Sample(logarithms, self.uncertainty / self.value, self.converged)


def margin(one: Sample, other: Sample) -> float | None:
    """By how much the means may differ by chance; None where that is unknown."""
    seeds = [seed for seed, _ in one.by_seed]
    if len(seeds) > 1 and seeds == [seed for seed, _ in other.by_seed]:
        return _paired(one, other)
    return unpaired_margin(one, other)


def unpaired_margin(one: Sample, other: Sample) -> float | None:
    """The same of figures whose seeds have nothing to do with each other."""
    if one.seeds > 1 and other.seeds > 1:
        return _welch(one, other)
    several = max(one, other, key=lambda sample: sample.seeds)
    if several.seeds > 1:
        return t_quantile(several.seeds - 1) * several.error * math.sqrt(several.seeds + 1)
    return math.hypot(one.uncertainty, other.uncertainty) or None


def ratio_margin(one: Sample, other: Sample) -> float | None:
    """By how much `one` divided by `other` may be off by chance; None where that is unknown."""
    if min(*one.values, *other.values) <= 0:
        return None
    most = margin(other.logarithm(), one.logarithm())
    return None if most is None else most * one.value / other.value


def _paired(one: Sample, other: Sample) -> float:
    """Half of the interval of the mean of the differences, one a seed (Student's t)."""
    differences = [b - a for a, b in zip(one.values, other.values, strict=True)]
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return float(t_quantile(len(differences) - 1) * error)


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


SLACK = 0.02
"""A ratio that is nearer to 1 than this is no difference; its inverse, too."""

Standing = Literal["worse", "inconclusive", "equal", "better"]
"""How one figure stands to another: the rule of docs/report.md."""


@dataclass(frozen=True)
class Gain:
    """A ratio of which more than 1 is better, and the interval in which it lies."""

    value: float = 1.0
    low: float = 1.0
    high: float = 1.0

    @staticmethod
    def of(value: float, margin: float = 0.0) -> "Gain":
        """A ratio whose logarithm may be off by `margin`."""
        return Gain(value, value * math.exp(-margin), value * math.exp(margin))

    @property
    def standing(self) -> Standing:
        """Equal if the whole interval lies within the slack; better or worse if the ratio lies
        beyond the slack and the whole interval on its side of 1.

        By the ratio itself, fewer seeds may make a verdict inconclusive, but more seeds of the same
        spread never turn better or worse into equal.
        """
        if self.is_not_inferior and self.high <= ROUNDING / (1 - SLACK):
            return "equal"
        if self.low > 1 and self.value * (1 - SLACK) > ROUNDING:
            return "better"
        if self.high < 1 and self.value * ROUNDING < 1 - SLACK:
            return "worse"
        return "inconclusive"

    @property
    def is_not_inferior(self) -> bool:
        """Whether no part of the interval is worse by more than the slack."""
        return self.low * ROUNDING >= 1 - SLACK

    def at_least(self, least: float) -> "Gain":
        """The same, where nothing below `least` counts."""
        return Gain(*(max(each, least) for each in (self.value, self.low, self.high)))


@dataclass(frozen=True)
class Comparison:
    """A figure, `other`, beside `one`."""

    metric: str
    one: Sample
    other: Sample

    @property
    def ratio(self) -> float | None:
        """The one divided by what it is beside; None where there is nothing to divide by."""
        return self.other.value / self.one.value if self.one.value else None

    @property
    def gain(self) -> float | None:
        """The ratio as more than 1 is better; None where there is nothing to divide by."""
        if better(self.metric) != "lower":
            return self.ratio
        return self.one.value / self.other.value if self.other.value else None

    @property
    def converged(self) -> bool:
        """Whether both have."""
        return self.one.converged and self.other.converged

    @property
    def margin(self) -> float | None:
        """By how much the ratio may be off by chance; None where that is unknown."""
        return ratio_margin(self.other, self.one)

    @property
    def log_margin(self) -> float:
        """The same of the ratio's logarithm; 0 where that is unknown."""
        ratio, margin = self.ratio, self.margin
        return margin / ratio if ratio and margin else 0.0

    @property
    def standing(self) -> Standing:
        """How the other stands, by a metric that has a better way."""
        gain = self.gain
        if gain is not None:
            return Gain.of(gain, self.log_margin).standing
        return "equal" if self.one.value == self.other.value else "better"


_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_CLAIM = re.compile(rf"(?:([<>])(?!.*\.\.))?({_NUMBER})(?:\.\.({_NUMBER}))?")
"""A number, a bound such as `>2`, or a range `0.2..2.4`."""


@dataclass(frozen=True)
class Claim:
    """Between which numbers ours has to be; a `strict` one does not hold on its ends."""

    low: float
    high: float
    strict: bool = False

    def holds(self, value: float) -> bool:
        """Whether a figure of ours agrees."""
        inside = self.low <= value <= self.high
        return inside and not (self.strict and value in (self.low, self.high))


def claim_of(
    text: str,
    within: float,
    scale: Callable[[float], float] = lambda value: value,
    same: float = 0.0,
) -> Claim | None:
    """What a published value says, in numbers that are scaled; None if it is no number.

    A plain number holds `within` so many percent of it.  A bound of 1, which says that one figure
    is more than another, holds where the two differ by more than the share `same`.
    """
    found = _CLAIM.fullmatch(text)
    if found is None:
        return None
    sign, number, to = found.groups()
    value = scale(float(number))
    if sign:
        slack = same if value == 1 else 0.0
        return (
            Claim(value + slack, math.inf, True)
            if sign == ">"
            else Claim(-math.inf, value - slack, True)
        )
    slack = abs(value) * within / 100
    return Claim(value, scale(float(to))) if to else Claim(value - slack, value + slack)
