# SPDX-License-Identifier: Apache-2.0
"""Whether a run's figures meet the limits that its experiment names, and from which size on another
implementation costs less than software.

Goals are set before measuring.  A limit that was moved is judged twice: as first set and as it is
now.  Only the result for the limit as first set counts.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import polars as pl

from firesteel.boards.numbers import name_in_words
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.compare import CONFIGURATION
from firesteel.judge.intervals import ROUNDING, SLACK, Comparison
from firesteel.judge.places import Places
from firesteel.judge.rows import (
    Pair,
    Result,
    Row,
    Rows,
    find,
    grouped,
    of_metrics,
    with_software,
)
from firesteel.judge.verdict import OFFLOADED, RATE, is_at_link
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.identity import Limit
from firesteel.model.metrics import METRICS
from firesteel.model.names import MISSING
from firesteel.protocols.offload import is_untouched
from firesteel.table import WHERE
from firesteel.workloads import titles
from firesteel.workloads.registry import SERIES

LimitVerdict = Literal["met", "missed", "not converged", "not measured", "limited by the peer", ""]
"""Whether a figure meets its limit; empty if there is no limit and the ratio is only shown.

What has not converged (`model.figure.CONVERGED`) is neither met nor missed.
"""


_LINK_FULL = "the link is full (docs/what-limits.md)"

_UNMET = ("missed", "not converged", "not measured", PEER_LIMITED)


@dataclass(frozen=True)
class Outcome:
    """One ratio: `value` divided by the value of `beside`; None if a figure is missing.

    `at_link` says that the link, not the configuration, bounds the throughput; `peer_limited` that
    the other nodes limited one of both, so that the ratio says nothing of the measured board.
    `mark` is where both were measured, as far as it does not go without saying.
    `margin` is by how much the ratio may be off by chance, where that is known; `seeds` is how many
    the figure with fewer of them has.  `moved` says that the limit has been moved since it was set,
    and that another outcome is of the first one.
    """

    limit: Limit
    experiment: str = ""
    parameter: str = ""
    value: float | None = None
    beside: float | None = None
    at_link: bool = False
    peer_limited: bool = False
    converged: bool = True
    margin: float | None = None
    seeds: int = 0
    moved: bool = False
    mark: str = ""
    place: Place | None = None

    @property
    def ratio(self) -> float | None:
        """None where a figure is missing, or there is nothing to divide by."""
        return self.value / self.beside if self.value is not None and self.beside else None

    @property
    def verdict(self) -> LimitVerdict:
        """A figure that the link holds back misses its limit like any other."""
        limit = self.limit
        if limit.least is None and limit.most is None:
            return ""
        if self.ratio is None:
            return "not measured"
        if self.peer_limited:
            return PEER_LIMITED
        if not self.converged:
            return "not converged"
        fast = limit.least is None or self.ratio >= limit.least
        return "met" if fast and (limit.most is None or self.ratio <= limit.most) else "missed"

    @property
    def near(self) -> bool:
        """Whether the ratio is near a bound: the rule of `judge.verdict` would call the two equal,
        because of the slack or of chance.
        """
        if self.verdict not in ("met", "missed") or self.ratio is None:
            return False
        return any(
            abs(self.ratio - bound) <= max(SLACK * bound, self.margin or 0.0) * ROUNDING
            for bound in (self.limit.least, self.limit.most)
            if bound is not None
        )

    @property
    def link_full(self) -> bool:
        """Whether a limit is missed because the link, not the configuration, is the bound."""
        below = self.ratio is not None and self.ratio < (self.limit.least or 0)
        return below and self.at_link and self.verdict == "missed"

    @property
    def said(self) -> str:
        """The verdict, and whether it is near."""
        return f"{self.verdict}, near" if self.near else self.verdict

    @property
    def note(self) -> str:
        """Why a missed limit is not reached, or where that is said; nothing for any other."""
        note = _LINK_FULL if self.link_full else self.limit.note
        return note if self.verdict == "missed" else ""

    @property
    def bounds(self) -> str:
        """The limit in signs: `≥ 0.95`."""
        signs = (("≥", self.limit.least), ("≤", self.limit.most))
        return ", ".join(f"{sign} {bound:g}" for sign, bound in signs if bound is not None)

    @property
    def by_date(self) -> "tuple[Outcome, ...]":
        """The outcome for the bounds as first set, and for the bounds as they are now."""
        first = self.limit.first
        if first is None:
            return (self,)
        as_set = self.limit.model_copy(update={**dict(first), "first": None})
        return replace(self, limit=as_set), replace(self, moved=True)


def outcomes(results: Sequence[Result], limits: Iterable[Limit]) -> list[Outcome]:
    """How a run's figures stand to each limit, in their order; to one that was moved as it was
    first set, then as it is now.
    """
    by_side = grouped(results, lambda each: (each.identity.side, each.metric))
    rows, places = Rows(results, first=True), Places.of(results)
    return [
        replace(each, mark=places.mark(each.place) if each.place else "")
        for limit in limits
        for outcome in _outcomes(by_side.get((limit.of, limit.metric), []), rows, limit)
        for each in outcome.by_date
    ]


def conclusion(found: Sequence[Outcome]) -> str:
    """How many limits are met, in sentences; nothing where there is none.

    A limit that was moved counts as it was first set.
    """
    counted, moved = _counted(found), [each for each in found if each.moved]
    if not counted:
        return ""
    sentences = [f"Of {len(counted)} limits, {_listed(counted)}."]
    if any(each.near for each in found):
        sentences.append(f"Near is within {SLACK * 100:g} % of the limit, or within the noise.")
    if few := sum(each.near and each.seeds == 1 for each in found):
        sentences.append(f"One seed cannot decide a near verdict; {few} rest on one.")
    if moved:
        sentences.append(
            f"Limits that were moved later count as first set; as moved, {_listed(moved)}."
        )
    return " ".join(sentences)


def summary(found: Sequence[Outcome]) -> str:
    """How many limits have which verdict, in short; nothing where there is none."""
    counted, moved = _counted(found), [each for each in found if each.moved]
    if not counted:
        return ""
    as_moved = f"; as moved, {_listed(moved)}" if moved else ""
    return f"Limits: {_listed(counted, f' of {len(counted)} met')}{as_moved}."


def origins(found: Iterable[Outcome]) -> list[str]:
    """When limits were set or moved, and why: a sentence for each day and reason."""
    whens = dict.fromkeys(
        (each.limit.first.date if each.moved and each.limit.first else None, each.limit)
        for each in found
        if each.limit.date
    )
    sentences = (
        f"Limits that were moved on {limit.date}, from those of {first}: {limit.reason}."
        if first
        else f"Limits of {limit.date}: {limit.reason}."
        for first, limit in whens
    )
    return list(dict.fromkeys(sentences))


def _counted(found: Iterable[Outcome]) -> list[Outcome]:
    """Those that count: of limits, each as it was first set."""
    return [each for each in found if each.verdict and not each.moved]


def _listed(found: Sequence[Outcome], met: str = " met") -> str:
    """How many have each verdict, and how many of them are near: `3 met (1 near), 2 missed`."""
    words = []
    for verdict in ("met", *_UNMET):
        its = [each for each in found if each.verdict == verdict]
        counts = {
            "near": sum(each.near for each in its),
            "link full": sum(each.link_full for each in its),
        }
        marks = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if its or verdict == "met":
            name = met if verdict == "met" else f" {verdict}"
            words.append(f"{len(its)}{name}{f' ({marks})' if marks else ''}")
    return ", ".join(words)


def title(outcome: Outcome) -> str:
    """What is compared with what."""
    limit = outcome.limit
    experiment = outcome.experiment or next(iter(limit.experiments), "")
    of, beside = (
        titles.measured(
            *(experiment, side.protocol, side.cipher, side.mac),
            *(side.implementation, side.completion or "", side.as_in_2015, side.affinity),
        )
        for side in (limit.of, limit.beside)
    )
    same = limit.of.model_copy(update={"implementation": "software", "completion": None})
    at = f" [{outcome.mark}]" if outcome.mark else ""
    if limit.beside_board:
        return f"{of}{at}, versus {beside} [{name_in_words(limit.beside_board)}]"
    return f"{of}, versus {'software' if limit.beside == same else beside}{at}"


def notes(found: Iterable[Outcome]) -> list[str]:
    """The notes of missed limits, each once, with the metrics that they are of."""
    noted = grouped((each for each in found if each.note), lambda each: each.note)
    return [
        f"Missed, {' and '.join(dict.fromkeys(names.metric(each.limit.metric) for each in its))}: "
        f"{note}"
        for note, its in noted.items()
    ]


COLUMNS = ("figure", "versus", "ratio", "limit", "verdict")
"""Heads of `texts`, but for the first, which names the row."""


def texts(outcome: Outcome) -> list[str]:
    """An outcome as a row of a table."""
    metric, ratio = outcome.limit.metric, outcome.ratio
    by_chance = f" ±{outcome.margin:.3f}" if outcome.margin else ""
    figures = (
        MISSING if value is None else names.number(value, metric)
        for value in (outcome.value, outcome.beside)
    )
    quantity = names.quantity(metric, outcome.parameter)
    what = names.metric(metric) if outcome.value is None else quantity
    return [
        f"  as moved on {outcome.limit.date}" if outcome.moved else what,
        *figures,
        MISSING if ratio is None else f"{ratio:.3f}{by_chance}",
        outcome.bounds,
        outcome.said,
    ]


def set_on(found: Iterable[Outcome]) -> list[str]:
    """The days on which these limits were first set, each once."""
    dates = (each.limit.date for each in found if not each.moved)
    return [str(date) for date in dict.fromkeys(dates) if date]


_COLUMNS = (
    *(*CONFIGURATION, "beside", "experiment", "parameter", "metric", "unit", "value"),
    *("value_beside", "ratio", "least", "most", "at_link", "margin", "seeds", "converged"),
    *("verdict", "near", "date", "moved", "reason", "note"),
)


def frame(found: Sequence[Outcome]) -> pl.DataFrame:
    """A tidy row an outcome."""
    where = WHERE if any(each.mark for each in found) else ()
    rows = [
        {name: getattr(each, name, None) for name in _COLUMNS}
        | each.limit.model_dump(mode="json", include={"metric", "least", "most", "date", "reason"})
        | each.limit.of.model_dump()
        | {"completion": each.limit.of.completion or "", "beside": each.limit.beside.label}
        | {"unit": "" if each.value is None else METRICS[each.limit.metric].unit}
        | {"value_beside": each.beside}
        | (asdict(each.place) if each.place else dict.fromkeys(WHERE, ""))
        for each in found
    ]
    return pl.DataFrame(rows, schema=[*_COLUMNS, *where], infer_schema_length=None)


def _outcomes(results: Iterable[Result], rows: Rows, limit: Limit) -> Iterator[Outcome]:
    fitting = [
        result
        for result in results
        if limit.place in (None, result.identity.place)
        and limit.board in ("", result.identity.board)
        and (not limit.experiments or result.identity.workload in limit.experiments)
        and (not limit.parameters or result.identity.parameter.text in limit.parameters)
    ]
    if not fitting:
        yield Outcome(limit, place=limit.place)
    for result in fitting:
        identity = result.identity
        other = replace(identity, board=limit.beside_board or identity.board)
        own, beside = rows.get(identity), rows.get(other.with_side(limit.beside))
        row = Row(identity, {**(own.results if own else {}), limit.metric: result})
        pair = Pair(beside, row) if beside else None
        compared = pair.compared(limit.metric) if pair and pair.has(limit.metric) else None
        link = rows.get(identity.with_side(limit.link)) if limit.link else None
        yield Outcome(
            limit,
            identity.workload,
            identity.parameter.text,
            result.sample.value,
            compared.one.value if compared else None,
            result.metric == RATE and is_at_link(result.value, link, limit.share),
            pair.peer_limited if pair else row.peer_limited,
            compared.converged if compared else result.converged,
            compared.margin if compared else None,
            min(compared.one.seeds, compared.other.seeds) if compared else 0,
            place=identity.place,
        )


_METRICS = {
    "cpu_time_per_request_p50": "less of the CPU's time",
    "time_per_request_p50": "less time",
    "time_per_request": "less time",
}
"""What one request takes; each series says by which of them it breaks even."""


@dataclass(frozen=True)
class BreakEven:
    """An implementation compared with software by one metric.

    It costs less, by `judge.intervals`, at every size that was measured of both from `least`
    bytes on; None when it does not at the largest.  `above` is the next smaller size, at
    which it does not; None when it does at the smallest, so that nobody knows where it breaks even.
    `crossing` is the size in between, interpolated; `least` where noise hides it, or where software
    did the work of `above` (`left`).
    """

    experiment: str
    what: str
    metric: str
    least: int | None
    above: int | None = None
    crossing: float | None = None
    left: bool = False

    @property
    def size(self) -> str:
        """In words, as short as a table's cell."""
        if self.least is None:
            return "not up to the largest"
        if self.crossing is None:
            return f"below {self.least} B"
        if self.left:
            return f"{self.above} B to {self.least} B"
        return f"{self._crossing} B"

    @property
    def sentence(self) -> str:
        """The result in words."""
        costs = _METRICS[self.metric]
        if self.least is None:
            where = "at no measured size"
        elif self.crossing is None:
            where = (
                f"at every measured size; it breaks even below the smallest one ({self.least} B)"
            )
        elif self.crossing >= self.least:
            why = "software did the work" if self.left else "inconclusive"
            where = f"from {self.least} B on ({why} at {self.above} B)"
        else:
            where = (
                f"from about {self._crossing} B on (interpolated between {self.above} B and "
                f"{self.least} B)"
            )
        who = f"{titles.experiment(self.experiment)}: {self.what}"
        return f"{who} takes {costs} than software {where}."

    @property
    def _crossing(self) -> int:
        """With the digits that interpolating between sizes far apart is good for."""
        assert self.crossing is not None
        step = 10 ** max(math.floor(math.log10(self.crossing)) - 1, 0)
        return int(round(self.crossing / step) * step)


