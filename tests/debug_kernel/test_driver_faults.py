# SPDX-License-Identifier: Apache-2.0
"""Cores fail under traffic on the debug kernel: nothing is spoilt, nothing is reported."""

import pytest
from bench import Bench
from fault_cells import Kernel, Outcome, run_cell
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.build.products import Products

# Self-tests take longer than all else, and are another test's.
KERNEL = Kernel(
    prepare=f"{PREPARE}echo Y >/sys/module/cryptomgr/parameters/notests\n",
    collect=collect(),
    fault_ms=(15_000, 40_000),
    traffic_s=18,
    hung_after_s=30,
)

FAULTS = (
    (Fault(kind="dma-error", rate=100), False),
    (Fault(kind="stuck-busy", rate=1000), False),
    (Fault(kind="gone", rate=100), False),
    (Fault(kind="flipped-bit", rate=100), True),
)
"""Faults, and whether results are compared with software's."""


@pytest.fixture(scope="module", params=FAULTS, ids=lambda cell: str(cell[0]))
def outcome(bench: Bench, request: pytest.FixtureRequest) -> Outcome:
    driver = JobFile(Products().debug_driver().read_bytes())
    fault, verify = request.param
    return run_cell(bench, driver, fault, verify, KERNEL)


def test_the_fault_struck_and_software_did_the_rest(outcome: Outcome) -> None:
    assert outcome.struck > 0
    assert outcome.ways("failed") > 0
    assert outcome.warnings == 1


def test_nothing_is_spoilt(outcome: Outcome) -> None:
    for whole, spoilt in (outcome.files, outcome.disks):
        assert whole > 0
        assert spoilt == 0


def test_nothing_is_reported(outcome: Outcome) -> None:
    evidence = evidence_of(outcome.run.run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence, tests_off=True) == []
