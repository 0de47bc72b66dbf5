# SPDX-License-Identifier: Apache-2.0
"""Which rows are compared: the one place where pairs are found.

A pair is a row and its partner, in the same run or in another; `analysis.comparison` says how two
figures of a pair compare.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from firesteel.analysis.comparison import Comparison
from firesteel.analysis.rows import Result, Row, Rows
from firesteel.model.cell import IN_SOFTWARE
from firesteel.model.identity import Identity
from firesteel.model.partners import with_partners

Partner = Callable[[Identity], Identity | None]
"""What a row of that identity is compared with; None with nothing."""

Partners = Callable[[Identity], Iterable[Identity]]
"""What a figure of that identity may be compared with, the best first."""


@dataclass(frozen=True)
class Pair:
    """`other` is what is compared, `one` what it is compared with: software, the earlier run."""

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
        """Whether both have it."""
        return metric in self.one.results and metric in self.other.results

    def compared(self, metric: str) -> Comparison:
        """Both figures of a metric that both have."""
        one, other = self.one.results[metric], self.other.results[metric]
        return Comparison(metric, one.sample, other.sample)

    def comparisons(self, metrics: Iterable[str]) -> Iterator[Comparison]:
        """Of these metrics, as far as both have them."""
        return (self.compared(metric) for metric in metrics if self.has(metric))


def find(rows: Rows, partner: Partner, among: Rows | None = None) -> Iterator[Pair]:
    """Each row that has its partner in the same run, or `among` the rows of another."""
    others = rows if among is None else among
    for one, other in with_partners(rows, lambda row: partner(row.identity), others.by_identity):
        yield Pair(one, other)


def beside(
    results: Iterable[Result], partners: Partners, among: Rows
) -> Iterator[tuple[Result, Result | None]]:
    """Each figure with that of the first of its partners that has one, or with nothing; all of them
    in their order, also those of cells that one row has together.
    """
    for result in results:
        rows = (among.get(wanted) for wanted in partners(result.identity))
        found = (row.results[result.metric] for row in rows if row and result.metric in row.results)
        yield result, next(found, None)


def with_software(identity: Identity) -> Identity | None:
    """Anything other than software is compared with the fastest software of the same cell."""
    return None if identity.implementation in IN_SOFTWARE else identity.in_software


def with_itself(identity: Identity) -> Identity:
    """A row of one run is compared with the same of another."""
    return identity
