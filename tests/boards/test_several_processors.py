# SPDX-License-Identifier: Apache-2.0
"""The Linux driver on boards with 2 and 4 processors, in real time.

Few rounds of each scene, on the image's own kernel; tests/debug_kernel/test_several_processors.py
has many, on the kernel that finds faults of drivers.
"""

import os

import pytest
from bench import KeptRun
from driver_run import PREPARE, Told
from guest_module import job_modules
from order_outcome import outcomes
from real_time import RealTimeBoard
from several_processors import SCENES, Rounds, board, board_with_resets, play, under_resets
from uio_scenes import job_files

from firesteel.boards.command import BoardProducts
from firesteel.boards.job import JobFile
from firesteel.build.products import Products

# One number of processors at a time
pytestmark = pytest.mark.matrix

ROUNDS = int(os.environ.get("FIRESTEEL_ROUNDS", "2"))
RESETS = 3

_PREPARE = f"{PREPARE}echo Y >/sys/module/cryptomgr/parameters/notests\nmodprobe -a authenc uio\n"


@pytest.fixture(scope="module")
def real_time(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> RealTimeBoard:
    return RealTimeBoard(boards, lambda: tmp_path_factory.mktemp("run"), 900 + 30 * ROUNDS)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JobFile]:
    used = job_files(Products().driver().read_bytes(), tmp_path_factory.mktemp("uio"))
    return {**used, **job_modules(tmp_path_factory.mktemp, "order", "arenas")}


@pytest.fixture(scope="module", params=(2, 4))
def rounds(
    real_time: RealTimeBoard, files: dict[str, JobFile], request: pytest.FixtureRequest
) -> Rounds:
    scenes = tuple(SCENES)
    script = f"{_PREPARE}\n{play(scenes, ROUNDS)}\n"
    return Rounds(real_time.run(script, files, board(), request.param), scenes, ROUNDS)


def test_all_results_are_right_and_in_order(rounds: Rounds) -> None:
    rounds.assert_right()


def test_nothing_of_the_kernels_is_left_to_programs(rounds: Rounds) -> None:
    rounds.assert_empty()


def test_the_cores_were_used(rounds: Rounds) -> None:
    assert rounds.hardware()["cbc-aes"] > 0 < rounds.hardware()["gcm-aes"]


def test_nothing_is_reported(rounds: Rounds) -> None:
    Told(rounds.run).assert_quiet()


@pytest.fixture(scope="module", params=(2, 4))
def resets(
    real_time: RealTimeBoard, files: dict[str, JobFile], request: pytest.FixtureRequest
) -> KeptRun:
    script = f"{_PREPARE}\n{under_resets(RESETS)}\n"
    return real_time.run(script, files, board_with_resets(), request.param)


def test_nothing_is_believed_of_a_core_that_was_reset(resets: KeptRun) -> None:
    (found,) = outcomes(resets.text("board", "dmesg"))
    assert found[1:4] == (0, 0, 0)
    assert Told(resets).queues()["vanished"] >= RESETS
    assert Told(resets).requests("failed") != {}
    Told(resets).assert_quiet()
