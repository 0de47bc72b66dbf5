# SPDX-License-Identifier: Apache-2.0
"""Hardware over software beside the published ratios."""

import polars as pl

from firesteel.analysis.boards import BOARD
from firesteel.analysis.sheet import MISSING, Sheet, Text, ratio
from firesteel.replication.ratios import Ratio, left_out, ratios, summaries


def ratios_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """Every published pair with its ratio, ours and the published one."""
    parts = _by_board(comparison)
    rows = [
        [
            f"{each.name} [{board}]" if len(parts) > 1 else each.name,
            each.kind,
            each.mark + ratio(each.ours),
            ratio(each.published),
            f"{round(each.deviation):+d} %",
            "yes" if each.same_direction else "no",
            " and ".join(each.fitted) or MISSING,
        ]
        for board, found in parts.items()
        for each in found
    ]
    if not rows:
        return None
    columns = ("ratio", "ours", "published", "deviation", "same direction", "fitted rows")
    return Sheet("Ratio of hardware to software, ours and published", columns, rows, head="pair")


def ratio_medians_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """How near the ratios of each kind come to the published ones."""
    found = [each for part in _by_board(comparison).values() for each in part]
    rows: list[list[Text]] = [
        [
            each.kind,
            str(each.pairs),
            _percent(each.median),
            str(each.predicted),
            _percent(each.median_predicted),
            f"{each.same_direction} of {each.pairs}",
        ]
        for each in summaries(found)
    ]
    if not rows:
        return None
    columns = ("pairs", "median deviation", "predicted", "median of predicted", "same direction")
    caption = "Deviation of the ratios from the published ones"
    if told := left_out(found):
        caption += f" ({told.rstrip('.')})"
    return Sheet(caption, columns, rows, head="ratio")


def _percent(median: float | None) -> str:
    return MISSING if median is None else f"{median:.0f} %"


def _by_board(comparison: pl.DataFrame) -> dict[str, list[Ratio]]:
    """The pairs of each board that has some."""
    parts = comparison.partition_by(BOARD, maintain_order=True)
    return {part[BOARD][0]: found for part in parts if (found := ratios(part))}
