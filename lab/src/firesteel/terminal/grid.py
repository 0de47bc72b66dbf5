# SPDX-License-Identifier: Apache-2.0
"""A table on a terminal, of 80 columns or more: what belongs together stays in one row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from firesteel.terminal.prose import wrapped

_WIDE, _NARROW = 3, 2
"""Characters between two columns: the usual, and where the room is scarce."""

_LEAST_LABEL = 24
"""Characters that labels are not cut into shorter lines than."""

_INDENT = "  "
"""Before a label's further lines."""


@dataclass(frozen=True)
class Grid:
    """A table: each row has a label and as many texts as there are columns; a row without any is a
    heading, as long as it likes.

    The name of a column may have several lines.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]

    def show(self, console: Console) -> None:
        """Prints it: as one table if columns that stand closer, or labels of several lines, let the
        console's width hold it; else cut into as many as that asks for.
        """
        label, gap, parts = self._layout(console.width)
        for start, end in parts:
            if self.title:
                console.print(Text(self.title, style="bold"))
            for part in self._parts(label, gap, start, end):
                console.print(part, highlight=False)
            if self.title:
                console.print()

    def _layout(self, width: int) -> tuple[int, int, list[tuple[int, int]]]:
        """The width of labels, the gap between columns, and the columns of each table."""
        widths = self._widths()
        whole = [(0, len(widths))]
        label = max(map(len, self._labels), default=0)
        for gap in (_WIDE, _NARROW):
            if label + _sum(widths, gap) <= width:
                return label, gap, whole
        word = max((len(word) for name in self._labels for word in name.split()), default=0)
        least = max(_LEAST_LABEL, len(_INDENT) + word)
        left = width - _sum(widths, _NARROW)
        if left >= least:
            return left, _NARROW, whole
        label = min(label, max(least, width // 2))
        return label, _WIDE, list(_chunks(widths, width - label))

    def _parts(self, label: int, gap: int, start: int, end: int) -> Iterator[Table | Text]:
        """Its head with the rows up to the first heading, then each heading with what follows."""
        table = self._table(label, gap, start, end)
        for name, cells in self.rows:
            if cells:
                table.add_row(escape(wrapped(name, label, _INDENT)), *cells[start:end])
                continue
            if table.rows or table.show_header:
                yield table
            yield Text(name)
            table = self._table(label, gap, start, end)
            table.show_header = False
        if table.rows or table.show_header:
            yield table

    def _table(self, label: int, gap: int, start: int, end: int) -> Table:
        # Between two columns stands a space of the box besides what pads them.
        table = Table(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, gap - 1)
        )
        parted = any(not cells for _, cells in self.rows)
        table.add_column("", no_wrap=True, min_width=label if parted else None)
        heads, widths = self.columns[start:end], self._widths()[start:end]
        lines = max((name.count("\n") for name in heads), default=0)
        for name, width in zip(heads, widths, strict=True):
            head = escape("\n" * (lines - name.count("\n")) + name)
            table.add_column(head, justify="right", min_width=width if parted else None)
        return table

    @property
    def _labels(self) -> list[str]:
        """Those of rows that are no headings."""
        return [name for name, cells in self.rows if cells]

    def _widths(self) -> list[int]:
        """The columns' own, without gaps."""
        widths = []
        for index, name in enumerate(self.columns):
            cells = [cells[index] for _, cells in self.rows if cells]
            widths.append(max(map(len, [*name.split("\n"), *cells])))
        return widths


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
