# SPDX-License-Identifier: Apache-2.0
"""What the sources say besides their tables: each statement with ours beside it, or the reason."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import Field

from firesteel.analysis.published import PUBLISHED, read_published
from firesteel.analysis.sheet import MISSING, Sheet, Text
from firesteel.base import toml
from firesteel.base.schema import Table
from firesteel.model import names
from firesteel.report.published_tables import NOT_MEASURED, is_of_a_table

REASONS = PUBLISHED.parent / "unmeasured.toml"


class Reason(Table):
    """Why statements of a source's table are not measured."""

    source: str
    table: str
    why: str


class Reasons(Table):
    """The file of reasons."""

    reason: Annotated[tuple[Reason, ...], Field(min_length=1)]


_Pair = tuple[float, float]
"""A figure in software, and in hardware."""

_COMPUTED: Mapping[tuple[str, str], tuple[dict[str, str], Callable[[_Pair], str]]] = {
    ("openvpn", "connections_ratio"): (
        {"experiment": "tls-connections", "metric": "connections", "parameter": "rsa-4096"},
        lambda pair: f"{pair[1] / pair[0]:.1f}",
    ),
    ("openvpn", "cpu_ratio"): (
        {"experiment": "tls-connections", "metric": "cpu", "parameter": "rsa-4096"},
        lambda pair: f"{pair[0] / pair[1]:.0f}",
    ),
    ("ipsec", "throughput_change"): (
        {"experiment": "file-transfer", "metric": "throughput", "mac": "sha256"},
        lambda pair: f"{100 * (pair[1] / pair[0] - 1):+.0f}",
    ),
    ("ipsec", "cpu_ratio"): (
        {"experiment": "file-transfer", "metric": "cpu_seconds_per_mb", "mac": "sha256"},
        lambda pair: f"{pair[0] / pair[1]:.1f}",
    ),
}
"""Statements of the slides that follow from figures of ours, by protocol and metric.

IPsec's CPU is taken by the MB: the published throughput was the same for both, ours is not.
"""


def statements_sheet(figures: pl.DataFrame, path: Path = PUBLISHED) -> Sheet | None:
    """All published rows that are of no table, in their order."""
    reasons = {
        (each.source, each.table): each.why.replace("`", "")
        for each in toml.read_model(REASONS, Reasons).reason
    }
    rows = [_row(row, figures, reasons) for row in read_published(path) if not is_of_a_table(row)]
    columns = ("published", "ours", "unit", "where", "remark")
    wordy = frozenset({3, 4})
    caption = "Other statements of the sources"
    return Sheet(caption, columns, rows, head="statement", wordy=wordy) if rows else None


def _row(
    row: dict[str, str], figures: pl.DataFrame, reasons: Mapping[tuple[str, str], str]
) -> list[Text]:
    computed = _COMPUTED.get((row["protocol"], row["metric"]))
    ours = _computed(figures, row, *computed) if computed else None
    remark = row["note"]
    if ours is None:
        remark = reasons.get((row["source"], row["table"]), NOT_MEASURED)
    return [
        _what(row),
        row["value"],
        ours or MISSING,
        names.unit(row["unit"]),
        f"{row['source']} {row['table']}",
        remark,
    ]


def _what(row: dict[str, str]) -> str:
    name = names.configuration(row["protocol"], row["cipher"] or "none", row["mac"] or "none")
    protocol = name.partition(" none:none")[0]
    return ", ".join(filter(None, (protocol, names.metric(row["metric"]), row["parameter"])))


def _computed(
    figures: pl.DataFrame,
    row: dict[str, str],
    keys: dict[str, str],
    ratio: Callable[[_Pair], str],
) -> str | None:
    found = [
        [each["value"] for each in _of(figures, row["protocol"], implementation, keys)]
        for implementation in ("software", "hardware")
    ]
    if not all(found) or not all(values[0] for values in found):
        return None
    return ratio((found[0][0], found[1][0]))


def _of(
    figures: pl.DataFrame, protocol: str, implementation: str, keys: dict[str, str]
) -> list[dict[str, Any]]:
    wanted = {"protocol": protocol, "implementation": implementation, **keys}
    return figures.filter(**wanted).to_dicts()
