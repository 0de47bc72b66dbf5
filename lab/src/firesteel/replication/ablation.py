# SPDX-License-Identifier: Apache-2.0
"""What shows why CPU use is far from the published one (`replication.causes`): that of one core,
parted as two would have it.

Cells with habits of 2015 are in `replication.variants`.
"""

from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel.analysis.compare import configuration
from firesteel.analysis.sheet import mark
from firesteel.model.metrics import CPU_UNIT

_TRANSFER = "file-transfer"
_CONFIGURATION = ["protocol", "cipher", "mac", "implementation"]
_INTERRUPTS = ("cpu_softirq", "cpu_irq")


@dataclass(frozen=True)
class TwoCores:
    """CPU use in percent of one core: all of it; of that interrupts, and the rest; the published,
    which is of the busier of two; and by how much percent the larger part deviates from that.
    """

    row: dict[str, Any]
    cpu: float
    interrupts: float
    rest: float
    published: float

    @property
    def converged(self) -> bool:
        """Whether our figures have."""
        return bool(self.row["converged"])

    @property
    def mark(self) -> str:
        """What stands before them."""
        return mark(self.row)

    @property
    def name(self) -> str:
        """What was transferred by."""
        return configuration(self.row)

    @property
    def deviation(self) -> float:
        """Of the busier core, had one the interrupts and the other the rest."""
        return 100 * (max(self.interrupts, self.rest) / self.published - 1)


def two_cores(comparison: pl.DataFrame) -> list[TwoCores]:
    """Transfers in software whose CPU use is published, and the interrupts' part of it is known."""
    cpu = comparison.filter(
        (pl.col("experiment") == _TRANSFER)
        & (pl.col("implementation") == "software")
        & (pl.col("unit") == CPU_UNIT)
    )
    parts = cpu.pivot("metric", index=_CONFIGURATION, values="value", maintain_order=True)
    if not {"cpu", *_INTERRUPTS} <= set(parts.columns):
        return []
    published = cpu.filter(pl.col("metric") == "cpu").drop_nulls("published")
    both = published.join(parts, on=_CONFIGURATION, maintain_order="left")
    return [
        TwoCores(
            row=row,
            cpu=row["cpu"],
            interrupts=(interrupts := sum(row[part] for part in _INTERRUPTS)),
            rest=row["cpu"] - interrupts,
            published=row["published"],
        )
        for row in both.iter_rows(named=True)
    ]
