# SPDX-License-Identifier: Apache-2.0
"""The report beside published studies: their tables with ours, how far figures and ratios are from
theirs and why, what became of their losses, and what they state.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.compare import NEAR, Order
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published, Result, grouped
from firesteel.analysis.sheet import MISSING, change, ratio
from firesteel.analysis.study import Layout, Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.identity import Identity, Side
from firesteel.replication.causes import LARGE, Cause, Reasons, cause_of
from firesteel.replication.counterparts import Ours
from firesteel.replication.ratios import Ratio, left_out, summaries
from firesteel.replication.regressions import Regression, State
from firesteel.replication.statements import Answer, Verdict, answered, summary
from firesteel.terminal.grid import Grid, Mark, Text, Tone
from firesteel.workloads import titles

_STATES: dict[State, tuple[str, Tone]] = {
    "better": ("better than software", "good"),
    "equal": ("equal to software", "plain"),
    "worse": ("still worse than software", "bad"),
    "missing": ("", "plain"),
}

_TONES: dict[Verdict, Tone] = {
    "confirmed": "good",
    "not confirmed": "mixed",
    "not measured": "plain",
}


@dataclass(frozen=True)
class Table:
    """A published table as the report has it, titled as the study numbers it; None as `grid` where
    all of it is missing.
    """

    study: Study
    layout: Layout
    title: str
    grid: Grid | None
    rows: int


@dataclass(frozen=True)
class StudyPart:
    """A study of which a run has something to say: `name` is its section's address in the page;
    `figures` are ours in the layout of those that the study has as images.
    """

    name: str
    study: Study
    summary: str
    statements: Grid | None
    figures: Sequence[Grid]

    @property
    def title(self) -> str:
        """The section's."""
        return f"Statements of {self.study.cite}"


def published_tables(published: Iterable[Published], ours: Ours) -> list[Table]:
    """Those of studies of which we have something, in their order; none that `published` has no row
    of.
    """
    figures = list(published)
    found = [
        (study, layout, its)
        for study in load_studies()
        for layout in study.tables
        if (
            its := [
                each
                for each in figures
                if each.source == study.name and each.table in layout.numbers
            ]
        )
    ]
    several = len({study.name for study, _, _ in found}) > 1
    tables = [_table(study, layout, its, ours, several=several) for study, layout, its in found]
    measured = {table.study.name for table in tables if table.grid}
    return [table for table in tables if table.study.name in measured]


def _table(
    study: Study, layout: Layout, figures: Sequence[Published], ours: Ours, *, several: bool
) -> Table:
    """One of them; where the report has several studies, its title says of which it is."""
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
    title = f"{layout.kind.capitalize()} {layout.number}: {layout.title}"
    if several:
        title = f"{study.cite}, {title}"
    grid = None
    if any(ours.of(each) for each in figures if each.result.identity.protocol != NO_TUNNEL):
        rows = [row for (_, at), line in lines.items() for row in _rows(at, line, heads, ours)]
        if not any(row["remark"] for row in rows):
            for row in rows:
                del row["remark"]
        grid = Grid.of(title, rows, wordy=("remark",))
    return Table(study, layout, title, grid, len(lines))


def _rows(
    at: str, by_head: Mapping[str, Published], heads: Sequence[str], ours: Ours
) -> Iterator[dict[str, Text]]:
    """A published line, once for each configuration and board of ours that stands beside it."""
    found: dict[str, dict[str, Result]] = {}
    for head, published in by_head.items():
        for each in ours.of(published):
            found.setdefault(ours.places.told_in_full(each), {})[head] = each
    if not found:
        found[_called(next(iter(by_head.values())).result.identity)] = {}
    for label, figures in found.items():
        row: dict[str, Text] = {"configuration": names.listed(label, at)}
        for head in heads:
            row |= _cells(head, by_head.get(head), figures.get(head))
        missing = [head for head in by_head if head not in figures]
        reason = ours.reason(by_head[missing[0]]) if missing else ""
        partly = reason and len(missing) < len(by_head)
        yield row | {"remark": f"{', '.join(missing)}: {reason}" if partly else reason}


