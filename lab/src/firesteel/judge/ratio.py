# SPDX-License-Identifier: Apache-2.0
"""How ratios and changes are written."""

from collections.abc import Iterable
from statistics import median

from firesteel.judge.intervals import Comparison
from firesteel.model import names
from firesteel.model.figure import CONVERGED

MISSING = "–"

UNCONVERGED = (
    f"{names.UNCONVERGED} marks a figure that has not converged: half of its 95 % interval is more "
    f"than {CONVERGED * 100:g} % of the figure. Limits ignore such figures."
)
"""Stated where there is such a figure."""


def comparison_texts(compared: Comparison) -> tuple[str, str]:
    """Both figures, marked where one has not converged."""
    one, other = (
        names.mark(converged=each.converged) + names.number(each.value, compared.metric)
        for each in (compared.one, compared.other)
    )
    return one, other


def ratio(number: float | None) -> str:
    """A ratio, with enough digits to distinguish it from 0."""
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
