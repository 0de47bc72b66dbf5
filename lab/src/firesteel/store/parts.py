# SPDX-License-Identifier: Apache-2.0
"""Files with the figures of many records each, in Parquet: a row a record, its figures as a list.

A file is called by the SHA-256 of its bytes, so that one that is damaged is none.
"""

import io
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from firesteel.model.figure import Figure
from firesteel.model.parameter import PARTS, Parameter
from firesteel.store.derived import Derived
from firesteel.store.whole import digest_of, write_whole

_KINDS: dict[type, type[pl.DataType]] = {int: pl.Int64, str: pl.String}

_WORDS = ("workload", "protocol", "cipher", "mac", "implementation", "metric")

_FIGURE = pl.Struct(
    {
        **dict.fromkeys(_WORDS, pl.String),
        **{name: _KINDS[kind] for name, kind in PARTS.items()},
        **dict.fromkeys(("value", "uncertainty"), pl.Float64),
    }
)

_COUNTER = pl.Struct({"name": pl.String, "count": pl.Int64})

_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "name": pl.String,
    "figures": pl.List(_FIGURE),
    "proof": pl.List(_COUNTER),
}

_OPEN = 4
"""How many files are held in memory: runs have their records in the order of few."""


def write(directory: Path, found: Iterable[tuple[str, Derived]]) -> str:
    """Makes a file of these, by their names; gives what it is called.

    Raises `StoreError` when it cannot be written.
    """
    rows = [
        {
            "name": name,
            "figures": list(map(_row, each.figures)),
            "proof": [{"name": of, "count": count} for of, count in each.proof.items()],
        }
        for name, each in found
    ]
    file = io.BytesIO()
    pl.DataFrame(rows, _SCHEMA).write_parquet(file)
    content = file.getvalue()
    part = digest_of(content)
    write_whole(_path(directory, part), content)
    return part


class Parts:
    """The files of a directory."""

    def __init__(self, directory: Path) -> None:
        self._read = lru_cache(maxsize=_OPEN)(lambda part: _rows(directory, part))

    def get(self, part: str, name: str) -> Derived | None:
        """The figures of that name; None where the file is gone or damaged."""
        frame, rows = self._read(part)
        if name not in rows:
            return None
        row = frame.row(rows[name], named=True)
        figures = tuple(map(_figure, row["figures"]))
        return Derived(figures=figures, proof={e["name"]: e["count"] for e in row["proof"]})


def _rows(directory: Path, part: str) -> tuple[pl.DataFrame, Mapping[str, int]]:
    """A file's content, and which row each name has."""
    try:
        content = _path(directory, part).read_bytes()
    except OSError:
        content = b""
    if digest_of(content) != part:
        return pl.DataFrame(schema=_SCHEMA), {}
    frame = pl.read_parquet(io.BytesIO(content))
    return frame, {name: number for number, name in enumerate(frame["name"])}


def _path(directory: Path, part: str) -> Path:
    return directory / f"{part}.parquet"


def _row(figure: Figure) -> dict[str, Any]:
    words = {name: getattr(figure, name) for name in _WORDS}
    values = {"value": figure.value, "uncertainty": figure.uncertainty}
    return words | figure.parameter.parts | values


def _figure(row: Mapping[str, Any]) -> Figure:
    parameter = _parameter(*(row[name] for name in PARTS))
    rest = {name: value for name, value in row.items() if name not in PARTS}
    return Figure(parameter=parameter, **rest)


@cache
def _parameter(*parts: int | str | None) -> Parameter:
    given = zip(PARTS, parts, strict=True)
    return Parameter.model_validate({name: value for name, value in given if value is not None})