def _cells(head: str, published: Published | None, ours: Result | None) -> dict[str, Text]:
    theirs, of_theirs = MISSING, MISSING
    if published:
        theirs = published.result.text
        if ours:
            of = published.result.value
            mark = names.mark(converged=ours.converged)
            of_theirs = mark + ratio(ours.value / of if of else None)
    return {
        f"{head}|published": theirs,
        f"{head}|ours": ours.text if ours and published else MISSING,
        f"{head}|ratio": of_theirs,
    }


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


def large_deviations(comparison: Iterable[Result], reasons: Sequence[Reasons]) -> list[str]:
    """Why figures are far off: how many, by each cause, and how many have none."""
    large = [result for result in comparison if abs(result.deviation or 0) > LARGE]
    told = []
    for each in reasons:
        its = [result for result in large if result.source == each.source]
        counts = Counter(id(cause_of(result, each.causes)) for result in its)
        for cause in each.causes:
            if count := counts[id(cause)]:
                told.append(_plain(f"{_figures(count)}: {cause.why} {_tested(cause, each.page)}"))
    causes = {each.source: each.causes for each in reasons}
    unknown = sum(cause_of(result, causes.get(result.source, ())) is None for result in large)
    if unknown:
        told.append(f"{_figures(unknown)}: cause unknown.")
    return told


def _tested(cause: Cause, page: str) -> str:
    if cause.evidence == "published":
        return "This follows from the published figures."
    if not cause.tested_by:
        return "Supposed."
    return f"Tested by {cause.tested_by}" + (f"; {page} has the result." if page else ".")


