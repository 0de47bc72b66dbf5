# SPDX-License-Identifier: Apache-2.0
"""Means, intervals, ratios and noise: what seeds say about a figure, and whether two figures differ
by more than chance.  `Gain` says whether a ratio is a gain, a loss or neither.

Other seeds give boards with other addresses and keys.  Several seeds are a sample of such boards.
The 95 % interval says where the mean of all such boards lies (Student's t, because the variance is
estimated from few values).  A figure of one seed takes the spread of its kind (`judge.spread`).  If
the figure's own window gives a wider interval, that interval counts.  The two are not added,
because the measured spread already includes the noise of such windows.  A figure of several
seeds takes the same spread, which such figures gave its kind, and adds nothing to it.  Its own
variance counts if its seeds differ far more than the others of the kind, or outnumber them.

If two figures have equal seeds, the seeds are paired.  An equal seed gives both figures the same
addresses and keys, which affect both in the same way.  Different seeds make independent figures, so
the squares of their errors add up.  If nothing is known about the kind and both figures have
several seeds, the difference of the means has Welch's 95 % interval.  If only one figure has
several seeds, its interval is the range in which a single further seed would lie.
"""

import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import polars as pl

from firesteel.boards.real import PREFIX
from firesteel.judge import spread as seeds_of_kinds
from firesteel.judge.spread import KIND, share_of
from firesteel.model.figure import CONVERGED, t_quantile, t_tail
from firesteel.model.metrics import better
from firesteel.table import BOARD, CPUS, UNCERTAINTY

OF_WINDOW = 4
"""Degrees of freedom of the interval that a window has: it is cut into up to five parts."""


SPREAD_COLUMNS = ("seeds", "converged", "ci95_low", "ci95_high", "interval", "min", "max")
"""Columns of `spreads` behind those that are given: how many seeds gave the figure, and what they
say of it; `value` is their mean.  `interval` names the source of the interval: `seeds`, the
figure's own `window`, the measured spread of its `kind`, or a spread that is `assumed` because its
kind was not measured.  It may be assumed of several seeds too.  The ends are null where nothing is
known.  `converged` is true if half of the interval from seeds or window is small compared with the
figure, or if there is no such interval.
"""

BY_SEED = "by_seed"
"""The last column of `spreads`: every seed with its value, and what is known of one by itself,
which a table of text has no room for.
"""

_FREEDOM = "freedom"


