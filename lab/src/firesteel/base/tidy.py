# SPDX-License-Identifier: Apache-2.0
"""Frames as tidy CSV and JSON, for other programs."""

import csv
import io
import json

import polars as pl


def to_csv(frame: pl.DataFrame, *, header: bool = True) -> str:
    """A header and a line a row; a number has as many digits as tell it from any other."""
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


def _spell(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
