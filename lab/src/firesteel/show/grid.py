# SPDX-License-Identifier: Apache-2.0
"""A table as data, which the terminal, the report's page and the documentation show; and sentences
on a terminal.
"""

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Literal

from rich.console import Console
from rich.text import Text as Styled

from firesteel.model.names import MISSING

Tone = Literal["good", "plain", "mixed", "bad"]

OPEN_ROWS = 30
"""Rows above which a page folds a table."""

_WIDE, _NARROW = 3, 2
"""Characters between two columns: the usual, and where the room is scarce."""

_LEAST_LABEL = 24
"""Characters that labels, and sentences, are not cut into shorter lines than."""

_INDENT = "  "
"""Before a label's further lines."""

_RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"

_TIGHT = "\N{NO-BREAK SPACE}"

_UNIT = re.compile(r"(?<=\d) (?=\S{1,7}(?:\s|$))| (?=%)")
"""Between a number and a short word, as units are; a short word that is none does no harm there.
A percent sign stays with what it is of.
"""


@dataclass(frozen=True)
class Mark:
    """A text about a state; its tone is its colour, which never carries the meaning without
    words.
    """

    text: str
    tone: Tone = "plain"

    def __str__(self) -> str:
        return self.text


Text = str | Mark


@dataclass(frozen=True)
class Column:
    """A column; columns of one `group` share a head.

    `wordy` columns hold sentences and not numbers; those `page_only` a terminal has no room for.
    """

    title: str
    group: str = ""
    wordy: bool = False
    page_only: bool = False


