# SPDX-License-Identifier: Apache-2.0
"""How the verdicts of rows become a decision; docs/advice.md has it in words.

1. Each row (one size, key or file) has the verdict that the report gives it (`analysis.verdict`).
2. All rows decide together (`decide`).
3. Where they disagree, the sizes tell from which one on none loses (`threshold`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.analysis.comparison import Comparison
from firesteel.analysis.verdict import RowVerdict, Verdict
from firesteel.model.identity import Identity

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
