# SPDX-License-Identifier: Apache-2.0
"""A run's results as objects, and which of them are compared: the one place where pairs are found.

A `Result` is one figure with all its seeds, a `Row` all metrics of one configuration at one point
of a workload.  A `Pair` is a row and its partner, in the same run or in another;
`judge.intervals` says how two figures of a pair compare.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import polars as pl

from firesteel.judge import bound
from firesteel.judge.intervals import Comparison, Sample
from firesteel.judge.spread import ASSUMED
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE
from firesteel.model.figure import PARTS, Parameter
from firesteel.model.identity import Identity, with_partners
from firesteel.table import SWEPT, WHERE

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Published:
    """A published figure, with its study and its table."""

    source: str
    table: str
    result: "Result"


@dataclass(frozen=True, slots=True)
class Result:
    """One figure.  `value` is the mean of the seeds in `sample`, and `low` and `high` are the ends
    of its 95 % interval, or None if nothing is known about it.  `interval` names the interval's
    source (`judge.intervals.SPREAD_COLUMNS`).  `label` names the configuration, and the place if
    that is not obvious (`judge.places`).  `beside` is the published figure for comparison, if there
    is one.  `peer_limited` says that other nodes limited its row (`judge.compare`).
    """

    identity: Identity
    metric: str
    value: float
    sample: Sample
    low: float | None = None
    high: float | None = None
    interval: str = ""
    label: str = ""
    beside: Published | None = None
    peer_limited: bool = False

    @property
    def at(self) -> str:
        """The swept value, for people."""
        return self.identity.parameter.text

    @property
    def value_text(self) -> str:
        """The value with the decimals of its unit, without its interval; marked where it has not
        converged.
        """
        before = names.mark(converged=self.converged)
        return before + names.number(self.value, self.metric)

    @property
    def text(self) -> str:
        """The same, with half of its interval behind it, where it has one; marked where it is
        assumed.
        """
        if self.low is None or self.high is None:
            return self.value_text
        half = names.spread((self.high - self.low) / 2, self.metric, self.value)
        return f"{self.value_text} {half}{ASSUMED if self.interval == 'assumed' else ''}"

    @property
    def published_text(self) -> str:
        """The published figure; empty where there is none."""
        return "" if self.published is None else names.number(self.published, self.metric)

    @property
    def converged(self) -> bool:
        """Whether its interval, if there is any, is small."""
        return self.sample.converged

    @property
    def published(self) -> float | None:
        """The published figure."""
        return self.beside.result.value if self.beside else None

    @property
    def source(self) -> str:
        """The study that has the published figure; empty where there is none."""
        return self.beside.source if self.beside else ""

    @property
    def ratio(self) -> float | None:
        """Ours over the published figure; None where there is none to divide by."""
        return self.value / self.published if self.published else None

    @property
    def deviation(self) -> float | None:
        """From the published figure, in percent; None where there is none to divide by."""
        return (self.value / self.published - 1) * 100 if self.published else None

    @property
    def size_note(self) -> str:
        """That the published figure is of a file of another size; nothing where it is not."""
        theirs = self.beside.result.at if self.beside else self.at
        return "" if theirs == self.at else f"the published file has {theirs}, ours has {self.at}"

    @property
    def note(self) -> str:
        """Notes on the figure and on the published figure."""
        source = f"{self.beside.source} {self.beside.table}" if self.beside else ""
        limited = bound.PEER_LIMITED if self.peer_limited else ""
        return "; ".join(filter(None, (self.size_note, source, limited)))

    @property
    def columns(self) -> dict[str, str]:
        """Those that say what it is of."""
        return self.identity.columns(self.metric)


@dataclass(frozen=True)
class Row:
    """Results of one identity by metric."""

    identity: Identity
    results: Mapping[str, Result]

    @property
    def label(self) -> str:
        """That of its results."""
        return next(iter(self.results.values())).label

    @property
    def samples(self) -> dict[str, Sample]:
        """What the seeds say, by metric."""
        return {metric: result.sample for metric, result in self.results.items()}

    @property
    def bound(self) -> bound.Bound | None:
        """What limited the row, if its figures say."""
        needed = bound.counters(self.identity.workload, self.identity.implementation)
        return bound.bound(self._shares, needed)

    @property
    def peer_limited(self) -> bool:
        """Whether the other nodes limited it, so that it says nothing of the measured board."""
        return bound.bound(self._shares) == "peer"

    @property
    def _shares(self) -> dict[str, float]:
        return {metric: result.sample.value for metric, result in self.results.items()}


class Rows:
    """All rows of a run, found by their identity, in the order of their first results.

    If several results share a metric and an identity (cells that differ only in their files, for
    example), the last result counts, or the `first`.  Where rows are compared that differ in
    something, `alike` gives both the same identity; their results keep theirs.
    """

    def __init__(
        self,
        results: Iterable[Result],
        *,
        first: bool = False,
        alike: Callable[[Identity], Identity] = lambda identity: identity,
    ) -> None:
        found: dict[Identity, dict[str, Result]] = {}
        for result in results:
            row = found.setdefault(alike(result.identity), {})
            if not first or result.metric not in row:
                row[result.metric] = result
        self._rows = {identity: Row(identity, row) for identity, row in found.items()}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    @property
    def by_identity(self) -> Mapping[Identity, Row]:
        """The rows by what they are of."""
        return self._rows

    def get(self, identity: Identity) -> Row | None:
        """That row; None where nothing of it was measured."""
        return self._rows.get(identity)


def read_results(table: pl.DataFrame) -> list[Result]:
    """The rows of a table with the columns of `judge.results`.  A table without the columns of
    `judge.intervals` contains exact figures of one seed.
    """
    return [
        Result(
            identity=_identity(row),
            metric=row["metric"],
            value=row["value"],
            sample=Sample.of_row(row),
            low=row.get("ci95_low"),
            high=row.get("ci95_high"),
            interval=row.get("interval", ""),
        )
        for row in table.iter_rows(named=True)
    ]


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Those with the same key together, in the order of their first ones."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def where_columns(identities: Iterable[Identity]) -> tuple[str, ...]:
    """`WHERE`, if some differ in nothing but that; else rows of them need none."""
    known: dict[Identity, Identity] = {}
    apart = any(known.setdefault(each.anywhere, each) != each for each in identities)
    return WHERE if apart else ()


def of_metrics(results: Iterable[Result], metrics: Iterable[str]) -> list[Result]:
    """Those of these metrics."""
    wanted = frozenset(metrics)
    return [result for result in results if result.metric in wanted]


def _identity(row: Mapping[str, Any]) -> Identity:
    return Identity(
        workload=row["experiment"],
        parameter=_parameter(*row[SWEPT].values()),
        protocol=row["protocol"],
        cipher=row["cipher"],
        mac=row["mac"],
        implementation=row["implementation"],
        completion=row.get("completion", ""),
        variant=row.get("as_in_2015", ""),
        affinity=row.get("affinity", ""),
        **{name: row.get(name, "") for name in WHERE},
    )


@cache
def _parameter(*parts: int | str | None) -> Parameter:
    return Parameter.model_validate(dict(zip(PARTS, parts, strict=True)))


Partner = Callable[[Identity], Identity | None]
"""What a row of that identity is compared with; None with nothing."""


@dataclass(frozen=True)
class Pair:
    """`other` is compared with `one`, which is software or the earlier run."""

    one: Row
    other: Row

    @property
    def identity(self) -> Identity:
        """Of what is compared."""
        return self.other.identity

    @property
    def peer_limited(self) -> bool:
        """Whether the other nodes limited one of both."""
        return self.one.peer_limited or self.other.peer_limited

    def has(self, metric: str) -> bool:
        """Whether both rows have this metric."""
        return metric in self.one.results and metric in self.other.results

    def compared(self, metric: str) -> Comparison:
        """Both figures of a metric that both have."""
        one, other = self.one.results[metric], self.other.results[metric]
        return Comparison(metric, one.sample, other.sample)

    def comparisons(self, metrics: Iterable[str]) -> Iterator[Comparison]:
        """A comparison by each of these metrics that both rows have."""
        return (self.compared(metric) for metric in metrics if self.has(metric))


def find(rows: Rows, partner: Partner, among: Rows | None = None) -> Iterator[Pair]:
    """Each row that has its partner in the same run, or `among` the rows of another."""
    others = rows if among is None else among
    for one, other in with_partners(rows, lambda row: partner(row.identity), others.by_identity):
        yield Pair(one, other)


def with_software(identity: Identity) -> Identity | None:
    """Anything other than software is compared with the fastest software of the same cell."""
    return None if identity.implementation in IN_SOFTWARE else identity.in_software


def with_itself(identity: Identity) -> Identity:
    """A row of one run is compared with the same of another."""
    return identity
