# SPDX-License-Identifier: Apache-2.0
"""Rows of pairs of records, and how their verdicts become a decision (docs/advice.md).

Each row (one size, key or file) has the verdict that the report gives it (`analysis.verdict`).  All
rows decide together (`decide`); where they disagree, the sizes tell from which one on none loses
(`threshold`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.advice.records import Measured, RecordPair
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.results import spread_of
from firesteel.analysis.rows import Result, Rows, find, read_results, with_software
from firesteel.analysis.thresholds import break_even
from firesteel.analysis.verdict import DECIDING, METRICS, RowVerdict, Verdict, verdict
from firesteel.model.identity import Identity
from firesteel.table import samples_of

Decision = Literal["yes", "no", "no difference", "it depends"]

_BAD: tuple[Verdict, ...] = ("mixed", "loses")

FARTHEST = 2
"""How many times larger than the largest size that was measured, or smaller than the smallest, one
may be that these decide for."""


@dataclass(frozen=True)
class JudgedRow:
    """What was measured at one size, key or file; `judged` is None where nothing decides."""

    identity: Identity
    figures: tuple[Comparison, ...]
    judged: RowVerdict | None

    @property
    def experiment(self) -> str:
        """The workload's name."""
        return self.identity.workload

    @property
    def parameter(self) -> str:
        """The size, key or file, for people."""
        return self.identity.parameter.text

    @property
    def verdict(self) -> Verdict | None:
        """The report's."""
        return self.judged.verdict if self.judged else None

    @property
    def size(self) -> int | None:
        """Bytes of the packet, block or request; None where there is no such size."""
        return self.identity.parameter.size_bytes


def decide(rows: Iterable[JudgedRow]) -> Decision:
    """What all rows say together."""
    verdicts = {row.verdict for row in rows}
    helps, loses = "helps" in verdicts, "loses" in verdicts
    if "mixed" in verdicts or (helps and loses):
        return "it depends"
    if helps:
        return "yes"
    return "no" if loses else "no difference"


def nearest(rows: Sequence[JudgedRow], size: int) -> list[JudgedRow]:
    """The rows of the measured size that is nearest to `size` by ratio, of each experiment; of two
    as near, the smaller.  Rows without a size or a verdict are left out, and so is an experiment
    whose sizes all lie on one side and farther than `FARTHEST` times: nothing tells of such a size.
    """
    kept = []
    for experiment in dict.fromkeys(row.experiment for row in rows):
        mine = [row for row in rows if row.experiment == experiment and row.verdict]
        sizes = sorted({row.size for row in mine if row.size is not None})
        if sizes:
            if not sizes[0] / FARTHEST <= size <= sizes[-1] * FARTHEST:
                continue
            best = min(sizes, key=lambda each: abs(math.log(max(each, 1) / size)))
            kept += [row for row in mine if row.size == best]
    return kept


def ranges(rows: Iterable[JudgedRow]) -> dict[str, tuple[int, int]]:
    """The smallest and the largest size that was measured, of each experiment that has sizes."""
    sizes: dict[str, list[int]] = {}
    for row in rows:
        if row.verdict and row.size is not None:
            sizes.setdefault(row.experiment, []).append(row.size)
    return {name: (min(each), max(each)) for name, each in sizes.items()}


def threshold(rows: Sequence[JudgedRow]) -> tuple[str, str] | None:
    """The smallest size, as its parameter has it, from which on no row loses or is mixed and some
    help, and the next smaller size that was measured, at which one does; None when there is none,
    or when something without a size does.
    """
    if any(row.verdict in _BAD and row.size is None for row in rows):
        return None
    sizes = sorted({row.size for row in rows if row.size is not None})
    least = below = None
    for size in reversed(sizes):
        if any(row.verdict in _BAD for row in rows if row.size == size):
            below = size
            break
        least = size
    if (
        least is None
        or below is None
        or decide(row for row in rows if (row.size or 0) >= least) != "yes"
    ):
        return None
    told = {row.size: row.identity.parameter.size_text for row in rows}
    return told[least], told[below]


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


def parts_of(pairs: Sequence[RecordPair], is_there: Callable[[RecordPair], bool]) -> list[Part]:
    """What was measured there, the newest first, each experiment once."""
    parts: list[Part] = []
    for alike in but_for_seed(pairs):
        if is_there(alike[0]):
            known = {name for part in parts for name in part.experiments}
            rows = tuple(row for row in judged_rows(alike) if row.experiment not in known)
            parts += [Part(alike, rows)] if rows else []
    return parts


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
