# SPDX-License-Identifier: Apache-2.0
"""The experiment's limits, as a table."""

from collections.abc import Sequence

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.sheet import Mark, Sheet, Text, Tone
from firesteel.analysis.thresholds import COLUMNS, Outcome, texts, title

_TONES: dict[str, Tone] = {
    "met": "good",
    "missed": "bad",
    "not converged": "mixed",
    "not measured": "mixed",
    PEER_LIMITED: "mixed",
}


def limits_sheet(found: Sequence[Outcome]) -> Sheet | None:
    """What the experiment's limits are, and whether they are met; the missed ones first."""
    order = {"missed": 0, "not converged": 1, "not measured": 2, PEER_LIMITED: 2}
    rows: list[list[Text]] = []
    for outcome in sorted(found, key=lambda outcome: order.get(outcome.verdict, 3)):
        called = title(outcome)
        what, *cells, verdict = texts(outcome)
        tone = _TONES.get(outcome.verdict, "plain")
        said = f"{verdict}: {outcome.note}" if outcome.note else verdict
        rows.append([called, what, *cells, Mark(said, tone)])
    columns = ("metric", *COLUMNS)
    wordy = frozenset({0, len(columns) - 1})
    return Sheet("Limits", columns, rows, wordy=wordy) if rows else None
