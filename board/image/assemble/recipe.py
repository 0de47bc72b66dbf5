# SPDX-License-Identifier: Apache-2.0
"""Reading the recipe's plain lists: one item a line, `#` starts a comment."""

from pathlib import Path


def read_list(path: Path) -> list[str]:
    """The items of the list file at `path`, in order."""
    lines = (line.split("#", 1)[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]
