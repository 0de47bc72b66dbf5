# SPDX-License-Identifier: Apache-2.0
"""Other people's figures, one a row: `published/NAME/figures.csv` of each `analysis.study`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from firesteel.analysis.noise import Sample
from firesteel.analysis.rows import Published, Result
from firesteel.analysis.statement import RowOf, Statement
from firesteel.analysis.study import Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.base.tidy import read_lines
from firesteel.model.identity import Identity
from firesteel.model.place import Place
from firesteel.table import FIGURE_COLUMNS
from firesteel.workloads.read import parameter_of

_COLUMNS = ("table", *FIGURE_COLUMNS, "note")


def read_published(directory: Path | None = None) -> list[dict[str, str]]:
    """All published rows as text, by column, with the study's name as `source`: some state a bound
    or a range in words.

    Raises `FiresteelError` when a file is not there or has other columns.
    """
    return [row for study in load_studies(directory) for row in rows_of(study)]


def rows_of(study: Study) -> list[dict[str, str]]:
    """Those of one study; `FiresteelError` when `study.toml` names a table that has none."""
    path = study.folder / "figures.csv"
    rows = _read(path)
    known = dict.fromkeys(row["table"] for row in rows)
    named = (
        *(layout.number for layout in study.tables if not layout.ours),
        *(table for each in study.stands_for for table in each.tables or ()),
    )
    for table in named:
        if table not in known:
            raise FiresteelError(
                f"{study.folder / 'study.toml'}: no row of {path.name} is of table `{table}`; "
                f"there are: {', '.join(known)}."
            )
    for key, those in (("statements", study.statements), ("unmeasured", study.unmeasured)):
        for number, each in enumerate(those, 1):
            _check_row(study, f"{key}[{number}]", each, rows)
    return [{"source": study.name, **row} for row in rows]


def statement_of(study: Study, row: Mapping[str, str]) -> Statement | None:
    """How a published row follows from figures of ours, if it does."""
    return next((each for each in study.statements if each.is_of(row)), None)


def _check_row(study: Study, where: str, of: RowOf, rows: Sequence[Mapping[str, str]]) -> None:
    """Raises `FiresteelError` when it is of no published row, or of one that says another thing."""
    path = study.folder / "study.toml"
    for key, value in of.of.items():
        there = ", ".join(dict.fromkeys(row[key] for row in rows))
        rows = [row for row in rows if row[key] == value]
        if not rows:
            raise FiresteelError(
                f"{path}: key `{where}.{key}` is `{value}`; rows of figures.csv have there: "
                f"{there}."
            )
    if not isinstance(of, Statement):
        return
    for row in rows:
        if allowed := of.mistake(row["value"]):
            raise FiresteelError(
                f"{path}: key `{where}.form` is `{of.form}`, but its row of figures.csv has the "
                f"value `{row['value']}`; allowed is {allowed}."
            )


def load_published(directory: Path | None = None) -> list[Published]:
    """All published figures that are plain numbers, and no statements.

    Rows that state a bound or a range in words are left out: there is nothing to divide by.
    Raises `FiresteelError` as `read_published` does.
    """
    return [figure for study in load_studies(directory) for figure in published_of(study)]


def published_of(study: Study) -> list[Published]:
    """Those of one study."""
    stated = (*study.statements, *study.unmeasured)
    rows = (row for row in rows_of(study) if not any(each.is_of(row) for each in stated))
    return _figures(rows)


def published_at(places: Iterable[Place], published: Iterable[Published]) -> list[Published]:
    """Those that figures of one of the places may stand beside: only what a study says it
    `stands_for` is compared with it.
    """
    studies = {study.name: study for study in load_studies()}
    places = tuple(dict.fromkeys(places))
    return [
        each
        for each in published
        if any(studies[each.source].is_of(place, each.table) for place in places)
    ]


def _figures(rows: Iterable[Mapping[str, str]]) -> list[Published]:
    values = [(row, _number(row["value"])) for row in rows]
    return [_published(row, value) for row, value in values if value is not None]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _published(row: Mapping[str, str], value: float) -> Published:
    identity = Identity(
        workload=row["experiment"],
        parameter=parameter_of(row["experiment"], row["parameter"]),
        protocol=row["protocol"],
        cipher=row["cipher"],
        mac=row["mac"],
        implementation=row["implementation"],
    )
    result = Result(identity, row["metric"], value, Sample.of([value]))
    return Published(row["source"], row["table"], result)


def _read(path: Path) -> list[dict[str, str]]:
    rows = read_lines(path, _COLUMNS, "published figures")
    for number, row in enumerate(rows, 2):
        if len(row) != len(_COLUMNS):
            raise FiresteelError(
                f"{path}: row {number} has {len(row)} fields; allowed are {len(_COLUMNS)}."
            )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
