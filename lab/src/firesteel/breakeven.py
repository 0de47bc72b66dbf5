# SPDX-License-Identifier: Apache-2.0
"""From which size on another implementation costs less than software."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel import names
from firesteel.compare import CONFIGURATION, configuration
from firesteel.judging import standing
from firesteel.noise import Sample

_METRICS = {
    "instructions_per_request_p50": "fewer instructions",
    "time_per_request_p50": "less time",
}
"""Medians: what the kernel does besides, now and then, is not in them."""

_MEANS = {"openssl-speed": "time_per_request"}
"""Experiments that time no single request."""


@dataclass(frozen=True)
class BreakEven:
    """An implementation beside software, by one metric.

    `least` is the smallest size from which on it costs less, by the rule of `firesteel.judging`, at
    every size that was measured of both; none when it does not at the largest.
    """

    experiment: str
    what: str
    metric: str
    least: str | None

    @property
    def sentence(self) -> str:
        """The result in words."""
        costs = _METRICS.get(self.metric, "less time")
        who = f"{names.experiment(self.experiment)}: {self.what} takes {costs}"
        if self.least is None:
            return f"{who} than software at no size up to the largest."
        return f"{who} than software from {self.least} on."


def break_even(figures: pl.DataFrame) -> Iterator[BreakEven]:
    """Each implementation beside the software of the same suite, by each metric.

    Only figures with one request in flight count.
    """
    keys = ["experiment", "protocol", "cipher", "mac", "parameter", "metric"]
    part = figures.filter(
        pl.col("metric").is_in(list(_METRICS))
        | (pl.col("metric") == pl.col("experiment").replace_strict(_MEANS, default=None))
    )
    software = {
        tuple(row[key] for key in keys): Sample.of_row(row)
        for row in part.filter(pl.col("implementation") == "software").iter_rows(named=True)
    }
    groups = ["experiment", *CONFIGURATION, "metric"]
    others = part.filter(pl.col("implementation") != "software")
    for group in others.partition_by(groups, maintain_order=True):
        rows = sorted(group.to_dicts(), key=_bytes)
        both = [(row, software.get(tuple(row[key] for key in keys))) for row in rows]
        if beside := [(row, one) for row, one in both if one]:
            yield _of(beside)


def _of(rows: list[tuple[dict[str, Any], Sample]]) -> BreakEven:
    least = None
    for row, software in reversed(rows):
        if standing(row["metric"], software, Sample.of_row(row)) != "better":
            break
        least = row["parameter"]
    first, _ = rows[0]
    return BreakEven(first["experiment"], configuration(first), first["metric"], least)


def _bytes(row: dict[str, Any]) -> int:
    """The size in a parameter such as `1400 B`."""
    return int(row["parameter"].split()[0])
