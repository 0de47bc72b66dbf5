# SPDX-License-Identifier: Apache-2.0
"""Whether a run's figures meet the limits that its experiment names, and from which size on another
implementation costs less than software.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import polars as pl

from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.compare import CONFIGURATION
from firesteel.judge.intervals import ROUNDING, SLACK, Comparison
from firesteel.judge.places import Places
from firesteel.judge.ratio import MISSING
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
from firesteel.judge.verdict import RATE, is_at_link
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.identity import Limit
from firesteel.model.metrics import METRICS
from firesteel.table import WHERE
from firesteel.workloads import titles
from firesteel.workloads.registry import SERIES

LimitVerdict = Literal["met", "missed", "not converged", "not measured", "limited by the peer", ""]
"""How a figure stands to its limit; nothing if there is none and the ratio is only told.

What has not converged (`model.figure.CONVERGED`) is neither met nor missed.
"""


EXCUSED = "excused (link full)"
"""The verdict of a limit that is met only because the link bounds the throughput."""

_UNMET = ("missed", "not converged", "not measured", PEER_LIMITED)


@dataclass(frozen=True)
class Outcome:
    """One ratio: `value` over that of `beside`; None where a figure is missing.

    `at_link` says that the link, not the configuration, bounds the throughput; `peer_limited` that
    the other nodes limited one of both, so that the ratio says nothing of the measured board.
    `mark` is where both were measured, as far as it does not go without saying.
    `margin` is by how much the ratio may be off by chance, where that is known.
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
    mark: str = ""
    place: Place | None = None

    @property
    def ratio(self) -> float | None:
        """None where a figure is missing, or there is nothing to divide by."""
        return self.value / self.beside if self.value is not None and self.beside else None

    @property
    def verdict(self) -> LimitVerdict:
        """What is as fast as the link is fast enough."""
        limit = self.limit
        if limit.least is None and limit.most is None:
            return ""
        if self.ratio is None:
            return "not measured"
        if self.peer_limited:
            return PEER_LIMITED
        if not self.converged:
            return "not converged"
        fast = limit.least is None or self.ratio >= limit.least or self.at_link
        return "met" if fast and (limit.most is None or self.ratio <= limit.most) else "missed"

    @property
    def excused(self) -> bool:
        """Whether a limit is met only because the link, not the configuration, is the bound."""
        return self.verdict == "met" and self._is_below

    @property
    def no_difference(self) -> bool:
        """Whether a missed limit is so near that the rule of `judge.verdict` calls it none: by
        the slack, or by what may be chance.
        """
        bound = self.limit.least if self._is_below else self.limit.most
        if self.verdict != "missed" or self.ratio is None or bound is None:
            return False
        return abs(self.ratio - bound) <= max(SLACK * bound, self.margin or 0.0) * ROUNDING

    @property
    def _is_below(self) -> bool:
        return self.ratio is not None and self.ratio < (self.limit.least or 0)

    @property
    def note(self) -> str:
        """Why a missed limit is not reached, or where that is said; nothing for any other."""
        return self.limit.note if self.verdict == "missed" else ""

    @property
    def bounds(self) -> str:
        """The limit in signs: `≥ 0.95`."""
        signs = (("≥", self.limit.least), ("≤", self.limit.most))
        return ", ".join(f"{sign} {bound:g}" for sign, bound in signs if bound is not None)


def outcomes(results: Sequence[Result], limits: Iterable[Limit]) -> list[Outcome]:
    """How a run's figures stand to each limit, in their order."""
    by_side = grouped(results, lambda each: (each.identity.side, each.metric))
    rows, places = Rows(results, first=True), Places.of(results)
    return [
        replace(outcome, mark=places.mark(outcome.place) if outcome.place else "")
        for limit in limits
        for outcome in _outcomes(by_side.get((limit.of, limit.metric), []), rows, limit)
    ]


def conclusion(found: Sequence[Outcome]) -> str:
    """How many limits are met, in a sentence; nothing where there is none."""
    counts = _counted(found)
    if not counts:
        return ""
    others = _some(counts, (EXCUSED, *_UNMET))
    near = sum(outcome.no_difference for outcome in found)
    more = f"; {near} of the missed ones within {SLACK * 100:g} % or the noise, which counts as "
    more = f"{more}no difference" if near else ""
    told = ", ".join([f"{counts['met']} are met", *others])
    return f"Of {counts.total()} limits, {told}{more}."


def summary(found: Sequence[Outcome]) -> str:
    """How many limits have which verdict, in short; nothing where there is none."""
    counts = _counted(found)
    if not counts:
        return ""
    others = (verdict for verdict, _ in counts.most_common() if verdict in _UNMET)
    told = [f"{counts['met']} of {counts.total()} met", *_some(counts, (EXCUSED, *others))]
    return f"Limits: {', '.join(told)}."


def _counted(found: Iterable[Outcome]) -> Counter[str]:
    """How many limits have each verdict; those that are met because the link is full by itself."""
    return Counter(EXCUSED if each.excused else each.verdict for each in found if each.verdict)


