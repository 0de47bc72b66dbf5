# SPDX-License-Identifier: Apache-2.0
"""Our figures beside the published ones.

1. `compare` joins by what the figures are; a published row that leaves the implementation open
   stands for every one, and each for every completion; a file transfer of another size stands
   beside the published 128 MiB.  Published software ran as it was installed: where ours was
   measured so too, that is what stands beside it.
2. `orders` asks whether the configurations come in the published order, by each metric.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED, bounds_of
from firesteel.analysis.published import CELL_COLUMNS, KEY_COLUMNS, load_published
from firesteel.analysis.rows import Result
from firesteel.model import names
from firesteel.model.cell import AS_INSTALLED, USUAL_COMPLETION
from firesteel.model.metrics import better
from firesteel.workloads import titles

_SPREAD: dict[str, type[pl.DataType]] = {
    "converged": pl.Boolean,
    "ci95_low": pl.Float64,
    "ci95_high": pl.Float64,
}
"""What `analysis.spread` says of a figure that is shown beside the published one."""

COLUMNS = (
    *(*KEY_COLUMNS, "value", *_SPREAD, *CELL_COLUMNS),
    *("published", "ratio", "deviation_percent", "note"),
)
"""Columns of a comparison; `ratio` is ours over published."""

CONFIGURATION = ("protocol", "cipher", "mac", "implementation", *CELL_COLUMNS)
"""The columns that make a configuration."""

NEAR = 5
"""Percent: two configurations whose figures, ours or the published, are no farther apart than this
scarcely have an order."""

_SUITE = ("protocol", "cipher", "mac")
_ORDERED = ("throughput", "rtt_mean")
_OTHER = "other"
_PERCENT_FLOOR = 1.0
_TRANSFER = "file-transfer"


def compare(
    figures: pl.DataFrame, published: pl.DataFrame | None = None, *, variants: bool = False
) -> pl.DataFrame:
    """Every figure of ours; `published`, `ratio` and `deviation_percent` are null without one.

    A cell that works as in 2015 is a variant, made to show what that costs: it has a published
    figure beside it only if `variants` are asked for.  Figures without the columns of
    `analysis.spread` are taken for exact ones.
    """
    theirs = load_published() if published is None else published
    ours = with_other_sizes(_with_spread(figures), theirs).with_row_index("row")
    keys = [key for key in KEY_COLUMNS if key != "parameter"] + ["_parameter"]
    theirs = _spread(theirs, ours).select(
        *[key for key in keys if key != "_parameter"],
        size_free().alias("_parameter"),
        pl.col("parameter").alias("_published_parameter"),
        pl.col("value").alias("published"),
        (pl.col("source") + " " + pl.col("table")).alias("_source"),
    )
    theirs = theirs.unique(subset=keys, keep="first", maintain_order=True)
    joined = ours.with_columns(size_free().alias("_parameter")).join(theirs, on=keys, how="left")
    if not variants:
        theirs_alone = ("published", "_source", "_published_parameter")
        plain = pl.col("as_in_2015") == ""
        joined = joined.with_columns(pl.when(plain).then(pl.col(*theirs_alone)))
    ratio = pl.when(pl.col("published") != 0).then(pl.col("value") / pl.col("published"))
    return (
        joined.sort("row")
        .with_columns(ratio.alias("ratio"), _note().alias("note"))
        .with_columns(((pl.col("ratio") - 1) * 100).alias("deviation_percent"))
        .select(COLUMNS)
        .pipe(_with_peers)
    )


def _with_spread(figures: pl.DataFrame) -> pl.DataFrame:
    """The columns of ours that a comparison has, whatever else the figures have."""
    missing = [
        pl.lit(True if name == "converged" else None, kind).alias(name)
        for name, kind in _SPREAD.items()
        if name not in figures.columns
    ]
    return figures.with_columns(missing).select(*KEY_COLUMNS, "value", *CELL_COLUMNS, *_SPREAD)


def _with_peers(comparison: pl.DataFrame) -> pl.DataFrame:
    """With a note at figures of rows that the other nodes limited."""
    keys = ("experiment", *CONFIGURATION, "parameter")
    found = bounds_of(comparison.iter_rows(named=True), keys)
    limited = [key for key, each in found.items() if each == "peer"]
    if not limited:
        return comparison
    rows = pl.DataFrame(limited, schema=list(keys), orient="row").with_columns(
        pl.lit(PEER_LIMITED).alias("_peer")
    )
    note = pl.concat_str(
        pl.when(pl.col("note") != "").then(pl.col("note")),
        "_peer",
        separator="; ",
        ignore_nulls=True,
    )
    joined = comparison.join(rows, on=list(keys), how="left", maintain_order="left")
    return joined.with_columns(note.alias("note")).drop("_peer")


def size_free() -> pl.Expr:
    """The parameter, nothing for a transfer: its size scarcely matters to its rate, so it does not
    keep rows apart.
    """
    return pl.when(pl.col("experiment") == _TRANSFER).then(pl.lit("")).otherwise("parameter")


def with_other_sizes(figures: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Adds the sum of the packet-size classes that the published histogram calls `other`.

    Only where there is such a histogram; the sum is 0 when all packets are of the classes it names.
    """
    sizes = figures.filter(pl.col("experiment") == "packet-sizes")
    histogram = published.filter(pl.col("experiment") == "packet-sizes")
    summed_up = histogram.filter(pl.col("parameter") == _OTHER)
    unnamed = ~pl.col("parameter").is_in(histogram["parameter"].unique().implode())
    keys = [key for key in (*KEY_COLUMNS, *CELL_COLUMNS) if key != "parameter"]
    other = (
        sizes.join(summed_up, on=["protocol", "cipher", "mac"], how="semi")
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("value").filter(unnamed).sum(),
            pl.col("converged").filter(unnamed).all(),
            # A sum's interval does not follow from those of its parts.
            *(pl.lit(None, _SPREAD[end]).alias(end) for end in ("ci95_low", "ci95_high")),
        )
        .with_columns(pl.lit(_OTHER).alias("parameter"))
    )
    return pl.concat([figures, other.select(figures.columns)])


