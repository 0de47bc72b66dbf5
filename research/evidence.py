# SPDX-License-Identifier: Apache-2.0
"""What tests causes of deviations (`judge.replication.causes`), and whether it shows them.

1.  Variants: cells that work as in 2015 in something (`model.cell.Habit`), or whose measured board
   has another profile than its topology names.  With the right one a figure comes nearer.  On a
   board with several CPUs, each CPU represents the published one.
2. CPU use parted by two cores: interrupts on one, programs on the other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, NamedTuple

from firesteel.boards.topology import load_topology
from firesteel.judge.compare import as_published, compare, is_told, published_at, published_of
from firesteel.judge.replication.causes import Cause, Named
from firesteel.judge.replication.fit_file import FitFile, load_fit
from firesteel.judge.results import Results, spread_of
from firesteel.judge.rows import Result, Rows, find, of_metrics, read_results, with_itself
from firesteel.judge.study import Study
from firesteel.judge.verdict import USE
from firesteel.model import names
from firesteel.model.cell import USUAL_COMPLETION, Cell, Place
from firesteel.model.identity import Identity
from firesteel.model.metrics import EACH_CPU
from firesteel.store.journal import Journal
from firesteel.workloads import titles
from firesteel.workloads.registry import TRANSFERS

HALF = 0.5
"""The share of their deviation that rows may keep where a test shows their cause."""

PART = 0.75
"""The share that they may keep where it shows a part of it."""

EXPLAINED = 20.0
"""The percent that every row may be off at most where a cause is the whole explanation."""

SLACK = 5.0
"""Percentage points by which a variant's other rows may be farther off with it."""

_INTERRUPTS = ("cpu_softirq", "cpu_irq")
"""The parts of CPU use that are."""

Outcome = Literal[
    "shown", "shown in part", "undecided", "not shown", "supposed", "follows from published rows"
]


@dataclass(frozen=True)
class Variant:
    """A cell that works as in 2015.  `words` describe the difference, `comparison` has its figures
    and the published ones, and `fit` names the published figure by which the variant's amount was
    chosen.
    """

    words: tuple[str, ...]
    comparison: tuple[Result, ...]
    fit: FitFile

    @property
    def name(self) -> str:
        """What the variant is called: `af-alg, irq`."""
        return ", ".join(self.words)


class Change(NamedTuple):
    """A figure without and with a variant, the published figure, and both deviations from it in
    percent.
    """

    variant: Variant
    without: Result
    with_it: Result
    deviation: float
    deviation_with: float

    @property
    def name(self) -> str:
        """The configuration, and where it was measured without the variant."""
        identity = replace(self.without.identity, completion="")
        return f"{titles.of_identity(identity)}, {self.without.at}"

    @property
    def changed(self) -> str:
        """The figure with the variant, and its size if it differs."""
        text, size = self.with_it.value_text, self.with_it.at
        return text if size == self.without.at else f"{text} ({size})"

    @property
    def is_fitted(self) -> bool:
        """Whether the amount of the variant was chosen by this row."""
        return self.variant.fit.chose(self.variant.words, self.without.columns)


class CpuUse(NamedTuple):
    """CPU use in percent of one core and the published use of the busier of two cores.  Its parts
    are `interrupts` and the `rest`.
    """

    result: Result
    interrupts: float
    rest: float

    @property
    def deviation(self) -> float:
        """Deviation of the larger part from the published figure, in percent."""
        return 100 * (max(self.interrupts, self.rest) / (self.result.published or 1) - 1)


class Finding(NamedTuple):
    """What came of testing a cause; the medians are of absolute deviations in percent.  It is
    `confirmed` if it is shown by an experiment that was named before it was run.  With `outside`
    rows that stay off by more than `EXPLAINED`, a cause is only a part of the explanation.
    """

    outcome: Outcome
    rows: int = 0
    before: float = 0.0
    after: float = 0.0
    others: int = 0
    others_before: float = 0.0
    others_after: float = 0.0
    nearer: int = 0
    outside: int = 0
    confirmed: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether more than a supposition stands behind the cause."""
        return self.outcome in ("shown", "follows from published rows")


class Deviations(NamedTuple):
    """Deviations in percent of a row without and with what tests a cause; `is_claimed` where the
    cause claims the row.
    """

    before: float
    after: float
    is_claimed: bool = True


def finding(cause: Cause, rows: Sequence[Deviations]) -> Finding:
    """Whether a cause is shown, by the rows of what tests it.

    It is shown if three conditions hold.  The claimed rows keep at most half of their deviation,
    three of four come nearer, and the other rows of the same cells deviate at most `SLACK` more.
    """
    if cause.evidence == "published":
        return Finding("follows from published rows")
    claimed, others = ([row for row in rows if row.is_claimed is so] for so in (True, False))
    if not claimed:
        return Finding("supposed")
    before, after, others_before, others_after = (
        median([abs(row[side]) for row in those] or [0.0])
        for those in (claimed, others)
        for side in (0, 1)
    )
    nearer = sum(abs(row.after) < abs(row.before) for row in claimed)
    partly = after > HALF * before or nearer < PART * len(claimed)
    outcome: Outcome = "shown"
    if after > PART * before:
        outcome = "not shown"
    elif partly or others_after > others_before + SLACK:
        outcome = "shown in part"
    medians = (before, after, len(others), others_before, others_after)
    outside = sum(abs(row.after) > EXPLAINED for row in claimed)
    return Finding(outcome, len(claimed), *medians, nearer=nearer, outside=outside)


def findings(
    causes: Iterable[Cause],
    changed: Sequence[Change],
    cores: Sequence[CpuUse],
    runs: Sequence[Journal] = (),
) -> list[tuple[Cause, Finding]]:
    """The causes, and whether their tests in these runs show them; two that exclude each other are
    undecided where the tests of both would.
    """
    found = [(cause, finding(cause, list(_tested(cause, changed, cores)))) for cause in causes]
    shown = [cause for cause, of in found if of.outcome == "shown"]
    judged, cpus = [], set(map(names.metric, EACH_CPU))
    for cause, of in found:
        # Only one can hold of two whose tests differ in nothing but the CPU that counts.
        apart = (set(cause.variant or ()) ^ set(other.variant or ()) for other in shown)
        if cause in shown and any(each and each <= cpus for each in apart):
            of = of._replace(outcome="undecided")
        confirmed = of.outcome == "shown" and _was_named_before(cause, runs)
        judged.append((cause, of._replace(confirmed=confirmed)))
    return judged


def _was_named_before(cause: Cause, runs: Sequence[Journal]) -> bool:
    """Whether the experiment that names a cause is among the runs, and came before all of its."""
    if not isinstance(cause.found, Named):
        return False
    own = [run.started for run in runs if run.experiment == cause.found.experiment]
    return bool(own) and all(map(cause.was_named_before, own))


def _tested(
    cause: Cause, changed: Sequence[Change], cores: Sequence[CpuUse]
) -> Iterator[Deviations]:
    """What has converged of a cause's test."""
    if cause.evidence == "variants":
        for each in changed:
            of = each.without.identity
            is_of = of.protocol in (cause.protocol or (of.protocol,))
            is_of &= of.implementation in (cause.implementation or (of.implementation,))
            is_of &= set(each.variant.words) == set(cause.variant or ())
            converged = each.without.converged and each.with_it.converged
            if is_of and converged and not each.is_fitted:
                yield Deviations(each.deviation, each.deviation_with, cause.fits(each.without))
    elif cause.evidence == "cores":
        for use in cores:
            if use.result.converged and cause.fits(use.result):
                yield Deviations(use.result.deviation or 0.0, use.deviation)


