# SPDX-License-Identifier: Apache-2.0
"""Other people's figures, one a row: `published/NAME/figures.csv` of each `analysis.study`."""

import csv
from collections.abc import Mapping
from pathlib import Path

from firesteel.analysis.noise import Sample
from firesteel.analysis.rows import Published, Result
from firesteel.analysis.study import STUDIES, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.model.figure import COLUMNS
from firesteel.model.identity import Identity
from firesteel.workloads.read import parameter_of

FIGURE_COLUMNS = COLUMNS
"""The columns of a tidy figure, in order; `value` is the last."""

KEY_COLUMNS = FIGURE_COLUMNS[:-1]
"""The columns that say what a figure is."""

CELL_COLUMNS = ("completion", "as_in_2015")
"""Columns of ours behind a tidy figure: what else tells its cell from others.  Published figures
have none of them.
"""

_COLUMNS = ("table", *FIGURE_COLUMNS, "note")


def read_published(directory: Path = STUDIES) -> list[dict[str, str]]:
    """All published rows as text, by column, with the study's name as `source`: some state a bound
    or a range in words.

    Raises `FiresteelError` when a file is not there or has other columns.
    """
    return [
        {"source": study.name, **row}
        for study in load_studies(directory)
        for row in _read(study.folder / "figures.csv")
    ]


def load_published(directory: Path = STUDIES) -> list[Published]:
    """All published figures that are plain numbers.

    Rows that state a bound or a range in words are left out: there is nothing to divide by.
    Raises `FiresteelError` as `read_published` does.
    """
    rows = [(row, _number(row["value"])) for row in read_published(directory)]
    return [_published(row, value) for row, value in rows if value is not None]


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
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FiresteelError(f"{path}: cannot be read as published figures: {error}.") from None
    if not rows or tuple(rows[0]) != _COLUMNS:
        found = ", ".join(rows[0]) if rows else "none"
        raise FiresteelError(f"{path}: the columns are {found}; allowed: {', '.join(_COLUMNS)}.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(_COLUMNS):
            raise FiresteelError(
                f"{path}: row {number} has {len(row)} fields; allowed are {len(_COLUMNS)}."
            )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows[1:]]
