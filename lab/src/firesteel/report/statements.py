# SPDX-License-Identifier: Apache-2.0
"""The report's section of a study: each of its statements with our verdict, then figures of ours as
the study numbers those that it has as images alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone
from firesteel.analysis.study import Layout, Study
from firesteel.model import names
from firesteel.replication.statements import Answer, Verdict, answered, summary
from firesteel.workloads import titles

_TONES: dict[Verdict, Tone] = {
    "confirmed": "good",
    "not confirmed": "mixed",
    "not measured": "plain",
}


@dataclass(frozen=True)
class StudyPart:
    """A study of which a run has something to say: `name` is its section's address in the page."""

    name: str
    study: Study
    summary: str
    statements: Sheet
    figures: Sequence[Sheet]

    @property
    def title(self) -> str:
        """The section's title."""
        return f"Statements of {self.study.cite}"


def study_parts(results: Results, places: Places, *, everywhere: bool = False) -> list[StudyPart]:
    """The studies of which figures say something, in the order of their names."""
    return [
        StudyPart(
            name=f"study-{name}",
            study=those[0].study,
            summary=summary(those),
            statements=statements_sheet(those[0].study, those),
            figures=figure_sheets(those[0].study, results.means, places),
        )
        for name, those in answered(results, everywhere=everywhere).items()
    ]


def statements_sheet(study: Study, those: Iterable[Answer]) -> Sheet:
    """All statements of a study."""
    columns = ("published", "ours", "verdict", "where", "remark")
    rows: list[list[Text]] = [
        [
            each.said,
            each.with_unit(each.published),
            each.with_unit(each.ours),
            Mark(each.verdict, _TONES[each.verdict]),
            each.where,
            each.why.replace("`", ""),
        ]
        for each in those
    ]
    wordy = frozenset({3, 4})
    return Sheet(f"Statements of {study.cite}", columns, rows, head="statement", wordy=wordy)


def figure_sheets(study: Study, results: Sequence[Result], places: Places) -> list[Sheet]:
    """Our figures in the layout of those that the study has as images; none that a run has not."""
    sheets = (_figure_sheet(study, layout, results, places) for layout in study.tables)
    return [sheet for sheet in sheets if sheet]


def _figure_sheet(
    study: Study, layout: Layout, results: Sequence[Result], places: Places
) -> Sheet | None:
    if not layout.ours:
        return None
    chooses = study.chooser(layout.ours)
    chosen = [each for each in results if chooses(each.identity, each.metric)]
    if not chosen:
        return None
    heads = list(dict.fromkeys(each.at for each in chosen))
    rows: list[list[Text]] = []
    for label, those in grouped(chosen, lambda each: _label(each, places)).items():
        by_head = {each.at: each.text for each in those}
        rows.append([label, *(by_head.get(head, MISSING) for head in heads)])
    metric = names.quantity(chosen[0].metric)
    caption = f"{layout.kind.capitalize()} {layout.number}: {layout.title}; ours, {metric}"
    return Sheet(caption, [head or metric for head in heads], rows)


def _label(result: Result, places: Places) -> str:
    """What a row is of: its series where a figure has several, and what was measured."""
    series = titles.experiment(result.identity.workload)
    return f"{series}, {places.told_in_full(result)}"
