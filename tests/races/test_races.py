# SPDX-License-Identifier: Apache-2.0
"""KCSAN finds no data race of the Linux driver, and would."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import KeptRun
from guest_module import MODULES
from races import PREPARE, module, race_board, races
from several_processors import WITHOUT_USERS, Rounds, board, play

from firesteel.base.checkout import DRIVER
from firesteel.board.job import JobFile
from firesteel.build.products import Products
from firesteel.build.race_board import RaceBoard

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
    tmp_path_factory: pytest.TempPathFactory,
) -> KeptRun:
    board_in_real_time = race_board(products, lambda: tmp_path_factory.mktemp("run"))
    return board_in_real_time.run(f"{PREPARE}\n{script}\n", files, board(), PROCESSORS)


def test_a_race_is_found(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    script = "insmod /job/race.ko\ndmesg | probe data dmesg"
    run = _run(products, files, script, tmp_path_factory)
    assert races(run.text("board", "dmesg"), "race") != []


@pytest.fixture(scope="module")
def rounds(
    products: RaceBoard,
    files: Mapping[str, JobFile],
    tmp_path_factory: pytest.TempPathFactory,
) -> Rounds:
    script = play(WITHOUT_USERS, ROUNDS)
    return Rounds(_run(products, files, script, tmp_path_factory), WITHOUT_USERS, ROUNDS)


def test_all_results_are_right_and_in_order(rounds: Rounds) -> None:
    rounds.assert_right()


def test_the_driver_has_no_race(rounds: Rounds) -> None:
    log = rounds.run.text("board", "dmesg")
    assert races(log, "firesteel") == []