_Point = tuple[int, Comparison, bool]
"""A size in bytes, the other implementation beside software there, and whether it left the work to
software.
"""


def break_even(results: Iterable[Result]) -> Iterator[BreakEven]:
    """Each implementation, compared with the software of the same suite by each metric."""
    found: dict[tuple[str, str, str], list[_Point]] = {}
    for pair in find(Rows(of_metrics(results, (*_METRICS, OFFLOADED))), with_software):
        of, done = pair.identity, pair.other.samples.get(OFFLOADED)
        left = is_untouched(done.value if done else None)
        for each in pair.comparisons(SERIES[of.workload].costs if of.workload in SERIES else ()):
            size = of.parameter.size_bytes
            if size is None:
                raise ValueError(f"{of.parameter.text}: not a size")
            what = (of.workload, titles.of_identity(of), each.metric)
            found.setdefault(what, []).append((size, each, left))
    for what, points in found.items():
        yield _of(what, sorted(points, key=lambda point: point[0]))


def _of(what: tuple[str, str, str], points: Sequence[_Point]) -> BreakEven:
    """Of one implementation, the smallest size first."""
    fewest = len(points)
    while fewest and points[fewest - 1][1].standing == "better":
        fewest -= 1
    if fewest == len(points):
        return BreakEven(*what, None)
    if not fewest:
        return BreakEven(*what, points[0][0])
    below, least = points[fewest - 1], points[fewest]
    return BreakEven(*what, least[0], below[0], _crossing(below, least), below[2])


def _crossing(below: _Point, least: _Point) -> float:
    """Where the other one comes to be better by the slack, if both costs grow in a straight line:
    so much for a request, and so much for each byte.

    A cost that is better already at the smaller size, but in the noise, tells nothing of what is in
    between.  Nor does a cost of software, which did the work there.
    """
    (size, smaller, left), (larger, greater, _) = below, least
    first, last = (each.other.value - (1 - SLACK) * each.one.value for each in (smaller, greater))
    if left or first <= 0 or last >= 0:
        return larger
    return size + (larger - size) * first / (first - last)
