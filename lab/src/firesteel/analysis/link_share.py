# SPDX-License-Identifier: Apache-2.0
"""The least share of a link that a file transfer's throughput needs.

Marks surround whole files, with the start and the end of the programs that fetch them; throughput
is that of the bytes in between (docs/experiments.md).  So the use of the link between the marks is
less than what it was while the bytes came.
"""

from collections.abc import Iterator

from firesteel.model.figure import Figure
from firesteel.store.record import Record
from firesteel.workloads.load import FULL_FRAME_BYTES
from firesteel.workloads.registry import TRANSFERS

_PAYLOAD = 1460
"""The most bytes of a TCP stream that a full Ethernet frame carries."""


def figures_of(record: Record) -> Iterator[Figure]:
    """The record's figures, those of a transfer's `link_use` no less than its throughput needs."""
    setup = record.measurement.setup
    figures = record.measurement.figures
    # Which links a transfer passes is not recorded; the fastest one needs the least of its time.
    rate = max((link.rate_bit_s for link in setup.topology.links), default=0) if setup else 0
    needed = {
        figure.parameter: _percent(figure.value, rate)
        for figure in figures
        if figure.workload in TRANSFERS and figure.metric == "throughput" and rate
    }
    for figure in figures:
        least = needed.get(figure.parameter, 0.0)
        if figure.workload in TRANSFERS and figure.metric == "link_use":
            yield figure.model_copy(update={"value": max(figure.value, least)})
        else:
            yield figure


def _percent(megabytes_a_second: float, rate_bit_s: int) -> float:
    return min(100 * megabytes_a_second * 8e6 * FULL_FRAME_BYTES / _PAYLOAD / rate_bit_s, 100.0)
