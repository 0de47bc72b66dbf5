# SPDX-License-Identifier: Apache-2.0
"""Programs use cores by the Linux driver on the debug kernel, and nothing is reported.

The scenarios are those of the board tests: mappings, kills, owners that change, a device that goes.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench, on_flat
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports
from uio_scenes import AGAIN, ALONE, LOAD, TELL, Played, hands, job_files, play

from firesteel.base.checkout import DRIVER
from firesteel.boards.topology import load_topology

# Self-tests of the driver's algorithms take minutes here, and have tests of their own.
_SCRIPT = f"""
{PREPARE}
echo Y >/sys/module/cryptomgr/parameters/notests
{LOAD.format(options="user=last")}
{play(*ALONE)}
{hands(500)}
{TELL}
{collect()}
"""


@pytest.fixture(scope="module")
def played(
    bench: Bench, module: Callable[[str, Path], bytes], tmp_path_factory: pytest.TempPathFactory
) -> Played:
    files = job_files(module("firesteel", DRIVER), tmp_path_factory.mktemp("uio"))
    run = bench.run(
        load_topology("one-board"),
        {"board": _SCRIPT},
        {"board": files},
        {"board": on_flat("socrates-hash")},
    )
    return Played(run)


_AFTERWARDS = ("hold", "away", f"{AGAIN}message", f"{AGAIN}operation")


@pytest.mark.parametrize("scenario", [*ALONE, *_AFTERWARDS])
def test_scenario(played: Played, scenario: str) -> None:
    played.assert_well(scenario)


def test_the_core_changes_hands(played: Played) -> None:
    steps = ("switched", "beside", "back", "given", "both", "unbind", "bind")
    assert [step for step in steps if played.lines(step) != ["status 0"]] == []


def test_nothing_is_reported(played: Played) -> None:
    evidence = evidence_of(played.run.run.nodes["board"])
    assert inactive(evidence) == []
    ours = "alg: self-tests disabled"  # as the script wants it
    assert [found for found in reports(evidence) if ours not in found.headline] == []