def configuration(row: dict[str, Any]) -> str:
    """What a row is of: its configuration, or of handshakes the program and the exchange of keys
    (`model.names.measured`).
    """
    return titles.measured(row["experiment"], *(row[key] for key in CONFIGURATION))


def place(result: Result) -> str:
    """What a result is called: its configuration, and where it was measured."""
    return f"{titles.of_identity(result.identity)}, {result.identity.parameter.text}"


def as_published(comparison: pl.DataFrame) -> pl.DataFrame:
    """The comparison with one software, as published figures have: ours as installed, where that
    was measured.
    """
    of = [key for key in (*_SUITE, "board") if key in comparison.columns]
    there = comparison.filter(pl.col("implementation") == AS_INSTALLED).select(of).unique()
    replaced = comparison.filter(pl.col("implementation") == "software").join(
        there, on=of, how="semi"
    )
    kept = comparison.join(replaced, on=comparison.columns, how="anti", nulls_equal=True)
    return kept.with_columns(
        pl.col("implementation").replace({AS_INSTALLED: "software"}).alias("implementation")
    )


def is_told(result: Result) -> bool:
    """Whether a deviation says something: shares of packets below a percent are too few."""
    if result.deviation is None or result.published is None:
        return False
    return result.identity.workload != "packet-sizes" or result.published >= _PERCENT_FLOOR


