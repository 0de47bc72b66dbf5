# SPDX-License-Identifier: Apache-2.0
"""Where the published hardware was worse than its own software: what changed, and by how much."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from firesteel.analysis.intervals import Comparison, Sample, Standing
from firesteel.analysis.rows import Published
from firesteel.analysis.sheet import ratio
from firesteel.analysis.study import load_studies
from firesteel.analysis.verdict import SPEEDS, USE, Offload
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.model.metrics import better
from firesteel.replication.counterparts import Ours, is_of_a_table
from firesteel.workloads import titles

State = Standing | Literal["missing"]

_HELD = (*SPEEDS, USE)
"""The published metrics in which hardware can lose."""


@dataclass(frozen=True)
class Regression:
    """A published figure, worse in hardware than in software; and ours, if there are both.

    `published` and `ours` compare hardware with software.  `pair` is the row that ours are of: a
    CPU use is held beside software by the CPU work for the same payload where the row has it, as
    hardware may carry more in the time.
    """

    of: Published
    label: str
    published: Comparison
    ours: Comparison | None
    reason: str = ""
    pair: Offload | None = None

    @property
    def metric(self) -> str:
        """What is compared."""
        return self.of.result.metric

    @property
    def state(self) -> State:
        """How hardware stands to software here, by the rule of `analysis.intervals`."""
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
        return judged is not None and judged.at_link and judged.metric == self.metric

    @property
    def _work(self) -> float | None:
        return self.pair.work if self.pair and self.metric == USE else None


def regressions(
    published: Iterable[Published], ours: Ours, pairs: Iterable[Offload]
) -> list[Regression]:
    """All of them, in the published order; one for each of our places that has the figure.

    `pairs` are all of ours.
    """
    found: dict[tuple[str, str, Identity, str], dict[str, Published]] = {}
    studies = load_studies()
    for each in published:
        if is_of_a_table(each.source, each.table, studies):
            identity = each.result.identity
            of = replace(identity, implementation="")
            key = (each.source, each.table, of, each.result.metric)
            found.setdefault(key, {})[identity.implementation] = each
    by_hardware = {pair.identity: pair for pair in pairs}
    return [
        regression
        for both in found.values()
        if {"software", "hardware"} <= both.keys() and _lost(both)
        for regression in _of_our_places(both, ours, by_hardware)
    ]


def causes(found: Sequence[Regression]) -> list[str]:
    """What is done differently here, for the protocols that were measured."""
    by_name = {study.name: study for study in load_studies()}
    said = [
        each.why.strip()
        for regression in found
        if regression.ours
        for each in by_name[regression.of.source].regressions
        if each.protocol == regression.of.result.identity.protocol
    ]
    return list(dict.fromkeys(said))


def _compared(both: Mapping[str, Published]) -> Comparison:
    software, hardware = both["software"].result, both["hardware"].result
    return Comparison(hardware.metric, software.sample, hardware.sample)


def _lost(both: Mapping[str, Published]) -> bool:
    """By however little."""
    published = _compared(both)
    gain = published.gain if published.metric in _HELD else None
    return gain is not None and gain < 1


def _of_our_places(
    both: Mapping[str, Published], ours: Ours, pairs: Mapping[Identity, Offload]
) -> list[Regression]:
    published, of = _compared(both), both["hardware"]
    software = {each.identity.place: each for each in ours.of(both["software"])}
    here = [each for each in ours.of(of) if each.identity.place in software]
    if not here:
        label = titles.of_identity(of.result.identity)
        return [Regression(of, label, published, None, ours.reason(of))]
    return [
        Regression(
            of,
            each.label,
            published,
            Comparison(each.metric, software[each.identity.place].sample, each.sample),
            pair=pairs.get(each.identity),
        )
        for each in here
    ]


def _exact(value: float) -> Sample:
    return Sample.of([value])
