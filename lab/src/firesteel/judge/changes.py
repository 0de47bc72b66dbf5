# SPDX-License-Identifier: Apache-2.0
"""What changed from one run to another beyond the noise, and whether that fails a comparison.

The noise is what seeds say of figures, or their kind where both have one seed
(`judge.intervals`), unless a noise is assumed.  A change stands by the rule of verdicts
(`Gain.standing`); where nobody measured the spread of a quantity it is inconclusive.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from firesteel.base.errors import RequestError
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.intervals import ROUNDING, Gain, Sample, margin, spreads
from firesteel.judge.pairing import Boards, Pairing
from firesteel.judge.places import Places
from firesteel.judge.results import Results
from firesteel.judge.rows import Pair, Rows, find, read_results, where_columns, with_itself
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.model.metrics import better
from firesteel.table import CELL_COLUMNS, KEY_COLUMNS, SWEPT, WHERE

Noise = Literal["measured", "assumed", "unknown"]
ChangeVerdict = Literal[
    "worse", "inconclusive", "equal", "better", "changed", "same", "limited by the peer"
]

VERDICTS: tuple[ChangeVerdict, ...] = (
    *("worse", "inconclusive", "equal", "better", "changed", "same"),
    PEER_LIMITED,
)
"""In the order in which they are listed.  `changed` is for metrics that have no better direction.
Rows that other nodes limited in one of the runs say nothing about the measured board."""

_SHOWN = 0.005
"""Percent: of a smaller change nothing is to be seen where changes are shown."""

_FIGURE = (*KEY_COLUMNS, *CELL_COLUMNS)

COLUMNS = (
    *(*_FIGURE, "before", "after", "change_percent", "noise_percent"),
    *("seeds_before", "seeds_after", "noise", "verdict"),
)
"""Columns of `frame`.  `before` and `after` are means.  `noise_percent` is by how much they may
differ by chance, in percent of `before`; null where that is unknown, or `before` is 0 and nothing
has a percentage.
"""


@dataclass(frozen=True)
class Change:
    """How one figure stands in two runs.  `identity` is the second run's, and `boards` says where
    both were measured; the other fields are columns of `frame`.
    """

    identity: Identity
    metric: str
    boards: Boards
    before: float
    after: float
    change_percent: float | None
    noise_percent: float | None
    seeds_before: int
    seeds_after: int
    noise: Noise
    verdict: ChangeVerdict


def changes(
    before: Results, after: Results, pairing: Pairing, assumed: float | None = None
) -> list[Change]:
    """Each figure that both runs have, in the order of the second one.

    `assumed` is the noise, in percent, where there is one seed on both sides.
    """
    first = _by_cell(before, [cell.before for cell in pairing.cells])
    second = _by_cell(after, [cell.after for cell in pairing.cells])
    pairs = {cell.after: cell for cell in pairing.cells}
    found = []
    for name, rows in second.items():
        cell = pairs[name]
        limited = _peer_limited(before, cell.before) | _peer_limited(after, name)
        found += [
            change_of(pair, metric, cell.boards, assumed, is_limited=pair.identity in limited)
            for pair in find(rows, with_itself, first[cell.before])
            for metric in pair.other.results
            if pair.has(metric)
        ]
    return found


def places_of(before: Results, after: Results, found: Sequence[Change]) -> Places:
    """The places by which rows are named: the places of both runs, or only the second run's places
    if the boards differ.
    """
    if any(each.boards.before != each.boards.after for each in found):
        return Places.of_rows(each.identity for each in found)
    return Places.of((*before.means, *after.means))


def frame(found: Iterable[Change]) -> pl.DataFrame:
    """Changes as tidy rows with `COLUMNS`.  Columns for the place are added if nothing else
    distinguishes some rows.

    If boards differ, each row names the place of measurement in both runs and the value of each
    parameter that differs.  The names of these columns are the path with `_before` or `_after`.
    """
    found = list(found)
    moved = any(not each.boards.are_same for each in found)
    where = WHERE if moved else where_columns(each.identity for each in found)
    columns = [*COLUMNS, *where]
    if moved:
        paths = dict.fromkeys(one.path for each in found for one in each.boards.differences)
        columns += [_columns(name)[0] for name in WHERE]
        columns += [column for path in paths for column in _columns(path)]
    rows = [
        each.identity.columns(each.metric)
        | vars(each)
        | each.identity.where
        | _of_boards(each.boards)
        for each in found
    ]
    return pl.DataFrame(rows, schema=columns, infer_schema_length=None)


def _columns(path: str) -> tuple[str, str]:
    """The columns of what is not the same in both runs."""
    return f"{path}_before", f"{path}_after"


def _of_boards(boards: Boards) -> dict[str, float | str | None]:
    """Values of the columns that are there where boards differ."""
    said = {_columns(name)[0]: getattr(boards.before, name) for name in WHERE}
    for each in boards.differences:
        said |= dict(zip(_columns(each.path), each.values, strict=True))
    return said


def figures_of_one(before: Results, after: Results, pairing: Pairing) -> int:
    """The number of figures that only one of the runs has in the cells that both share."""
    called = [
        {cell.before: cell.after for cell in pairing.cells},
        {cell.after: cell.after for cell in pairing.cells},
    ]
    first, second = (
        set(
            results.samples.filter(pl.col("cell").is_in(list(names)))
            .select(*_FIGURE, pl.col("cell").replace(names))
            .iter_rows()
        )
        for results, names in zip((before, after), called, strict=True)
    )
    return len(first ^ second)


def change_of(
    pair: Pair, metric: str, boards: Boards, assumed: float | None, *, is_limited: bool = False
) -> Change:
    """How a metric that both rows have stands in both runs; `is_limited` says that other nodes
    limited one of the rows.
    """
    compared = pair.compared(metric)
    before, after = compared.one, compared.other
    one, other = before.value, after.value
    growth = other - one
    most, noise = _margin(before, after, assumed)
    if noise == "measured":
        most = max(most, _resolution(metric, max(one, other)))
    told: ChangeVerdict
    if sorted(before.values) == sorted(after.values):
        told = "same"
    elif noise == "unknown":
        told = "same" if abs(growth) * 100 < _SHOWN * abs(one) else "inconclusive"
    else:
        told = _standing(metric, one, growth, most)
    if told != "same" and is_limited:
        told = PEER_LIMITED
    scale = 100 / abs(one) if one else None
    return Change(
        identity=pair.other.results[metric].identity,
        metric=metric,
        boards=boards,
        before=one,
        after=other,
        change_percent=growth * scale if scale else (0.0 if not growth else None),
        noise_percent=most * scale if scale and noise != "unknown" else None,
        seeds_before=before.seeds,
        seeds_after=after.seeds,
        noise=noise,
        verdict=told,
    )


def _standing(metric: str, before: float, growth: float, most: float) -> ChangeVerdict:
    """By the rule of verdicts; what grew from 0 has no ratio, and stands by its noise alone."""
    if before:
        ends = (1 + each / abs(before) for each in (growth, growth - most, growth + most))
        standing = Gain(*ends).standing
        return standing if standing in ("equal", "inconclusive") else _way(metric, growth)
    return _way(metric, growth) if abs(growth) > most * ROUNDING else "inconclusive"


def _way(metric: str, growth: float) -> Literal["better", "worse", "changed"]:
    """What it means that the metric grew by so much, or shrank if that is negative."""
    way = better(metric)
    if way is None:
        return "changed"
    return "better" if (growth > 0) == (way == "higher") else "worse"


def _resolution(metric: str, value: float) -> float:
    """A step of what ping rounds: seeds whose figures are rounded to the same are not equal."""
    if metric.startswith("rtt_p"):
        return float(10 ** -names.ping_decimals(value))
    return 1e-3 if metric.startswith("rtt_") else 0.0


def _margin(before: Sample, after: Sample, assumed: float | None) -> tuple[float, Noise]:
    """By how much the means may differ by chance, and how that is known.

    The seeds of two runs are not paired: what was changed in between moves every packet.
    """
    if assumed is not None and before.seeds == after.seeds == 1:
        return abs(before.value) * assumed / 100, "assumed"
    told = margin(before, after, paired=False)
    if told is not None:
        return told, "measured"
    return 0.0, "unknown"


def _by_cell(results: Results, cells: Sequence[str]) -> dict[str, Rows]:
    """The rows of each of these cells, in the run's order, wherever they were measured."""
    common = results.samples.filter(pl.col("cell").is_in(list(cells)))
    parts = spreads(common, [*_FIGURE, *WHERE, SWEPT, "cell"])
    of_cells = parts.partition_by("cell", maintain_order=True)
    return {part["cell"][0]: _rows(part) for part in of_cells}