def spreads(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """A row for each figure, which is what differs in `keys`, in the order of their first rows.

    `samples` has a row for each seed, with the columns of `KIND`, the board's number of CPUs, the
    figure in `value`, the seed in `seed` and the uncertainty.
    """
    value, own = pl.col("value"), pl.col(UNCERTAINTY)
    # What is known of a single seed is its kind's where there are several.
    alone = pl.when(value.len() == 1)
    uncertainty = alone.then("_wide").otherwise("_of_kind").alias(UNCERTAINTY)
    freedom = alone.then(_FREEDOM).otherwise("_freedom").alias(_FREEDOM)
    found = (
        _with_kinds(samples)
        .group_by(keys, maintain_order=True)
        .agg(
            # The mean of equal values is their value, to the last digit.
            pl.when(value.min() == value.max()).then(value.min()).otherwise(value.mean()),
            value.len().cast(pl.Int64).alias("seeds"),
            value.min().alias("min"),
            value.max().alias("max"),
            pl.col("_low", "_high", "interval").first(),
            (own.is_null() | _small(own, value)).all().alias("_each_converged"),
            pl.struct("seed", "value", uncertainty, freedom).alias(BY_SEED),
        )
    )
    half = pl.Series("_half", [_half(each) for each in found[BY_SEED].to_list()], pl.Float64)
    half_of = pl.col("_half")
    several = pl.when(pl.col("seeds") > 1)
    return (
        found.with_columns(half)
        .with_columns(
            several.then(value - half_of).otherwise("_low").alias("ci95_low"),
            several.then(value + half_of).otherwise("_high").alias("ci95_high"),
            pl.when(pl.col("seeds") > 1, pl.col("interval") != "assumed")
            .then(pl.lit("seeds"))
            .otherwise("interval")
            .alias("interval"),
            (pl.col("_each_converged") | _small(half_of, value).fill_null(value=False)).alias(
                "converged"
            ),
        )
        .select(*keys, "value", *SPREAD_COLUMNS, BY_SEED)
    )


def _half(by_seed: Sequence[Mapping[str, Any]]) -> float | None:
    """Half of the interval of the mean of several seeds; None of one."""
    noise = Sample.of_row({BY_SEED: by_seed}).noise if len(by_seed) > 1 else None
    return noise.margin if noise else None


def _with_kinds(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples with the interval that each has by itself: its ends, what they come from, half of it
    beside the value, and its degrees of freedom; and half of the interval by its kind, with those.
    """
    spread = seeds_of_kinds.load_spread()
    kinds = samples.select(*KIND, CPUS).unique()
    of = [spread.of(*kind) if spread else (None, "") for kind in kinds.iter_rows()]
    kinds = kinds.with_columns(
        pl.Series("_share", [share_of(each) if each else None for each, _ in of], pl.Float64),
        pl.Series("_freedom", [each[1] if each else None for each, _ in of], pl.Int64),
        pl.Series("interval", [word for _, word in of], pl.String),
    )
    value, own, share = pl.col("value"), pl.col(UNCERTAINTY), pl.col("_share")
    # Shares say nothing of a figure of 0.
    by_kind = pl.when(value != 0).then(share * value.abs())
    window = pl.when(own.is_not_null() & (by_kind.is_null() | (own >= by_kind)))
    found = samples.join(kinds, on=(*KIND, CPUS), how="left", maintain_order="left")
    if BOARD in samples.columns:  # What was measured in virtual time says nothing of the wall's.
        virtual = ~pl.col(BOARD).str.starts_with(PREFIX)
        nothing = {"_share": None, "_freedom": None, "interval": pl.lit("")}
        known = (pl.when(virtual).then(name).otherwise(no) for name, no in nothing.items())
        found = found.with_columns(known)
    return found.with_columns(
        by_kind.alias("_of_kind"),
        pl.max_horizontal(own, by_kind).alias("_wide"),
        window.then(value - own).otherwise(value * (-share).exp()).alias("_low"),
        window.then(value + own).otherwise(value * share.exp()).alias("_high"),
        window.then(pl.lit("window")).otherwise("interval").alias("interval"),
        window.then(OF_WINDOW).otherwise("_freedom").alias(_FREEDOM),
    )


def _small(half: pl.Expr, value: pl.Expr) -> pl.Expr:
    return half <= value.abs() * CONVERGED


ROUNDING = 1 + 1e-9
"""So that a difference of just the margin is within it."""


@dataclass(frozen=True)
class Sample:
    """A figure of one seed or more: every seed with its value, one at the least."""

    by_seed: tuple[tuple[int, float], ...]
    uncertainty: float | None = None
    """Half of the 95 % interval that a figure of one seed has by itself; 0 if it is exact, None if
    nothing is known of it."""

    converged: bool = True
    freedom: float = OF_WINDOW
    """The degrees of freedom of that interval."""

    @staticmethod
    def of(values: Sequence[float]) -> "Sample":
        """A sample of these values, with the seeds 1, 2, 3 and so on."""
        return Sample(tuple(enumerate(values, 1)))

    @staticmethod
    def exact(value: float) -> "Sample":
        """A sample of one seed whose value is exact."""
        return Sample(((1, value),), 0.0)

    @staticmethod
    def of_row(row: Mapping[str, Any]) -> "Sample":
        """The sample in a row of `spreads`; a row without these columns has one seed."""
        seeds = row.get(BY_SEED)
        converged = bool(row.get("converged", True))
        if not seeds:
            return Sample(((1, row["value"]),), converged=converged)
        by_seed = tuple(sorted((each["seed"], each["value"]) for each in seeds))
        uncertainty, freedom = seeds[0].get(UNCERTAINTY), seeds[0].get(_FREEDOM)
        return Sample(by_seed, uncertainty, converged, freedom or OF_WINDOW)

    @property
    def values(self) -> tuple[float, ...]:
        """One a seed."""
        return tuple(value for _, value in self.by_seed)

    @property
    def value(self) -> float:
        """The mean, which is shown.  The mean of equal values is exactly their value."""
        values = self.values
        return float(values[0] if len(values) == 1 else statistics.mean(values))

    @property
    def seeds(self) -> int:
        """How many there are."""
        return len(self.by_seed)

    @property
    def of_one(self) -> "Noise | None":
        """The error of a figure of one seed.  None if nothing is known, or if several seeds differ
        although their kind does not spread.
        """
        if self.uncertainty is None or (self.seeds > 1 and not self.uncertainty):
            return None
        return Noise(self.uncertainty / t_quantile(self.freedom), self.freedom)

    @property
    def noise(self) -> "Noise | None":
        """The error of the figure; None for a single seed about which nothing is known."""
        return _of_mean(self.values, self.of_one)

    def times(self, other: "Sample") -> "Sample":
        """The product of two figures of the same boots, seed by seed.

        If the two vary together, like CPU use and throughput, their product varies less or more
        than the product of independent figures.  Seeds that only one figure has are left out.
        """
        theirs = dict(other.by_seed)
        products = [(seed, value * theirs[seed]) for seed, value in self.by_seed if seed in theirs]
        if not products:
            raise ValueError("the two figures have no seed in common")
        its, others = self._off(other.value), other._off(self.value)
        return Sample(
            tuple(products),
            None if its is None or others is None else its + others,
            self.converged and other.converged,
            min(self.freedom, other.freedom),
        )

    def _off(self, factor: float) -> float | None:
        """Its uncertainty, by the size of a factor."""
        return None if self.uncertainty is None else self.uncertainty * abs(factor)

    def inverse(self) -> "Sample":
        """1 divided by the figure, seed by seed; none of them is 0."""
        inverses = tuple((seed, 1 / value) for seed, value in self.by_seed)
        return replace(self, by_seed=inverses, uncertainty=self._off(1 / self.value**2))

    def logarithm(self) -> "Sample":
        """The logarithms of the figure, seed by seed, so that differences are ratios; all figures
        are above 0.
        """
        logarithms = tuple((seed, math.log(value)) for seed, value in self.by_seed)
        return replace(self, by_seed=logarithms, uncertainty=self._off(1 / self.value))


@dataclass(frozen=True)
class Noise:
    """The standard error of a difference, and its degrees of freedom."""

    error: float
    freedom: float

    @property
    def margin(self) -> float:
        """Half of the 95 % interval."""
        return t_quantile(self.freedom) * self.error


def noise(one: Sample, other: Sample, *, paired: bool = True) -> Noise | None:
    """What the means may differ by; None where that is unknown.

    With `paired` false, equal seeds of both figures are treated as independent.
    """
    seeds = [seed for seed, _ in one.by_seed]
    if paired and len(seeds) > 1 and seeds == [seed for seed, _ in other.by_seed]:
        differences = [b - a for a, b in zip(one.values, other.values, strict=True)]
        return _of_mean(differences, _together(one.of_one, other.of_one))
    its, others = one.noise, other.noise
    if its and others:
        own = one.seeds > 1 < other.seeds and not (one.of_one or other.of_one)
        return _welch(its, others) if own else _together(its, others)
    known, count = (its, one.seeds) if its else (others, other.seeds)
    # A single further figure is taken to be as uncertain as one of the seeds.
    return known and Noise(known.error * math.sqrt(count + 1), known.freedom)


def _together(one: Noise | None, other: Noise | None) -> Noise | None:
    """Of a difference of two figures, with no more degrees of freedom than the fewer: both may come
    from the same pooled spread.
    """
    known = [each for each in (one, other) if each]
    if not known:
        return None
    return Noise(math.hypot(*(each.error for each in known)), min(each.freedom for each in known))


_UNLIKELY = 0.01
"""How rarely seeds may differ as much as they do, if the spread of their kind is theirs."""


def _of_mean(values: Sequence[float], of_one: Noise | None) -> Noise | None:
    """Of the mean of these values, by the variance of a single one, which they helped to measure.
    By their own alone if it has more degrees of freedom, if an F test says that they differ by more
    than the others of their kind, or if nothing is known of a single one.
    """
    more = len(values) - 1
    variance = statistics.variance(values) if more else 0.0
    if of_one and not (more and _differ_by_more(variance, more, of_one)):
        return Noise(of_one.error / math.sqrt(len(values)), of_one.freedom)
    return Noise(math.sqrt(variance / len(values)), more) if more else None


def _differ_by_more(variance: float, freedom: int, kind: Noise) -> bool:
    """Whether values with that variance stand alone in their kind, whose variance includes it."""
    from scipy.special import fdtrc

    others = kind.freedom - freedom
    if others <= 0:
        return True
    squares = kind.freedom * kind.error**2 - freedom * variance
    if squares <= 0:
        return variance > 0
    return bool(fdtrc(freedom, others, variance / (squares / others)) < _UNLIKELY)


def margin(one: Sample, other: Sample, *, paired: bool = True) -> float | None:
    """By how much the means may differ by chance; None where that is unknown."""
    found = noise(one, other, paired=paired)
    return found.margin if found else None


def _welch(one: Noise, other: Noise) -> Noise:
    """Of the difference of two means whose variances may differ.

    Source: B. L. Welch, The generalization of "Student's" problem when several different population
    variances are involved, Biometrika 34 (1947).
    """
    parts = [one.error**2, other.error**2]
    total = sum(parts)
    if total == 0:
        return Noise(0.0, min(one.freedom, other.freedom))
    shares = zip(parts, (one.freedom, other.freedom), strict=True)
    return Noise(total**0.5, 1 / sum((part / total) ** 2 / freedom for part, freedom in shares))


SLACK = 0.02
"""A ratio that is nearer to 1 than this is no difference; its inverse, too."""

Standing = Literal["worse", "inconclusive", "equal", "better"]
"""How one figure stands to another: the rule of docs/report.md."""


@dataclass(frozen=True)
class Gain:
    """A ratio, for which more than 1 is better, and its interval."""

    value: float = 1.0
    low: float = 1.0
    high: float = 1.0

    @staticmethod
    def of(value: float, margin: float | None) -> "Gain":
        """A ratio whose logarithm may be off by `margin`; None where that is unknown, so that the
        true ratio may be any.
        """
        if margin is None:
            return Gain(value, 0.0, math.inf)
        return Gain(value, value * math.exp(-margin), value * math.exp(margin))

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the interval."""
        return (self.low, self.high) != (0.0, math.inf)

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
    """A figure, `other`, compared with `one`."""

    metric: str
    one: Sample
    other: Sample

    @property
    def ratio(self) -> float | None:
        """`other` divided by `one`; None if `one` is 0."""
        return self.other.value / self.one.value if self.one.value else None

    @property
    def gain(self) -> float | None:
        """The ratio, inverted if less is better; None if the divisor is 0."""
        if better(self.metric) != "lower":
            return self.ratio
        return self.one.value / self.other.value if self.other.value else None

    @property
    def converged(self) -> bool:
        """Whether both have."""
        return self.one.converged and self.other.converged

    @cached_property
    def _logarithms(self) -> tuple[Sample, Sample] | None:
        """The logarithms of both figures; None if a value is not above 0."""
        if min(*self.one.values, *self.other.values) <= 0:
            return None
        return self.one.logarithm(), self.other.logarithm()

    @cached_property
    def _log_noise(self) -> Noise | None:
        """What the ratio's logarithm may be off by; None where that is unknown."""
        return noise(*self._logarithms) if self._logarithms else None

    @property
    def log_margin(self) -> float | None:
        """By how much the ratio's logarithm may be off by chance; None where that is unknown."""
        return self._log_noise.margin if self._log_noise else None

    @property
    def margin(self) -> float | None:
        """The same of the ratio; None where that is unknown."""
        ratio, margin = self.ratio, self.log_margin
        return margin * ratio if margin is not None and ratio else None

    def p_value(self, above: float = 1.0) -> float:
        """The probability that chance gives such a gain or a larger one if the true gain is at most
        `above`.  It comes from a t test of the logarithms, and is 1 if the interval is unknown.
        """
        if self._logarithms is None or self._log_noise is None:
            return 1.0
        less, more = self._logarithms[:: -1 if better(self.metric) == "lower" else 1]
        beyond, found = more.value - less.value - math.log(above), self._log_noise
        if not found.error:
            return 0.0 if beyond > 0 else 1.0
        return t_tail(beyond / found.error, found.freedom)

    @property
    def is_inferior(self) -> bool:
        """Whether the whole interval is worse by more than the slack."""
        gain = self.gain
        return gain is not None and Gain.of(gain, self.log_margin).high * ROUNDING < 1 - SLACK

    @property
    def standing(self) -> Standing:
        """How `other` compares with `one`, for a metric that has a better direction."""
        gain = self.gain
        if gain is not None:
            return Gain.of(gain, self.log_margin).standing
        return "equal" if self.one.value == self.other.value else "inconclusive"


def p_helps(speed: Comparison, work: Comparison | None, *, at_link: bool = False) -> float:
    """The p-value of a row's *helps*: of speed and CPU work one is better, and the other is not
    worse by `SLACK`.

    Either may be the better one, so its p-value counts twice (Bonferroni); both conditions must
    hold, so the larger of their p-values counts.  A speed that the link bounds is not worse.
    """
    if work is None:
        return speed.p_value()
    least = 1 - SLACK
    speed_not_worse = 0.0 if at_link else speed.p_value(least)
    return min(
        1.0,
        max(2 * speed.p_value(), work.p_value(least)),
        max(2 * work.p_value(), speed_not_worse),
    )


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Each p-value as the share of false ones among all that are as small (the false discovery
    rate), in their order.

    Source: Y. Benjamini and Y. Hochberg, Controlling the false discovery rate: a practical and
    powerful approach to multiple testing, Journal of the Royal Statistical Society B 57 (1995).
    """
    found, least = [1.0] * len(p_values), 1.0
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    for rank in range(len(order), 0, -1):
        number = order[rank - 1]
        found[number] = least = min(least, p_values[number] * len(order) / rank)
    return found


def most_false(p_values: Sequence[float], called: Sequence[bool]) -> float | None:
    """The largest share of the `called` rows that may be false on average, when all rows were
    judged by these p-values; None if no row is called.
    """
    shares = (share for share, is_so in zip(adjusted(p_values), called, strict=True) if is_so)
    return max(shares, default=None)


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
