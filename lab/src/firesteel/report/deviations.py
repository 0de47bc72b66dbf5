# SPDX-License-Identifier: Apache-2.0
"""How far figures are from the published ones, whether they come in the same order, and why not."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from firesteel.analysis.compare import NEAR, Order
from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result
from firesteel.analysis.sheet import MISSING, Sheet, Text
from firesteel.model import names
from firesteel.replication.causes import LARGE, Cause, Reasons, cause_of


def large_deviations(comparison: Iterable[Result], reasons: Sequence[Reasons]) -> list[str]:
    """Why figures are far off: how many, by each cause, and how many have none."""
    large = [result for result in comparison if abs(result.deviation or 0) > LARGE]
    told = []
    for each in reasons:
        its = [result for result in large if result.source == each.source]
        counts = Counter(id(cause_of(result, each.causes)) for result in its)
        for cause in each.causes:
            if count := counts[id(cause)]:
                told.append(_plain(f"{_figures(count)}: {cause.why} {_tested(cause, each.page)}"))
    causes = {each.source: each.causes for each in reasons}
    unknown = sum(cause_of(result, causes.get(result.source, ())) is None for result in large)
    if unknown:
        told.append(f"{_figures(unknown)}: cause unknown.")
    return told


def _tested(cause: Cause, page: str) -> str:
    if cause.evidence == "published":
        return "This follows from the published figures."
    if not cause.tested_by:
        return "Supposed."
    return f"Tested by {cause.tested_by}" + (f"; {page} has the result." if page else ".")


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
            each.text,
            each.published_text or MISSING,
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


def orders_sheet(found: Sequence[Order], places: Places) -> Sheet | None:
    """How many pairs of configurations come in the published order, and which clearly do not, by
    place.
    """
    rows: list[list[Text]] = [
        [
            f"{names.metric(order.metric)}, {order.parameter}",
            *filter(None, [places.name(order.place)]),
            str(order.pairs - len(order.swapped)),
            str(order.pairs),
            _swapped(order),
        ]
        for order in found
    ]
    if not rows:
        return None
    where = (("place" if len(places.told) > 1 else "board"),) if len(rows[0]) > 4 else ()
    columns = (*where, "in the published order", "pairs", "not, but")
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


def orders_sentence(found: Sequence[Order]) -> str:
    """The same in a sentence; nothing where there is no such pair."""
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
