# SPDX-License-Identifier: Apache-2.0
"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """Text as it is typed."""
    return f"`{text}`"


def codes(texts: Iterable[object]) -> str:
    """Several of them, with commas between."""
    return ", ".join(code(str(text)) for text in texts)
