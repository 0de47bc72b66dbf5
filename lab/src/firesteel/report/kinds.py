# SPDX-License-Identifier: Apache-2.0
"""The answer's table: a row for each kind of traffic."""

from firesteel.advice.answer import Answer, Kind, speeds_of, works_of
from firesteel.analysis.robustness import Robustness
from firesteel.analysis.sheet import Mark, Sheet, Text
from firesteel.analysis.verdict import Verdict
from firesteel.report.offload import TONES

_SHOWN: tuple[Verdict, ...] = ("helps", "loses", "mixed", "left to software", "makes no difference")
"""In the order of a table that is cut off at its right on a phone."""


def kinds_sheet(answer: Answer, firm: Robustness | None = None) -> Sheet | None:
    """How many rows of each kind have each verdict, how many verdicts are firm where that was
    studied, and how large the ratios are.
    """
    studied = firm if firm and firm.is_studied else None
    rows: list[list[Text]] = [
        [
            kind.name,
            *([f"{studied.count(kind.pairs)} of {len(kind.pairs)}"] if studied else []),
            *(_count(kind, verdict) for verdict in _SHOWN),
            speeds_of(kind),
            works_of(kind),
        ]
        for kind in answer.kinds
    ]
    firm_columns = ("firm",) if studied else ()
    columns = (*firm_columns, *_SHOWN, "median (range)", "median (range)")
    groups = (
        *((("verdicts", 1),) if studied else ()),
        ("rows in which offload", len(_SHOWN)),
        ("speed, × software", 1),
        ("CPU work, × software", 1),
    )
    caption = "Hardware versus software, by kind of traffic"
    return Sheet(caption, columns, rows, groups, head="traffic") if rows else None


def _count(kind: Kind, verdict: Verdict) -> Mark:
    count = kind.count(verdict)
    return Mark(str(count), TONES.get(verdict, "plain") if count else "plain")
