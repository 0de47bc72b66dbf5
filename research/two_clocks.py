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
from firesteel.board.profile import Clock
from firesteel.model import names
from firesteel.replication.fit_file import FitFile
from firesteel.replication.ratios import Ratio, ratios
from firesteel.store.journal import Journal
from research.beside import boards_beside, clock_beside

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
    def errors(self) -> list[float]:
        """The absolute deviations on both clocks; nothing where it is not held out."""
        sure = (on.deviation for on in self.on if on and on.converged)
        found = [abs(each) for each in sure if each is not None]
        return found if len(found) == len(self.on) and not self.fitted else []


@dataclass(frozen=True)
class HeldOut:
    """The held-out rows of one sort: how many; on each clock, the median of their absolute
    deviations in percent, and how many ratios agree with the published ones on gain or loss, both
    empty without a row.
    """

    name: str
    rows: int
    medians: Sequence[float]
    agreeing: Sequence[int]


def side_of(results: Results, study: Study, comparison: Iterable[Result]) -> Side:
    """A run, given its figures beside those of a study; `FiresteelError` where its boards have
    different clocks.
    """
    found = as_published(comparison)
    return Side(clock_beside(results, study), found, ratios(found, results.clocks))


def rows_on_both(side: Side, that: Side, fit: FitFile) -> list[Both]:
    """Every figure that stands beside a published one."""
    found = []
    one, other = ([each for each in of.comparison if each.beside] for of in (side, that))
    for pair in _pairs(one, other, lambda each: (each.identity.comparable, each.metric)):
        first = next(filter(None, pair))
        fitted = {of.clock: fit.on(of.clock).fitted_to(first.columns) for of in (side, that)}
        words = place(first), first.identity.implementation, names.quantity(first.metric)
        on = _of_result(pair[0]), _of_result(pair[1])
        found.append(Both(*words, first.published_text, on, _fitted(fitted)))
    return found


def ratios_on_both(side: Side, that: Side) -> list[Both]:
    """Every ratio of hardware to software beside the published one."""
    found = []
    pairs = _pairs(side.ratios, that.ratios, lambda each: (each.identity.comparable, each.kind))
    for pair in pairs:
        first = next(filter(None, pair))
        fitted = {
            of.clock: " and ".join((each or first).fitted)
            for of, each in zip((side, that), pair, strict=True)
        }
        words = first.name, first.kind, first.kind, in_digits(first.published)
        found.append(Both(*words, (_of_ratio(pair[0]), _of_ratio(pair[1])), _fitted(fitted)))
    return found


def held_out(found: Iterable[Both]) -> list[HeldOut]:
    """The held-out ones of each sort, and all of them; nothing where there is none."""
    by_sort = grouped(found, lambda each: each.sort)
    by_sort = {sort: [each for each in of if each.errors] for sort, of in by_sort.items()}
    every = [each for of in by_sort.values() for each in of]
    return [_held_out(*each) for each in (*by_sort.items(), ("all", every))] if every else []


def _held_out(sort: str, rows: Sequence[Both]) -> HeldOut:
    errors = zip(*(each.errors for each in rows), strict=True)
    sides = zip(*(each.on for each in rows), strict=True)
    agreeing = [sum(on is not None and on.agrees for on in side) for side in sides]
    return HeldOut(sort, len(rows), [median(each) for each in errors], agreeing)


def nearer(clocks: Sequence[Clock], what: str, found: Sequence[HeldOut]) -> str:
    """Which clock has the smaller held-out error, in a sentence; `what` is held out."""
    if not found:
        return f"No {what} are held out."
    one, other = found[-1].medians
    medians = [f"{each:.1f} %" for each in (one, other)]
    of = f"Of the {found[-1].rows} held-out {what}"
    if medians[0] == medians[1]:
        return f"{of} both clocks have the same error, a median of {medians[0]}."
    near, far = (0, 1) if one < other else (1, 0)
    return (
        f"{of} the clock `{clocks[near]}` has the smaller error: a median of {medians[near]}, "
        f"against {medians[far]} on `{clocks[far]}`."
    )


def agreement(clocks: Sequence[Clock], found: Sequence[HeldOut]) -> str:
    """How many held-out ratios agree with the published ones on gain or loss, on each clock."""
    if not found:
        return ""
    counts = zip(found[-1].agreeing, clocks, strict=True)
    told = " and ".join(f"{count} on `{clock}`" for count, clock in counts)
    return f"Of these {found[-1].rows} ratios {told} agree with the published ones on gain or loss."


def check_same(results: Results, other: Results, study: Study) -> None:
    """Raises `FiresteelError` where the other run is not the same one on the other clock."""
    own, its = results.journal, other.journal
    clock = clock_beside(results, study)
    boards = [
        [(name, cpu) for name, cpu in each.measured_cpus if name in boards_beside(each, study)]
        for each in (results, other)
    ]
    problem = ""
    if (its.experiment, its.quick) != (own.experiment, own.quick):
        problem = f"is {_kind(its)}, and `{own.name}` is {_kind(own)}"
    elif clock_beside(other, study) == clock:
        problem = f"is on the clock `{clock}`, as `{own.name}` is"
    elif not differ_in_clock(*boards):
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
