# SPDX-License-Identifier: Apache-2.0
"""The parts of the report that show figures: a topic each, with its chart and its tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result, Rows
from firesteel.analysis.sheet import MISSING
from firesteel.analysis.study import BY_SIZE
from firesteel.analysis.thresholds import BreakEven
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.report.charts import (
    bars_chart,
    break_even_chart,
    lines_chart,
    shares_chart,
    shares_grid,
)
from firesteel.report.findings import Findings
from firesteel.report.pictures import Chart
from firesteel.report.published import Table
from firesteel.terminal.grid import Grid, Mark, Text
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars, Lines, Section, Shares
from firesteel.workloads.registry import BY_WEIGHT, WORKLOADS

_WITH_SECTIONS = {name for each in WORKLOADS if each.sections for name in each.titles}
"""Experiments that have sections of their own."""


@dataclass(frozen=True)
class Topic:
    """One section: `name` is its address in the page; `details` are folded."""

    name: str
    title: str
    chart: Chart | None = None
    grids: Sequence[Grid] = ()
    details: Sequence[Grid] = ()
    notes: Sequence[str] = ()

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.chart or self.grids or self.details)


def topics(found: Findings, tables: Sequence[Table]) -> list[Topic]:
    """Those that the run has figures for: the main section of each workload, then what else there
    is, then what was measured within one board.
    """
    by_rank = zip_longest(*(workload.sections for workload in BY_WEIGHT))
    sections = (section for rank in by_rank for section in rank if section)
    those = [_topic(section, found, tables) for section in sections]
    one_board = [
        break_even_grid(found.break_evens, found.places),
        *(
            detail_grid(rows, name)
            for name, rows in found.experiments.items()
            if name not in _WITH_SECTIONS
        ),
    ]
    those.append(
        Topic(
            BY_SIZE,
            "By size: where offload breaks even",
            break_even_chart(found.own_suites),
            [*_of(tables, BY_SIZE), *filter(None, one_board)],
        )
    )
    return [topic for topic in those if topic.is_there]


def _topic(section: Section, found: Findings, tables: Sequence[Table]) -> Topic:
    details = [
        detail_grid(found.experiments[name], name, caption)
        for name, caption in section.details.items()
        if name in found.experiments
    ]
    tunnels = found.tunnels.get(section.chart.series.name, ())
    match section.chart:
        case Bars():
            chart = bars_chart(section.chart, tunnels)
        case Lines():
            chart = lines_chart(section.chart, found.suites)
        case Shares():
            chart = shares_chart(section.chart, found.comparison, tunnels)
            details.append(shares_grid(section.chart, found.comparison))
        case _:
            assert_never(section.chart)
    grids, notes = list(_of(tables, section.name)), _notes(section, found)
    return Topic(section.name, section.title, chart, grids, [*filter(None, details)], notes)


def _of(tables: Sequence[Table], topic: str) -> Iterator[Grid]:
    return (table.grid for table in tables if table.layout.topic == topic and table.grid)


def _notes(section: Section, found: Findings) -> list[str]:
    if not section.chart.series.is_transfer:
        return []
    part = [each for each in found.figures if each.identity.workload in section.details]
    sizes = (f"File size: {note}." for note in found.other_sizes)
    return [_how_measured(part), *sizes]


def _how_measured(transfers: Sequence[Result]) -> str:
    """What is transferred, and of which part of it the figures are."""
    how = titles.how_files_go(
        (each.identity.protocol, each.identity.parameter.by) for each in transfers
    )
    sizes = ", ".join(dict.fromkeys(each.identity.parameter.size_text for each in transfers))
    spans = {
        each.value
        for each in transfers
        if each.metric == "transferred"
        and f"{each.value:g} MiB" != each.identity.parameter.size_text
    }
    if not spans:
        return f"A file of {sizes} {how}."
    span = "\N{EN DASH}".join(f"{size:g}" for size in sorted({min(spans), max(spans)}))
    return (
        f"Several files {how}, at most {sizes}. Throughput and CPU time per MB are those of the "
        f"{span} MiB by which the last file exceeds the first, so they exclude the start of a "
        "transfer. CPU use, interrupts and packets are those of the whole last file."
    )


def detail_grid(measured: Rows, experiment: str, caption: str = "") -> Grid | None:
    """Every metric of an experiment, a row a configuration and parameter."""
    bounded = any(row.bound for row in measured)
    rows: list[dict[str, Text]] = []
    for row in measured:
        line: dict[str, Text] = {"configuration": row.label, "at": row.identity.parameter.text}
        if bounded:
            bound = row.bound or MISSING
            line["limited by"] = Mark(bound, "mixed" if bound == "peer" else "plain")
        for metric in measured.metrics:
            result = row.results.get(metric)
            line[names.quantity(metric)] = result.text if result else MISSING
        rows.append(line)
    return Grid.of(caption or titles.experiment(experiment), rows)


def break_even_grid(
    break_evens: Mapping[Place, Iterable[BreakEven]], places: Places
) -> Grid | None:
    """From which size on each implementation takes less than software: time, and the CPU's time;
    by place.
    """
    rows: dict[tuple[str, str], dict[str, Text]] = {}
    for place, those in break_evens.items():
        for each in those:
            what = places.label(each.what, place)
            start: dict[str, Text] = {
                "configuration": what,
                "measured": titles.experiment(each.experiment),
            }
            row = rows.setdefault((each.experiment, what), start)
            row[f"less: {names.metric(each.metric)}"] = each.size
    caption = "Break-even: sizes from which offload takes less than software"
    return Grid.of(caption, rows.values(), wordy=("measured",))