@dataclass(frozen=True)
class Grid:
    """A table; the first column names the row, and a row of nothing else is a heading."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]

    @classmethod
    def of(
        cls,
        title: str,
        rows: Iterable[Mapping[str, Text]],
        wordy: Collection[str] = (),
        page_only: Collection[str] = (),
    ) -> "Grid | None":
        """Of rows whose texts are called as their columns, `GROUP|TITLE` or `TITLE`; None without
        any.  What a row lacks is missing.
        """
        listed = list(rows)
        keys = dict.fromkeys(key for row in listed if len(row) > 1 for key in row)
        if not keys:
            return None
        return cls(
            title,
            [
                Column(name, group, name in wordy, name in page_only)
                for group, _, name in (("|" + key).rpartition("|") for key in keys)
                for group in (group.removeprefix("|"),)
            ],
            [
                [row.get(key, MISSING) for key in keys] if len(row) > 1 else list(row.values())
                for row in listed
            ],
        )

    @property
    def count(self) -> int:
        """How many rows there are, without headings."""
        return sum(len(row) > 1 for row in self.rows)

    @property
    def is_long(self) -> bool:
        """Whether it is better folded."""
        return len(self.rows) > OPEN_ROWS

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The heads above columns but the first, and how many each spans; none if none has one."""
        found = [
            (name, len(list(those)))
            for name, those in groupby(self.columns[1:], lambda each: each.group)
        ]
        return found if any(name for name, _ in found) else []

    def show(self, console: Console) -> None:
        """Prints it as one table if it fits the console's width, with narrower gaps or with heads,
        labels and sentences on several lines.  Otherwise it is cut into several tables.
        """
        width = console.width
        shown = [number for number, each in enumerate(self.columns) if not each.page_only][1:]
        rows = [[str(text) for text in row] for row in self.rows]
        cells = [max(len(row[number]) for row in rows if len(row) > 1) for number in shown]
        heads = [
            "\n".join(filter(None, (self.columns[number].group, self.columns[number].title)))
            for number in shown
        ]
        named = [row[0] for row in rows if len(row) > 1]
        label = max(1, *map(len, named))
        if label + _sum(_widths(heads, cells), _NARROW) > width:
            heads = [
                "\n".join(wrapped(line, max(least, 1)) for line in head.split("\n"))
                for head, least in zip(heads, cells, strict=True)
            ]
            room = width - label - _sum(_widths(heads[:-1], cells[:-1]), _NARROW) - _NARROW
            if shown and self.columns[shown[-1]].wordy and _LEAST_LABEL <= room < cells[-1]:
                cells[-1] = _wrap_last([row for row in rows if len(row) > 1], shown[-1], room)
                heads[-1] = _to_the_left(heads[-1], cells[-1])
        widths = _widths(heads, cells)
        gap = _WIDE if label + _sum(widths, _WIDE) <= width else _NARROW
        word = max(len(word) for name in named for word in name.split() or [""])
        least = max(_LEAST_LABEL, len(_INDENT) + word)
        left = width - _sum(widths, gap)
        label = min(label, left if left >= least else max(least, width // 2))
        labels = {name: wrapped(name, label, _INDENT).split("\n") for name in named}
        label = max(len(line) for lines in labels.values() for line in lines)
        spaced = [each + gap for each in widths]
        for start, end in _chunks(spaced, width - label):
            parts = [head.split("\n") for head in heads[start:end]]
            most = max(map(len, parts), default=0)
            lines = [_line("", label, texts, spaced[start:]) for texts in _lowered(parts, most)]
            lines.append(_RULE * (label + sum(spaced[start:end])))
            for row in rows:
                label_lines = labels[row[0]] if len(row) > 1 else [row[0]]
                columns = [row[number].split("\n") for number in shown[start:end] if len(row) > 1]
                for name, *texts in zip_longest(label_lines, *columns, fillvalue=""):
                    lines.append(_line(name, label, texts, spaced[start:]))
            titles = wrapped(self.title, width).split("\n") if self.title else []
            for number, text in enumerate([*titles, *lines, *([""] if titles else [])]):
                style = "bold" if number < most + len(titles) else ""
                console.print(Styled(text, style=style), highlight=False, soft_wrap=True)


def _wrap_last(rows: Sequence[list[str]], column: int, room: int) -> int:
    """Makes lines of the sentences in the last column that is shown; how wide these are."""
    for row in rows:
        row[column] = wrapped(row[column], room)
    widest = max(len(line) for row in rows for line in row[column].split("\n"))
    for row in rows:
        row[column] = _to_the_left(row[column], widest)
    return widest


def _to_the_left(text: str, width: int) -> str:
    return "\n".join(line.ljust(width) for line in text.split("\n"))


def _line(name: str, label: int, texts: Sequence[str], widths: Sequence[int]) -> str:
    sized = zip(texts, widths, strict=False)
    return (name.ljust(label) + "".join(text.rjust(each) for text, each in sized)).rstrip()


def _lowered(parts: Iterable[Sequence[str]], most: int) -> Iterable[list[str]]:
    """Heads of several lines as lines, each head down at the rule."""
    down = [[""] * (most - len(part)) + [*part] for part in parts]
    return ([part[number] for part in down] for number in range(most))


def _widths(heads: Sequence[str], cells: Sequence[int]) -> list[int]:
    """How wide columns are, of their heads and the longest text below each."""
    return [
        max(least, *map(len, head.split("\n"))) for head, least in zip(heads, cells, strict=True)
    ]


def _sum(widths: Sequence[int], gap: int) -> int:
    return sum(width + gap for width in widths)


def _chunks(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Ranges of columns that fit into `room`, each of one column at least."""
    start, used = 0, 0
    for index, width in enumerate(widths):
        if used + width > room and index > start:
            yield start, index
            start, used = index, 0
        used += width
    if start < len(widths):
        yield start, len(widths)


def show(console: Console, grid: Grid | None) -> None:
    """Prints a table, if there is one."""
    if grid:
        grid.show(console)


def say(console: Console, text: str, style: str = "") -> None:
    """Prints sentences in lines of the terminal's width, with no number apart from its unit."""
    console.print(
        Styled(wrapped(text, console.width), style=style), highlight=False, soft_wrap=True
    )


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines; further ones have the indent."""
    filled = textwrap.fill(
        _UNIT.sub(_TIGHT, text),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace(_TIGHT, " ")
