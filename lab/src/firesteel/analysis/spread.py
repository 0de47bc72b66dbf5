# SPDX-License-Identifier: Apache-2.0
"""What several seeds give of one figure: their mean, and how sure it is.

A figure of one seed is exact.  What another board would have, with other addresses and keys,
other seeds show: they are a sample of such boards, and the 95 % interval says where the mean of
all of them lies (Student's t distribution, as the variance is estimated from few values).
"""

import polars as pl

from firesteel.model.figure import CONVERGED
from firesteel.model.interval import t_quantile
from firesteel.table import UNCERTAINTY

COLUMNS = ("seeds", "converged", "ci95_low", "ci95_high", "min", "max")
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
    ).select(*keys, "value", *COLUMNS, BY_SEED)


def _small(half: pl.Expr, value: pl.Expr) -> pl.Expr:
    return half <= value.abs() * CONVERGED