def _some(counts: Counter[str], verdicts: Iterable[str]) -> list[str]:
    return [f"{counts[verdict]} {verdict}" for verdict in verdicts if counts[verdict]]


def title(outcome: Outcome) -> str:
    """What is compared with what."""
    limit = outcome.limit
    experiment = outcome.experiment or next(iter(limit.experiments), "")
    of, beside = (
        titles.measured(
            *(experiment, side.protocol, side.cipher, side.mac),
            *(side.implementation, side.completion or "", side.as_in_2015),
        )
        for side in (limit.of, limit.beside)
    )
    same = limit.of.model_copy(update={"implementation": "software", "completion": None})
    at = f" [{outcome.mark}]" if outcome.mark else ""
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
    figures = (
        MISSING if value is None else names.number(value, metric)
        for value in (outcome.value, outcome.beside)
    )
    remark = " (no difference)" if outcome.no_difference else ""
    known = outcome.value is not None
    return [
        names.quantity(metric, outcome.parameter) if known else names.metric(metric),
        *figures,
        MISSING if ratio is None else f"{ratio:.3f}",
        outcome.bounds,
        EXCUSED if outcome.excused else f"{outcome.verdict}{remark}",
    ]


_COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*CONFIGURATION, "beside", "experiment", "parameter"), pl.String),
    **dict.fromkeys(("metric", "unit"), pl.String),
    **dict.fromkeys(("value", "value_beside", "ratio", "least", "most"), pl.Float64),
    "at_link": pl.Boolean,
    "margin": pl.Float64,
    "converged": pl.Boolean,
    "verdict": pl.String,
    "no_difference": pl.Boolean,
    "note": pl.String,
}


def frame(found: Sequence[Outcome]) -> pl.DataFrame:
    """A tidy row an outcome."""
    where = WHERE if any(each.mark for each in found) else ()
    rows = [
        {name: getattr(each, name, None) for name in _COLUMNS}
        | each.limit.model_dump(include={"metric", "least", "most"})
        | each.limit.of.model_dump()
        | {"completion": each.limit.of.completion or "", "beside": each.limit.beside.label}
        | {"unit": "" if each.value is None else METRICS[each.limit.metric].unit}
        | {"value_beside": each.beside}
        | (asdict(each.place) if each.place else dict.fromkeys(WHERE, ""))
        for each in found
    ]
    return pl.DataFrame(rows, schema=_COLUMNS | dict.fromkeys(where, pl.String))


def _outcomes(results: Iterable[Result], rows: Rows, limit: Limit) -> Iterator[Outcome]:
    fitting = [
        result
        for result in results
        if limit.place in (None, result.identity.place)
        and (not limit.experiments or result.identity.workload in limit.experiments)
        and (not limit.parameters or result.identity.parameter.text in limit.parameters)
    ]
    if not fitting:
        yield Outcome(limit, place=limit.place)
    for result in fitting:
        identity = result.identity
        own, beside = rows.get(identity), rows.get(identity.with_side(limit.beside))
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
    """An implementation beside software, by one metric.

    It costs less, by `judge.intervals`, at every size that was measured of both from `least`
    bytes on; None when it does not at the largest.  `above` is the next smaller size, at
    which it does not; None when it does at the smallest, so that nobody knows where it breaks even.
    `crossing` is the size in between, interpolated; `least` where noise hides it.
    """

    experiment: str
    what: str
    metric: str
    least: int | None
    above: int | None = None
    crossing: float | None = None

    @property
    def size(self) -> str:
        """In words, as short as a table's cell."""
        if self.least is None:
            return "not up to the largest"
        if self.crossing is None:
            return f"below {self.least} B"
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
            where = f"from {self.least} B on (inconclusive at {self.above} B)"
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


_Point = tuple[int, Comparison]
"""A size in bytes, and the other implementation beside software there."""


def break_even(results: Iterable[Result]) -> Iterator[BreakEven]:
    """Each implementation beside the software of the same suite, by each metric."""
    found: dict[tuple[str, str, str], list[_Point]] = {}
    for pair in find(Rows(of_metrics(results, _METRICS)), with_software):
        of = pair.identity
        for each in pair.comparisons(SERIES[of.workload].costs if of.workload in SERIES else ()):
            size = of.parameter.size_bytes
            if size is None:
                raise ValueError(f"{of.parameter.text}: not a size")
            what = (of.workload, titles.of_identity(of), each.metric)
            found.setdefault(what, []).append((size, each))
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
    return BreakEven(*what, least[0], below[0], _crossing(below, least))


def _crossing(below: _Point, least: _Point) -> float:
    """Where the other one comes to be better by the slack, if both costs grow in a straight line:
    so much for a request, and so much for each byte.

    A cost that is better already at the smaller size, but in the noise, tells nothing of what is in
    between.
    """
    (size, smaller), (larger, greater) = below, least
    first, last = (each.other.value - (1 - SLACK) * each.one.value for each in (smaller, greater))
    if first <= 0 or last >= 0:
        return larger
    return size + (larger - size) * first / (first - last)
