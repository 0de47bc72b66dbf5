# SPDX-License-Identifier: Apache-2.0
"""How much of the deviation of CPU use is the instrument's: ours exact, and as ticks tell it.

A board knows exactly when its CPU sleeps.  Programs such as `top` read /proc/stat instead: its busy
columns are samples, one at each tick of the kernel's timer.  Every window of ours has both, so the
same work is read with both instruments here, each beside the published figure
(docs/virtual-time.md, what `top` would show).

Windows of longer transfers stand for those of shorter ones: they have more ticks.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from firesteel.analysis.compare import as_published
from firesteel.analysis.noise import Sample
from firesteel.analysis.rows import Result, Row, Rows, of_metrics
from firesteel.analysis.verdict import USE
from firesteel.model.cell import USUAL_COMPLETION
from firesteel.model.identity import Identity
from firesteel.replication.ratios import WORK, Ratio, ratios

TICK_HZ = 250
"""Ticks a second of the boards' kernel: CONFIG_HZ of Debian's for ARMv7."""

LIGHT = 20.0
"""Percent of published CPU use below which a row in software is a light one."""

HALF = 0.5
"""The share of their deviation that rows may keep where a test shows their cause."""

PART = 0.75
"""The share that they may keep where it shows a part of it."""

INTERRUPTS = ("cpu_softirq", "cpu_irq")
"""The parts of CPU use that are."""

_NEEDED = {USE, "cpu_tick", "cpu_tick_busy", "elapsed"}
_NORMAL = 1.96
"""Standard errors that half of a 95 % interval has."""

_LEVELS = ("does not explain it", "explains a part", "explains it")
_SHORT = ("not at all", "a part", "it all")


@dataclass(frozen=True)
class Reading:
    """CPU use in one window, all in percent: `result` exactly, beside the published figure, and
    what /proc/stat says of it.

    `busy` are its busy ticks by the window's time, and `top` the same by all ticks; `interrupts`
    is the exact part of `cpu` in interrupts, None where that is not known.
    """

    result: Result
    seconds: float
    busy: float
    top: float
    interrupts: float | None

    @property
    def exact(self) -> float:
        """How long the CPU did not sleep."""
        return self.result.value

    @property
    def sampled(self) -> float:
        """What ticks say of it on a kernel of 2015: busy ticks, beside the time asleep, which that
        kernel counted exactly.
        """
        return _share(self.busy, 100 - self.exact)

    @property
    def unseen(self) -> float | None:
        """What they would say if no tick ever fell into an interrupt; None where the interrupts'
        part is not known.
        """
        if self.interrupts is None:
            return None
        return _share(self.exact - self.interrupts, 100 - self.exact)

    @property
    def error(self) -> float:
        """Half of the 95 % interval of `sampled`, if samples are independent of each other."""
        part = self.exact / 100
        samples = TICK_HZ * self.seconds
        return 100 * _NORMAL * (1 - part) * math.sqrt(part * (1 - part) / samples)

    @property
    def ticks(self) -> float:
        """All ticks, by the window's time."""
        return 100 * self.busy / self.top if self.top else 100 - self.exact

    @property
    def published(self) -> float:
        """The published figure."""
        assert self.result.published is not None
        return self.result.published

    def deviation(self, value: float) -> float:
        """Of one of these from the published figure, in percent."""
        return 100 * (value / self.published - 1)


@dataclass(frozen=True)
class Sort:
    """Rows of one sort: how many, and the medians of their absolute deviations in percent by each
    instrument; `error` is half of the 95 % interval that sampling gives `sampled`, taken as that of
    a mean.  `seen` is the share of their busy time that ticks tell of, with half of its interval.
    None where a reading does not go with the rows.
    """

    name: str
    rows: int
    exact: float
    sampled: float
    error: float
    unseen: float | None = None
    top: float | None = None
    seen: tuple[float, float] | None = None

    @property
    def explanation(self) -> str:
        """What the ticks of 2015 have to do with it, by the bounds for causes, and what else it may
        be within the interval.
        """
        ends = (self.sampled, self.sampled - self.error, self.sampled + self.error)
        found, most, least = map(self._level, ends)
        other = [
            f"{end} {_SHORT[level]}"
            for end, level in (("at most", most), ("at least", least))
            if level != found
        ]
        return _LEVELS[found] + (f" ({', '.join(other)})" if other else "")

    def _level(self, left: float) -> int:
        return (left <= PART * self.exact) + (left <= HALF * self.exact)


@dataclass(frozen=True)
class TickRatio:
    """A ratio of CPU work, exactly and by ticks; `error` is half of the 95 % interval that sampling
    gives the latter.
    """

    exact: Ratio
    sampled: Ratio
    error: float


@dataclass(frozen=True)
class Instrument:
    """All that is told of it; `sorts` end with that of the ratios, where there are some."""

    readings: Sequence[Reading] = ()
    ratios: Sequence[TickRatio] = ()
    sorts: Sequence[Sort] = ()

    @property
    def bounded(self) -> list[Reading]:
        """Converged rows of which it is known what ticks that see no interrupt would say."""
        return [each for each in self.readings if each.result.converged and each.unseen is not None]

    @property
    def beyond(self) -> list[Reading]:
        """Those of them whose published figure is less than even that."""
        return [each for each in self.bounded if each.published < (each.unseen or 0.0)]


