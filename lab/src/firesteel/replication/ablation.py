# SPDX-License-Identifier: Apache-2.0
"""What shows why CPU use is far from the published one (`replication.causes`): that of one core,
parted as two would have it.

Cells that work as in 2015 are in `replication.variants`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firesteel.analysis.rows import Result, Rows, of_metrics
from firesteel.analysis.verdict import USE
from firesteel.model import names
from firesteel.workloads import titles
from firesteel.workloads.registry import TRANSFERS

_INTERRUPTS = ("cpu_softirq", "cpu_irq")


@dataclass(frozen=True)
class TwoCores:
    """CPU use in percent of one core: all of it; of that interrupts, and the rest; the published,
    which is of the busier of two; and by how much percent the larger part deviates from that.
    """

    result: Result
    cpu: float
    interrupts: float
    rest: float
    published: float

    @property
    def converged(self) -> bool:
        """Whether our figures have."""
        return self.result.converged

    @property
    def mark(self) -> str:
        """What stands before them."""
        return names.mark(converged=self.converged)

    @property
    def name(self) -> str:
        """What was transferred by."""
        return titles.of_identity(self.result.identity)

    @property
    def deviation(self) -> float:
        """Of the busier core, had one the interrupts and the other the rest."""
        return 100 * (max(self.interrupts, self.rest) / self.published - 1)


def two_cores(comparison: Iterable[Result]) -> list[TwoCores]:
    """Transfers in software whose CPU use is published, and the interrupts' part of it is known."""
    found = []
    for row in Rows(of_metrics(comparison, (USE, *_INTERRUPTS))):
        of = row.identity
        use = row.results.get(USE)
        known = use is not None and all(part in row.results for part in _INTERRUPTS)
        if of.workload not in TRANSFERS or of.implementation != "software" or not known:
            continue
        if use is None or use.published is None:
            continue
        interrupts = sum(row.results[part].value for part in _INTERRUPTS)
        rest = use.value - interrupts
        found.append(TwoCores(use, use.value, interrupts, rest, use.published))
    return found
