# SPDX-License-Identifier: Apache-2.0
"""How far figures of a kind differ between seeds, as measured in recorded runs with several seeds.
A figure of one seed takes its interval from this spread (`judge.intervals`).
"""

from datetime import date
from functools import cache

from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import RECORDED
from firesteel.base.toml import Table
from firesteel.model.figure import t_quantile

SPREAD_FILE = RECORDED / "spread.toml"
"""The file of `Spread` (`tools.measure` makes it)."""

KIND = ("experiment", "protocol", "metric")
"""The columns that make a kind of figure, in addition to whether the board has several CPUs."""

ASSUMED = "*"
"""Stands behind an interval that is assumed."""

Pooled = tuple[float, int]
"""A standard deviation in percent, and its degrees of freedom."""

Deviations = dict[str, dict[str, dict[str, Pooled]]]
"""By workload, protocol and metric how far the logarithms of figures differ between the seeds of a
cell, pooled over the cells of some runs."""


class Spread(Table):
    """The file.  Seeds differ more on boards with several CPUs, where tasks and interrupts may move
    to another CPU, so these boards have another spread.
    """

    runs: tuple[str, ...]
    measured: date
    one_cpu: Deviations
    several_cpus: Deviations = Field(default_factory=dict)

    def of(
        self, workload: str, protocol: str, metric: str, cpus: int = 1
    ) -> tuple[Pooled | None, str]:
        """The spread of a kind, and what an interval that follows from it is called.

        A kind that was not measured is assumed to spread as much as any that was.
        """
        deviations = self.several_cpus if cpus > 1 else self.one_cpu
        if pooled := deviations.get(workload, {}).get(protocol, {}).get(metric):
            return pooled, "kind"
        kinds = (each for those in deviations.values() for each in those.values())
        known = [each[metric] for each in kinds if metric in each]
        return (max(known, key=share_of), "assumed") if known else (None, "")

    @property
    def said(self) -> str:
        """What ± means behind a figure of one seed."""
        return (
            "If a figure has a single seed, ± is half of its 95 % interval. The interval follows "
            "from the spread between seeds of figures of the same kind "
            f"(measured {self.measured}), or from the figure's own window if that "
            f"gives a wider interval. {ASSUMED}: figures of this kind were not measured with "
            "several seeds, so the widest known spread of their metric is assumed."
        )


@cache
def load_spread() -> Spread | None:
    """The file; None while there is none."""
    return toml.read_model(SPREAD_FILE, Spread) if toml.is_there(SPREAD_FILE) else None


def share_of(pooled: Pooled) -> float:
    """Half of the 95 % interval of a figure of one seed, on the logarithmic scale."""
    percent, freedom = pooled
    return percent / 100 * t_quantile(freedom)
