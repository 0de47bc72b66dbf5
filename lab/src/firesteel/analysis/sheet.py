# SPDX-License-Identifier: Apache-2.0
"""A table as the report sets it: texts, ready to be shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from firesteel.analysis.intervals import Comparison
from firesteel.model import names
from firesteel.model.figure import CONVERGED

Tone = Literal["good", "plain", "mixed", "bad"]

MISSING = "–"

UNCONVERGED = (
    f"{names.UNCONVERGED} marks a figure that has not converged: half of its 95 % interval is more "
    f"than {CONVERGED * 100:g} % of the figure. Limits ignore it."
)
"""Stated where there is such a figure."""

OPEN_ROWS = 30
"""Rows above which a table is folded."""


@dataclass(frozen=True)
class Mark:
    """A text that says how something stands; its tone is its colour, never all that tells it."""

    text: str
    tone: Tone = "plain"


Text = str | Mark


@dataclass(frozen=True)
class Sheet:
    """A table; the first column, `head`, names the row.

    `groups` spans heads over columns.  `wordy` are the columns that hold sentences and not numbers.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    groups: Sequence[tuple[str, int]] = ()
    head: str = "configuration"
    wordy: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        """A head that spans too few columns would name the wrong ones."""
        spanned = sum(span for _, span in self.groups)
        if self.groups and spanned != len(self.columns):
            raise ValueError(f"{self.caption}: heads span {spanned} of {len(self.columns)} columns")

    @property
    def is_long(self) -> bool:
        """Whether it is better folded."""
        return len(self.rows) > OPEN_ROWS


def comparison_texts(compared: Comparison) -> tuple[str, str]:
    """Both figures, marked where one has not converged."""
    one, other = (
        names.mark(converged=each.converged) + names.number(each.value, compared.metric)
        for each in (compared.one, compared.other)
    )
    return one, other


def ratio(number: float | None) -> str:
    """A ratio, with as many digits as it takes to tell it from none at all."""
    if number is None:
        return MISSING
    return f"{number:.{1 if number >= 10 else 2 if number >= 0.1 else 3}f}"


def ratio_range(numbers: Iterable[tuple[float | None, bool]], median_too: bool = False) -> str:
    """The range of ratios that have converged, each with whether it has: `1.02–5.60`, or with their
    median before it, `1.35 (1.02–5.60)`.  Where none has, the median of all, marked.
    """
    there = [(number, converged) for number, converged in numbers if number is not None]
    if not there:
        return MISSING
    sure = sorted(number for number, converged in there if converged)
    if not sure:
        return f"{names.UNCONVERGED}{ratio(median(number for number, _ in there))}"
    low, high = ratio(sure[0]), ratio(sure[-1])
    if low == high:
        return low
    span = f"{low}\N{EN DASH}{high}"
    return f"{ratio(median(sure))} ({span})" if median_too else span
