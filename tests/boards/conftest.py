# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the board tests: real QEMU, real guests.  What is missing is built first."""

from collections.abc import Iterator

import core_profile
import pytest
from bench import Bench, KeptRun
from scenario import pair_run

from firesteel.boards.command import BoardProducts
from firesteel.build.products import Products


@pytest.fixture(scope="session")
def boards() -> BoardProducts:
    """QEMU, kernel and base image."""
    return BoardProducts.of(Products())


@pytest.fixture(scope="session")
def bench(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Where boards are run."""
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"))
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def parts(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Where boards are run whose cores are of the run's profile."""
    return bench.with_cores(tmp_path_factory.mktemp("parts"), **core_profile.properties())


@pytest.fixture(scope="session")
def patient(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Where boards are run that have much to do: those at 1 Gbit/s."""
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"), 1800)
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def pair(bench: Bench) -> KeptRun:
    """One run of two boards on a wire that several tests look at; see `scenario.py`."""
    return pair_run(bench)
