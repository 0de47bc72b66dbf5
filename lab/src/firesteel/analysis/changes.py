# SPDX-License-Identifier: Apache-2.0
"""What changed from one run to another beyond the noise.

The noise is what seeds tell (`analysis.noise`).  One seed on both sides tells none: a difference
of exact figures is real, but whether another seed would show it too is unknown, unless a noise is
assumed.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED, bounds_of
from firesteel.analysis.noise import ROUNDING, Sample, unpaired_margin
from firesteel.analysis.pairing import Pairing
from firesteel.analysis.published import CELL_COLUMNS, KEY_COLUMNS
from firesteel.analysis.results import Results
from firesteel.model import names
from firesteel.model.metrics import better

Noise = Literal["measured", "assumed", "unknown"]
Verdict = Literal["same", "within noise", "worse", "better", "changed", "limited by the peer"]

VERDICTS: tuple[Verdict, ...] = (
    *("worse", "better", "changed"),
    *(PEER_LIMITED, "within noise", "same"),
)
"""In the order of their weight; `changed` are metrics that have no better way, and rows that the
other nodes limited in one of the runs say nothing of the measured board."""

_SHOWN = 0.005
"""Percent: of a smaller change nothing is to be seen where changes are shown."""

_FIGURE = (*KEY_COLUMNS, *CELL_COLUMNS)

_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(_FIGURE, pl.String),
    **dict.fromkeys(("before", "after", "change_percent", "noise_percent"), pl.Float64),
    **dict.fromkeys(("seeds_before", "seeds_after"), pl.Int64),
    **dict.fromkeys(("noise", "verdict"), pl.String),
}

COLUMNS = tuple(_SCHEMA)
"""Columns of `changes`.  `before` and `after` are means.  `noise_percent` is by how much they may
differ by chance, in percent of `before`; null where that is unknown, or `before` is 0 and nothing
has a percentage.
"""


@dataclass(frozen=True)
class Judgement:
    """How one figure stands in two runs; the fields are columns of `changes`."""

    before: float
    after: float
    change_percent: float | None
    noise_percent: float | None
    noise: Noise
    verdict: Verdict


def changes(
    before: Results, after: Results, pairing: Pairing, assumed: float | None = None
) -> pl.DataFrame:
    """A row for each figure that both runs have, in the order of the second one.

    `assumed` is the noise, in percent, where there is one seed on both sides.
    """
    keys = [*_FIGURE, "cell"]
    first, second = (
        results.samples.filter(pl.col("cell").is_in(list(pairing.cells)))
        .group_by(keys, maintain_order=True)
        .agg("value")
        for results in (before, after)
    )
    both = second.join(first, on=keys, how="inner", suffix="_before", maintain_order="left")
    limited = _peer_limited(before, after)
    rows = [_row(row, assumed, limited) for row in both.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=_SCHEMA)


def figures_of_one(before: Results, after: Results, pairing: Pairing) -> int:
    """How many figures of the cells in common only one of the runs has."""
    first, second = (
        set(
            results.samples.filter(pl.col("cell").is_in(list(pairing.cells)))
            .select(*_FIGURE, "cell")
            .iter_rows()
        )
        for results in (before, after)
    )
    return len(first ^ second)


def judge(
    metric: str, before: Sequence[float], after: Sequence[float], assumed: float | None
) -> Judgement:
    """How a metric stands whose values are those, one a seed."""
    one, other = _mean(before), _mean(after)
    growth = other - one
    most, noise = _margin(before, after, assumed)
    if noise == "measured":
        most = max(most, _resolution(metric, max(one, other)))
    if noise == "unknown":
        told: Verdict = "same" if abs(growth) * 100 < _SHOWN * abs(one) else _way(metric, growth)
    else:
        told = "within noise" if abs(growth) <= most * ROUNDING else _way(metric, growth)
    if sorted(before) == sorted(after):
        told = "same"
    scale = 100 / abs(one) if one else None
    return Judgement(
        before=one,
        after=other,
        change_percent=growth * scale if scale else (0.0 if not growth else None),
        noise_percent=most * scale if scale and noise != "unknown" else None,
        noise=noise,
        verdict=told,
    )


def _way(metric: str, growth: float) -> Literal["better", "worse", "changed"]:
    """What it means that the metric grew by so much, or shrank if that is negative."""
    way = better(metric)
    if way is None:
        return "changed"
    return "better" if (growth > 0) == (way == "higher") else "worse"


def _mean(values: Sequence[float]) -> float:
    """To the last digit: that of equal values is their value."""
    return float(statistics.mean(values))


def _resolution(metric: str, value: float) -> float:
    """A step of what ping rounds: seeds whose figures are rounded to the same are not equal."""
    if metric.startswith("rtt_p"):
        return float(10 ** -names.ping_decimals(value))
    return 1e-3 if metric.startswith("rtt_") else 0.0


def _margin(
    before: Sequence[float], after: Sequence[float], assumed: float | None
) -> tuple[float, Noise]:
    """By how much the means may differ by chance, and how that is known.

    The seeds of two runs are not paired: what was changed in between moves every packet.
    """
    told = unpaired_margin(Sample.of(before), Sample.of(after))
    if told is not None:
        return told, "measured"
    if assumed is not None:
        return abs(before[0]) * assumed / 100, "assumed"
    return 0.0, "unknown"


_ROW = ("cell", "experiment", "parameter")


def _peer_limited(*runs: Results) -> set[tuple[str, ...]]:
    """The rows that are so in any of the runs, with any seed."""
    return {
        key[:-1]
        for results in runs
        for key, each in bounds_of(
            results.samples.with_columns(pl.col("seed").cast(pl.String)).iter_rows(named=True),
            (*_ROW, "seed"),
        ).items()
        if each == "peer"
    }


def _row(
    row: dict[str, object], assumed: float | None, limited: set[tuple[str, ...]]
) -> dict[str, object]:
    before, after = row["value_before"], row["value"]
    assert isinstance(before, list)
    assert isinstance(after, list)
    judged = judge(str(row["metric"]), before, after, assumed)
    if judged.verdict != "same" and tuple(str(row[key]) for key in _ROW) in limited:
        judged = replace(judged, verdict=PEER_LIMITED)
    seeds = {"seeds_before": len(before), "seeds_after": len(after)}
    return {key: row[key] for key in _FIGURE} | vars(judged) | seeds
