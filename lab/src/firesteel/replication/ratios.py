# SPDX-License-Identifier: Apache-2.0
"""Hardware over software: the ratios of a run beside those of the published figures.

The project answers with ratios, so it is ratios that must hold.  Two published rows, one in
software and one in hardware, that a run has too make a pair:

- speed: how many times as fast hardware is, by throughput, time or rate.  More than 1 is a gain.
- CPU work: what the CPU does for the same payload, in hardware as a share of that in software,
  where CPU use is published.  Less than 1 is a gain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import polars as pl

from firesteel.analysis.compare import as_published
from firesteel.analysis.judging import SLACK
from firesteel.model import names
from firesteel.model.cell import USUAL_COMPLETION
from firesteel.replication.fit import fitted_to
from firesteel.workloads import titles

Kind = Literal["throughput", "round trip", "handshake", "handshake rate", "CPU work"]

_KINDS: Mapping[tuple[str, str], Kind] = {
    ("file-transfer", "throughput"): "throughput",
    ("ping", "rtt_mean"): "round trip",
    ("tls-connection-time", "connection_time"): "handshake",
    ("tls-connections", "connections"): "handshake rate",
}
"""Speeds by experiment and metric."""

_Rows = Sequence[dict[str, Any]]

_USE = "cpu"
_PER_RATE = ("throughput", "connections")
"""What CPU use is divided by for the CPU work of a unit."""

_SIDES = ("software", "hardware")

_ROW = ("protocol", "cipher", "mac", "experiment", "parameter")

COLUMNS = (
    *_ROW,
    "kind",
    "software",
    "hardware",
    "ratio",
    "published_software",
    "published_hardware",
    "published",
    "deviation_percent",
    "same_direction",
    "fitted",
    "converged",
)
"""Columns of a frame of ratios; `fitted` names the sides of the pair that were fitted to, and
`converged` says whether all figures of ours that it is made of have converged."""


@dataclass(frozen=True)
class Ratio:
    """A pair's ratio, ours and the published one, and the values that they are of.

    `fitted` are the sides of the pair that something was fitted to: software, hardware.
    """

    row: Mapping[str, str]
    kind: Kind
    software: float
    hardware: float
    published_software: float
    published_hardware: float
    fitted: tuple[str, ...] = ()
    converged: bool = True

    @property
    def mark(self) -> str:
        """What stands before our ratio."""
        return "" if self.converged else names.UNCONVERGED

    @property
    def ours(self) -> float:
        """Of the run."""
        return self._of(self.software, self.hardware)

    @property
    def published(self) -> float:
        """Of the published figures."""
        return self._of(self.published_software, self.published_hardware)

    @property
    def deviation(self) -> float:
        """Of ours from the published one, in percent."""
        return 100 * (self.ours / self.published - 1)

    @property
    def is_predicted(self) -> bool:
        """Whether neither of its rows was fitted to."""
        return not self.fitted

    @property
    def same_direction(self) -> bool:
        """Whether both call offload a gain, a loss, or no difference."""
        return _direction(self.ours) == _direction(self.published)

    @property
    def name(self) -> str:
        """What it is of: `IPsec AES-256-CBC:SHA-256, 1000 B`."""
        row = self.row
        what = titles.measured(row["experiment"], row["protocol"], row["cipher"], row["mac"])
        return ", ".join(filter(None, (what, row["parameter"])))

    def _of(self, software: float, hardware: float) -> float:
        if self.kind in ("round trip", "handshake"):
            return software / hardware
        return hardware / software


@dataclass(frozen=True)
class Summary:
    """How near the ratios of one kind come: `median` is of the absolute deviations, in percent.
    Ratios that have not converged are left out; it is None where none is left.

    `predicted` counts pairs without a fitted row, `median_predicted` is theirs; None without any.
    `same_direction` counts the pairs in which ours and published agree whether offload gains.
    """

    kind: str
    pairs: int
    same_direction: int
    median: float | None
    predicted: int
    median_predicted: float | None


def ratios(comparison: pl.DataFrame) -> list[Ratio]:
    """All pairs of a comparison, in its order; of several completions the usual one counts."""
    rows = as_published(comparison).filter(
        pl.col("published").is_not_null() & pl.col("completion").is_in(["", USUAL_COMPLETION])
    )
    sides: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        place = sides.setdefault(tuple(row[key] for key in _ROW), {})
        place.setdefault(f"{row['implementation']} {row['metric']}", row)
    found = [ratio for place in sides.values() for ratio in _pairs(place)]
    order = {kind: number for number, kind in enumerate((*_KINDS.values(), "CPU work"))}
    return sorted(found, key=lambda ratio: order[ratio.kind])


def summaries(found: Sequence[Ratio]) -> list[Summary]:
    """Of each kind that has a pair that has converged, and of all of these pairs."""
    if not found:
        return []
    sure = [ratio for ratio in found if ratio.converged]
    kinds = dict.fromkeys(ratio.kind for ratio in found)
    parts = [(kind, [ratio for ratio in sure if ratio.kind == kind]) for kind in kinds]
    return [_summary(kind, part) for kind, part in (*parts, ("all", sure)) if part]


def left_out(found: Iterable[Ratio]) -> str:
    """How many pairs the summaries leave out, in a sentence; nothing where there is none."""
    count = sum(not ratio.converged for ratio in found)
    if not count:
        return ""
    pairs = f"{count} pair{'s have' if count > 1 else ' has'}"
    them = "them" if count > 1 else "it"
    return f"{pairs} not converged ({names.UNCONVERGED}); the medians below leave {them} out."


def frame(found: Iterable[Ratio]) -> pl.DataFrame:
    """The ratios as tidy rows."""
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(COLUMNS, pl.Float64)
    schema |= dict.fromkeys((*_ROW, "kind", "fitted"), pl.String)
    schema |= dict.fromkeys(("same_direction", "converged"), pl.Boolean)
    rows = [
        {
            **ratio.row,
            "kind": ratio.kind,
            "software": ratio.software,
            "hardware": ratio.hardware,
            "ratio": ratio.ours,
            "published_software": ratio.published_software,
            "published_hardware": ratio.published_hardware,
            "published": ratio.published,
            "deviation_percent": ratio.deviation,
            "same_direction": ratio.same_direction,
            "fitted": " and ".join(ratio.fitted),
            "converged": ratio.converged,
        }
        for ratio in found
    ]
    return pl.DataFrame(rows, schema=schema)


def _pairs(place: Mapping[str, dict[str, Any]]) -> Iterator[Ratio]:
    """The ratios of one configuration at one parameter, from its rows by side and metric."""
    for metric in dict.fromkeys(name.split(" ", 1)[1] for name in place):
        software, hardware = (place.get(f"{side} {metric}") for side in _SIDES)
        if not software or not hardware:
            continue
        kind = _KINDS.get((software["experiment"], metric))
        if kind:
            yield _ratio(kind, software, hardware)
        uses = [use for side in _SIDES if (use := place.get(f"{side} {_USE}"))]
        if metric in _PER_RATE and len(uses) == len(_SIDES):
            yield _work((uses[0], software), (uses[1], hardware))


def _ratio(kind: Kind, software: dict[str, Any], hardware: dict[str, Any]) -> Ratio:
    return Ratio(
        row={key: software[key] for key in _ROW},
        kind=kind,
        software=software["value"],
        hardware=hardware["value"],
        published_software=software["published"],
        published_hardware=hardware["published"],
        fitted=_fitted([software], [hardware]),
        converged=software["converged"] and hardware["converged"],
    )


def _work(software: _Rows, hardware: _Rows) -> Ratio:
    """CPU use over the rate of what it was used for: percent of a core for a MB/s, or for a
    handshake a minute.
    """
    ours, theirs = (
        [use[of] / rate[of] for use, rate in (software, hardware)] for of in ("value", "published")
    )
    return Ratio(
        row={key: software[0][key] for key in _ROW},
        kind="CPU work",
        software=ours[0],
        hardware=ours[1],
        published_software=theirs[0],
        published_hardware=theirs[1],
        fitted=_fitted(software, hardware),
        converged=all(row["converged"] for row in (*software, *hardware)),
    )


def _fitted(software: _Rows, hardware: _Rows) -> tuple[str, ...]:
    sides = zip(_SIDES, (software, hardware), strict=True)
    return tuple(side for side, rows in sides if any(map(fitted_to, rows)))


def _direction(ratio: float) -> int:
    """Above 1, below, or neither."""
    if abs(ratio - 1) < SLACK:
        return 0
    return 1 if ratio > 1 else -1


def _summary(kind: str, part: Sequence[Ratio]) -> Summary:
    predicted = [abs(ratio.deviation) for ratio in part if ratio.is_predicted]
    return Summary(
        kind=kind,
        pairs=len(part),
        same_direction=sum(ratio.same_direction for ratio in part),
        median=median(abs(ratio.deviation) for ratio in part) if part else None,
        predicted=len(predicted),
        median_predicted=median(predicted) if predicted else None,
    )
