# SPDX-License-Identifier: Apache-2.0
"""Hardware over software: a run's ratios compared with the published ratios.

The project answers with ratios, so it is ratios that must hold.  Two published rows, one in
software and one in hardware, that a run has too make a pair:

- speed: how many times as fast hardware is, by the metrics that the study names
  (`judge.study.RatioKind`).  More than 1 is a gain.
- CPU work: what the CPU does for the same payload, in hardware as a share of that in software,
  where CPU use is published.  Less than 1 is a gain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import polars as pl

from firesteel.boards.profile import Clock
from firesteel.judge.compare import as_published
from firesteel.judge.intervals import Comparison
from firesteel.judge.replication.fit_file import load_fit
from firesteel.judge.rows import Pair, Result, Rows, find, grouped
from firesteel.judge.study import load_studies
from firesteel.judge.verdict import USE, use_by_speed
from firesteel.model import names
from firesteel.model.cell import USUAL_COMPLETION
from firesteel.model.identity import Identity
from firesteel.workloads import titles

WORK = "CPU work"
"""The kind of ratio that is of CPU work, whatever the study."""

_WORK_TITLE = "CPU work for the same payload"

_ROW = ("protocol", "cipher", "mac", "experiment", "parameter")


@dataclass(frozen=True)
class Ratio:
    """A pair's ratio, ours and the published one, and the values that they are of; `kind` says of
    what, and `title` as a heading.

    `fitted` are the sides of the pair that something was fitted to: software, hardware.
    """

    identity: Identity
    kind: str
    title: str
    of_ours: Comparison
    of_published: Comparison
    fitted: tuple[str, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether all figures of ours have."""
        return self.of_ours.converged

    @property
    def ours(self) -> float:
        """The run's ratio."""
        return self._of(self.of_ours)

    @property
    def published(self) -> float:
        """The published ratio."""
        return self._of(self.of_published)

    @property
    def deviation(self) -> float:
        """Of ours from the published one, in percent."""
        return 100 * (self.ours / self.published - 1)

    @property
    def same_direction(self) -> bool:
        """Whether both call offload a gain, a loss, or no difference; an inconclusive ratio of ours
        agrees with none of these.
        """
        return self.of_ours.standing == self.of_published.standing

    @property
    def favours(self) -> bool:
        """Whether ours is better for hardware than the published one."""
        ours, published = self.of_ours.gain, self.of_published.gain
        return bool(ours and published and ours > published)

    @property
    def name(self) -> str:
        """What it is of: `IPsec AES-256-CBC:SHA-256, 1000 B`."""
        what = titles.of_identity(self.identity.in_software)
        return names.listed(what, self.identity.parameter.text)

    @property
    def columns(self) -> dict[str, str]:
        """Those of its figure in hardware."""
        return self.identity.columns(self.of_ours.metric)

    def _of(self, compared: Comparison) -> float:
        ratio = compared.ratio if self.kind == WORK else compared.gain
        assert ratio is not None
        return ratio


@dataclass(frozen=True)
class Summary:
    """How near the ratios of one kind come that have converged: `median` is of the absolute
    deviations, in percent.

    `predicted` counts pairs without a fitted row, `median_predicted` is theirs; None without any.
    `same_direction` counts the pairs in which ours and published agree whether offload gains, and
    `favours` those in which ours favours hardware more.
    """

    kind: str
    pairs: int
    same_direction: int
    favours: int
    median: float
    predicted: int
    median_predicted: float | None