@dataclass(frozen=True)
class Order:
    """How far the configurations come in the published order by one metric.

    `pairs` is how many pairs of configurations have both figures and differ in both; `swapped`
    names those that come the other way round here, the one that is ahead here first; `near` are
    those of them that are within `NEAR` of each other, here or in the published figures.
    """

    experiment: str
    parameter: str
    metric: str
    pairs: int
    swapped: tuple[tuple[str, str], ...]
    near: frozenset[tuple[str, str]] = frozenset()

    @property
    def clearly_swapped(self) -> tuple[tuple[str, str], ...]:
        """Those that are not near each other."""
        return tuple(pair for pair in self.swapped if pair not in self.near)

    @property
    def sentence(self) -> str:
        """The result in words."""
        what = f"{names.metric(self.metric)}, {self.parameter}"
        if not self.swapped:
            return f"{what}: all {self.pairs} pairs of configurations in the published order."
        swapped = "; ".join(f"{first} before {second}" for first, second in self.swapped)
        agreeing = self.pairs - len(self.swapped)
        return f"{what}: {agreeing} of {self.pairs} pairs in the published order; not: {swapped}."


def orders(comparison: pl.DataFrame) -> list[Order]:
    """The order by throughput and by latency, for each parameter that has published figures.

    Of the same with several completions the usual one counts, and variants do not.
    """
    both = comparison.filter(
        pl.col("published").is_not_null()
        & pl.col("metric").is_in(_ORDERED)
        & pl.col("completion").is_in(["", USUAL_COMPLETION])
        & (pl.col("as_in_2015") == "")
    )
    found = []
    for group in both.partition_by("experiment", "parameter", "metric", maintain_order=True):
        order = _order(group.to_dicts())
        if order.pairs:
            found.append(order)
    return found


def _order(rows: list[dict[str, Any]]) -> Order:
    pairs = 0
    swapped = []
    near = set()
    higher_first = better(rows[0]["metric"]) == "higher"
    for one, two in combinations(rows, 2):
        here, there = one["value"] - two["value"], one["published"] - two["published"]
        if here == 0 or there == 0:
            continue
        pairs += 1
        if (here > 0) != (there > 0):
            ahead = one if (here > 0) == higher_first else two
            behind = two if ahead is one else one
            swapped.append((configuration(ahead), configuration(behind)))
            if any(_is_near(one[key], two[key]) for key in ("value", "published")):
                near.add(swapped[-1])
    first = rows[0]
    of = (first["experiment"], first["parameter"], first["metric"])
    return Order(*of, pairs, tuple(swapped), frozenset(near))


def _is_near(one: float, two: float) -> bool:
    """Whether the larger is the smaller and `NEAR` percent at the most."""
    low, high = sorted((one, two))
    return high <= low * (1 + NEAR / 100)


def _spread(published: pl.DataFrame, ours: pl.DataFrame) -> pl.DataFrame:
    """Published rows without an implementation, once for each one that we have; those in software
    for ours as it is installed, where we have that.
    """
    published = _as_installed(published, ours)
    is_open = pl.col("implementation") == ""
    implementations = ours.select("implementation").unique(maintain_order=True)
    spread = published.filter(is_open).drop("implementation").join(implementations, how="cross")
    return pl.concat([published.filter(~is_open), spread.select(published.columns)])


def _as_installed(published: pl.DataFrame, ours: pl.DataFrame) -> pl.DataFrame:
    of = list(_SUITE)
    there = ours.filter(pl.col("implementation") == AS_INSTALLED).select(of).unique()
    marked = published.join(
        there.with_columns(pl.lit(True).alias("_there")), on=of, how="left", maintain_order="left"
    )
    moved = (pl.col("implementation") == "software") & pl.col("_there").fill_null(False)
    implementation = pl.when(moved).then(pl.lit(AS_INSTALLED)).otherwise("implementation")
    return marked.with_columns(implementation.alias("implementation")).select(published.columns)


def _note() -> pl.Expr:
    """The source of the published figure, and that it is of another size if it is."""
    other_size = (
        pl.lit("the published file has ")
        + pl.col("_published_parameter")
        + pl.lit(", ours has ")
        + pl.col("parameter")
        + pl.lit("; ")
    )
    same = pl.col("_published_parameter") == pl.col("parameter")
    size = pl.when(same).then(pl.lit("")).otherwise(other_size)
    return (
        pl.when(pl.col("published").is_null()).then(pl.lit("")).otherwise(size + pl.col("_source"))
    )
