# SPDX-License-Identifier: Apache-2.0
"""CSV files with columns that are known."""

import csv
from collections.abc import Sequence
from pathlib import Path

from firesteel.base.errors import FiresteelError


def read_lines(path: Path, columns: Sequence[str], what: str) -> list[list[str]]:
    """The fields of all lines behind the heads, which must be `columns`; `what` the file has.

    Raises `FiresteelError` when it cannot be read, or has other columns.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FiresteelError(f"{path}: cannot be read as {what}: {error}.") from None
    if not lines or lines[0] != list(columns):
        found = ", ".join(lines[0]) if lines else "none"
        raise FiresteelError(f"{path}: the columns are {found}; allowed: {', '.join(columns)}.")
    return lines[1:]
