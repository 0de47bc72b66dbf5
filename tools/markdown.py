# SPDX-License-Identifier: Apache-2.0
"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence

_HEAD = """\
<!-- SPDX-License-Identifier: CC-BY-4.0 -->
<!-- Made from the code by `scripts/figures.sh write`. -->"""


def page(title: str, *parts: str) -> str:
    """A whole page that was made from the code."""
    return "\n\n".join([f"{_HEAD}\n# {title}", *(part.strip("\n") for part in parts)]) + "\n"


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
