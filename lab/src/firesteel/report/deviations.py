# SPDX-License-Identifier: Apache-2.0
"""How far figures are from the published ones, whether they come in the same order, and why not."""

import re
from collections.abc import Iterable, Mapping, Sequence

from firesteel.analysis.compare import NEAR, Order
from firesteel.analysis.rows import Result
from firesteel.analysis.sheet import MISSING, Sheet, Text, result_text
from firesteel.model import names
from firesteel.replication.causes import Cause
from firesteel.replication.fidelity import LARGE


def large_deviations(comparison: Iterable[Result], causes: Sequence[Cause]) -> list[str]:
    """Why figures are far off: how many, by each cause, and how many have none."""
    large = [result for result in comparison if abs(result.deviation or 0) > LARGE]
    counts: dict[int | None, int] = {}
    for result in large:
        place = next((place for place, cause in enumerate(causes) if cause.fits(result)), None)
        counts[place] = counts.get(place, 0) + 1
    told = []
    for place, cause in enumerate(causes):
        if place in counts:
            text = f"{_figures(counts[place])}: {cause.reason} {_tested(cause)}"
            told.append(_plain(text))
    if None in counts:
        told.append(f"{_figures(counts[None])}: cause unknown.")
    return told


def _tested(cause: Cause) -> str:
    if cause.evidence == "published":
        return "This follows from the published figures."
    return (
        f"Tested by {cause.test}; docs/fidelity.md has the result." if cause.test else "Supposed."
    )


def _plain(markdown: str) -> str:
    """What is written as Markdown, without its marks and with links' words alone."""
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", markdown).replace("`", "")


def _figures(count: int) -> str:
    return f"{count} figure{'s' if count > 1 else ''}"


def deviation_sheet(comparison: Iterable[Result]) -> Sheet | None:
    """Every figure that has a published counterpart, the farthest off first."""
    paired = [(each, off) for each in comparison if (off := each.deviation) is not None]
    rows = [
        [
            each.label,
            f"{names.metric(each.metric)}, {each.at}",
            result_text(each),
            MISSING if each.published is None else names.number(each.published, each.metric),
            names.unit(each.unit),
            f"{off:+.0f} %",
            each.note,
        ]
        for each, off in sorted(paired, key=lambda pair: -abs(pair[1]))
    ]
    if not rows:
        return None
    columns = ("figure", "ours", "published", "unit", "deviation", "source")
    wordy = frozenset({0, 5})
    return Sheet("All figures with a published counterpart", columns, rows, wordy=wordy)


def orders_sheet(found: Mapping[str, Sequence[Order]]) -> Sheet | None:
    """How many pairs of configurations come in the published order, and which clearly do not, by
    board.
    """
    rows: list[list[Text]] = [
        [
            f"{names.metric(order.metric)}, {order.parameter}",
            *([board] if board else []),
            str(order.pairs - len(order.swapped)),
            str(order.pairs),
            _swapped(order),
        ]
        for board, those in found.items()
        for order in those
    ]
    if not rows:
        return None
    boards = ("board",) if len(rows[0]) > 4 else ()
    columns = (*boards, "in the published order", "pairs", "not, but")
    caption = "Order of the configurations"
    wordy = frozenset({len(columns) - 1})
    return Sheet(caption, columns, rows, head="metric", wordy=wordy)


def _swapped(order: Order) -> str:
    """The pairs the other way round here; those near each other are counted alone."""
    behind: dict[str, list[str]] = {}
    for first, second in order.clearly_swapped:
        behind.setdefault(first, []).append(second)
    told = [f"{first} before {' and before '.join(those)}" for first, those in behind.items()]
    near = len(order.swapped) - len(order.clearly_swapped)
    if near:
        told.append(f"{near}{' more' if told else ''} within {NEAR} % of each other")
    return "; ".join(told)


def orders_sentence(orders: Mapping[str, Sequence[Order]]) -> str:
    """The same in a sentence; nothing where there is no such pair."""
    found = [order for those in orders.values() for order in those]
    pairs = sum(order.pairs for order in found)
    if not pairs:
        return ""
    swapped = sum(len(order.swapped) for order in found)
    clearly = sum(len(order.clearly_swapped) for order in found)
    told = (
        f"Of {pairs} pairs of configurations, {pairs - swapped} come in the published order by "
        "throughput or latency"
    )
    if not swapped:
        return f"{told}."
    return (
        f"{told}; {swapped} do not: {swapped - clearly} lie within {NEAR} % of each other, here or "
        f"in the published figures, and {clearly} lie farther apart."
    )
