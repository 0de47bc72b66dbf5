# SPDX-License-Identifier: Apache-2.0
"""The published tables, each with ours beside it and the ratio."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel.analysis.boards import Boards, is_usual
from firesteel.analysis.sheet import MISSING, Sheet, Text, mark, ratio, value
from firesteel.analysis.study import Layout, Study, load_studies
from firesteel.model import names
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.store.journal import Journal
from firesteel.workloads import titles
from firesteel.workloads.registry import workloads_of

_TRANSFER = "file-transfer"

NOT_MEASURED = "not measured in this run"


@dataclass(frozen=True)
class Table:
    """A published table as the report has it; None as `sheet` where all of it is missing."""

    study: Study
    layout: Layout
    sheet: Sheet | None
    rows: int

    @property
    def title(self) -> str:
        """As the study numbers it."""
        return _title(self.layout)


class Ours:
    """Our figures by what they are of, and why one is not there.

    A file transfer stands beside one of any size, as in `analysis.compare`.
    """

    def __init__(self, comparison: pl.DataFrame, journal: Journal, boards: Boards) -> None:
        self._rows: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        self._entries = journal.entries
        self.boards = boards
        for row in comparison.iter_rows(named=True):
            if is_usual(row):
                self._rows.setdefault(self._key(row, row["implementation"]), []).append(row)

    def of(self, published: dict[str, Any]) -> list[dict[str, Any]]:
        """What stands beside a published row: one row a board, none where it was not measured.

        Beside software, also ours as it is installed; the fastest comes last.
        """
        implementation = published["implementation"]
        each_of = {"software": (AS_INSTALLED, "software"), "": ("software", "hardware")}
        return [
            row
            for each in each_of.get(implementation, (implementation,))
            for row in self._rows.get(self._key(published, each), [])
        ]

    def reason(self, published: dict[str, Any]) -> str:
        """Why there is nothing beside it."""
        for entry in self._entries:
            if entry.state != "done" and _is_of(entry.cell, published):
                if entry.state == "failed":
                    return "its cell failed"
                return "not measured, because the run was stopped"
        return NOT_MEASURED

    @staticmethod
    def _key(row: dict[str, Any], implementation: str) -> tuple[str, ...]:
        parameter = "" if row["experiment"] == _TRANSFER else row["parameter"]
        keys = ("experiment", "protocol", "cipher", "mac", "metric")
        return (*(row[key] for key in keys), parameter, implementation)


def is_of_a_table(row: Mapping[str, Any], studies: Iterable[Study] | None = None) -> bool:
    """Whether a published row is one of the tables that are reported."""
    known = load_studies() if studies is None else studies
    return any(study.name == row["source"] and study.layouts_of(row["table"]) for study in known)


def published_tables(published: pl.DataFrame, ours: Ours) -> list[Table]:
    """All of them, in their order; none that `published` has no row of."""
    found = []
    for study in load_studies():
        rows = published.filter(pl.col("source") == study.name).to_dicts()
        for layout in study.tables:
            if its := [row for row in rows if row["table"] in layout.numbers]:
                found.append(_table(study, layout, its, ours))
    return found


def cites(tables: Iterable[Table]) -> list[str]:
    """How the studies of these tables are cited."""
    return list(dict.fromkeys(table.study.cite for table in tables))


def _title(layout: Layout) -> str:
    return f"Table {layout.number}: {layout.title}"


def _table(study: Study, layout: Layout, rows: Sequence[dict[str, Any]], ours: Ours) -> Table:
    heads = list(dict.fromkeys(_head(layout, row) for row in rows))
    # What is one row of the table: a configuration, and its key where the columns are metrics.
    lines: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        line = (row["protocol"], row["cipher"], row["mac"], row["implementation"], _at(layout, row))
        lines.setdefault(line, {})[_head(layout, row)] = row
    texts = [text for line, by_head in lines.items() for text in _lines(line, by_head, heads, ours)]
    if not any(ours.of(row) for row in rows if row["protocol"] != "none"):
        return Table(study, layout, None, len(lines))
    if not any(text[-1] for text in texts):
        columns, groups = ("published", "ours", "ratio") * len(heads), [(head, 3) for head in heads]
        texts = [text[:-1] for text in texts]
        wordy: frozenset[int] = frozenset()
    else:
        columns = (*("published", "ours", "ratio") * len(heads), "remark")
        groups = [*((head, 3) for head in heads), ("", 1)]
        wordy = frozenset({len(columns) - 1})
    return Table(
        study, layout, Sheet(_title(layout), columns, texts, groups, wordy=wordy), len(lines)
    )


def _lines(
    line: tuple[str, ...],
    by_head: dict[str, dict[str, Any]],
    heads: Sequence[str],
    ours: Ours,
) -> list[list[Text]]:
    """A published line, once for each configuration and board of ours that stands beside it."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for head, row in by_head.items():
        for each in ours.of(row):
            found.setdefault(ours.boards.told(each), {})[head] = each
    protocol, cipher, mac, implementation, at = line
    if not found:
        (experiment,) = {row["experiment"] for row in by_head.values()}
        name = titles.measured(experiment, protocol, cipher, mac, implementation or "software")
        if implementation == "software" and protocol != "none":
            name += ", software"
        found[name] = {}
    texts: list[list[Text]] = []
    for label, figures in found.items():
        text: list[Text] = [", ".join(filter(None, (label, at)))]
        missing = [head for head in by_head if head not in figures]
        for head in heads:
            text += _cells(by_head.get(head), figures.get(head))
        reason = ours.reason(by_head[missing[0]]) if missing else ""
        partly = reason and len(missing) < len(by_head)
        text.append(f"{', '.join(missing)}: {reason}" if partly else reason)
        texts.append(text)
    return texts


def _cells(published: dict[str, Any] | None, ours: dict[str, Any] | None) -> list[str]:
    if published is None:
        return [MISSING] * 3
    theirs = value(published)
    if ours is None:
        return [theirs, MISSING, MISSING]
    over = ours["value"] / published["value"] if published["value"] else None
    return [theirs, value(ours), mark(ours) + ratio(over)]


def _head(layout: Layout, row: dict[str, Any]) -> str:
    if layout.columns == "metrics":
        return names.quantity(row["metric"])
    return str(row["parameter"])


def _at(layout: Layout, row: dict[str, Any]) -> str:
    return (
        str(row["parameter"])
        if layout.columns == "metrics" and row["experiment"] != _TRANSFER
        else ""
    )


def _is_of(cell: Cell, row: dict[str, Any]) -> bool:
    same = (cell.protocol, cell.cipher, cell.mac) == (row["protocol"], row["cipher"], row["mac"])
    implementation = row["implementation"] in ("", cell.implementation)
    measured = any(row["experiment"] in workload.titles for workload in workloads_of(cell))
    return same and implementation and measured