def instrument(comparison: Iterable[Result], longer: Iterable[Result] = ()) -> Instrument:
    """Of a comparison with a study, and figures of longer transfers on the same boards."""
    results = as_published(_longest(comparison, longer))
    rows = Rows(of_metrics(results, (*_NEEDED, *INTERRUPTS)))
    found = [reading for row in rows if (reading := _reading(row))]
    pairs = _ratios(results, found)
    return Instrument(found, pairs, list(_sorts(found, pairs)))


def _reading(row: Row) -> Reading | None:
    """A row with a published CPU use, of which the ticks are known."""
    of = row.results
    usual = row.identity.completion in ("", USUAL_COMPLETION)
    if not usual or not of.keys() >= _NEEDED or not of[USE].published:
        return None
    known = of.keys() >= set(INTERRUPTS)
    return Reading(
        result=of[USE],
        seconds=of["elapsed"].value,
        busy=of["cpu_tick_busy"].value,
        top=of["cpu_tick"].value,
        interrupts=sum(of[part].value for part in INTERRUPTS) if known else None,
    )


def _longest(comparison: Iterable[Result], longer: Iterable[Result]) -> Iterator[Result]:
    """The comparison, with the figures of longer transfers in the place of its own."""
    theirs = {(each.identity.comparable, each.metric): each for each in longer}
    for each in comparison:
        is_transfer = each.identity.parameter.file_bytes is not None
        found = theirs.get((each.identity.comparable, each.metric)) if is_transfer else None
        yield replace(found, beside=each.beside) if found else each


def _ratios(results: Iterable[Result], found: Iterable[Reading]) -> list[TickRatio]:
    """Those of CPU work of which both sides were read."""
    read = {each.result.identity.comparable: each for each in found}
    alike = [replace(each, identity=each.identity.comparable) for each in results]
    by_ticks = (_by_ticks(each, read) for each in alike)
    sampled = {each.identity: each for each in ratios(by_ticks) if each.kind == WORK}
    told = []
    for exact in ratios(alike):
        sides = {exact.identity, exact.identity.in_software}
        if exact.kind == WORK and read.keys() >= sides:
            its = sampled[exact.identity]
            # Errors of both sides have nothing to do with each other.
            error = math.hypot(*(read[side].error / read[side].sampled for side in sides))
            told.append(TickRatio(exact, its, its.ours * error))
    return told


def _by_ticks(result: Result, read: Mapping[Identity, Reading]) -> Result:
    """A CPU use as ticks tell it; all else as it is."""
    reading = read.get(result.identity)
    if reading is None or result.metric != USE:
        return result
    sample = replace(Sample.of([reading.sampled]), converged=result.converged)
    return replace(result, value=reading.sampled, sample=sample)


def _sorts(found: Sequence[Reading], pairs: Sequence[TickRatio]) -> Iterator[Sort]:
    """Of what has converged."""
    sure = [each for each in found if each.result.converged]
    by = {each: each.result.identity.implementation for each in sure}
    software = [each for each in sure if by[each] == "software"]
    parts = {
        "all": sure,
        "software": software,
        "light": [each for each in software if each.published < LIGHT],
        "hardware": [each for each in sure if by[each] == "hardware"],
    }
    yield from (_sort(name, part) for name, part in parts.items() if part)
    if both := [pair for pair in pairs if pair.exact.converged]:
        yield Sort(
            name="ratios of CPU work",
            rows=len(both),
            exact=_middle(pair.exact.deviation for pair in both),
            sampled=_middle(pair.sampled.deviation for pair in both),
            error=_error_of_mean([100 * pair.error / pair.exact.published for pair in both]),
        )


def _sort(name: str, part: Sequence[Reading]) -> Sort:
    unseen = [each.deviation(each.unseen) for each in part if each.unseen is not None]
    return Sort(
        name=name,
        rows=len(part),
        exact=_middle(each.deviation(each.exact) for each in part),
        sampled=_middle(each.deviation(each.sampled) for each in part),
        error=_error_of_mean([100 * each.error / each.published for each in part]),
        unseen=_middle(unseen) if len(unseen) == len(part) else None,
        top=_middle(each.deviation(each.top) for each in part),
        seen=_seen(part),
    )


def _middle(deviations: Iterable[float]) -> float:
    return median(map(abs, deviations))


def _error_of_mean(errors: Sequence[float]) -> float:
    return math.hypot(*errors) / len(errors)


def _seen(part: Sequence[Reading]) -> tuple[float, float]:
    """The share of the rows' busy time that ticks tell of, in percent, with its error."""
    busy = sum(each.seconds * each.exact / 100 for each in part)
    told = sum(each.seconds * each.busy / 100 for each in part)
    shares = ((each.seconds, each.exact / 100) for each in part)
    variance = sum(seconds * share * (1 - share) for seconds, share in shares) / TICK_HZ
    return 100 * told / busy, 100 * _NORMAL * math.sqrt(variance) / busy


def _share(busy: float, idle: float) -> float:
    """In percent; 0 where nothing was counted."""
    return 100 * busy / (busy + idle) if busy + idle else 0.0
