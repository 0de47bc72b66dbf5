# SPDX-License-Identifier: Apache-2.0
"""Hardware over software beside the published ratios."""

from collections.abc import Sequence

from firesteel.analysis.places import Places
from firesteel.analysis.sheet import MISSING, Sheet, Text, ratio
from firesteel.replication.ratios import Ratio, left_out, summaries


def ratios_sheet(found: Sequence[Ratio], places: Places) -> Sheet | None:
    """Every published pair with its ratio, ours and the published one."""
    rows = [
        [
            places.label(each.name, each.identity.place),
            each.kind,
            each.mark + ratio(each.ours),
            ratio(each.published),
            f"{round(each.deviation):+d} %",
            "yes" if each.same_direction else "no",
            " and ".join(each.fitted) or MISSING,
        ]
        for each in found
    ]
    if not rows:
        return None
    columns = ("ratio", "ours", "published", "deviation", "same direction", "fitted rows")
    return Sheet("Ratio of hardware to software, ours and published", columns, rows, head="pair")


def ratio_medians_sheet(found: Sequence[Ratio]) -> Sheet | None:
    """How near the ratios of each kind come to the published ones."""
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
