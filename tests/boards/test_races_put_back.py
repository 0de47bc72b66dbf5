# SPDX-License-Identifier: Apache-2.0
"""What tests of orders are made of, without a board."""

import shutil
from pathlib import Path

import pytest
from orders import LOADS, seeds_of
from races_put_back import Race, Search, is_accepted, races, record, searches

from firesteel.base.checkout import DRIVER


@pytest.mark.parametrize("race", races(), ids=lambda race: race.name)
def test_a_race_fits_the_driver_and_has_a_load(race: Race, tmp_path: Path) -> None:
    shutil.copytree(DRIVER, tmp_path / "driver")
    race.put_into(tmp_path / "driver")
    assert race.load in LOADS
    assert race.what.endswith(".")


def test_a_search_takes_the_place_of_the_last_one(tmp_path: Path) -> None:
    file = tmp_path / "found.csv"
    file.touch()
    first = Search("one", "unbind", 2, 3, 'BUG: KASAN: "a, b"', "2030-01-02")
    other = Search("another", "owner", 4, 40, "", "2030-01-02")
    record(first, file)
    record(other, file)
    assert searches(file) == [other, first]
    assert is_accepted(other, file), "the file says that it was not found"
    assert not is_accepted(first, file)
    assert not is_accepted(other._replace(cpus=2), file), "nobody searched"
    again = first._replace(seeds=17, date="2030-01-03")
    record(again, file)
    assert searches(file) == [other, again]


@pytest.mark.parametrize(("said", "seeds"), [("3-5", [3, 4, 5]), ("7", [7]), ("7-7", [7])])
def test_seeds_are_a_range_or_one(said: str, seeds: list[int]) -> None:
    assert list(seeds_of(said)) == seeds


@pytest.mark.parametrize("said", ["", "0", "0-3", "5-4", "3-", "-3", "a"])
def test_other_seeds_are_refused(said: str) -> None:
    with pytest.raises(ValueError, match="FIRST-LAST"):
        seeds_of(said)