def ratios(comparison: Iterable[Result], clocks: Mapping[str, Clock] | None = None) -> list[Ratio]:
    """All pairs of a comparison, in its order; of several completions the usual one counts.

    `clocks` are the boards' clocks (`Results.clocks`), which determine the rows that were fitted; a
    board without an entry has the clock `flat`.
    """

    def alike(identity: Identity) -> Identity:
        """The identity by which both sides are paired: a variant may apply to both sides or only to
        hardware.
        """
        return replace(identity, variant="")

    def is_fitted(result: Result) -> bool:
        clock = (clocks or {}).get(result.identity.board, "flat")
        return bool(fits[result.source].on(clock).fitted_to(result.columns))

    def fitted(pair: Pair, *metrics: str) -> tuple[str, ...]:
        """The sides that something was fitted to by any of these metrics."""
        sides = {"software": pair.one.results, "hardware": pair.other.results}
        return tuple(
            side
            for side, results in sides.items()
            if any(is_fitted(results[metric]) for metric in metrics)
        )

    studies = {study.name: study for study in load_studies()}
    fits = {name: load_fit(study) for name, study in studies.items()}
    known = {
        (name, each.experiment, each.metric): each
        for name, study in studies.items()
        for each in study.ratios
    }
    both = [
        (each, replace(each.beside.result, identity=each.identity))
        for each in as_published(comparison)
        if each.beside and each.identity.completion in ("", USUAL_COMPLETION)
    ]
    ours = Rows((one for one, _ in both), first=True, alike=alike)
    theirs = Rows((other for _, other in both), first=True, alike=alike)
    found = []
    for pair in find(ours, lambda of: of.in_software if of.implementation == "hardware" else None):
        published = Pair(*(theirs.by_identity[row.identity] for row in (pair.one, pair.other)))
        of = pair.identity
        for metric in filter(pair.has, pair.other.results):
            source = _source(pair, metric)
            kind = known.get((source, of.workload, metric))
            if not kind:
                continue
            compared = pair.compared(metric), published.compared(metric)
            found.append(Ratio(of, kind.kind, kind.title, *compared, fitted(pair, metric)))
            if kind.cpu_work and _source(pair, USE) == source:
                # Percent of a core for a MB/s, or for a handshake a minute.
                one, other = use_by_speed(pair, metric), use_by_speed(published, metric)
                if one and other:
                    sides = fitted(pair, USE, metric)
                    found.append(Ratio(of, WORK, _WORK_TITLE, one, other, sides))
    kinds = dict.fromkeys(each.kind for each in known.values())
    order = {kind: number for number, kind in enumerate((*kinds, WORK))}
    return sorted(found, key=lambda ratio: (order[ratio.kind], ratio.title))


def summaries(found: Sequence[Ratio]) -> list[Summary]:
    """Of each kind that has a pair that has converged, and of all of these pairs."""
    sure = [ratio for ratio in found if ratio.converged]
    parts = grouped(sure, lambda ratio: ratio.kind)
    made = []
    for kind, part in (*parts.items(), *([("all", sure)] if sure else [])):
        predicted = [abs(ratio.deviation) for ratio in part if not ratio.fitted]
        made.append(
            Summary(
                kind=kind,
                pairs=len(part),
                same_direction=sum(ratio.same_direction for ratio in part),
                favours=sum(ratio.favours for ratio in part),
                median=median(abs(ratio.deviation) for ratio in part),
                predicted=len(predicted),
                median_predicted=median(predicted) if predicted else None,
            )
        )
    return made


def left_out(found: Iterable[Ratio]) -> str:
    """How many pairs the summaries leave out, in a sentence; nothing where there is none."""
    count = sum(not ratio.converged for ratio in found)
    if not count:
        return ""
    pairs = f"{count} pair{'s have' if count > 1 else ' has'}"
    them = "them" if count > 1 else "it"
    return f"{pairs} not converged ({names.UNCONVERGED}); the medians below leave {them} out."


def frame(found: Iterable[Ratio]) -> pl.DataFrame:
    """The ratios as tidy rows.  `fitted` names the sides of the pair that something was fitted to,
    and `converged` says whether all our figures in the ratio have converged.
    """
    columns = (
        *(*_ROW, "kind", "software", "hardware", "ratio"),
        *("published_software", "published_hardware", "published", "deviation_percent"),
        *("same_direction", "fitted", "converged"),
    )
    rows = [
        (
            *(each.columns[name] for name in _ROW),
            each.kind,
            *(each.of_ours.one.value, each.of_ours.other.value, each.ours),
            *(each.of_published.one.value, each.of_published.other.value, each.published),
            *(each.deviation, each.same_direction, " and ".join(each.fitted), each.converged),
        )
        for each in found
    ]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def _source(pair: Pair, metric: str) -> str:
    """The study that published both figures of a pair; empty where no one did both."""
    if not pair.has(metric):
        return ""
    sources = {row.results[metric].source for row in (pair.one, pair.other)}
    return sources.pop() if len(sources) == 1 else ""