def _rows(table: pl.DataFrame) -> Rows:
    return Rows(read_results(table), alike=lambda identity: identity.anywhere)


def _peer_limited(results: Results, cell: str) -> set[Identity]:
    """The rows of the cell that are so with any seed."""
    boots = results.samples.filter(cell=cell).partition_by("seed", maintain_order=True)
    return {row.identity for boot in boots for row in _rows(boot) if row.peer_limited}


_CONDITION = re.compile(r"(worse|changed):(\d{1,6}(?:\.\d{1,6})?)%")
_PERCENTAGE = re.compile(r"(\d{1,2}(?:\.\d{1,6})?|100)%")

_KINDS = {"worse": ("worse",), "changed": ("worse", "better", "changed")}
"""The verdicts that each kind of condition looks at: all are beyond the noise and the slack."""


@dataclass(frozen=True)
class Condition:
    """A figure that is `kind` by more than `percent` fails the comparison."""

    kind: Literal["worse", "changed"]
    percent: float

    def holds(self, change: Change) -> bool:
        """Whether a change fails it; any growth from 0 is too much."""
        percent = change.change_percent
        far = percent is None or abs(percent) > self.percent
        return change.verdict in _KINDS[self.kind] and far

    def __str__(self) -> str:
        return f"{self.kind} by more than {self.percent:g} %"


def condition(text: str) -> Condition:
    """The condition that `--fail-if` says; `RequestError` when it is none."""
    match = _CONDITION.fullmatch(text)
    if not match:
        raise RequestError(
            f"--fail-if {text}: allowed is KIND:PERCENT% with one of the kinds "
            f"{', '.join(_KINDS)}, such as worse:5% or changed:0.5%."
        )
    return Condition("worse" if match[1] == "worse" else "changed", float(match[2]))


def percentage(option: str, text: str) -> float:
    """The number before the percent sign; `RequestError` when there is none from 0 to 100."""
    match = _PERCENTAGE.fullmatch(text)
    if not match:
        raise RequestError(
            f"{option} {text}: allowed is a percentage from 0% to 100%, such as 0.5%."
        )
    return float(match[1])
