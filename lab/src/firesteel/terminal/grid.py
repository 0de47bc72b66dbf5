# SPDX-License-Identifier: Apache-2.0
"""A table as data, which the terminal, the report's page and the documentation show; and sentences
on a terminal.
"""

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text as Styled

from firesteel.analysis.sheet import MISSING

Tone = Literal["good", "plain", "mixed", "bad"]

OPEN_ROWS = 30
"""Rows above which a page folds a table."""

_WIDE, _NARROW = 3, 2
"""Characters between two columns: the usual, and where the room is scarce."""

_LEAST_LABEL = 24
"""Characters that labels are not cut into shorter lines than."""

_INDENT = "  "
"""Before a label's further lines."""

_TIGHT = "\N{NO-BREAK SPACE}"

_UNIT = re.compile(r"(?<=\d) (?=\S{1,7}(?:\s|$))| (?=%)")
"""Between a number and a short word, as units are; a short word that is none does no harm there.
A percent sign stays with what it is of.
"""


@dataclass(frozen=True)
class Mark:
    """A text that says how something stands; its tone is its colour, never all that tells it."""

    text: str
    tone: Tone = "plain"

    def __str__(self) -> str:
        return self.text


Text = str | Mark


@dataclass(frozen=True)
class Column:
    """A column; those of one `group` have a common head.

    `wordy` columns hold sentences and not numbers; those `page_only` a terminal has no room for.
    """

    title: str
    group: str = ""
    wordy: bool = False
    page_only: bool = False

    @property
    def heads(self) -> list[str]:
        """Its head on a terminal, in lines."""
        return [*([self.group] if self.group else []), *self.title.split("\n")]


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

    @classmethod
    def plain(
        cls, title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]
    ) -> "Grid":
        """Of labels, each with its texts below these heads."""
        columns = [Column(head) for head in ("", *heads)]
        return cls(title, columns, [[label, *texts] for label, texts in rows])

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

    def markdown(self) -> str:
        """The table for a page of the documentation; its texts are Markdown already."""
        head = [", ".join(filter(None, (each.group, each.title))) for each in self.columns]
        lines = [head, ["---"] * len(head), *self.rows]
        return "\n".join(f"| {' | '.join(str(text) or ' ' for text in line)} |" for line in lines)

    def show(self, console: Console) -> None:
        """Prints it: as one table if columns that stand closer, heads or labels of several lines
        let the console's width hold it; else cut into as many as that asks for.
        """
        _Printed(self, console.width).show(console)


class _Printed:
    """A grid on a terminal of a certain width."""

    def __init__(self, grid: Grid, width: int) -> None:
        self._title = grid.title
        shown = [number for number, each in enumerate(grid.columns) if not each.page_only][1:]
        self._rows = [
            (str(row[0]), [str(row[number]) for number in shown] if len(row) > 1 else [])
            for row in grid.rows
        ]
        self._labels = [name for name, cells in self._rows if cells]
        cells = [
            max((len(texts[index]) for _, texts in self._rows if texts), default=0)
            for index in range(len(shown))
        ]
        self._heads = [grid.columns[number].heads for number in shown]
        self._widths = list(map(_width, self._heads, cells))
        label = max(map(len, self._labels), default=0)
        if label + _sum(self._widths, _NARROW) > width:
            self._heads = list(map(_broken, self._heads, cells))
            self._widths = list(map(_width, self._heads, cells))
        self._label, self._gap, self._parts = self._layout(label, width)

    def _layout(self, label: int, width: int) -> tuple[int, int, list[tuple[int, int]]]:
        """The width of labels, the gap between columns, and the columns of each table."""
        whole = [(0, len(self._widths))]
        for gap in (_WIDE, _NARROW):
            if label + _sum(self._widths, gap) <= width:
                return label, gap, whole
        word = max((len(word) for name in self._labels for word in name.split()), default=0)
        least = max(_LEAST_LABEL, len(_INDENT) + word)
        left = width - _sum(self._widths, _NARROW)
        if left >= least:
            return left, _NARROW, whole
        label = min(label, max(least, width // 2))
        return label, _WIDE, list(_chunks(self._widths, width - label))

    def show(self, console: Console) -> None:
        for start, end in self._parts:
            if self._title:
                console.print(Styled(self._title, style="bold"))
            for part in self._tables(start, end):
                console.print(part, highlight=False)
            if self._title:
                console.print()

    def _tables(self, start: int, end: int) -> Iterator[Table | Styled]:
        """The head with the rows up to the first heading, then each heading with what follows."""
        table = self._table(start, end)
        for name, cells in self._rows:
            if cells:
                label = escape(wrapped(name, self._label, _INDENT))
                table.add_row(label, *map(escape, cells[start:end]))
                continue
            if table.rows or table.show_header:
                yield table
            yield Styled(name)
            table = self._table(start, end)
            table.show_header = False
        if table.rows or table.show_header:
            yield table

    def _table(self, start: int, end: int) -> Table:
        # Between two columns stands a space of the box besides what pads them.
        padding = (0, 0, 0, self._gap - 1)
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=padding)
        parted = len(self._labels) < len(self._rows)
        table.add_column("", no_wrap=True, min_width=self._label if parted else None)
        heads = self._heads[start:end]
        lines = max(map(len, heads), default=0)
        for head, width in zip(heads, self._widths[start:end], strict=True):
            lowered = "\n".join([*[""] * (lines - len(head)), *head])
            least = width if parted else None
            table.add_column(escape(lowered), justify="right", min_width=least)
        return table


def _width(head: Sequence[str], cells: int) -> int:
    return max(cells, *map(len, head))


def _broken(head: Sequence[str], cells: int) -> list[str]:
    """A head in lines as long as the texts below it, or as its longest word."""
    return [part for line in head for part in wrapped(line, max(cells, 1)).split("\n")]


def _sum(widths: Sequence[int], gap: int) -> int:
    return sum(width + gap for width in widths)


def _chunks(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Ranges of columns that fit into `room`, each of one column at least."""
    start, used = 0, 0
    for index, width in enumerate(widths):
        taken = width + _WIDE
        if used + taken > room and index > start:
            yield start, index
            start, used = index, 0
        used += taken
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
