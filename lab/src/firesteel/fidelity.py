# SPDX-License-Identifier: Apache-2.0
"""How near the boards come to the published one: docs/fidelity.md, made from a run.

1. Rows that were fitted to (`firesteel.fit`), and rows that are predictions.
2. Causes of large deviations, and what shows them (`firesteel.causes`).
3. Transfers beside longer ones, to show that they are long enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import jinja2
import polars as pl

from firesteel import names, toml
from firesteel.causes import CAUSES, Cause, Causes, cause_of
from firesteel.compare import configuration, is_told, place
from firesteel.evidence import two_cores, with_habits, without_clients
from firesteel.fit import is_fitted, steps
from firesteel.results import Results

LARGE = 40
"""Percent of deviation from which on a row needs a cause."""

AIM = 20
"""Percent that half of the software's rows deviate by at the most."""

_TEMPLATES = Path(__file__).parent
_TRANSFER = ("throughput", "cpu_seconds_per_mb")
NEAR = 0.5
"""Percent that a transfer's rate and that of a longer one may differ by."""


@dataclass(frozen=True)
class Row:
    """A figure beside the published one."""

    name: str
    metric: str
    value: str
    published: str
    deviation: float
    is_shown: bool

    @property
    def mark(self) -> str:
        """What a row of large deviation is marked with: whether its cause is shown."""
        if abs(self.deviation) <= LARGE:
            return ""
        return "†" if self.is_shown else "‡"


@dataclass(frozen=True)
class Longer:
    """A transfer's figure, that of a longer one, and by how much percent they differ."""

    name: str
    metric: str
    value: str
    longer: str
    parameter: str
    change: float


def page(
    results: Results,
    comparison: pl.DataFrame,
    longer: Results | None = None,
    habits: Sequence[Results] = (),
) -> str:
    """The page as Markdown, with the runs `longer` of long transfers and `habits` of causes."""
    then = with_habits(comparison, habits)
    alone = without_clients(results, comparison, habits)
    tables = {"habits": bool(then), "handshakes": bool(alone), None: True}
    causes = [
        cause if tables[cause.evidence] else cause.model_copy(update={"shown_by": None})
        for cause in toml.read_model(CAUSES, Causes).cause
    ]
    paired = [row for row in comparison.drop_nulls("deviation_percent").to_dicts() if is_told(row)]
    software = [row for row in paired if row["implementation"] == "software"]
    predicted = [row for row in software if not is_fitted(row)]
    foreseen = [_row(row, causes) for row in predicted]
    offloaded = [_row(row, causes) for row in paired if row["implementation"] == "hardware"]
    compared = _longer(results, longer) if longer else []
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return environment.get_template("fidelity.md.j2").render(
        journal=results.journal,
        steps=steps(comparison),
        aim=AIM,
        large=LARGE,
        median_all=_median(software),
        median_predicted=_median(predicted),
        fitted=[_row(row, causes) for row in software if is_fitted(row)],
        predicted=foreseen,
        unexplained=sum(row.mark == "‡" for row in foreseen),
        hardware=offloaded,
        unexplained_hardware=sum(row.mark == "‡" for row in offloaded),
        causes=causes,
        cores=two_cores(comparison),
        habits=then,
        handshakes=alone,
        longer=compared,
        farther=sum(abs(each.change) > NEAR for each in compared),
        near=NEAR,
    )


def _median(rows: Sequence[dict[str, Any]]) -> float:
    return median(abs(row["deviation_percent"]) for row in rows) if rows else 0.0


def _row(row: dict[str, Any], causes: Sequence[Cause]) -> Row:
    return Row(
        name=place(row),
        metric=names.quantity(row["metric"], row["unit"]),
        value=names.number(row["value"], row["unit"], row["metric"]),
        published=names.number(row["published"], row["unit"], row["metric"]),
        deviation=row["deviation_percent"],
        is_shown=bool((cause := cause_of(row, causes)) and cause.shown_by),
    )


def _longer(results: Results, longer: Results) -> list[Longer]:
    """Both runs' transfers, where both have them, of whatever sizes."""
    keys = ["protocol", "cipher", "mac", "implementation", "completion", "metric", "unit"]
    mine, theirs = (
        each.figures.filter(
            (pl.col("experiment") == "file-transfer") & pl.col("metric").is_in(list(_TRANSFER))
        )
        for each in (results, longer)
    )
    both = mine.join(theirs, on=keys, suffix="_longer", maintain_order="left")
    return [
        Longer(
            name=configuration(row),
            metric=names.quantity(row["metric"], row["unit"]),
            value=names.number(row["value"], row["unit"], row["metric"]),
            longer=names.number(row["value_longer"], row["unit"], row["metric"]),
            parameter=row["parameter_longer"],
            change=100 * (row["value"] / row["value_longer"] - 1),
        )
        for row in both.iter_rows(named=True)
    ]
