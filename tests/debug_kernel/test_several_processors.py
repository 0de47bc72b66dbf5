# SPDX-License-Identifier: Apache-2.0
"""The Linux driver on the debug kernel with 2 and 4 processors, in real time: nothing is reported.

Each scene has a boot of its own, in which it goes 100 times at 4 processors and 10 times at 2.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from bench import KeptRun
from driver_run import Told
from guest_module import MODULES
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports
from order_outcome import outcomes
from real_time import RealTimeBoard
from several_processors import SCENES, Rounds, board, board_with_resets, play, under_resets
from uio_scenes import job_files

from firesteel.base.checkout import DRIVER
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import JobFile

ROUNDS: Mapping[int, int] = {2: 10, 4: int(os.environ.get("FIRESTEEL_ROUNDS", "100"))}
"""By the number of processors."""

DEEP = 10
"""One round in so many has the whole backlog."""

TIMEOUT = 3 * 3600
"""Wall seconds; on a machine with other work 100 rounds take more than an hour."""

# Self-tests of the driver's algorithms take minutes here, and have tests of their own.  On a busy
# machine a processor of a board in real time may stand still for half a minute, which is no lockup.
_BEGIN = f"""
{PREPARE}
echo 60 >/proc/sys/kernel/watchdog_thresh
echo Y >/sys/module/cryptomgr/parameters/notests
modprobe -a authenc uio
"""


@pytest.fixture(scope="module")
def files(
    module: Callable[[str, Path], bytes], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, JobFile]:
    used = job_files(module("firesteel", DRIVER), tmp_path_factory.mktemp("uio"))
    modules = {f"/job/{name}.ko": module(name, MODULES / name) for name in ("order", "arenas")}
    return {**used, **{name: JobFile(content) for name, content in modules.items()}}


@pytest.fixture(scope="module", params=SCENES)
def scene(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module", params=(2, 4))
def rounds(
    boards: BoardProducts,
    files: Mapping[str, JobFile],
    scene: str,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Rounds:
    real_time = RealTimeBoard(boards, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)
    script = f"{_BEGIN}\n{play((scene,), ROUNDS[request.param], DEEP)}\n{collect()}\n"
    run = real_time.run(script, files, board(), request.param)
    return Rounds(run, (scene,), ROUNDS[request.param])


def test_all_results_are_right_and_in_order(rounds: Rounds) -> None:
    rounds.assert_right()


def test_nothing_of_the_kernels_is_left_to_programs(rounds: Rounds) -> None:
    rounds.assert_empty()


def assert_quiet(run: KeptRun) -> None:
    evidence = evidence_of(run.run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence, tests_off=True) == []


def test_nothing_is_reported(rounds: Rounds) -> None:
    assert_quiet(rounds.run)


@pytest.mark.parametrize("processors", [2, 4])
def test_nothing_is_believed_of_a_core_that_was_reset(
    boards: BoardProducts,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
    processors: int,
) -> None:
    real_time = RealTimeBoard(boards, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)
    script = f"{_BEGIN}\n{under_resets(ROUNDS[processors])}\n{collect()}\n"
    run = real_time.run(script, files, board_with_resets(), processors)
    (found,) = outcomes(run.text("board", "dmesg"))
    assert found[1:4] == (0, 0, 0)
    assert Told(run).queues()["vanished"] >= ROUNDS[processors]
    assert_quiet(run)
