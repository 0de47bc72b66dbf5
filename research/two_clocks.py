# SPDX-License-Identifier: Apache-2.0
"""A run and the same run on the other clock, both beside the figures of a study.

The clock with the smaller held-out error is the one to believe.  Held out are figures that were
fitted on neither clock, and ratios of two such figures.  Only those count that both runs have and
that have converged in both, so that medians are of equal sets.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from firesteel.analysis.clocks import differ_in_clock
from firesteel.analysis.compare import as_published, is_told, place
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import ratio as in_digits
from firesteel.analysis.study import Study
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock, load_profile
from firesteel.model import names
from firesteel.replication.fit_file import FitFile
from firesteel.replication.ratios import Ratio, ratios
from firesteel.store.journal import Journal
from research.beside import beside_study, boards_beside, clock_beside
from research.fit import Step, steps, without_effect

Item = TypeVar("Item")


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
    steps: Sequence[Step] = ()
    defaults: Mapping[str, Clock] | None = None

    @property
    def sentence(self) -> str:
        """Which clock has the smaller held-out error, of figures and of ratios."""
        return f"{self._of('rows', self.held_out)} {self._of('ratios', self.held_out_ratios)}"

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
        medians = [f"{each:.1f} %" for each in found[-1].medians]
        of = f"Of the {len(found[-1].rows)} held-out {what}"
        if medians[0] == medians[1]:
            return f"{of} both clocks have the same error, a median of {medians[0]}."
        near, far = (0, 1) if found[-1].medians[0] < found[-1].medians[1] else (1, 0)
        return (
            f"{of} the clock `{self.clocks[near]}` has the smaller error: a median of "
            f"{medians[near]}, against {medians[far]} on `{self.clocks[far]}`."
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
    idle = without_effect(fit, side.clock)
    rows, pairs = rows_on_both(side, that, fit), ratios_on_both(side, that)
    return TwoClocks(
        run=other.journal.name,
        clocks=(side.clock, that.clock),
        rows=rows,
        ratios=pairs,
        held_out=held_out(rows),
        held_out_ratios=held_out(pairs),
        steps=[each for each in steps(that.comparison, fit, that.clock) if each.of in idle],
        defaults={board: load_profile(board).cpu.clock for board in boards_beside(results, study)},
    )


def rows_on_both(side: Side, that: Side, fit: FitFile) -> list[Both]:
    """Every figure that stands beside a published one."""
    found = []
    one, other = ([each for each in of.comparison if each.beside] for of in (side, that))
    for pair in _pairs(one, other, lambda each: (each.identity.comparable, each.metric)):
        first = next(filter(None, pair))
        fitted = {of.clock: fit.on(of.clock).fitted_to(first.columns) for of in (side, that)}
        found.append(
            Both(
                place(first),
                first.identity.implementation,
                names.quantity(first.metric),
                first.published_text,
                (_of_result(pair[0]), _of_result(pair[1])),
                _fitted(fitted),
            )
        )
    return found


def ratios_on_both(side: Side, that: Side) -> list[Both]:
    """Every ratio of hardware to software beside the published one."""
    found = []
    for pair in _pairs(
        side.ratios, that.ratios, lambda each: (each.identity.comparable, each.kind)
    ):
        first = next(filter(None, pair))
        fitted = {
            of.clock: " and ".join((each or first).fitted)
            for of, each in zip((side, that), pair, strict=True)
        }
        on = _of_ratio(pair[0]), _of_ratio(pair[1])
        published = in_digits(first.published)
        found.append(Both(first.name, first.kind, first.kind, published, on, _fitted(fitted)))
    return found


def held_out(found: Iterable[Both]) -> list[HeldOut]:
    """The held-out ones of each sort, and all of them; nothing where there is none."""
    by_sort = grouped(found, lambda each: each.sort)
    sorts = [HeldOut(sort, [each for each in of if each.errors]) for sort, of in by_sort.items()]
    rows = [each for sort in sorts for each in sort.rows]
    return [*sorts, HeldOut("all", rows)] if rows else []


def _pairs(
    one: Iterable[Item], other: Iterable[Item], key: Callable[[Item], Hashable]
) -> list[tuple[Item | None, Item | None]]:
    """What has the same key together, in the order of the first."""
    first, second = {key(each): each for each in one}, {key(each): each for each in other}
    return [(first.get(of), second.get(of)) for of in dict.fromkeys((*first, *second))]


def _of_result(result: Result | None) -> OnClock | None:
    if result is None:
        return None
    deviation = result.deviation if is_told(result) else None
    return OnClock(result.value_text, deviation, result.converged)


def _of_ratio(ratio: Ratio | None) -> OnClock | None:
    if ratio is None:
        return None
    value = ratio.mark + in_digits(ratio.ours)
    return OnClock(value, ratio.deviation, ratio.converged, ratio.same_direction)


def _fitted(by_clock: Mapping[Clock, str]) -> str:
    """What was fitted, with the clock where it was not the same on both."""
    if len(set(by_clock.values())) == 1:
        return next(iter(by_clock.values()))
    return ", ".join(f"{what} on `{clock}`" for clock, what in by_clock.items() if what)


def _check(results: Results, other: Results, study: Study) -> None:
    """Raises `FiresteelError` where the other run is not the same one on the other clock."""
    own, its = results.journal, other.journal
    clock = clock_beside(results, study)
    one, two = (
        [(name, cpu) for name, cpu in each.measured_cpus if name in boards_beside(each, study)]
        for each in (results, other)
    )
    problem = ""
    if (its.experiment, its.quick) != (own.experiment, own.quick):
        problem = f"is {_kind(its)}, and `{own.name}` is {_kind(own)}"
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


def _kind(journal: Journal) -> str:
    return f"{'the quick' if journal.quick else 'the whole'} experiment `{journal.experiment}`"
