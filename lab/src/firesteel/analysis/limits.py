# SPDX-License-Identifier: Apache-2.0
"""Whether a run's figures are within the limits that its experiment names."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from firesteel.analysis import bound
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.compare import CONFIGURATION
from firesteel.analysis.judging import SLACK, is_at_link
from firesteel.analysis.noise import ROUNDING, Sample, ratio_margin
from firesteel.model import names
from firesteel.model.limit import Limit, Side
from firesteel.workloads import titles

Verdict = Literal["met", "missed", "not converged", "not measured", "limited by the peer", ""]
"""How a figure stands to its limit; nothing if there is none and the ratio is only told.

What has not converged (`model.figure.CONVERGED`) is neither met nor missed.
"""

_Figures = dict[tuple[Side, str], list[dict[str, Any]]]
"""Rows of figures by configuration and metric."""


@dataclass(frozen=True)
class Outcome:
    """One ratio: `value` over that of `beside`; None where a figure is missing.

    `at_link` says that the link, not the configuration, bounds the throughput; `peer_limited` that
    the other nodes limited one of both, so that the ratio says nothing of the measured board.
    `margin` is by how much the ratio may be off by chance, where that is known.
    """

    limit: Limit
    experiment: str = ""
    parameter: str = ""
    unit: str = ""
    value: float | None = None
    beside: float | None = None
    at_link: bool = False
    peer_limited: bool = False
    converged: bool = True
    margin: float | None = None

    @property
    def ratio(self) -> float | None:
        """None where a figure is missing, or there is nothing to divide by."""
        return self.value / self.beside if self.value is not None and self.beside else None

    @property
    def verdict(self) -> Verdict:
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
        """Whether a missed limit is so near that the rule of `analysis.judging` calls it none: by
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
        """Why a missed limit is not reached, or where that is told; nothing for any other."""
        return self.limit.note if self.verdict == "missed" else ""

    @property
    def bounds(self) -> str:
        """The limit in signs: `≥ 0.95`."""
        signs = (("≥", self.limit.least), ("≤", self.limit.most))
        return ", ".join(f"{sign} {bound:g}" for sign, bound in signs if bound is not None)


def outcomes(figures: pl.DataFrame, limits: Iterable[Limit]) -> list[Outcome]:
    """How a run's figures, rows of `analysis.spread`, stand to each limit, in their order."""
    found: _Figures = {}
    for row in figures.iter_rows(named=True):
        found.setdefault((_side(row), row["metric"]), []).append(row)
    return [outcome for limit in limits for outcome in _outcomes(found, limit)]


def conclusion(found: Sequence[Outcome]) -> str:
    """How many limits are met, in a sentence; nothing where there is none."""
    verdicts = [outcome.verdict for outcome in found if outcome.verdict]
    if not verdicts:
        return ""
    told = f"Of {len(verdicts)} limits, {_how_many(found)}"
    for verdict in ("missed", "not converged", "not measured", PEER_LIMITED):
        if count := verdicts.count(verdict):
            told += f", {count} {verdict}"
    if near := sum(outcome.no_difference for outcome in found):
        told += (
            f"; {near} of the missed ones within {SLACK * 100:g} % or the noise, which counts as "
            "no difference"
        )
    return f"{told}."


def summary(found: Sequence[Outcome]) -> str:
    """How many limits have which verdict, in short; nothing where there is none."""
    verdicts = Counter(outcome.verdict for outcome in found if outcome.verdict)
    if not verdicts:
        return ""
    total = verdicts.total()
    del verdicts["met"]
    excused = sum(outcome.excused for outcome in found)
    met = total - verdicts.total() - excused
    parts = [f"{met} of {total} met", *_excused(excused)]
    parts += [f"{count} {verdict}" for verdict, count in verdicts.most_common()]
    return f"Limits: {', '.join(parts)}."


def _how_many(found: Iterable[Outcome]) -> str:
    """Of met limits: `37 are met, 2 excused because the link is full`."""
    those = [outcome.excused for outcome in found if outcome.verdict == "met"]
    excused = sum(those)
    return ", ".join([f"{len(those) - excused} are met", *_excused(excused)])


def _excused(count: int) -> list[str]:
    return [f"{count} excused because the link is full"] if count else []


