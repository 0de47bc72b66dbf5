# SPDX-License-Identifier: Apache-2.0
"""The report's comparison with published studies: their tables with our figures, deviations of
figures and ratios with causes, their losses, and their statements.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import mean, median

from firesteel.base.errors import FiresteelError
from firesteel.judge.compare import is_told
from firesteel.judge.places import Places
from firesteel.judge.replication.causes import LARGE, Cause, cause_of
from firesteel.judge.replication.ratios import Ratio, left_out, summaries
from firesteel.judge.replication.statements import Answer, Ours, Verdict
from firesteel.judge.rows import Published, Result, grouped
from firesteel.judge.study import Layout, Study, load_studies
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.identity import Identity, Side
from firesteel.model.names import MISSING, ratio, ratio_range
from firesteel.show.grid import Grid, Mark, Text, Tone
from firesteel.workloads import titles

_TONES: dict[Verdict, Tone] = {
    "confirmed": "good",
    "not confirmed": "mixed",
    "not measured": "plain",
}


@dataclass(frozen=True)
class Table:
    """A published table for the report, with the study's number in its title; `grid` is None if all
    of it is missing.
    """

    study: Study
    layout: Layout
    title: str
    grid: Grid | None
    rows: int


def published_tables(published: Sequence[Published], ours: Ours) -> list[Table]:
    """Those of studies of which we have something, in their order; none that `published` has no row
    of.
    """
    found: list[Table] = []
    for study in load_studies():
        tables = []
        for layout in study.tables:
            its = [
                each
                for each in published
                if each.source == study.name and each.table in layout.numbers
            ]
            if its:
                tables.append(_table(study, layout, its, ours))
        found += tables if any(table.grid for table in tables) else []
    return found


def _table(study: Study, layout: Layout, figures: Sequence[Published], ours: Ours) -> Table:
    heads = list(dict.fromkeys(_head(layout, each.result) for each in figures))
    # What is one row of the table: a configuration, and its key where the columns are metrics.
    lines: dict[tuple[Side, str], dict[str, Published]] = {}
    for each in figures:
        of = each.result.identity
        by_key = layout.columns == "metrics" and of.parameter.file_bytes is None
        line = lines.setdefault((of.side, of.parameter.text if by_key else ""), {})
        head = _head(layout, each.result)
        if line.setdefault(head, each) is not each:
            raise FiresteelError(
                f"{study.folder / 'study.toml'}: table `{layout.number}` has two figures of "
                f"{_called(of)} in the column {head}; its columns are the {layout.columns}."
            )
    title = f"{study.cite}, {layout.kind.capitalize()} {layout.number}: {layout.title}"
    grid = None
    if any(ours.of(each) for each in figures if each.result.identity.protocol != NO_TUNNEL):
        rows = [row for (_, at), line in lines.items() for row in _rows(at, line, heads, ours)]
        grid = Grid.of(title, rows, wordy=("remark",))
    return Table(study, layout, title, grid, len(lines))


def _rows(
    at: str, by_head: Mapping[str, Published], heads: Sequence[str], ours: Ours
) -> Iterator[dict[str, Text]]:
    """A published line, once for each configuration and board of ours that stands beside it, and of
    a board with several CPUs once for each of them.
    """
    found: dict[tuple[str, str], dict[str, Result]] = {}
    for head, published in by_head.items():
        for each in ours.of(published):
            cpu = "" if each.metric == published.result.metric else names.metric(each.metric)
            found.setdefault((ours.places.told_in_full(each), cpu), {})[head] = each
    if not found:
        found[_called(next(iter(by_head.values())).result.identity), ""] = {}
    several = {label for label, cpu in found if cpu}
    for (whole, cpu), its in found.items():
        if whole in several and not cpu:
            continue
        label, figures = f"{whole}, {cpu}" if cpu else whole, found.get((whole, ""), {}) | its
        row: dict[str, Text] = {"configuration": names.listed(label, at)}
        for head in heads:
            row |= dict.fromkeys((f"{head}|{of}" for of in ("published", "ours", "ratio")), MISSING)
            if theirs := by_head.get(head):
                row[f"{head}|published"] = theirs.result.text
            if theirs and (own := figures.get(head)):
                row[f"{head}|ours"] = own.text
                of = own.value / theirs.result.value if theirs.result.value else None
                row[f"{head}|ratio"] = names.mark(converged=own.converged) + ratio(of)
        missing = [head for head in by_head if head not in figures]
        if missing and (reason := ours.reason(by_head[missing[0]])):
            partly = f"{', '.join(missing)}: " if len(missing) < len(by_head) else ""
            row["remark"] = f"{partly}{reason}"
        yield row


def _called(identity: Identity) -> str:
    """What a published line is called that nothing of ours stands beside."""
    implementation = identity.implementation or "software"
    name = titles.of_identity(replace(identity, implementation=implementation))
    said = identity.implementation == "software" and identity.protocol != NO_TUNNEL
    return f"{name}, software" if said else name


def _head(layout: Layout, result: Result) -> str:
    if layout.columns == "metrics":
        return names.quantity(result.metric)
    return result.identity.parameter.text


def notes(
    comparison: Sequence[Result],
    studies: Iterable[Study],
    causes: Mapping[str, Sequence[Cause]],
    tables: Iterable[Table],
) -> Iterator[str]:
    """How the figures of these studies were measured, how far ours are from them and why, by the
    causes of each, and which tables this run has nothing of.
    """
    yield from conditions(studies)
    if told := nearness(comparison):
        yield told
    missing = [f"{each.title} ({each.rows} rows)" for each in tables if each.grid is None]
    if missing:
        yield f"Not measured in this run: {'; '.join(missing)}."
    yield from causes_said(comparison, causes)


def causes_said(
    comparison: Iterable[Result], causes: Mapping[str, Sequence[Cause]]
) -> Iterator[str]:
    """Why figures are far off, by the causes of studies, and whether these are exploratory; without
    the marks of Markdown.
    """
    found: Counter[str] = Counter()
    for result in comparison:
        if abs(result.deviation or 0) > LARGE:
            cause = cause_of(result, causes.get(result.source, ()))
            why = f"{cause.why} ({cause.standing})" if cause else "cause unknown."
            found[re.sub(r"[`*]", "", re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", why))] += 1
    for why, count in found.items():
        yield f"{count} figure{'s' if count > 1 else ''} more than {LARGE} % off: {why}"


def conditions(studies: Iterable[Study]) -> Iterator[str]:
    """How published figures were measured, which is never as ours were."""
    for study in studies:
        if study.conditions:
            yield f"The published figures of {study.cite} were {study.conditions}."


def nearness(comparison: Iterable[Result]) -> str:
    """How far figures are from the published ones, in a sentence; nothing where there is none."""
    off = [
        abs(each.deviation)
        for each in comparison
        if each.identity.is_usual and each.deviation is not None and is_told(each)
    ]
    if not off:
        return ""
    return (
        f"{len(off)} figures have a published counterpart: the mean deviation is "
        f"{mean(off):.0f}\xa0%, the median {median(off):.0f}\xa0%, the largest {max(off):.0f}\xa0%."
    )


def kinds_grid(comparison: Iterable[Result]) -> Grid | None:
    """How far ours are from the published ones by kind of figure, the farthest kind first."""
    paired = [each for each in comparison if each.beside and each.ratio]
    found = []
    for (workload, metric), those in grouped(paired, kind_of).items():
        ratios = [each.ratio for each in those if each.ratio]
        row: dict[str, Text] = {
            "figure": f"{titles.experiment(workload)}: {names.metric(metric)}",
            "figures": str(len(ratios)),
            "ours / published\nmedian (range)": ratio_range(
                ((each, True) for each in ratios), median_too=True
            ),
            "farthest": ratio(max(ratios, key=lambda each: abs(each - 1))),
        }
        found.append((abs(median(ratios) - 1), row))
    rows = [row for _, row in sorted(found, key=lambda each: -each[0])]
    return Grid.of("Ours next to published figures, the farthest kind first", rows)


def kind_of(result: Result) -> tuple[str, str]:
    """What a figure is of: its workload and its metric."""
    return result.identity.workload, result.metric


def deviations_grid(comparison: Iterable[Result], caption: str) -> Grid | None:
    """Every figure that has a published counterpart."""
    rows: list[dict[str, Text]] = [
        {
            "configuration": each.label,
            "figure": names.metric(each.metric),
            "at": each.at,
            "ours": each.text,
            "published": each.published_text or MISSING,
            "ratio": names.mark(converged=each.converged) + ratio(each.ratio),
            "deviation": f"{each.deviation:+.0f} %",
            "source": each.note,
        }
        for each in comparison
        if each.deviation is not None
    ]
    prose = ("figure", "source")
    return Grid.of(caption, rows, wordy=prose, page_only=prose)


def ratios_grid(found: Sequence[Ratio], places: Places) -> Grid | None:
    """Every published pair with its ratio of hardware to software, ours and the published one,
    below what the ratio is of.
    """
    rows: list[dict[str, Text]] = []
    for name, those in groupby(found, lambda each: each.title):
        rows.append({"pair": name})
        rows += [
            {
                "pair": places.label(each.name, each.identity.place),
                "ours": names.mark(converged=each.converged) + ratio(each.ours),
                "published": ratio(each.published),
                "deviation": f"{round(each.deviation):+d} %",
                "same direction": "yes" if each.same_direction else "no",
                "fitted": "both" if len(each.fitted) > 1 else "".join(each.fitted) or MISSING,
            }
            for each in those
        ]
    caption = "Ratio of hardware to software, ours and published"
    return Grid.of(caption, rows, page_only=("same direction",))


def ratio_medians_grid(found: Sequence[Ratio]) -> Grid | None:
    """How near the ratios of each kind come to the published ones."""
    rows: list[dict[str, Text]] = [
        {
            "ratio": each.kind,
            "pairs": str(each.pairs),
            "median deviation": _percent(each.median),
            "predicted": str(each.predicted),
            "median of predicted": _percent(each.median_predicted),
            "same direction": f"{each.same_direction} of {each.pairs}",
            "favours hardware": f"{each.favours} of {each.pairs}",
        }
        for each in summaries(found)
    ]
    told = left_out(found)
    more = f" ({told.rstrip('.')})" if told else ""
    return Grid.of(f"Deviation of the ratios from the published ones{more}", rows)


def _percent(median: float | None) -> str:
    return MISSING if median is None else f"{median:.0f} %"


def statements_grid(those: Sequence[Answer]) -> Grid | None:
    """All statements of a study, each with our verdict."""
    rows: list[dict[str, Text]] = [
        {
            "statement": each.said,
            "published": each.with_unit(each.published),
            "ours": each.with_unit(each.ours),
            "verdict": Mark(each.verdict, _TONES[each.verdict]),
            "where": each.where,
            "remark": each.why.replace("`", ""),
        }
        for each in those
    ]
    prose = ("where", "remark")
    return Grid.of(f"Statements of {those[0].study.cite}", rows, wordy=prose, page_only=prose)
