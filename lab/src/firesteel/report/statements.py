# SPDX-License-Identifier: Apache-2.0
"""What the sources say besides their tables: each statement with ours beside it, or the reason."""

from collections.abc import Iterable
from dataclasses import replace

from firesteel.analysis.pairs import with_software
from firesteel.analysis.published import read_published
from firesteel.analysis.rows import Result, Rows
from firesteel.analysis.sheet import MISSING, Sheet, Text
from firesteel.analysis.study import Statement, Study, load_studies
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.replication.counterparts import NOT_MEASURED, is_of_a_table
from firesteel.workloads import titles
from firesteel.workloads.read import parameter_of


def statements_sheet(results: Iterable[Result]) -> Sheet | None:
    """All published rows that are of no table, in their order."""
    studies = load_studies()
    ours = Rows(results, first=True)
    by_name = {study.name: study for study in studies}
    rows = [
        _row(row, ours, by_name[row["source"]])
        for row in read_published()
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
    return [each for each in study.statements if each.is_of(row)]


def _what(row: dict[str, str]) -> str:
    name = titles.configuration(row["protocol"], row["cipher"] or "none", row["mac"] or "none")
    protocol = name.partition(" none:none")[0]
    return ", ".join(filter(None, (protocol, names.metric(row["metric"]), row["parameter"])))


def _computed(ours: Rows, statement: Statement) -> str | None:
    """What the statement says of ours; None where that was not measured."""
    (metric,) = statement.figure.metric or ("",)
    for row in ours:
        if metric not in row.results or not statement.chooses(row.identity.columns(metric)):
            continue
        figure = row.results[metric].value
        if statement.form == "value":
            return statement.computed(figure, figure)
        wanted = _other(row.identity, statement)
        other = ours.get(wanted) if wanted else None
        if other and metric in other.results:
            one = other.results[metric].value
            return statement.computed(one, figure) if one and figure else None
    return None


def _other(identity: Identity, statement: Statement) -> Identity | None:
    """What the statement compares a figure with."""
    versus = statement.versus
    if versus is None:
        return with_software(identity) if identity.implementation == "hardware" else None
    changes = versus.changes
    workload = changes.pop("experiment", identity.workload)
    text = changes.pop("parameter", None)
    parameter = identity.parameter if text is None else parameter_of(workload, text)
    other = replace(identity, workload=workload, parameter=parameter, **changes)
    alike = other.implementation == identity.implementation
    return other if alike else replace(other, completion="")