def title(outcome: Outcome) -> str:
    """What is compared with what."""
    limit = outcome.limit
    experiment = outcome.experiment or next(iter(limit.experiments), "")
    of, beside = (_called(side, experiment) for side in (limit.of, limit.beside))
    same = limit.of.model_copy(update={"implementation": "software", "completion": None})
    return f"{of}, versus software" if limit.beside == same else f"{of}, versus {beside}"


def notes(found: Iterable[Outcome]) -> list[str]:
    """The notes of missed limits, each once, with the metrics that they are of."""
    metrics: dict[str, list[str]] = {}
    for outcome in found:
        if outcome.note:
            metrics.setdefault(outcome.note, []).append(names.metric(outcome.limit.metric))
    return [
        f"Missed, {' and '.join(dict.fromkeys(those))}: {note}" for note, those in metrics.items()
    ]


EXCUSED = "excused (link full)"
"""The verdict of a limit that is met only because the link bounds the throughput."""

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
    numbers = ("value", "value_beside", "ratio", "least", "most")
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(CONFIGURATION, pl.String),
        **dict.fromkeys(("beside", "experiment", "parameter", "metric", "unit"), pl.String),
        **dict.fromkeys(numbers, pl.Float64),
        "at_link": pl.Boolean,
        "margin": pl.Float64,
        "converged": pl.Boolean,
        "verdict": pl.String,
        "no_difference": pl.Boolean,
        "note": pl.String,
    }
    rows = [
        outcome.limit.of.model_dump()
        | {
            "completion": outcome.limit.of.completion or "",
            "beside": outcome.limit.beside.label,
            "experiment": outcome.experiment,
            "parameter": outcome.parameter,
            "metric": outcome.limit.metric,
            "unit": outcome.unit,
            "value": outcome.value,
            "value_beside": outcome.beside,
            "ratio": outcome.ratio,
            "least": outcome.limit.least,
            "most": outcome.limit.most,
            "at_link": outcome.at_link,
            "margin": outcome.margin,
            "converged": outcome.converged,
            "verdict": outcome.verdict,
            "no_difference": outcome.no_difference,
            "note": outcome.note,
        }
        for outcome in found
    ]
    return pl.DataFrame(rows, schema=schema)


def _called(side: Side, experiment: str) -> str:
    how = (side.implementation, side.completion or "", side.as_in_2015)
    return titles.measured(experiment, side.protocol, side.cipher, side.mac, *how)


def _side(row: dict[str, Any]) -> Side:
    keys = ("protocol", "cipher", "mac", "implementation", "as_in_2015")
    return Side(**{key: row[key] for key in keys}, completion=row["completion"] or None)


def _outcomes(figures: _Figures, limit: Limit) -> Iterator[Outcome]:
    rows = [
        row
        for row in figures.get((limit.of, limit.metric), [])
        if (not limit.experiments or row["experiment"] in limit.experiments)
        and (not limit.parameters or row["parameter"] in limit.parameters)
    ]
    if not rows:
        yield Outcome(limit)
    for row in rows:
        of, by = Sample.of_row(row), _same(figures, limit.beside, row)
        yield Outcome(
            limit,
            row["experiment"],
            row["parameter"],
            row["unit"],
            of.value,
            by.value if by else None,
            _is_at_link(figures, limit, row),
            any(_is_peer_limited(figures, side, row) for side in (limit.of, limit.beside)),
            of.converged and (by is None or by.converged),
            ratio_margin(of, by) if by else None,
        )


def _same(
    figures: _Figures, side: Side, row: dict[str, Any], metric: str | None = None
) -> Sample | None:
    """The figure of that configuration that is otherwise the same as `row`, or is of another
    metric too.
    """
    for other in figures.get((side, metric or row["metric"]), []):
        if all(other[key] == row[key] for key in ("experiment", "parameter")):
            return Sample.of_row(other)
    return None


def _is_at_link(figures: _Figures, limit: Limit, row: dict[str, Any]) -> bool:
    if limit.link is None or row["metric"] != "throughput":
        return False
    fastest = _same(figures, limit.link, row)
    use = _same(figures, limit.link, row, "cpu")
    rate, busy = fastest.value if fastest else None, use.value if use else None
    return is_at_link(row["value"], rate, busy, limit.share)


def _is_peer_limited(figures: _Figures, side: Side, row: dict[str, Any]) -> bool:
    found = {metric: _same(figures, side, row, metric) for metric in bound.METRICS}
    shares = {metric: share.value for metric, share in found.items() if share}
    return bound.bound(shares) == "peer"
