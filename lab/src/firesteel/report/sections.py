# SPDX-License-Identifier: Apache-2.0
"""What the report says, worked out before it is set: sentences and tables of texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

from firesteel import names
from firesteel.compare import CONFIGURATION, configuration, orders
from firesteel.limits import COLUMNS, Outcome, texts, title

_BETWEEN_BOARDS = ("ping", "file-transfer", "packet-sizes")
"""Experiments that have sections of their own."""


@dataclass(frozen=True)
class Sheet:
    """A table of texts; the first column, `head`, names the row.

    `groups` spans heads over columns.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    groups: Sequence[tuple[str, int]] = ()
    head: str = "configuration"


def answer(comparison: pl.DataFrame) -> list[str]:
    """The result in a few sentences: what a tunnel costs, how near the published figures are."""
    return [*_cost(comparison), *_nearness(comparison), *_order(comparison)]


def transfer_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """Throughput and CPU use beside the published ones."""
    part = comparison.filter(
        (pl.col("experiment") == "file-transfer") & pl.col("metric").is_in(["throughput", "cpu"])
    )
    if part.is_empty():
        return None
    rows = []
    for figures in part.partition_by(*CONFIGURATION, maintain_order=True):
        by_metric = {row["metric"]: row for row in figures.iter_rows(named=True)}
        cells = [
            text for metric in ("throughput", "cpu") for text in _pair(by_metric.get(metric, {}))
        ]
        rows.append([configuration(figures.row(0, named=True)), *cells])
    sizes = ", ".join(part["parameter"].unique(maintain_order=True))
    return Sheet(
        f"File of {sizes} {names.how_files_go(part['protocol'])}",
        ("ours", "published", "ratio") * 2,
        rows,
        (("throughput, MB/s", 3), ("CPU use, % of core", 3)),
    )


def ping_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """Mean RTT by payload size beside the published one."""
    part = comparison.filter((pl.col("experiment") == "ping") & (pl.col("metric") == "rtt_mean"))
    if part.is_empty():
        return None
    sizes = part["parameter"].unique(maintain_order=True).to_list()
    rows = []
    for figures in part.partition_by(*CONFIGURATION, maintain_order=True):
        by_size = {row["parameter"]: row for row in figures.iter_rows(named=True)}
        cells = [text for size in sizes for text in _pair(by_size.get(size, {}))[:2]]
        rows.append([configuration(figures.row(0, named=True)), *cells])
    groups = [(size, 2) for size in sizes]
    return Sheet("Mean round-trip time, ms", ("ours", "publ.") * len(sizes), rows, groups)


def size_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """The packet-size histogram; a published share stands in brackets."""
    part = comparison.filter(
        (pl.col("experiment") == "packet-sizes") & (pl.col("parameter") != "other")
    )
    if part.is_empty():
        return None
    used = part.group_by("parameter", maintain_order=True).agg(pl.col("value").max())
    classes = sorted(used.filter(pl.col("value") > 0)["parameter"], key=_least)
    rows = []
    for figures in part.partition_by(*CONFIGURATION, maintain_order=True):
        by_class = {row["parameter"]: row for row in figures.iter_rows(named=True)}
        cells = [_with_published(by_class.get(name, {})) for name in classes]
        rows.append([configuration(figures.row(0, named=True)), *cells])
    return Sheet("Share of packets by frame size, % (published in brackets)", classes, rows)


def detail_sheet(figures: pl.DataFrame, experiment: str, caption: str) -> Sheet | None:
    """Every metric of an experiment, a row a configuration and parameter."""
    part = figures.filter(pl.col("experiment") == experiment)
    if part.is_empty():
        return None
    heads = part.select("metric", "unit").unique(maintain_order=True).rows()
    rows = []
    for each in part.partition_by(*CONFIGURATION, "parameter", maintain_order=True):
        by_metric = {row["metric"]: row for row in each.iter_rows(named=True)}
        first = each.row(0, named=True)
        cells = [_value(by_metric.get(metric, {})) for metric, _ in heads]
        rows.append([configuration(first), first["parameter"], *cells])
    columns = [
        ", ".join(filter(None, (names.metric(metric), names.unit(unit)))) for metric, unit in heads
    ]
    return Sheet(caption, ["at", *columns], rows)


def one_board_sheets(figures: pl.DataFrame) -> list[Sheet]:
    """All figures of what was measured within one board, a sheet an experiment."""
    experiments = figures["experiment"].unique(maintain_order=True).to_list()
    sheets = (
        detail_sheet(figures, name, names.experiment(name))
        for name in experiments
        if name not in _BETWEEN_BOARDS
    )
    return [sheet for sheet in sheets if sheet]


