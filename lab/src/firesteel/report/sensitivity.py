# SPDX-License-Identifier: Apache-2.0
"""How far assumptions may be off: a section with a line for each verdict, and tornados."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.analysis.robustness import Robustness, changes
from firesteel.analysis.sensitivity import (
    INTERPOLATED,
    MEASURES,
    Row,
    Sensitivity,
    Studied,
    Swing,
    by_width,
    range_text,
    ratio_of,
    standing,
    value_text,
)
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, ratio
from firesteel.analysis.verdict import Offload, Verdict
from firesteel.board.assumptions import ENDS
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.report.charts import Chart
from firesteel.report.offload import TONES
from firesteel.report.tornado import tornado_chart
from firesteel.workloads import titles

_STANDINGS: dict[str, Tone] = {"holds": "good", "changes": "mixed", "not known": "mixed"}


@dataclass(frozen=True)
class SensitivityPart:
    """What the section shows: every verdict, tornados, and everything folded."""

    summary: str
    verdicts: Sheet
    changes: Sheet | None
    interpolated: str
    chart: Chart | None
    assumptions: Sheet
    rows: Sheet


def names_of(pairs: Sequence[Offload]) -> dict[Identity, str]:
    """What rows are called; those that would be called alike, with what was measured."""
    called = {pair.identity: names.listed(pair.in_short, pair.at) for pair in pairs}
    counts = Counter(called.values())
    return {
        of: names.listed(name, titles.experiment(of.workload).lower()) if counts[name] > 1 else name
        for of, name in called.items()
    }


def sensitivity_part(found: Sensitivity, firm: Robustness) -> SensitivityPart:
    """The section."""
    return SensitivityPart(
        found.headline,
        _verdicts_sheet(firm),
        _changes_sheet(found),
        INTERPOLATED,
        tornado_chart(found),
        _assumptions_sheet(found),
        _rows_sheet(found),
    )


def _verdicts_sheet(firm: Robustness) -> Sheet:
    """A line for each verdict: whether it holds, and the change that needs the smallest factor."""
    called = names_of(firm.pairs)
    rows = []
    for pair in firm.pairs:
        whole_range, *change = _first_change(pair, firm.studied(pair))
        clock = [_there(pair, firm.on_other_clock(pair))] if firm.other else []
        offload = _verdict(pair.verdict)
        rows.append([called[pair.identity], whole_range, offload, *change, *clock])
    changes_at = ["changes first with", "at (the board’s own)", "to", "also with"]
    columns = ["whole range", "offload", *changes_at]
    clocks = [f"clock {firm.other.clock}"] if firm.other else []
    caption = "Verdicts that hold over the whole range of every assumption, and those that do not"
    return Sheet(caption, [*columns, *clocks], rows, head="row", wordy=frozenset({1, 2}))


def _first_change(pair: Offload, studied: Studied | None) -> list[Text]:
    """What becomes of a verdict, and where it changes first, if it does."""
    if studied is None:
        return [Mark("not studied", "mixed"), *[""] * 4]
    found = studied.standing_of(pair.verdict)
    mark = Mark(found, _STANDINGS.get(found, "plain"))
    if found != "changes":
        return [mark, *[""] * 4]
    (swing, flip), *more = changes(studied)
    others = {each.assumption for each, _ in more} - {swing.assumption}
    return [
        mark,
        studied.title_of(swing.assumption),
        f"{value_text(swing, flip.value)} ({value_text(swing, swing.nominal)})",
        _verdict(flip.verdict),
        f"{len(others)} other{'s' if len(others) > 1 else ''}" if others else "",
    ]


def _there(pair: Offload, other: Verdict | None) -> Text:
    """The verdict on the other clock, if it is another one."""
    if other is None:
        return MISSING
    return "the same" if other == pair.verdict else _verdict(other)


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
        for row, swing, flip in found.crossovers
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
