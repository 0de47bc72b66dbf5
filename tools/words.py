# SPDX-License-Identifier: Apache-2.0
"""Figures in sentences: amounts, and how many rows gain."""

from collections.abc import Sequence

from firesteel.analysis.rows import Result
from firesteel.analysis.verdict import Offload
from firesteel.model import names
from firesteel.model.names import all_of

_LARGE = 1000
"""From here on a figure has no decimals, and its digits are in groups."""

_DIGITS = 3
"""Those of a figure that has not converged."""


def amounts(results: Sequence[Result]) -> str:
    """Figures without their unit; before those that have not converged stands `about`, once where
    that goes for all.
    """
    if any(each.converged for each in results):
        about = ("" if each.converged else "about " for each in results)
        return all_of([f"{word}{_number(each)}" for word, each in zip(about, results, strict=True)])
    return f"about {all_of([_number(each) for each in results])}"


def gains(pairs: Sequence[Offload], where: str = "") -> str:
    """How many rows gain and lose: `5 of 6 rows gain and none loses`; `where` is behind `rows`."""
    verdicts = [pair.verdict for pair in pairs]
    total, helped, lost = len(verdicts), verdicts.count("helps"), verdicts.count("loses")
    rows = f"{total} {'row' if total == 1 else 'rows'}{where}"
    if helped == total:
        return f"all {rows} gain" if total > 1 else f"the {rows} gains"
    gain = f"{helped or 'none'} of {rows} gain{'' if helped > 1 else 's'}"
    lose = "none loses" if not lost else "1 loses" if lost == 1 else f"{lost} lose"
    return f"{gain} and {lose}"


def _number(result: Result) -> str:
    if not result.converged:
        return f"{float(f'{result.value:.{_DIGITS}g}'):,.10g}"
    large = result.value >= _LARGE
    return f"{result.value:,.0f}" if large else names.number(result.value, result.metric)
