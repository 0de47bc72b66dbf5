# SPDX-License-Identifier: Apache-2.0
"""Where the published hardware was worse than its own software: what changed, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from firesteel import names
from firesteel.report.boards import BOARD, LABEL
from firesteel.report.pairs import SLACK
from firesteel.report.published_tables import Ours, is_of_a_table
from firesteel.report.sheet import MISSING, Mark, Sheet, Text, Tone, change

State = Literal["better", "equal", "worse", "missing"]

_MORE_IS_BETTER = ("throughput", "connections")
_LESS_IS_BETTER = ("rtt_mean", "connection_time", "cpu")

_TONES: dict[State, Tone] = {"better": "good", "worse": "bad"}

CAUSES = {
    "openvpn": "OpenVPN here reaches the cores from its own process, through OpenSSL’s provider "
    "and without a system call for each packet, and leaves to software what software does faster.",
    "ipsec": "IPsec here reaches the cores through a driver of the kernel’s crypto API that has "
    "several packets under way, chooses how to wait, and leaves to software what software does "
    "faster.",
    "ssh": "SSH here reaches the cores from its own process too, by the same provider.",
}
"""What is done differently here, by protocol."""


@dataclass(frozen=True)
class Loss:
    """A published figure, worse in hardware than in software; and ours, if there are both.

    `published` and `ours` are software first, then hardware.
    """

    row: dict[str, Any]
    label: str
    published: tuple[float, float]
    ours: tuple[float, float] | None
    reason: str = ""

    @property
    def state(self) -> State:
        """How hardware stands to software here."""
        if self.ours is None or not self.ours[0]:
            return "missing"
        ratio = self.ours[1] / self.ours[0]
        if self.row["metric"] in _LESS_IS_BETTER:
            ratio = 1 / ratio if ratio else 2.0
        return "better" if ratio > 1 + SLACK else "worse" if ratio < 1 - SLACK else "equal"


def losses(published: pl.DataFrame, ours: Ours) -> list[Loss]:
    """All of them, in the published order; one for each of our boards that has the figure."""
    keys = ("table", "experiment", "protocol", "cipher", "mac", "parameter", "metric")
    found: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in published.iter_rows(named=True):
        if is_of_a_table(row):
            key = tuple(row[key] for key in keys)
            found.setdefault(key, {})[row["implementation"]] = row
    return [
        loss
        for both in found.values()
        if {"software", "hardware"} <= both.keys() and _lost(both)
        for loss in _losses(both, ours)
    ]


def losses_sheet(found: Sequence[Loss]) -> Sheet | None:
    """Published software and hardware, ours, and how both changed."""
    rows: list[list[Text]] = []
    for loss in found:
        metric, unit = loss.row["metric"], loss.row["unit"]
        published = [names.number(each, unit, metric) for each in loss.published]
        ours = [names.number(each, unit, metric) for each in loss.ours or ()] or [MISSING] * 2
        what = f"{names.metric(metric)}, {loss.row['parameter']}, {names.unit(unit)}"
        rows.append(
            [
                loss.label,
                Mark(_said(loss), _TONES.get(loss.state, "plain")),
                *(what, *published, change(loss.published[1], loss.published[0])),
                *(*ours, change(loss.ours[1], loss.ours[0]) if loss.ours else MISSING),
            ]
        )
    columns = ("hardware here", "figure", *("software", "hardware", "change") * 2)
    groups = (("", 2), ("published", 3), ("ours", 3))
    caption = "Figures in which the published hardware was worse than its software"
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0, 1})) if rows else None


def causes(found: Sequence[Loss]) -> list[str]:
    """What is done differently here, for the protocols that were measured."""
    protocols = dict.fromkeys(loss.row["protocol"] for loss in found if loss.ours)
    return [CAUSES[protocol] for protocol in protocols if protocol in CAUSES]


def _lost(both: dict[str, dict[str, Any]]) -> bool:
    software, hardware = both["software"]["value"], both["hardware"]["value"]
    metric = both["software"]["metric"]
    if metric in _MORE_IS_BETTER:
        return bool(hardware < software)
    return metric in _LESS_IS_BETTER and bool(hardware > software)


def _losses(both: dict[str, dict[str, Any]], ours: Ours) -> list[Loss]:
    published = (both["software"]["value"], both["hardware"]["value"])
    row = both["hardware"]
    software = {each[BOARD]: each for each in ours.of(both["software"])}
    here = [each for each in ours.of(row) if each[BOARD] in software]
    if not here:
        label = names.configuration(row["protocol"], row["cipher"], row["mac"], "hardware")
        return [Loss(row, label, published, None, ours.reason(row))]
    return [
        Loss(row, each[LABEL], published, (software[each[BOARD]]["value"], each["value"]))
        for each in here
    ]


def _said(loss: Loss) -> str:
    if loss.state == "missing":
        return loss.reason or MISSING
    return {
        "better": "better than software",
        "equal": "equal to software",
        "worse": "still worse than software",
    }[loss.state]
