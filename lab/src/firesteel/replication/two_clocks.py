# SPDX-License-Identifier: Apache-2.0
"""A run and the same run on the other clock, both beside the figures of a study.

The clock with the smaller held-out error is the one to believe.  Held out are figures that were
fitted on neither clock, and ratios of two such figures.  Only those count that both runs have and
that have converged in both, so that medians are of equal sets.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from firesteel.analysis.compare import as_published, is_told, place
from firesteel.analysis.results import Results
from firesteel.analysis.robustness import differ_in_clock
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import ratio as in_digits
from firesteel.analysis.study import Study
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock, Cpu, load_profile
from firesteel.model import names
from firesteel.replication.counterparts import beside_study, boards_beside, clock_beside
from firesteel.replication.fit import Step, steps
from firesteel.replication.fit_file import Fit, FitFile
from firesteel.replication.ratios import Ratio, ratios
from firesteel.store.journal import Journal

Item = TypeVar("Item")
Key = TypeVar("Key")


@dataclass(frozen=True)
class Side:
    """A run on one `clock` beside a study: its figures, and its ratios of hardware to software."""

    clock: Clock
    comparison: Sequence[Result]
    ratios: Sequence[Ratio]


@dataclass(frozen=True)
class OnClock:
    """A figure or ratio on one clock: its value as text; by how many percent it deviates from the
    published one, None where that says nothing; whether it has converged; and whether a ratio calls
    offload a gain or a loss as the published one does.
    """

    value: str
    deviation: float | None
    converged: bool
    agrees: bool = True


@dataclass(frozen=True)
class Both:
    """A published figure or ratio, and what stands beside it on each clock, None where a run has
    nothing.  `sort` is the implementation of a figure and the kind of a ratio; `fitted` says what
    was fitted to it, and on which clock.
    """

    name: str
    sort: str
    quantity: str
    published: str
    on: tuple[OnClock | None, OnClock | None]
    fitted: str

    @property
    def errors(self) -> tuple[float, float] | None:
        """The absolute deviations on both clocks; None where it is not held out."""
        one, other = self.on
        if self.fitted or one is None or other is None or not (one.converged and other.converged):
            return None
        if one.deviation is None or other.deviation is None:
            return None
        return abs(one.deviation), abs(other.deviation)


@dataclass(frozen=True)
class HeldOut:
    """The held-out rows of one sort; there may be none."""

    name: str
    rows: Sequence[Both]

    @property
    def medians(self) -> Sequence[float]:
        """Of the absolute deviations in percent, on each clock; nothing without a row."""
        errors = [each.errors for each in self.rows if each.errors]
        return [median(each) for each in zip(*errors, strict=True)]

    @property
    def agreeing(self) -> Sequence[int]:
        """How many ratios agree with the published ones on gain or loss, on each clock."""
        sides = zip(*(each.on for each in self.rows), strict=True)
        return [sum(on is not None and on.agrees for on in side) for side in sides]

    @property
    def nearer(self) -> int | None:
        """Which of the clocks has the smaller median, by the digits that are shown; None where both
        have the same.
        """
        one, other = (round(each, 1) for each in self.medians)
        return None if one == other else int(other < one)


@dataclass(frozen=True)
class TwoClocks:
    """All that is said of both.  `clocks` are those of the page's run and of the other one, called
    `run`; all pairs are in this order.  The last of `held_out` and of `held_out_ratios` is of all
    sorts; they are empty where nothing is held out.  `steps` are of numbers that figures on the
    other clock alone depend on, and `defaults` the clocks that the boards' profiles name.
    """

    run: str
    clocks: tuple[Clock, Clock]
    rows: Sequence[Both]
    ratios: Sequence[Both]
    held_out: Sequence[HeldOut]
    held_out_ratios: Sequence[HeldOut]
    steps: Sequence[Step]
    defaults: Mapping[str, Clock]

    @property
    def sentence(self) -> str:
        """Which clock has the smaller held-out error, of figures and of ratios."""
        parts = (self._of("rows", self.held_out), self._of("ratios", self.held_out_ratios))
        return " ".join(parts)

    @property
    def agreement(self) -> str:
        """How many held-out ratios agree with the published ones on gain or loss, on each clock;
        nothing where none is held out.
        """
        if not self.held_out_ratios:
            return ""
        every = self.held_out_ratios[-1]
        counts = zip(every.agreeing, self.clocks, strict=True)
        told = " and ".join(f"{count} on `{clock}`" for count, clock in counts)
        return (
            f"Of these {len(every.rows)} ratios {told} agree with the published ones on gain or "
            "loss."
        )

    def _of(self, what: str, found: Sequence[HeldOut]) -> str:
        if not found:
            return f"No {what} are held out."
        every = found[-1]
        medians = [f"{each:.1f} %" for each in every.medians]
        if every.nearer is None:
            return (
                f"Of the {len(every.rows)} held-out {what} both clocks have the same error, a "
                f"median of {medians[0]}."
            )
        near, far = every.nearer, 1 - every.nearer
        return (
            f"Of the {len(every.rows)} held-out {what} the clock `{self.clocks[near]}` has the "
            f"smaller error: a median of {medians[near]}, against {medians[far]} on "
            f"`{self.clocks[far]}`."
        )


def side_of(results: Results, study: Study, comparison: Iterable[Result]) -> Side:
    """A run, given its figures beside those of a study; `FiresteelError` where its boards have
    different clocks.
    """
    found = as_published(comparison)
    return Side(clock_beside(results, study), found, ratios(found, results.clocks))


def two_clocks(
    results: Results, side: Side, other: Results, study: Study, fit: FitFile
) -> TwoClocks:
    """A run, which is that `side`, and the same run on the other clock; `FiresteelError` where the
    other run is not that.
    """
    _check(results, other, study)
    that = side_of(other, study, beside_study(other.means, study))
    rows, pairs = rows_on_both(side, that, fit), ratios_on_both(side, that)
    idle = fit.on(side.clock).without_effect
    return TwoClocks(
        run=other.journal.name,
        clocks=(side.clock, that.clock),
        rows=rows,
        ratios=pairs,
        held_out=held_out(rows),
        held_out_ratios=held_out(pairs),
        steps=[each for each in steps(that.comparison, fit.on(that.clock)) if each.of in idle],
        defaults={board: load_profile(board).cpu.clock for board in boards_beside(results, study)},
    )


def rows_on_both(side: Side, that: Side, fit: FitFile) -> list[Both]:
    """Every figure that stands beside a published one."""
    one, other = (
        {(each.identity.comparable, each.metric): each for each in of.comparison if each.beside}
        for of in (side, that)
    )
    fits = fit.on(side.clock), fit.on(that.clock)
    return [_row(pair, fits) for pair in _pairs(one, other)]


def ratios_on_both(side: Side, that: Side) -> list[Both]:
    """Every ratio of hardware to software beside the published one."""
    one, other = (
        {(each.identity.comparable, each.kind): each for each in of.ratios} for of in (side, that)
    )
    return [_ratio(pair, (side.clock, that.clock)) for pair in _pairs(one, other)]


def held_out(found: Iterable[Both]) -> list[HeldOut]:
    """The held-out ones of each sort, and all of them; nothing where there is none."""
    by_sort = {
        sort: [each for each in those if each.errors]
        for sort, those in grouped(found, lambda each: each.sort).items()
    }
    rows = [each for those in by_sort.values() for each in those]
    if not rows:
        return []
    return [HeldOut(name, those) for name, those in (*by_sort.items(), ("all", rows))]


def _pairs(
    one: Mapping[Key, Item], other: Mapping[Key, Item]
) -> list[tuple[Item | None, Item | None]]:
    """What has the same key together, in the order of the first."""
    return [(one.get(key), other.get(key)) for key in dict.fromkeys((*one, *other))]


def _row(pair: tuple[Result | None, Result | None], fits: Sequence[Fit]) -> Both:
    first = next(filter(None, pair))
    one, other = (_of_result(each) if each else None for each in pair)
    return Both(
        name=place(first),
        sort=first.identity.implementation,
        quantity=names.quantity(first.metric),
        published=first.published_text,
        on=(one, other),
        fitted=_fitted({each.clock: each.fitted_to(first.columns) for each in fits}),
    )


def _of_result(result: Result) -> OnClock:
    deviation = result.deviation if is_told(result) else None
    return OnClock(result.value_text, deviation, result.converged)


def _ratio(pair: tuple[Ratio | None, Ratio | None], clocks: Sequence[Clock]) -> Both:
    first = next(filter(None, pair))
    one, other = (_of_ratio(each) if each else None for each in pair)
    return Both(
        name=first.name,
        sort=first.kind,
        quantity=first.kind,
        published=in_digits(first.published),
        on=(one, other),
        fitted=_fitted(
            {
                clock: " and ".join((each or first).fitted)
                for clock, each in zip(clocks, pair, strict=True)
            }
        ),
    )


def _of_ratio(ratio: Ratio) -> OnClock:
    value = ratio.mark + in_digits(ratio.ours)
    return OnClock(value, ratio.deviation, ratio.converged, ratio.same_direction)


def _fitted(by_clock: Mapping[Clock, str]) -> str:
    """What was fitted, with the clock where it was not the same on both."""
    one, other = by_clock.values()
    if one == other:
        return one
    return ", ".join(f"{what} on `{clock}`" for clock, what in by_clock.items() if what)


def _check(results: Results, other: Results, study: Study) -> None:
    """Raises `FiresteelError` where the other run is not the same one on the other clock."""
    own, its = results.journal, other.journal
    clock = clock_beside(results, study)
    one, two = (_boards(each, study) for each in (results, other))
    problem = ""
    if (its.experiment, its.quick) != (own.experiment, own.quick):
        problem = f"is {_kind(other)}, and `{own.name}` is {_kind(results)}"
    elif clock_beside(other, study) == clock:
        problem = f"is on the clock `{clock}`, as `{own.name}` is"
    elif not differ_in_clock(one, two):
        problem = f"differs from `{own.name}` in more of its boards than their clocks"
    if problem:
        raise FiresteelError(
            f"The run `{its.name}` {problem}; allowed is the same run on the other clock: "
            f"`{command(own, 'cycles' if clock == 'flat' else 'flat')}`."
        )


def command(journal: Journal, clock: Clock) -> str:
    """What measures such a run on that clock."""
    quick = " --quick" if journal.quick else ""
    return f"firesteel run {journal.experiment}{quick} --clock {clock}"


def _boards(results: Results, study: Study) -> list[tuple[str, Cpu | None]]:
    """The boards whose figures are compared."""
    wanted = boards_beside(results, study)
    return [(name, cpu) for name, cpu in results.measured_cpus if name in wanted]


def _kind(results: Results) -> str:
    quick = "the quick" if results.journal.quick else "the whole"
    return f"{quick} experiment `{results.journal.experiment}`"
