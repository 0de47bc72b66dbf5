# SPDX-License-Identifier: Apache-2.0
"""The published tables, each with ours beside it and the ratio."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.rows import Published, Result
from firesteel.analysis.sheet import MISSING, Sheet, Text, ratio
from firesteel.analysis.study import Layout, Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.identity import Identity
from firesteel.model.limit import Side
from firesteel.replication.counterparts import Ours
from firesteel.workloads import titles


@dataclass(frozen=True)
class Table:
    """A published table as the report has it, titled as the study numbers it; None as `sheet` where
    all of it is missing.
    """

    study: Study
    layout: Layout
    title: str
    sheet: Sheet | None
    rows: int


def published_tables(published: Iterable[Published], ours: Ours) -> list[Table]:
    """Those of studies of which we have something, in their order; none that `published` has no row
    of.
    """
    figures = list(published)
    found = [
        (study, layout, its)
        for study in load_studies()
        for layout in study.tables
        if (its := [each for each in figures if _is_of(each, study, layout)])
    ]
    several = len({study.name for study, _, _ in found}) > 1
    tables = [
        _table(study, layout, _title(layout, study if several else None), its, ours)
        for study, layout, its in found
    ]
    measured = {table.study.name for table in tables if table.sheet}
    return [table for table in tables if table.study.name in measured]


def cites(tables: Iterable[Table]) -> list[str]:
    """How the studies of these tables are cited."""
    return list(dict.fromkeys(table.study.cite for table in tables))


def _is_of(figure: Published, study: Study, layout: Layout) -> bool:
    return figure.source == study.name and figure.table in layout.numbers


def _title(layout: Layout, study: Study | None) -> str:
    """Its number and what it is of, with the study where the report has several."""
    number = f"{layout.kind.capitalize()} {layout.number}"
    return f"{study.cite}, {number}: {layout.title}" if study else f"{number}: {layout.title}"


def _table(
    study: Study, layout: Layout, title: str, figures: Sequence[Published], ours: Ours
) -> Table:
    heads = list(dict.fromkeys(_head(layout, each.result) for each in figures))
    # What is one row of the table: a configuration, and its key where the columns are metrics.
    lines: dict[tuple[Side, str], dict[str, Published]] = {}
    for each in figures:
        line = (each.result.identity.side, _at(layout, each.result.identity))
        head = _head(layout, each.result)
        if lines.setdefault(line, {}).setdefault(head, each) is not each:
            raise FiresteelError(
                f"{study.folder / 'study.toml'}: table `{layout.number}` has two figures of "
                f"{_called(each.result.identity)} in the column {head}; its columns are the "
                f"{layout.columns}."
            )
    texts = [text for (_, at), line in lines.items() for text in _lines(at, line, heads, ours)]
    if not any(ours.of(each) for each in figures if each.result.identity.protocol != NO_TUNNEL):
        return Table(study, layout, title, None, len(lines))
    if not any(text[-1] for text in texts):
        columns, groups = ("published", "ours", "ratio") * len(heads), [(head, 3) for head in heads]
        texts = [text[:-1] for text in texts]
        wordy: frozenset[int] = frozenset()
    else:
        columns = (*("published", "ours", "ratio") * len(heads), "remark")
        groups = [*((head, 3) for head in heads), ("", 1)]
        wordy = frozenset({len(columns) - 1})
    sheet = Sheet(title, columns, texts, groups, wordy=wordy)
    return Table(study, layout, title, sheet, len(lines))


def _lines(
    at: str, by_head: Mapping[str, Published], heads: Sequence[str], ours: Ours
) -> list[list[Text]]:
    """A published line, once for each configuration and board of ours that stands beside it."""
    found: dict[str, dict[str, Result]] = {}
    for head, published in by_head.items():
        for each in ours.of(published):
            found.setdefault(ours.places.told_in_full(each), {})[head] = each
    if not found:
        found[_called(next(iter(by_head.values())).result.identity)] = {}
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


def _called(identity: Identity) -> str:
    """What a published line is called that nothing of ours stands beside."""
    implementation = identity.implementation or "software"
    name = titles.of_identity(replace(identity, implementation=implementation))
    said = identity.implementation == "software" and identity.protocol != NO_TUNNEL
    return f"{name}, software" if said else name


def _cells(published: Published | None, ours: Result | None) -> list[str]:
    if published is None:
        return [MISSING] * 3
    theirs = published.result.text
    if ours is None:
        return [theirs, MISSING, MISSING]
    of = published.result.value
    before = names.mark(converged=ours.converged)
    return [theirs, ours.text, before + ratio(ours.value / of if of else None)]


def _head(layout: Layout, result: Result) -> str:
    if layout.columns == "metrics":
        return names.quantity(result.metric)
    return result.identity.parameter.text


def _at(layout: Layout, identity: Identity) -> str:
    of_files = identity.parameter.file_bytes is not None
    return identity.parameter.text if layout.columns == "metrics" and not of_files else ""