def _plain(markdown: str) -> str:
    """What is written as Markdown, without its marks and with links' words alone."""
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", markdown).replace("`", "")


def _figures(count: int) -> str:
    return f"{count} figure{'s' if count > 1 else ''}"


def deviations_grid(comparison: Iterable[Result]) -> Grid | None:
    """Every figure that has a published counterpart, the farthest off first."""
    paired = [(each, off) for each in comparison if (off := each.deviation) is not None]
    rows: list[dict[str, Text]] = [
        {
            "configuration": each.label,
            "figure": f"{names.metric(each.metric)}, {each.at}",
            "ours": each.text,
            "published": each.published_text or MISSING,
            "unit": names.unit(each.unit),
            "deviation": f"{off:+.0f} %",
            "source": each.note,
        }
        for each, off in sorted(paired, key=lambda pair: -abs(pair[1]))
    ]
    caption = "All figures with a published counterpart"
    return Grid.of(caption, rows, wordy=("figure", "source"))


def orders_grid(found: Sequence[Order], places: Places) -> Grid | None:
    """How many pairs of configurations come in the published order, and which clearly do not, by
    place.
    """
    where = "place" if len(places.told) > 1 else "board"
    rows: list[dict[str, Text]] = [
        {
            "metric": f"{names.metric(order.metric)}, {order.parameter}",
            **({where: name} if (name := places.name(order.place)) else {}),
            "in the published order": str(order.pairs - len(order.swapped)),
            "pairs": str(order.pairs),
            "not, but": _swapped(order),
        }
        for order in found
    ]
    return Grid.of("Order of the configurations", rows, wordy=("not, but",))


def _swapped(order: Order) -> str:
    """The pairs the other way round here; those near each other are counted alone."""
    behind: dict[str, list[str]] = {}
    for first, second in order.clearly_swapped:
        behind.setdefault(first, []).append(second)
    told = [f"{first} before {' and before '.join(those)}" for first, those in behind.items()]
    near = len(order.swapped) - len(order.clearly_swapped)
    if near:
        told.append(f"{near}{' more' if told else ''} within {NEAR} % of each other")
    return "; ".join(told)


def orders_sentence(found: Sequence[Order]) -> str:
    """The same in a sentence; nothing where there is no such pair."""
    pairs = sum(order.pairs for order in found)
    if not pairs:
        return ""
    swapped = sum(len(order.swapped) for order in found)
    clearly = sum(len(order.clearly_swapped) for order in found)
    told = (
        f"Of {pairs} pairs of configurations, {pairs - swapped} come in the published order by "
        "throughput or latency"
    )
    if not swapped:
        return f"{told}."
    return (
        f"{told}; {swapped} do not: {swapped - clearly} lie within {NEAR} % of each other, here or "
        f"in the published figures, and {clearly} lie farther apart."
    )


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
                "ours": each.mark + ratio(each.ours),
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
        }
        for each in summaries(found)
    ]
    told = left_out(found)
    more = f" ({told.rstrip('.')})" if told else ""
    return Grid.of(f"Deviation of the ratios from the published ones{more}", rows)


def _percent(median: float | None) -> str:
    return MISSING if median is None else f"{median:.0f} %"


def regressions_grid(found: Sequence[Regression]) -> Grid | None:
    """Where the published hardware was worse than its own software: both published, ours, and how
    both changed.
    """
    rows: list[dict[str, Text]] = [
        {
            "configuration": each.label,
            "hardware here": Mark(_became(each), _STATES[each.state][1]),
            "figure": names.quantity(each.metric, each.of.result.identity.parameter.text),
            **_both("published", each.published),
            **_both("ours", each.ours),
        }
        for each in found
    ]
    caption = "Figures in which the published hardware was worse than its software"
    return Grid.of(caption, rows, wordy=("hardware here", "figure"))


def _both(whose: str, compared: Comparison | None) -> dict[str, str]:
    """Software, hardware, and how far that is from it."""
    keys = [f"{whose}|{each}" for each in ("software", "hardware", "change")]
    if compared is None:
        return dict.fromkeys(keys, MISSING)
    values = [each.value for each in (compared.one, compared.other)]
    texts = [names.number(value, compared.metric) for value in values]
    return dict(zip(keys, [*texts, change(values[1], values[0])], strict=True))


def _became(regression: Regression) -> str:
    if regression.pair and regression.pair.judged.peer_limited:
        return PEER_LIMITED
    if regression.state == "missing":
        return regression.reason or MISSING
    said, _ = _STATES[regression.state]
    return f"{said} ({regression.remark})" if regression.remark else said


def study_parts(results: Results, places: Places, *, everywhere: bool = False) -> list[StudyPart]:
    """The studies of which figures say something, in the order of their names."""
    return [
        StudyPart(
            name=f"study-{name}",
            study=those[0].study,
            summary=summary(those),
            statements=statements_grid(those[0].study, those),
            figures=[
                grid
                for layout in those[0].study.tables
                if (grid := _figure_grid(those[0].study, layout, results.means, places))
            ],
        )
        for name, those in answered(results, everywhere=everywhere).items()
    ]


def statements_grid(study: Study, those: Iterable[Answer]) -> Grid | None:
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
    return Grid.of(f"Statements of {study.cite}", rows, wordy=prose, page_only=prose)


def _figure_grid(
    study: Study, layout: Layout, results: Sequence[Result], places: Places
) -> Grid | None:
    """A figure that the study has as an image, of ours; None if the run has nothing of it."""
    if not layout.ours:
        return None
    chooses = study.chooser(layout.ours)
    chosen = [each for each in results if chooses(each.identity, each.metric)]
    if not chosen:
        return None
    metric = names.quantity(chosen[0].metric)
    heads = list(dict.fromkeys(each.at for each in chosen))
    rows: list[dict[str, Text]] = []
    for label, those in grouped(chosen, lambda each: _series(each, places)).items():
        found = {each.at: each.text for each in those}
        cells = {head or metric: found.get(head, MISSING) for head in heads}
        rows.append({"configuration": label, **cells})
    caption = f"{layout.kind.capitalize()} {layout.number}: {layout.title}; ours, {metric}"
    return Grid.of(caption, rows)


def _series(result: Result, places: Places) -> str:
    """What a row is of: its series where a figure has several, and what was measured."""
    series = titles.experiment(result.identity.workload)
    return f"{series}, {places.told_in_full(result)}"