def limit_sheets(found: Sequence[Outcome]) -> list[Sheet]:
    """What the experiment's limits are, and whether they are met: a sheet for each pair."""
    rows: dict[str, list[list[str]]] = {}
    for outcome in found:
        rows.setdefault(title(outcome.limit), []).append(texts(outcome))
    return [Sheet(pair, COLUMNS, those, head="metric") for pair, those in rows.items()]


def deviation_sheet(comparison: pl.DataFrame) -> Sheet | None:
    """Every figure that has a published counterpart, the farthest off first."""
    paired = comparison.drop_nulls("deviation_percent").sort(
        pl.col("deviation_percent").abs(), descending=True, maintain_order=True
    )
    if paired.is_empty():
        return None
    rows = [
        [
            configuration(row),
            f"{names.metric(row['metric'])}, {row['parameter']}",
            _value(row),
            _value(row, "published"),
            names.unit(row["unit"]),
            f"{row['deviation_percent']:+.0f} %",
            row["note"],
        ]
        for row in paired.iter_rows(named=True)
    ]
    columns = ("figure", "ours", "published", "unit", "deviation", "source")
    return Sheet("All figures with a published counterpart", columns, rows)


def _cost(comparison: pl.DataFrame) -> list[str]:
    """What the costliest tunnel takes, seen from none at all."""
    rates = comparison.filter(
        (pl.col("experiment") == "file-transfer") & (pl.col("metric") == "throughput")
    )
    clear = rates.filter(pl.col("protocol") == "none")
    tunnels = rates.filter(
        (pl.col("protocol") != "none") & (pl.col("implementation") == "software")
    ).sort("value", descending=True)
    sentences = []
    if not clear.is_empty():
        best = clear.row(0, named=True)
        sentences.append(
            f"Without a tunnel the board receives {_value(best)} MB/s{_busy(comparison, best)}."
        )
    if not tunnels.is_empty():
        fast, slow = tunnels.row(0, named=True), tunnels.row(-1, named=True)
        text = (
            f"In software, the slowest tunnel is {configuration(slow)} with {_value(slow)} MB/s"
            f"{_busy(comparison, slow)}"
        )
        if tunnels.height > 1:
            text += (
                f"; the fastest is {configuration(fast)} with {_value(fast)} MB/s"
                f"{_busy(comparison, fast)}"
            )
        sentences.append(text + ".")
    return sentences


def _busy(comparison: pl.DataFrame, row: dict[str, Any]) -> str:
    same = pl.all_horizontal(*(pl.col(key) == row[key] for key in CONFIGURATION))
    cpu = comparison.filter(
        same & (pl.col("experiment") == "file-transfer") & (pl.col("metric") == "cpu")
    )
    return "" if cpu.is_empty() else f" at {cpu['value'][0]:.0f} % CPU"


def _nearness(comparison: pl.DataFrame) -> list[str]:
    paired = comparison.drop_nulls("deviation_percent")
    if paired.is_empty():
        return ["None of these figures has a published counterpart."]
    off = sorted(abs(float(value)) for value in paired["deviation_percent"])
    text = (
        f"Of {comparison.height} figures, {paired.height} have a published counterpart; half of "
        f"them are within {median(off):.0f} % of it, the farthest is {off[-1]:.0f} % off."
    )
    return [text]


def _order(comparison: pl.DataFrame) -> list[str]:
    found = orders(comparison)
    pairs = sum(order.pairs for order in found)
    if not pairs:
        return []
    agreeing = pairs - sum(len(order.swapped) for order in found)
    text = (
        f"Of {pairs} pairs of configurations, {agreeing} come in the published order "
        "by throughput or latency."
    )
    return [text]


def _least(size_class: str) -> int:
    """The lower bound of a class such as `80-159 B` or `2560 B and more`."""
    return int(re.split("[- ]", size_class, maxsplit=1)[0])


def _pair(row: dict[str, Any]) -> list[str]:
    if not row:
        return ["–", "–", "–"]
    ratio = row["ratio"]
    return [
        _value(row),
        _value(row, "published"),
        "–" if ratio is None else f"{ratio:.2f}",
    ]


def _with_published(row: dict[str, Any]) -> str:
    if row.get("published") is None:
        return _value(row)
    return f"{_value(row)} ({_value(row, 'published')})"


def _value(row: dict[str, Any], key: str = "value") -> str:
    value = row.get(key)
    return "–" if value is None else names.number(value, row["unit"], row["metric"])
