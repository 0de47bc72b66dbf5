# SPDX-License-Identifier: Apache-2.0
"""The parts of the report that show figures: a topic each, with its chart and its tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from firesteel.analysis.boards import Boards
from firesteel.analysis.sheet import Sheet
from firesteel.report.bars import handshakes_chart, transfer_chart
from firesteel.report.charts import Chart
from firesteel.report.curves import break_even_chart
from firesteel.report.details import break_even_sheet, detail_sheet, one_board_sheets, other_sizes
from firesteel.report.latency import latency_chart
from firesteel.report.packet_sizes import sizes_chart, sizes_sheet
from firesteel.report.published_tables import Table
from firesteel.workloads import titles


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


def topics(
    figures: pl.DataFrame, comparison: pl.DataFrame, tables: Sequence[Table], boards: Boards
) -> list[Topic]:
    """Those that the run has figures for."""
    found = (
        _transfer(figures, comparison, tables, boards),
        _latency(figures, comparison, tables, boards),
        _handshakes(figures, comparison, tables, boards),
        Topic(
            "sizes",
            "Packet sizes during the file transfer",
            sizes_chart(comparison, boards),
            _of(tables, "sizes"),
            _there([sizes_sheet(comparison)]),
        ),
        _one_board(figures, boards),
    )
    return [topic for topic in found if topic.is_there]


def _transfer(
    figures: pl.DataFrame, comparison: pl.DataFrame, tables: Sequence[Table], boards: Boards
) -> Topic:
    part = figures.filter(pl.col("experiment") == "file-transfer")
    caption = "All figures of the file transfer: CPU time by kind, packets, interrupts"
    return Topic(
        "transfer",
        "File transfer: throughput and CPU use",
        transfer_chart(comparison, boards),
        _of(tables, "transfer"),
        _there([detail_sheet(figures, "file-transfer", caption)]),
        [_how_measured(part), *(f"File size: {note}." for note in other_sizes(comparison))],
    )


def _how_measured(transfers: pl.DataFrame) -> str:
    """What is transferred, and of which part of it the figures are."""
    how = titles.how_files_go(transfers["protocol"])
    sizes = ", ".join(transfers["parameter"].unique(maintain_order=True))
    figures = transfers.filter(pl.col("metric") == "transferred").to_dicts()
    spans = {row["value"] for row in figures if f"{row['value']:g} MiB" != row["parameter"]}
    if not spans:
        return f"A file of {sizes} {how}."
    span = "\N{EN DASH}".join(f"{size:g}" for size in sorted({min(spans), max(spans)}))
    return (
        f"Several files {how}, at most {sizes}. Throughput and CPU time per MB are those of the "
        f"{span} MiB by which the last file exceeds the first, so they exclude the start of a "
        "transfer. CPU use, interrupts and packets are those of the whole last file."
    )


def _latency(
    figures: pl.DataFrame, comparison: pl.DataFrame, tables: Sequence[Table], boards: Boards
) -> Topic:
    return Topic(
        "latency",
        "Latency: flood ping",
        latency_chart(comparison, boards),
        _of(tables, "latency"),
        _there([detail_sheet(figures, "ping", "All figures of the pings: percentiles, CPU use")]),
    )


def _handshakes(
    figures: pl.DataFrame, comparison: pl.DataFrame, tables: Sequence[Table], boards: Boards
) -> Topic:
    experiments = ("tls-connection-time", "tls-connections")
    return Topic(
        "handshakes",
        "TLS handshakes: rate and time of one",
        handshakes_chart(comparison, boards),
        _of(tables, "handshakes"),
        _there(detail_sheet(figures, name) for name in experiments),
    )


def _one_board(figures: pl.DataFrame, boards: Boards) -> Topic:
    return Topic(
        "by-size",
        "By size: where offload breaks even",
        break_even_chart(figures, boards),
        _there([break_even_sheet(figures, boards), *one_board_sheets(figures)]),
    )


def _of(tables: Sequence[Table], topic: str) -> list[Sheet]:
    return _there(table.sheet for table in tables if table.layout.topic == topic)


def _there(sheets: Iterable[Sheet | None]) -> list[Sheet]:
    return [sheet for sheet in sheets if sheet]
