# SPDX-License-Identifier: Apache-2.0
"""The Linux driver comes and goes under traffic on the debug kernel, and nothing is reported."""

import os

import pytest
from bench import Bench, KeptRun
from driver_run import Told
from driver_torture import reload, under_traffic, unplug
from ipsec_traffic import whole_files
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports

from firesteel.boards.job import JobFile
from firesteel.build.products import Products

ROUNDS = int(os.environ.get("FIRESTEEL_ROUNDS", "3"))

# The image's own algorithms are not tested: that takes longer than all else.
_BEGIN = f"{PREPARE}\necho Y >/sys/module/cryptomgr/parameters/notests\n"
_END = "rmmod firesteel 2>/dev/null || true\n" + collect()


@pytest.fixture(scope="module", params=("reload", "unplug"))
def tortured(bench: Bench, request: pytest.FixtureRequest) -> KeptRun:
    driver = JobFile(Products().debug_driver().read_bytes())
    tortures = {"reload": ("cbc-sha256", reload(ROUNDS)), "unplug": ("gcm", unplug(ROUNDS))}
    suite, torture = tortures[request.param]
    return under_traffic(bench, driver, suite, torture, (_BEGIN, _END))


def test_traffic_went_through_the_driver(tortured: KeptRun) -> None:
    assert sum(Told(tortured).requests("hardware").values()) > 100
    assert whole_files(tortured.text("board", "digests")) > 0


def test_nothing_is_reported(tortured: KeptRun) -> None:
    evidence = evidence_of(tortured.run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence, tests_off=True) == []
