# SPDX-License-Identifier: Apache-2.0
"""How far assumptions may be off: a sentence for the answer, and a section with tornados."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.offload import Offload
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, ratio
from firesteel.board.assumptions import ENDS
from firesteel.model import names
from firesteel.report.charts import Chart
from firesteel.report.offload import TONES
from firesteel.report.tornado import tornado_chart
from firesteel.sensitivity.flips import MEASURES, by_width, ratio_of, standing
from firesteel.sensitivity.study import Row, Swing
from firesteel.sensitivity.summary import INTERPOLATED, Sensitivity, range_text, value_text

_STANDINGS: dict[str, Tone] = {"changes": "mixed", "not known": "mixed"}


@dataclass(frozen=True)
class SensitivityPart:
    """What the section shows: the verdicts that change, tornados, and everything folded."""

    summary: str
    changes: Sheet | None
    interpolated: str
    chart: Chart | None
    assumptions: Sheet
    rows: Sheet


def of_pairs(found: Sensitivity | None, pairs: Sequence[Offload]) -> Sensitivity | None:
    """What is known of these pairs' verdicts, each called as here; None if that is nothing."""
    called = {pair.identity: names.listed(pair.in_short, pair.at) for pair in pairs}
    rows = tuple(
        row.model_copy(update={"name": called[row.identity]})
        for row in (found.rows if found else ())
        if row.identity in called
    )
    return replace(found, rows=rows) if found and rows else None


def sensitivity_sentence(found: Sensitivity | None, pairs: Sequence[Offload]) -> str:
    """How many verdicts hold over the whole range of every assumption, or that nobody looked;
    nothing where there is no verdict.
    """
    judged = [pair for pair in pairs if not pair.judged.peer_limited]
    if not judged:
        return ""
    if found is None:
        return (
            "How far assumptions about the board may be off before a verdict changes was not "
            "studied (firesteel sensitivity)."
        )
    left = len(judged) - len(found.judged)
    more = f" {left} other verdict{'s were' if left > 1 else ' was'} not studied." if left else ""
    return f"Sensitivity: {found.sentence}{more}"


def sensitivity_part(found: Sensitivity) -> SensitivityPart:
    """The section."""
    return SensitivityPart(
        found.sentence,
        _changes_sheet(found),
        INTERPOLATED,
        tornado_chart(found),
        _assumptions_sheet(found),
        _rows_sheet(found),
    )


def _changes_sheet(found: Sensitivity) -> Sheet | None:
    rows: list[list[Text]] = [
        [
            row.name,
            _verdict(row.nominal.verdict),
            found.title_of(swing.assumption),
            value_text(swing, flip.value),
            value_text(swing, swing.nominal),
            range_text(swing),
            _verdict(flip.verdict),
        ]
        for row, swing, flip in found.flips
    ]
    columns = ("verdict", "assumption", "changes at", "the board has", "range", "to")
    caption = "Verdicts that change, with the value from which on another one is given"
    return Sheet(caption, columns, rows, head="row", wordy=frozenset({0, 1, 5})) if rows else None


def _assumptions_sheet(found: Sensitivity) -> Sheet:
    """What varied, in which range, and why; the range is that of the first board that has it."""
    swings: dict[str, Swing] = {}
    for row in found.rows:
        for swing in row.swings:
            swings.setdefault(swing.assumption, swing)
    rows: list[list[Text]] = [
        [
            each.title,
            value_text(swing, swing.nominal),
            range_text(swing),
            " ".join(each.why.split()),
        ]
        for each in found.assumptions
        for swing in (swings.get(each.name),)
        if swing
    ]
    columns = ("the board has", "range", "why")
    return Sheet("Assumptions", columns, rows, head="assumption", wordy=frozenset({2}))


def _rows_sheet(found: Sensitivity) -> Sheet:
    rows: list[list[Text]] = [
        [
            row.name,
            found.title_of(swing.assumption),
            *(value_text(swing, swing.at(end).value) for end in ENDS),
            *_ratios(row, swing),
            Mark(said := standing(row, swing), _STANDINGS.get(said, "plain")),
        ]
        for row in found.rows
        for swing in by_width(row)
    ]
    columns = ("assumption", *ENDS, *("low", "own", "high") * len(MEASURES), "verdict")
    groups = (("", 1), ("range", 2), *((measure, 3) for measure in MEASURES), ("", 1))
    caption = "Every row and assumption: ratios at both ends and with the board's own number"
    return Sheet(caption, columns, rows, groups, head="row", wordy=frozenset({0}))


def _ratios(row: Row, swing: Swing) -> list[str]:
    points = (swing.low.point, row.nominal, swing.high.point)
    return [
        ratio(ratio_of(point, measure)) if point else MISSING
        for measure in MEASURES
        for point in points
    ]


def _verdict(verdict: str) -> Mark:
    return Mark(verdict, TONES.get(verdict, "plain"))
