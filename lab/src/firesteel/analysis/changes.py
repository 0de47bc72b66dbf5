# SPDX-License-Identifier: Apache-2.0
"""What changed from one run to another beyond the noise.

The noise is what seeds tell (`analysis.noise`).  One seed on both sides tells none: a difference
of exact figures is real, but whether another seed would show it too is unknown, unless a noise is
assumed.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.noise import ROUNDING, Sample, unpaired_margin
from firesteel.analysis.pairing import Pairing
from firesteel.analysis.pairs import Pair, find, with_itself
from firesteel.analysis.published import CELL_COLUMNS, KEY_COLUMNS
from firesteel.analysis.results import Results
from firesteel.analysis.rows import SWEPT, WHERE, Rows, read_results, where_columns
from firesteel.analysis.spread import spreads
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.model.metrics import better

Noise = Literal["measured", "assumed", "unknown"]
ChangeVerdict = Literal["same", "within noise", "worse", "better", "changed", "limited by the peer"]

VERDICTS: tuple[ChangeVerdict, ...] = (
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
"""Columns of `frame`.  `before` and `after` are means.  `noise_percent` is by how much they may
differ by chance, in percent of `before`; null where that is unknown, or `before` is 0 and nothing
has a percentage.
"""


@dataclass(frozen=True)
class Change:
    """How one figure stands in two runs; the fields are columns of `frame`."""

    before: float
    after: float
    change_percent: float | None
    noise_percent: float | None
    noise: Noise
    verdict: ChangeVerdict


@dataclass(frozen=True)
class Changed:
    """A figure that both runs have, of so many seeds, and how it stands."""

    identity: Identity
    metric: str
    seeds_before: int
    seeds_after: int
    change: Change


def changes(
    before: Results, after: Results, pairing: Pairing, assumed: float | None = None
) -> list[Changed]:
    """Each figure that both runs have, in the order of the second one.

    `assumed` is the noise, in percent, where there is one seed on both sides.
    """
    first, second = (_by_cell(results, pairing) for results in (before, after))
    limited = {cell: _peer_limited(cell, before, after) for cell in second}
    return [
        _changed(pair, metric, assumed, is_limited=pair.identity in limited[cell])
        for cell, those in second.items()
        for pair in find(those, with_itself, first[cell])
        for metric in pair.other.results
        if pair.has(metric)
    ]


def frame(found: Iterable[Changed]) -> pl.DataFrame:
    """Changes as tidy rows, with `COLUMNS`, and where figures were measured if nothing else tells
    some apart.
    """
    found = list(found)
    where = where_columns(each.identity for each in found)
    rows = [
        each.identity.columns(each.metric)
        | vars(each.change)
        | {"seeds_before": each.seeds_before, "seeds_after": each.seeds_after}
        | each.identity.where
        for each in found
    ]
    return pl.DataFrame(rows, schema=_SCHEMA | dict.fromkeys(where, pl.String))


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


def change_of(
    metric: str, before: Sequence[float], after: Sequence[float], assumed: float | None
) -> Change:
    """How a metric stands whose values are those, one a seed."""
    one, other = _mean(before), _mean(after)
    growth = other - one
    most, noise = _margin(before, after, assumed)
    if noise == "measured":
        most = max(most, _resolution(metric, max(one, other)))
    if noise == "unknown":
        told: ChangeVerdict = (
            "same" if abs(growth) * 100 < _SHOWN * abs(one) else _way(metric, growth)
        )
    else:
        told = "within noise" if abs(growth) <= most * ROUNDING else _way(metric, growth)
    if sorted(before) == sorted(after):
        told = "same"
    scale = 100 / abs(one) if one else None
    return Change(
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


def _by_cell(results: Results, pairing: Pairing) -> dict[str, Rows]:
    """The rows of each cell in common, in the run's order."""
    common = results.samples.filter(pl.col("cell").is_in(list(pairing.cells)))
    parts = spreads(common, [*_FIGURE, *WHERE, SWEPT, "cell"])
    of_cells = parts.partition_by("cell", maintain_order=True)
    return {part["cell"][0]: Rows(read_results(part)) for part in of_cells}


def _peer_limited(cell: str, *runs: Results) -> set[Identity]:
    """The rows of the cell that are so in any of the runs, with any seed."""
    boots = (
        boot
        for run in runs
        for boot in run.samples.filter(cell=cell).partition_by("seed", maintain_order=True)
    )
    return {row.identity for boot in boots for row in Rows(read_results(boot)) if row.peer_limited}


def _changed(pair: Pair, metric: str, assumed: float | None, *, is_limited: bool) -> Changed:
    compared = pair.compared(metric)
    before, after = compared.one.values, compared.other.values
    change = change_of(metric, before, after, assumed)
    if change.verdict != "same" and is_limited:
        change = replace(change, verdict=PEER_LIMITED)
    return Changed(pair.identity, metric, len(before), len(after), change)
