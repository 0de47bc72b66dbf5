# SPDX-License-Identifier: Apache-2.0
"""Where the published hardware was worse than its own software: what changed, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from firesteel.analysis.boards import BOARD, LABEL
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.comparison import Comparison, Standing
from firesteel.analysis.noise import Sample
from firesteel.analysis.offload import Offload, offloads
from firesteel.analysis.rows import identity_in, read_results
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, change, ratio
from firesteel.analysis.study import load_studies
from firesteel.analysis.verdict import SPEEDS, USE
from firesteel.model import names
from firesteel.model.metrics import better
from firesteel.report.published_tables import Ours, is_of_a_table
from firesteel.workloads import titles

State = Standing | Literal["missing"]

_HELD = ("throughput", "connections", "rtt_mean", "connection_time", USE)
"""The published metrics in which hardware can lose."""

_TONES: dict[State, Tone] = {"better": "good", "worse": "bad"}


@dataclass(frozen=True)
class Regression:
    """A published figure, worse in hardware than in software; and ours, if there are both.

    `published` and `ours` compare hardware with software.  `pair` is the row that ours are of: a
    CPU use is held beside software by the CPU work for the same payload where the row has it, as
    hardware may carry more in the time.
    """

    row: dict[str, Any]
    label: str
    published: Comparison
    ours: Comparison | None
    reason: str = ""
    pair: Offload | None = None

    @property
    def state(self) -> State:
        """How hardware stands to software here, by the rule of `analysis.comparison`."""
        if self.ours is None or not self.ours.one.value:
            return "missing"
        if self.pair and self.pair.judged.peer_limited:
            return "missing"
        if self._work is not None and self.pair:
            if self.pair.judged.work_in_noise:
                return "equal"
            return Comparison(USE, _exact(1.0), _exact(self._work)).standing
        found = self.ours.standing
        return "equal" if found == "worse" and self._at_link else found

    @property
    def remark(self) -> str:
        """That the link is the bound, or what a CPU use is held beside software by."""
        if self._at_link:
            return "limited by the link"
        if self._work is None or not self.pair:
            return ""
        by = self.pair.judged.work_by
        if by == USE:
            speed = names.metric(self.pair.metric)
            sign = "\N{MULTIPLICATION SIGN}" if better(self.pair.metric) == "lower" else "by"
            by_what = f"CPU use {sign} {speed}"
        else:
            by_what = names.metric(by)
        return f"{by_what} {ratio(self._work)}\N{MULTIPLICATION SIGN} software’s"

    @property
    def _at_link(self) -> bool:
        judged = self.pair.judged if self.pair else None
        return judged is not None and judged.at_link and judged.metric == self.row["metric"]

    @property
    def _work(self) -> float | None:
        return self.pair.work if self.pair and self.row["metric"] == USE else None


def regressions(published: pl.DataFrame, ours: Ours, figures: pl.DataFrame) -> list[Regression]:
    """All of them, in the published order; one for each of our boards that has the figure.

    `figures` are all of ours, labelled, with what several seeds say of them.
    """
    keys = ("table", "experiment", "protocol", "cipher", "mac", "parameter", "metric")
    found: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    studies = load_studies()
    for row in published.iter_rows(named=True):
        if is_of_a_table(row, studies):
            key = tuple(row[key] for key in keys)
            found.setdefault(key, {})[row["implementation"]] = row
    measured = _Measured(figures)
    return [
        regression
        for both in found.values()
        if {"software", "hardware"} <= both.keys() and _lost(both)
        for regression in _of_our_boards(both, ours, measured)
    ]


class _Measured:
    """Our figures, found by a row of their comparison with the published ones."""

    def __init__(self, figures: pl.DataFrame) -> None:
        results = read_results(figures, (*SPEEDS, USE))
        self._samples = {(each.identity, each.metric): each.sample for each in results}
        self._pairs = {each.identity: each for each in offloads(figures)}

    def sample(self, row: dict[str, Any]) -> Sample:
        """What seeds say of that figure."""
        found = self._samples.get((identity_in(row), row["metric"]))
        return found or Sample.of_row(row)

    def pair(self, row: dict[str, Any]) -> Offload | None:
        """The pair whose hardware the figure is of."""
        return self._pairs.get(identity_in(row))


def regressions_sheet(found: Sequence[Regression]) -> Sheet | None:
    """Published software and hardware, ours, and how both changed."""
    rows: list[list[Text]] = []
    for regression in found:
        metric = regression.row["metric"]
        published, ours = _figures(regression.published), _figures(regression.ours)
        what = names.quantity(metric, regression.row["parameter"])
        rows.append(
            [
                regression.label,
                Mark(_said(regression), _TONES.get(regression.state, "plain")),
                *(what, *published, *ours),
            ]
        )
    columns = ("hardware here", "figure", *("software", "hardware", "change") * 2)
    groups = (("", 2), ("published", 3), ("ours", 3))
    caption = "Figures in which the published hardware was worse than its software"
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0, 1})) if rows else None


def _figures(compared: Comparison | None) -> list[str]:
    """Software, hardware, and how far that is from it."""
    if compared is None:
        return [MISSING] * 3
    values = [each.value for each in (compared.one, compared.other)]
    texts = [names.number(value, compared.metric) for value in values]
    return [*texts, change(values[1], values[0])]


def causes(found: Sequence[Regression]) -> list[str]:
    """What is done differently here, for the protocols that were measured."""
    by_name = {study.name: study for study in load_studies()}
    said = [
        each.why.strip()
        for regression in found
        if regression.ours
        for each in by_name[regression.row["source"]].regressions
        if each.protocol == regression.row["protocol"]
    ]
    return list(dict.fromkeys(said))


def _compared(both: dict[str, dict[str, Any]]) -> Comparison:
    software, hardware = (_exact(both[name]["value"]) for name in ("software", "hardware"))
    return Comparison(both["software"]["metric"], software, hardware)


def _lost(both: dict[str, dict[str, Any]]) -> bool:
    """By however little."""
    published = _compared(both)
    gain = published.gain if published.metric in _HELD else None
    return gain is not None and gain < 1


def _of_our_boards(
    both: dict[str, dict[str, Any]], ours: Ours, measured: _Measured
) -> list[Regression]:
    published, row = _compared(both), both["hardware"]
    software = {each[BOARD]: each for each in ours.of(both["software"])}
    here = [each for each in ours.of(row) if each[BOARD] in software]
    if not here:
        label = titles.of_identity(identity_in({**row, "implementation": "hardware"}))
        return [Regression(row, label, published, None, ours.reason(row))]
    return [
        Regression(
            row,
            each[LABEL],
            published,
            Comparison(
                row["metric"], measured.sample(software[each[BOARD]]), measured.sample(each)
            ),
            pair=measured.pair(each),
        )
        for each in here
    ]


def _exact(value: float) -> Sample:
    return Sample.of([value])


def _said(regression: Regression) -> str:
    if regression.pair and regression.pair.judged.peer_limited:
        return PEER_LIMITED
    if regression.state == "missing":
        return regression.reason or MISSING
    said = {
        "better": "better than software",
        "equal": "equal to software",
        "worse": "still worse than software",
    }[regression.state]
    return f"{said} ({regression.remark})" if regression.remark else said
