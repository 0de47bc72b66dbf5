# SPDX-License-Identifier: Apache-2.0
"""A part of fault_matrix.csv: nothing is spoilt, lost or left behind by faults.

The whole table takes an hour: scripts/fault-matrix.sh.
"""

import pytest
from bench import Bench
from fault_cells import run_cell
from fault_table import Row

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.build.products import Products

FAULTS = (
    Fault(kind="dma-error", rate=100),
    Fault(kind="stuck-busy", rate=1000),
    Fault(kind="wrong-tag", rate=100),
)


@pytest.fixture(scope="module")
def driver() -> JobFile:
    return JobFile(Products().driver().read_bytes())


@pytest.fixture(scope="module")
def without(parts: Bench, driver: JobFile) -> Row:
    return Row.of(run_cell(parts, driver, None), verify=False)


def test_without_a_fault_all_is_well(without: Row) -> None:
    assert without.wrong(without) == []
    assert without.failed == without.out_of_service == without.warnings == 0
    assert all(served > 1000 for served in without.served.values())


@pytest.mark.matrix
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_spoils_nothing_and_passes(
    parts: Bench, driver: JobFile, without: Row, fault: Fault
) -> None:
    row = Row.of(run_cell(parts, driver, fault), verify=False)
    assert row.wrong(without) == []
    assert row.struck > 0
    assert row.warnings <= 1
    assert (row.failed > 0) == (fault.kind != "wrong-tag")
