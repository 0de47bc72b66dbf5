# SPDX-License-Identifier: Apache-2.0
"""What tests causes of deviations (`replication.causes`), and whether it shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, NamedTuple

from firesteel.analysis.rows import Result, Rows, of_metrics
from firesteel.analysis.verdict import USE
from firesteel.replication.causes import Cause
from firesteel.workloads.registry import TRANSFERS
from research.ticks import HALF, INTERRUPTS, PART, Instrument
from research.variants import Change

SLACK = 5.0
"""Percentage points by which a variant's other rows may be farther off with it."""

Outcome = Literal["shown", "shown in part", "not shown", "supposed", "follows from published rows"]


class Deviations(NamedTuple):
    """Deviations in percent of a row without and with what tests a cause; `is_claimed` where the
    cause claims the row.
    """

    before: float
    after: float
    is_claimed: bool = True


@dataclass(frozen=True)
class Finding:
    """What came of testing a cause; the medians are of absolute deviations in percent."""

    outcome: Outcome
    rows: int = 0
    before: float = 0.0
    after: float = 0.0
    others: int = 0
    others_before: float = 0.0
    others_after: float = 0.0
    nearer: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether more than a supposition stands behind the cause."""
        return self.outcome in ("shown", "follows from published rows")


class TwoCores(NamedTuple):
    """CPU use in percent of one core, a `result`: of that `interrupts`, and the `rest`; and by how
    much percent the larger part deviates from the published figure, which is of the busier of two.
    """

    result: Result
    interrupts: float
    rest: float
    deviation: float


@dataclass(frozen=True)
class Evidence:
    """What tests causes: variants, CPU use parted by two cores, and CPU use read with ticks."""

    changed: Sequence[Change] = ()
    cores: Sequence[TwoCores] = ()
    ticks: Instrument = field(default_factory=Instrument)


def two_cores(comparison: Iterable[Result]) -> list[TwoCores]:
    """Transfers in software whose CPU use is published, and the interrupts' part of it is known."""
    found = []
    for row in Rows(of_metrics(comparison, (USE, *INTERRUPTS))):
        if row.identity.workload not in TRANSFERS or row.identity.implementation != "software":
            continue
        use, parts = row.results.get(USE), [row.results.get(part) for part in INTERRUPTS]
        if use is None or not use.published or None in parts:
            continue
        interrupts = sum(part.value for part in parts if part)
        larger = max(interrupts, use.value - interrupts)
        off = 100 * (larger / use.published - 1)
        found.append(TwoCores(use, interrupts, use.value - interrupts, off))
    return found


def findings(causes: Iterable[Cause], tests: Evidence) -> list[tuple[Cause, Finding]]:
    """The causes, and whether their tests show them."""
    return [(cause, finding(cause, _tested(cause, tests))) for cause in causes]


def finding(cause: Cause, rows: Sequence[Deviations]) -> Finding:
    """Whether a cause is shown, by the rows of what tests it.

    It is shown where the rows that it claims keep no more than half of their deviation, three of
    four come nearer, and the other rows of the same cells do not go farther off.
    """
    if cause.evidence == "published":
        return Finding("follows from published rows")
    claimed = [row for row in rows if row.is_claimed]
    others = [row for row in rows if not row.is_claimed]
    if not claimed:
        return Finding("supposed")
    before, after = _medians(claimed)
    others_before, others_after = _medians(others)
    nearer = sum(abs(row.after) < abs(row.before) for row in claimed)
    partly = after > HALF * before or nearer < PART * len(claimed)
    if after > PART * before:
        outcome: Outcome = "not shown"
    elif partly or others_after > others_before + SLACK:
        outcome = "shown in part"
    else:
        outcome = "shown"
    medians = (before, after, len(others), others_before, others_after)
    return Finding(outcome, len(claimed), *medians, nearer=nearer)


def _medians(rows: Sequence[Deviations]) -> tuple[float, float]:
    if not rows:
        return 0.0, 0.0
    return median(abs(row.before) for row in rows), median(abs(row.after) for row in rows)


def _tested(cause: Cause, tests: Evidence) -> list[Deviations]:
    if cause.evidence == "variants":
        return [
            Deviations(each.deviation, each.deviation_with, cause.fits(each.without))
            for each in tests.changed
            if set(each.variant.words) == set(cause.variant or ())
            and not each.is_fitted
            and each.converged
            and _is_of(each.without, cause)
        ]
    if cause.evidence == "cores":
        return [
            Deviations(each.result.deviation or 0.0, each.deviation)
            for each in tests.cores
            if cause.fits(each.result) and each.result.converged
        ]
    if cause.evidence == "ticks":
        return [
            Deviations(each.deviation(each.exact), each.deviation(each.sampled))
            for each in tests.ticks.readings
            if cause.fits(each.result) and each.result.converged
        ]
    return []


def _is_of(result: Result, cause: Cause) -> bool:
    """Whether a figure is of the cells that a cause is about."""
    of = result.identity
    both = ((of.protocol, cause.protocol), (of.implementation, cause.implementation))
    return all(name in values for name, values in both if values)
