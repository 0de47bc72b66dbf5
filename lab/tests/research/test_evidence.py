# SPDX-License-Identifier: Apache-2.0
"""What tests a cause of deviations, and whether it shows it."""

import pytest

from firesteel.analysis.compare import compare
from firesteel.analysis.rows import read_results
from firesteel.model.figure import Figure, Parameter
from firesteel.replication.causes import Cause
from firesteel.table import figures_frame
from research.evidence import Deviations, finding, two_cores


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
    assert (row.result.value, row.interrupts, row.rest) == (14, 6, 8)
    assert row.result.published == 7.16
    assert row.deviation == pytest.approx(11.7, abs=0.1)


def test_two_cores_need_the_interrupts_part() -> None:
    assert two_cores(compare(read_results(figures_frame([_transfer("cpu", 14)])))) == []


@pytest.mark.parametrize(
    ("claimed", "others", "outcome"),
    [
        ([(100, 40), (50, -20)], [(5, 8)], "shown"),
        ([(100, 60)], [], "shown in part"),
        ([(200, 0), (100, -10), (20, 30), (10, 20)], [], "shown in part"),
        ([(100, -80)], [], "not shown"),
        ([(100, 10)], [(5, 60)], "shown in part"),
        ([], [(5, 60)], "supposed"),
    ],
)
def test_a_test_shows_a_cause_by_what_is_left_of_the_deviation(
    claimed: list[tuple[float, float]], others: list[tuple[float, float]], outcome: str
) -> None:
    rows = [Deviations(*pair) for pair in claimed] + [Deviations(*pair, False) for pair in others]
    cause = Cause(why="then", evidence="variants", tested_by="x", variant=("no-neon",))
    found = finding(cause, rows)
    assert found.outcome == outcome
    assert found.is_shown == (outcome == "shown")


def test_what_follows_from_published_rows_needs_no_cells() -> None:
    assert finding(Cause(why="arithmetic", evidence="published"), []).is_shown
