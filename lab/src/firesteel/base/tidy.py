# SPDX-License-Identifier: Apache-2.0
"""Tables as CSV and JSON: frames for other programs, and files whose columns are known."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from firesteel.base.errors import FiresteelError


def to_csv(frame: pl.DataFrame, *, header: bool = True) -> str:
    """A header and a line for each row; a number has enough digits to be unique."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if header:
        writer.writerow(frame.columns)
    writer.writerows([_spell(value) for value in row] for row in frame.iter_rows())
    return text.getvalue()


def to_json(frame: pl.DataFrame) -> str:
    """A list with an object a row, keys in the order of the columns."""
    return json.dumps(frame.to_dicts(), indent=1, ensure_ascii=False) + "\n"


def inside_of(listed: str) -> str:
    """What `to_json` gave, without what is around its rows, to be put into a longer list."""
    return listed.removeprefix("[\n").removesuffix("\n]\n")


def read_rows(path: Path, columns: Sequence[str], what: str) -> list[dict[str, str]]:
    """The rows behind the heads, which must be `columns`, as text; `what` the file has.

    Raises `FiresteelError` when it cannot be read, has other columns, or a row has more or fewer.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FiresteelError(f"{path}: cannot be read as {what}: {error}.") from None
    if not lines or lines[0] != list(columns):
        found = ", ".join(lines[0]) if lines else "none"
        raise FiresteelError(f"{path}: the columns are {found}; allowed: {', '.join(columns)}.")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(columns):
            raise FiresteelError(
                f"{path}: row {number} has {len(line)} fields; allowed are {len(columns)}."
            )
    return [dict(zip(columns, line, strict=True)) for line in lines[1:]]


def _spell(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
