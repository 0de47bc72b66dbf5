# SPDX-License-Identifier: Apache-2.0
"""What is held beside what, to show why figures are far from the published ones."""

import pytest

from firesteel.analysis.compare import compare
from firesteel.analysis.rows import read_results
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.table import figures_frame
from research.evidence import two_cores


def _transfer(metric: str, value: float) -> Figure:
    return Figure(
        workload="file-transfer",
        protocol="none",
        cipher="none",
        mac="none",
        implementation="software",
        parameter=Parameter(file_bytes=8 << 20),
        metric=metric,
        value=value,
    )


def test_two_cores_part_interrupts_from_programs() -> None:
    figures = [_transfer("cpu", 14), _transfer("cpu_softirq", 5), _transfer("cpu_irq", 1)]
    (row,) = two_cores(compare(read_results(figures_frame(figures))))
    assert (row.name, row.cpu, row.interrupts, row.rest) == ("no tunnel", 14, 6, 8)
    assert row.published == 7.16
    assert row.deviation == pytest.approx(11.7, abs=0.1)


def test_two_cores_need_the_interrupts_part() -> None:
    assert two_cores(compare(read_results(figures_frame([_transfer("cpu", 14)])))) == []
