# SPDX-License-Identifier: Apache-2.0
"""Where the published hardware was worse than its own software, as a table."""

from collections.abc import Sequence

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, change
from firesteel.model import names
from firesteel.replication.regressions import Regression, State

_TONES: dict[State, Tone] = {"better": "good", "worse": "bad"}


def regressions_sheet(found: Sequence[Regression]) -> Sheet | None:
    """Published software and hardware, ours, and how both changed."""
    rows: list[list[Text]] = []
    for regression in found:
        metric = regression.metric
        published, ours = _figures(regression.published), _figures(regression.ours)
        what = names.quantity(metric, regression.of.result.identity.parameter.text)
        rows.append(
            [
                regression.label,
                Mark(_said(regression), _TONES.get(regression.state, "plain")),
                *(what, *published, *ours),
            ]
        )
    columns = ("hardware here", "figure", *("software", "hardware", "change") * 2)
    groups = (("", 2), ("published", 3), ("ours", 3))
    caption = "Figures in which the published hardware was worse than its software"
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0, 1})) if rows else None


def _figures(compared: Comparison | None) -> list[str]:
    """Software, hardware, and how far that is from it."""
    if compared is None:
        return [MISSING] * 3
    values = [each.value for each in (compared.one, compared.other)]
    texts = [names.number(value, compared.metric) for value in values]
    return [*texts, change(values[1], values[0])]


def _said(regression: Regression) -> str:
    if regression.pair and regression.pair.judged.peer_limited:
        return PEER_LIMITED
    if regression.state == "missing":
        return regression.reason or MISSING
    said = {
        "better": "better than software",
        "equal": "equal to software",
        "worse": "still worse than software",
    }[regression.state]
    return f"{said} ({regression.remark})" if regression.remark else said
