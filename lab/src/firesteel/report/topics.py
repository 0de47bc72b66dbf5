# SPDX-License-Identifier: Apache-2.0
"""The parts of the report that show figures: a topic each, with its chart and its tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from firesteel.analysis.rows import Result
from firesteel.analysis.sheet import Sheet
from firesteel.analysis.study import BY_SIZE
from firesteel.report.bars import bars_chart
from firesteel.report.charts import Chart
from firesteel.report.curves import break_even_chart
from firesteel.report.details import break_even_sheet, detail_sheet, one_board_sheets
from firesteel.report.findings import Findings
from firesteel.report.lines import lines_chart
from firesteel.report.published_tables import Table
from firesteel.report.shares import shares_chart, shares_sheet
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars, Lines, Section, Shares
from firesteel.workloads.registry import BY_WEIGHT


@dataclass(frozen=True)
class Topic:
    """One section: `name` is its address in the page; `details` are folded."""

    name: str
    title: str
    chart: Chart | None = None
    sheets: Sequence[Sheet] = ()
    details: Sequence[Sheet] = ()
    notes: Sequence[str] = ()

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.chart or self.sheets or self.details)


def topics(found: Findings, tables: Sequence[Table]) -> list[Topic]:
    """Those that the run has figures for."""
    those = [_topic(section, found, tables) for section in _sections()]
    those.append(_one_board(found, tables))
    return [topic for topic in those if topic.is_there]


def _topic(section: Section, found: Findings, tables: Sequence[Table]) -> Topic:
    sheets, notes = _of(tables, section.name), _notes(section, found)
    details: list[Sheet | None] = [
        detail_sheet(found.experiments[name], name, caption)
        for name, caption in section.details.items()
        if name in found.experiments
    ]
    drawn = section.chart.series.name
    match section.chart:
        case Bars():
            chart = bars_chart(section.chart, found.tunnels.get(drawn, ()))
        case Lines():
            chart = lines_chart(section.chart, found.suites)
        case Shares():
            tunnels = found.tunnels.get(drawn, ())
            chart = shares_chart(section.chart, found.comparison, tunnels)
            details.append(shares_sheet(section.chart, found.comparison))
        case _:
            assert_never(section.chart)
    return Topic(section.name, section.title, chart, sheets, _there(details), notes)


def _sections() -> Iterator[Section]:
    """The main section of each workload, then what else there is."""
    by_rank = zip_longest(*(workload.sections for workload in BY_WEIGHT))
    return (section for rank in by_rank for section in rank if section)


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


def _one_board(found: Findings, tables: Sequence[Table]) -> Topic:
    sheets = [
        break_even_sheet(found.break_evens, found.places),
        *one_board_sheets(found.experiments),
    ]
    return Topic(
        BY_SIZE,
        "By size: where offload breaks even",
        break_even_chart(found.own_suites),
        [*_of(tables, BY_SIZE), *_there(sheets)],
    )


def _of(tables: Sequence[Table], topic: str) -> list[Sheet]:
    return _there(table.sheet for table in tables if table.layout.topic == topic)


def _there(sheets: Iterable[Sheet | None]) -> list[Sheet]:
    return [sheet for sheet in sheets if sheet]
