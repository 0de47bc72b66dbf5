# SPDX-License-Identifier: Apache-2.0
"""What the sources say besides their tables: each statement with ours beside it, or the reason."""

from collections.abc import Iterable
from pathlib import Path

from firesteel.analysis.pairs import find, with_software
from firesteel.analysis.published import read_published
from firesteel.analysis.rows import Result, Rows
from firesteel.analysis.sheet import MISSING, Sheet, Text
from firesteel.analysis.study import STUDIES, Statement, Study, load_studies
from firesteel.model import names
from firesteel.replication.counterparts import NOT_MEASURED, is_of_a_table
from firesteel.workloads import titles


def statements_sheet(results: Iterable[Result], directory: Path = STUDIES) -> Sheet | None:
    """All published rows that are of no table, in their order."""
    studies = load_studies(directory)
    ours = Rows(results, first=True)
    by_name = {study.name: study for study in studies}
    rows = [
        _row(row, ours, by_name[row["source"]])
        for row in read_published(directory)
        if not is_of_a_table(row["source"], row["table"], studies)
    ]
    columns = ("published", "ours", "unit", "where", "remark")
    wordy = frozenset({3, 4})
    caption = "Other statements of the sources"
    return Sheet(caption, columns, rows, head="statement", wordy=wordy) if rows else None


def _row(row: dict[str, str], rows: Rows, study: Study) -> list[Text]:
    ours = next((_computed(rows, each) for each in _stated(study, row)), None)
    remark = row["note"]
    if ours is None:
        reasons = [each.why for each in study.unmeasured if each.table == row["table"]]
        remark = reasons[0].replace("`", "") if reasons else NOT_MEASURED
    return [
        _what(row),
        row["value"],
        ours or MISSING,
        names.unit(row["unit"]),
        f"{row['source']} {row['table']}",
        remark,
    ]


def _stated(study: Study, row: dict[str, str]) -> list[Statement]:
    """How a row of the study follows from figures of ours, if it does."""
    of = (row["protocol"], row["metric"])
    return [each for each in study.statements if (each.protocol, each.metric) == of]


def _what(row: dict[str, str]) -> str:
    name = titles.configuration(row["protocol"], row["cipher"] or "none", row["mac"] or "none")
    protocol = name.partition(" none:none")[0]
    return ", ".join(filter(None, (protocol, names.metric(row["metric"]), row["parameter"])))


def _computed(ours: Rows, statement: Statement) -> str | None:
    wanted = {"protocol": statement.protocol, **statement.figure}
    metric = wanted.pop("metric")
    for pair in find(ours, with_software):
        identity = pair.identity
        columns = identity.columns(metric)
        of_it = all(columns[key] == value for key, value in wanted.items())
        if of_it and identity.implementation == "hardware" and pair.has(metric):
            both = pair.compared(metric)
            return statement.computed(both.one.value, both.other.value) if both.ratio else None
    return None