def two_cores(comparison: Iterable[Result]) -> list[CpuUse]:
    """Transfers in software whose CPU use is published, and the interrupts' part of it is known."""
    found = []
    for row in Rows(of_metrics(comparison, (USE, *_INTERRUPTS))):
        of, use = row.identity, row.results.get(USE)
        is_transfer = of.workload in TRANSFERS and of.implementation == "software"
        if is_transfer and use and use.published and row.results.keys() >= set(_INTERRUPTS):
            interrupts = sum(row.results[part].value for part in _INTERRUPTS)
            found.append(CpuUse(use, interrupts, use.value - interrupts))
    return found


def variants(runs: Iterable[Results], study: Study) -> list[Variant]:
    """All variants of the runs, in order, with a study's figures; several seeds give their mean."""
    fit, found = load_fit(study), []
    for run in runs:
        cells: dict[str, Cell] = {}
        for record in run.records:
            cell = record.cell
            cells.setdefault(cell.of_any_seed.model_dump_json(), cell)
        for of_any_seed, cell in cells.items():
            own = cell.profiles[cell.measured]
            usual = load_topology(cell.topology).nodes[cell.measured].profile
            # Habits, another board, and how the driver waits.
            words = (*(cell.as_in_2015 or ()), *((own,) if own != usual else ()))
            if cell.affinity:
                words += tuple(f"{name} {cpus}" for name, cpus in cell.affinity.given.items())
            if words and cell.completion not in (None, USUAL_COMPLETION):
                words = (*words, cell.completion)
            if words:
                figures = read_results(spread_of(run.samples.filter(cell=of_any_seed)))
                # The variant may be another board than the published figures are of.
                place = Place(usual, cell.topology, cell.measured, cell.link)
                published = published_at([place], published_of(study))
                for told, its in _each_cpu(words, figures):
                    beside = as_published(compare(its, published, variants=True))
                    found.append(Variant(told, tuple(beside), fit))
    return found


def _each_cpu(
    words: tuple[str, ...], figures: Sequence[Result]
) -> Iterator[tuple[tuple[str, ...], list[Result]]]:
    """The figures of a variant; on a board with several CPUs, once for each, whose use is `cpu`."""
    counted = [each for each in EACH_CPU if any(result.metric == each for result in figures)]
    rest = [each for each in figures if not counted or each.metric not in (USE, *EACH_CPU)]
    if not counted:
        yield words, rest
    for cpu in counted:
        its = [replace(each, metric=USE) for each in figures if each.metric == cpu]
        yield (*words, names.metric(cpu)), rest + its


def changes(comparison: Iterable[Result], found: Iterable[Variant]) -> list[Change]:
    """Published rows with figures of the variants and the comparison; transfers of any size."""
    usual = ("", USUAL_COMPLETION)
    # A row without a published figure, as of another link, must not stand for one that has it.
    those = (each for each in as_published(comparison) if each.deviation is not None)
    without = Rows((each for each in those if each.identity.completion in usual), alike=_alike)
    return [
        Change(variant, one, other, one.deviation, other.deviation)
        for variant in found
        for pair in find(without, with_itself, Rows(variant.comparison, alike=_alike))
        for metric in filter(pair.has, pair.other.results)
        for one, other in [(pair.other.results[metric], pair.one.results[metric])]
        if one.deviation is not None and other.deviation is not None and is_told(one)
    ]


def _alike(identity: Identity) -> Identity:
    """What a figure has in common with that of a variant, and of a file of any size."""
    return replace(identity.comparable.anywhere, completion="", variant="", affinity="")
