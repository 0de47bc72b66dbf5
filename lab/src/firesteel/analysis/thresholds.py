# SPDX-License-Identifier: Apache-2.0
"""Whether a run's figures meet the limits that its experiment names, and from which size on another
implementation costs less than software.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.compare import CONFIGURATION
from firesteel.analysis.intervals import ROUNDING, SLACK, Comparison
from firesteel.analysis.places import Places
from firesteel.analysis.rows import Pair, Result, Row, Rows, find, of_metrics, with_software
from firesteel.analysis.verdict import RATE, USE, is_at_link
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.identity import Identity, Limit, Side
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
        """Whether a missed limit is so near that the rule of `analysis.verdict` calls it none: by
        the slack, or by what may be chance.
        """
        if self.verdict != "missed" or self.ratio is None:
            return False
        bound = self.limit.least if self._is_below else self.limit.most
        assert bound is not None
        return abs(self.ratio - bound) <= max(SLACK * bound, self.margin or 0.0) * ROUNDING

    @property
    def _is_below(self) -> bool:
        least = self.limit.least
        return least is not None and self.ratio is not None and self.ratio < least

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
    by_side: dict[tuple[Side, str], list[Result]] = {}
    for result in results:
        by_side.setdefault((result.identity.side, result.metric), []).append(result)
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
    told = [f"{counts['met']} are met", *_some(counts, (EXCUSED, *_UNMET))]
    if near := sum(outcome.no_difference for outcome in found):
        told[-1] += (
            f"; {near} of the missed ones within {SLACK * 100:g} % or the noise, which counts as "
            "no difference"
        )
    return f"Of {counts.total()} limits, {', '.join(told)}."


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
    of, beside = (_called(side, experiment) for side in (limit.of, limit.beside))
    same = limit.of.model_copy(update={"implementation": "software", "completion": None})
    versus = "software" if limit.beside == same else beside
    at = f" [{outcome.mark}]" if outcome.mark else ""
    return f"{of}, versus {versus}{at}"


def notes(found: Iterable[Outcome]) -> list[str]:
    """The notes of missed limits, each once, with the metrics that they are of."""
    metrics: dict[str, list[str]] = {}
    for outcome in found:
        if outcome.note:
            metrics.setdefault(outcome.note, []).append(names.metric(outcome.limit.metric))
    return [
        f"Missed, {' and '.join(dict.fromkeys(those))}: {note}" for note, those in metrics.items()
    ]


COLUMNS = ("figure", "versus", "ratio", "limit", "verdict")
"""Heads of `texts`, but for the first, which names the row."""


def texts(outcome: Outcome) -> list[str]:
    """An outcome as a row of a table."""
    metric = outcome.limit.metric
    figures = [
        "–" if value is None else names.number(value, metric)
        for value in (outcome.value, outcome.beside)
    ]
    ratio = "–" if outcome.ratio is None else f"{outcome.ratio:.3f}"
    remark = " (no difference)" if outcome.no_difference else ""
    verdict = EXCUSED if outcome.excused else f"{outcome.verdict}{remark}"
    known = outcome.value is not None
    what = names.quantity(metric, outcome.parameter) if known else names.metric(metric)
    return [what, *figures, ratio, outcome.bounds, verdict]


def frame(found: Sequence[Outcome]) -> pl.DataFrame:
    """A tidy row an outcome."""
    columns: dict[str, tuple[type[pl.DataType], Callable[[Outcome], object]]] = {
        "beside": (pl.String, lambda each: each.limit.beside.label),
        "experiment": (pl.String, lambda each: each.experiment),
        "parameter": (pl.String, lambda each: each.parameter),
        "metric": (pl.String, lambda each: each.limit.metric),
        "unit": (pl.String, lambda each: "" if each.value is None else _unit(each)),
        "value": (pl.Float64, lambda each: each.value),
        "value_beside": (pl.Float64, lambda each: each.beside),
        "ratio": (pl.Float64, lambda each: each.ratio),
        "least": (pl.Float64, lambda each: each.limit.least),
        "most": (pl.Float64, lambda each: each.limit.most),
        "at_link": (pl.Boolean, lambda each: each.at_link),
        "margin": (pl.Float64, lambda each: each.margin),
        "converged": (pl.Boolean, lambda each: each.converged),
        "verdict": (pl.String, lambda each: each.verdict),
        "no_difference": (pl.Boolean, lambda each: each.no_difference),
        "note": (pl.String, lambda each: each.note),
    }
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(CONFIGURATION, pl.String),
        **{name: kind for name, (kind, _) in columns.items()},
        **dict.fromkeys(WHERE if any(each.mark for each in found) else (), pl.String),
    }
    rows = [
        each.limit.of.model_dump()
        | {"completion": each.limit.of.completion or ""}
        | {name: value(each) for name, (_, value) in columns.items()}
        | (asdict(each.place) if each.place else dict.fromkeys(WHERE, ""))
        for each in found
    ]
    return pl.DataFrame(rows, schema=schema)


def _unit(outcome: Outcome) -> str:
    return METRICS[outcome.limit.metric].unit


def _called(side: Side, experiment: str) -> str:
    how = (side.implementation, side.completion or "", side.as_in_2015)
    return titles.measured(experiment, side.protocol, side.cipher, side.mac, *how)


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
        at_link = _is_at_link(rows, limit, result)
        beside = rows.get(identity.with_side(limit.beside))
        row = Row(identity, {**_results(rows.get(identity)), limit.metric: result})
        pair = Pair(beside, row) if beside else None
        compared = pair.compared(limit.metric) if pair and pair.has(limit.metric) else None
        yield Outcome(
            limit,
            identity.workload,
            identity.parameter.text,
            result.sample.value,
            compared.one.value if compared else None,
            at_link,
            pair.peer_limited if pair else row.peer_limited,
            compared.converged if compared else result.converged,
            compared.margin if compared else None,
            place=identity.place,
        )


def _results(row: Row | None) -> Mapping[str, Result]:
    return row.results if row else {}


def _is_at_link(rows: Rows, limit: Limit, result: Result) -> bool:
    if limit.link is None or result.metric != RATE:
        return False
    fastest = _results(rows.get(result.identity.with_side(limit.link)))
    rate, busy = (fastest[name].sample.value if name in fastest else None for name in (RATE, USE))
    return is_at_link(result.value, rate, busy, limit.share)


_METRICS = {
    "cpu_time_per_request_p50": "less of the CPU's time",
    "time_per_request_p50": "less time",
    "time_per_request": "less time",
}
"""What one request takes; each series says by which of them it breaks even."""


@dataclass(frozen=True)
class BreakEven:
    """An implementation beside software, by one metric.

    It costs less, by `analysis.intervals`, at every size that was measured of both from `least`
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
        who = f"{titles.experiment(self.experiment)}: {self.what} takes {costs}"
        if self.least is None:
            return f"{who} than software at no measured size."
        if self.crossing is None:
            return (
                f"{who} than software at every measured size; it breaks even below the smallest "
                f"one ({self.least} B)."
            )
        if self.crossing >= self.least:
            return (
                f"{who} than software from {self.least} B on (at {self.above} B the difference is "
                "in the noise)."
            )
        return (
            f"{who} than software from about {self._crossing} B on (interpolated between "
            f"{self.above} B and {self.least} B)."
        )

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
    rows = Rows(of_metrics(results, _METRICS))
    found: dict[tuple[str, str, str], list[_Point]] = {}
    for pair in find(rows, with_software):
        identity = pair.identity
        for metric in _costs(identity.workload):
            if pair.has(metric):
                point = (_bytes(identity), pair.compared(metric))
                found.setdefault(
                    (identity.workload, titles.of_identity(identity), metric), []
                ).append(point)
    for what, points in found.items():
        yield _of(what, sorted(points, key=lambda point: point[0]))


def _costs(workload: str) -> Sequence[str]:
    return SERIES[workload].costs if workload in SERIES else ()


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


def _bytes(identity: Identity) -> int:
    size = identity.parameter.size_bytes
    if size is None:
        raise ValueError(f"{identity.parameter.text}: not a size")
    return size
