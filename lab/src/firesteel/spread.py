# SPDX-License-Identifier: Apache-2.0
"""What several seeds give of one figure: their mean, and how sure it is.

A figure of one seed is exact.  What another board would have, with other addresses and keys, is
told by other seeds: they are a sample of such boards, and the 95 % interval says where the mean of
all of them lies (Student's t distribution, as the variance is estimated from few values).
"""

import functools

import polars as pl

CONFIDENCE = 0.95
"""Of all intervals."""

COLUMNS = ("seeds", "ci95_low", "ci95_high", "min", "max")
"""Columns of `spreads` behind those that are given: how many seeds gave the figure, and what they
say of it; `value` is their mean.  With one seed there is no interval: its ends are null.
"""

BY_SEED = "by_seed"
"""The last column of `spreads`: every seed with its value, which a table of text has no room for.
"""


def spreads(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """A row for each figure, which is what differs in `keys`, in the order of their first rows.

    `samples` has a row for each seed, with the figure in `value` and the seed in `seed`.
    """
    value = pl.col("value")
    found = samples.group_by(keys, maintain_order=True).agg(
        # The mean of equal values is their value, to the last digit.
        pl.when(value.min() == value.max()).then(value.min()).otherwise(value.mean()),
        value.len().cast(pl.Int64).alias("seeds"),
        value.std().alias("_deviation"),
        value.min().alias("min"),
        value.max().alias("max"),
        pl.struct("seed", "value").alias(BY_SEED),
    )
    quantiles = {n: t_quantile(n - 1) for n in found["seeds"].unique().to_list() if n > 1}
    half = (
        pl.col("seeds").replace_strict(quantiles, default=None, return_dtype=pl.Float64)
        * pl.col("_deviation")
        / pl.col("seeds").sqrt()
    )
    return found.with_columns(
        (value - half).alias("ci95_low"), (value + half).alias("ci95_high")
    ).select(*keys, "value", *COLUMNS, BY_SEED)


@functools.cache
def t_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """How many standard errors an interval of that confidence extends to either side.

    `freedom` are the degrees of freedom of Student's t distribution, one at the least.
    """
    from scipy.special import stdtrit  # Slow to load, and not needed with one seed.

    return float(stdtrit(freedom, (1 + confidence) / 2))
