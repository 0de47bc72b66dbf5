# SPDX-License-Identifier: Apache-2.0
"""Races that the driver once had are found when they are put back, by which seed found.csv says
afterwards.

A race that no seed finds fails.  Who accepts that gives it a row without a report.
"""

import functools
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench import Bench
from orders import CPUS, LoadFailure, Order
from races_put_back import FOUND, Race, Search, is_accepted, races, record

from firesteel.base.checkout import DRIVER
from firesteel.boards.job import JobFile

MOST = 40
"""Seeds that are tried."""


@pytest.fixture(scope="session")
def driver_with(
    build: Callable[[str, Path], JobFile], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Race], JobFile]:
    """Builds the driver with a race."""

    @functools.cache
    def make(race: Race) -> JobFile:
        driver = tmp_path_factory.mktemp(race.name) / "driver"
        shutil.copytree(DRIVER, driver)
        race.put_into(driver)
        return build("firesteel", driver)

    return make


def _search(
    race: Race, cpus: int, bench: Bench, files: Mapping[str, JobFile], directory: Path
) -> Search:
    seeds, report = MOST, ""
    for seed in range(1, MOST + 1):
        try:
            Order(race.load, cpus, seed).run(bench, files, directory)
        except LoadFailure as failure:
            seeds, report = seed, str(failure).splitlines()[0]
            break
    today = datetime.now(UTC).date().isoformat()
    return Search(race.name, race.load, cpus, seeds, report, today)


@pytest.mark.parametrize("cpus", CPUS)
@pytest.mark.parametrize("race", races(), ids=lambda race: race.name)
def test_a_race_that_is_put_back_is_found(
    race: Race,
    cpus: int,
    bench: Bench,
    files: Mapping[str, JobFile],
    driver_with: Callable[[Race], JobFile],
    tmp_path: Path,
) -> None:
    faulty = {**files, "/job/firesteel.ko": driver_with(race)}
    found = _search(race, cpus, bench, faulty, tmp_path)
    if not found.report:
        row = ",".join(map(str, found))
        assert is_accepted(found), f"no seed found it; to accept that, add to {FOUND.name}: {row}"
    record(found)
