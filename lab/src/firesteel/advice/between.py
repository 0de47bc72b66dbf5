# SPDX-License-Identifier: Apache-2.0
"""Rows of a board that was not measured, interpolated between boards that were.

The logarithm of each figure and of each ratio is taken to be linear in the logarithms of the
numbers in which the boards differ, as for values at which verdicts change (`sensitivity.flips`);
what figures do otherwise between measured boards is not seen.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from firesteel.advice.decision import Decision, JudgedRow, decide
from firesteel.advice.records import Place
from firesteel.analysis.comparison import Comparison
from firesteel.analysis.noise import Sample
from firesteel.analysis.verdict import RowVerdict, Verdict
from firesteel.model.identity import Identity
from firesteel.store.differences import Difference


@dataclass(frozen=True)
class Neighbour:
    """A measured board, what it weighs, what is otherwise on the one in question (before as this
    one has it, after as that has it), and its rows.
    """

    place: Place
    weight: float
    differences: tuple[Difference, ...]
    rows: tuple[JudgedRow, ...]

    def row(self, identity: Identity) -> JudgedRow | None:
        """Its row of the same configuration."""
        wanted = identity.anywhere
        return next((row for row in self.rows if row.identity.anywhere == wanted), None)


@dataclass(frozen=True)
class Span:
    """What the measured boards around have of a row: the ends of both ratios, as far as the rule
    counts differences, and all verdicts.
    """

    speed: tuple[float, float]
    work: tuple[float, float]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Between:
    """The measured boards around one that was not."""

    neighbours: tuple[Neighbour, ...]

    def rows(self, place: Place) -> Iterator[JudgedRow]:
        """The rows that all neighbours have, and that say something of their boards, as they would
        be there.
        """
        for first in self.neighbours[0].rows:
            same = self._same(first.identity)
            if len(same) == len(self.neighbours) and all(map(_says_something, same)):
                identity = replace(
                    first.identity, board=place.profile, topology=place.topology, link=place.link
                )
                yield self._row(identity, same)

    def span(self, row: JudgedRow) -> Span:
        """Over which range the row is known."""
        judged = [each.judged for each in self._same(row.identity) if each.judged]
        speeds, works = zip(*(each.counted for each in judged), strict=True)
        verdicts = dict.fromkeys(each.verdict for each in judged)
        return Span((min(speeds), max(speeds)), (min(works), max(works)), tuple(verdicts))

    def answers(self, rows: Iterable[JudgedRow]) -> list[Decision]:
        """What these rows say together on each of the neighbours."""
        wanted = [row.identity for row in rows]
        return [
            decide(filter(None, (neighbour.row(identity) for identity in wanted)))
            for neighbour in self.neighbours
        ]

    def _same(self, identity: Identity) -> list[JudgedRow]:
        return list(filter(None, (each.row(identity) for each in self.neighbours)))

    def _row(self, identity: Identity, same: Sequence[JudgedRow]) -> JudgedRow:
        metrics = [figure.metric for figure in same[0].figures]
        by_metric = [{figure.metric: figure for figure in row.figures} for row in same]
        figures = tuple(
            self._figure([each[metric] for each in by_metric])
            for metric in metrics
            if all(metric in each for each in by_metric)
        )
        return JudgedRow(
            identity, figures, self._judged([row.judged for row in same if row.judged])
        )

    def _figure(self, figures: Sequence[Comparison]) -> Comparison:
        one = self._sample([figure.one for figure in figures])
        return Comparison(
            figures[0].metric, one, self._sample([figure.other for figure in figures])
        )

    def _sample(self, samples: Sequence[Sample]) -> Sample:
        value = self._mean([sample.value for sample in samples])
        converged = all(sample.converged for sample in samples)
        return Sample(((1, value),), converged=converged)

    def _judged(self, judged: Sequence[RowVerdict]) -> RowVerdict:
        """By the rule of a row, applied to what it would count."""
        counted = [each.counted for each in judged]
        shares = [each.offloaded for each in judged if each.offloaded is not None]
        first = judged[0]
        return RowVerdict(
            first.metric,
            speed=self._mean([speed for speed, _ in counted]) if first.speed else None,
            work=None if first.work is None else self._mean([work for _, work in counted]),
            work_by=first.work_by,
            offloaded=self._linear(shares) if len(shares) == len(judged) else None,
            speed_converged=all(each.speed_converged for each in judged),
            work_converged=all(each.work_converged for each in judged),
        )

    def _mean(self, values: Sequence[float]) -> float:
        """By logarithms; of what may be nothing, by the values themselves."""
        if min(values) <= 0:
            return self._linear(values)
        return math.exp(self._linear([math.log(value) for value in values]))

    def _linear(self, values: Sequence[float]) -> float:
        pairs = zip(values, self.neighbours, strict=True)
        return math.fsum(value * neighbour.weight for value, neighbour in pairs)


def _says_something(row: JudgedRow) -> bool:
    return row.judged is not None and not row.judged.peer_limited
