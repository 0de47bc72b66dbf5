# SPDX-License-Identifier: Apache-2.0
"""KCSAN finds no data race of the Linux driver, and would: under traffic, and in self-tests."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import KeptRun, on_flat
from driver_run import AES, HASH, Told
from guest_module import MODULES
from order_outcome import outcomes
from races import COLLECT, PREPARE, module, others, race_board, races, was_active
from several_processors import (
    WITHOUT_USERS,
    Rounds,
    board,
    board_with_resets,
    play,
    under_resets,
)

from firesteel.base.checkout import DRIVER
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.build.products import Products, RaceBoard

PROCESSORS = 4
ROUNDS = int(os.environ.get("FIRESTEEL_ROUNDS", "20"))
"""Of each scene."""

_CONTROL = Path(__file__).parent / "guest" / "race"


@pytest.fixture(scope="module")
def products() -> RaceBoard:
    return Products().race_board()


@pytest.fixture(scope="module")
def files(products: RaceBoard, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    sources = {"firesteel": DRIVER, "order": MODULES / "order", "race": _CONTROL}
    return {
        f"/job/{name}.ko": module(products, name, path, tmp_path_factory.mktemp(name))
        for name, path in sources.items()
    }


def _run(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    script: str,
    profile: Profile,
    tmp_path_factory: pytest.TempPathFactory,
) -> KeptRun:
    board_in_real_time = race_board(products, lambda: tmp_path_factory.mktemp("run"))
    whole = f"{PREPARE}\n{script}\n{COLLECT}\n"
    return board_in_real_time.run(whole, files, profile, PROCESSORS)


def test_a_race_is_found(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    run = _run(products, files, "insmod /job/race.ko", board(), tmp_path_factory)
    assert was_active(run)
    assert races(run, "race") != []


@pytest.fixture(scope="module")
def rounds(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> Rounds:
    script = play(WITHOUT_USERS, ROUNDS)
    run = _run(products, files, script, board(), tmp_path_factory)
    return Rounds(run, WITHOUT_USERS, ROUNDS)


def test_all_results_are_right_and_in_order(rounds: Rounds) -> None:
    rounds.assert_right()


def test_the_driver_has_no_race(rounds: Rounds) -> None:
    assert was_active(rounds.run)
    assert races(rounds.run, "firesteel") == []


def test_nothing_else_is_reported(rounds: Rounds) -> None:
    assert others(rounds.run) == []


@pytest.fixture(scope="module")
def resets(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> KeptRun:
    script = under_resets(ROUNDS)
    return _run(products, files, script, board_with_resets(), tmp_path_factory)


def test_recovery_has_no_race(resets: KeptRun) -> None:
    (found,) = outcomes(resets.text("board", "dmesg"))
    assert found[1:4] == (0, 0, 0)
    assert Told(resets).queues()["vanished"] >= ROUNDS
    assert was_active(resets)
    assert races(resets, "firesteel") == []
    assert others(resets) == []


_SELF_TESTS = """
echo N >/sys/module/cryptomgr/parameters/notests
insmod /job/firesteel.ko user=none
cat /proc/crypto | probe data crypto
rmmod firesteel
"""


def test_self_tests_with_random_inputs_have_no_race(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    run = _run(products, files, _SELF_TESTS, on_flat("socrates-hash"), tmp_path_factory)
    assert Told(run).self_tests() == dict.fromkeys(AES | HASH, "passed")
    assert "alg: extra crypto tests enabled" in run.text("board", "dmesg")
    assert was_active(run)
    assert races(run, "firesteel") == []
    assert others(run) == []
