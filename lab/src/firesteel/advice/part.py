# SPDX-License-Identifier: Apache-2.0
"""Figures that advice rests on: the rows of pairs of records, judged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firesteel.advice.decision import JudgedRow
from firesteel.advice.records import Measured, RecordPair
from firesteel.analysis.breakeven import break_even
from firesteel.analysis.pairs import find, with_software
from firesteel.analysis.results import spread_of
from firesteel.analysis.rows import Result, Rows, read_results
from firesteel.analysis.verdict import DECIDING, METRICS, verdict
from firesteel.table import samples_of


@dataclass(frozen=True)
class Part:
    """Figures of one pair of records, or of one a seed; an experiment is in one part alone."""

    pairs: tuple[RecordPair, ...]
    rows: tuple[JudgedRow, ...]

    @property
    def break_evens(self) -> list[str]:
        """From which size on hardware costs less, a sentence each."""
        records = [each.record for pair in self.pairs for each in (pair.software, pair.hardware)]
        results = read_results(spread_of(samples_of(records)))
        mine = [each for each in results if each.identity.workload in self.experiments]
        return [found.sentence for found in break_even(mine)]

    @property
    def experiments(self) -> list[str]:
        """In the order of the records."""
        return list(dict.fromkeys(row.experiment for row in self.rows))


def but_for_seed(pairs: Sequence[RecordPair]) -> list[tuple[RecordPair, ...]]:
    """Pairs that differ in their seed alone together, by seed."""
    groups: dict[tuple[str, ...], dict[int, RecordPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.but_for_seed, {}).setdefault(pair.cell.seed, pair)
    return [tuple(by_seed[seed] for seed in sorted(by_seed)) for by_seed in groups.values()]


def judged_rows(pairs: Sequence[RecordPair]) -> Iterator[JudgedRow]:
    """A row a parameter, of the figures that all records have, in the order of the first."""
    hardware = _results(pair.hardware for pair in pairs)
    others = _results(pair.software for pair in pairs)
    clear = _results(pair.clear for pair in pairs if pair.clear)
    rows = Rows([*hardware, *others, *clear])
    for pair in find(rows, with_software):
        # In the order in which hardware has them.
        figures = tuple(pair.comparisons(name for name in pair.other.results if name in DECIDING))
        if figures:
            judged = verdict(pair, rows.get(pair.identity.clear))
            yield JudgedRow(pair.identity, figures, judged)


def _results(measured: Iterable[Measured]) -> list[Result]:
    """What the seeds say of the figures that all of them have, of those that a row is judged by."""
    records = [each.record for each in measured]
    results = read_results(spread_of(samples_of(records)), METRICS)
    return [each for each in results if each.sample.seeds == len(records)]
