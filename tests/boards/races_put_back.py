# SPDX-License-Identifier: Apache-2.0
"""Races that the driver once had, as patches that put them back, and by which seed each is found.

The first line of a patch says what is wrong and what a user sees of it.  Its line `Load:` names the
load that shows it.
"""

import csv
import fcntl
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from firesteel.base.checkout import CHECKOUT

_RACES = CHECKOUT / "tests" / "races"

FOUND = _RACES / "found.csv"
"""The last search for each race on each number of CPUs."""


class Race(NamedTuple):
    """A race by its name."""

    name: str
    what: str
    load: str
    patch: Path

    def put_into(self, driver: Path) -> None:
        """Change the driver's sources in a directory; AssertionError if the patch does not fit."""
        command = ["patch", "--strip=2", "--no-backup-if-mismatch", "--directory", str(driver)]
        with self.patch.open(encoding="utf-8") as patch:
            done = subprocess.run(command, stdin=patch, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{self.patch.name} no longer fits the driver: {done.stdout}"


def _race(patch: Path) -> Race:
    text = patch.read_text(encoding="utf-8")
    (load,) = re.findall(r"^Load: (\w+)$", text, re.MULTILINE)
    return Race(patch.stem, text.split("\n", 1)[0], load, patch)


def races() -> list[Race]:
    """All of them, by name."""
    return [_race(patch) for patch in sorted(_RACES.glob("faults/*.patch"))]


class Search(NamedTuple):
    """A search for a race: a row of `FOUND`, whose columns have these names."""

    race: str
    load: str
    cpus: int
    seeds: int
    """How many were tried, from 1 on; the last one found the race if any did."""
    report: str
    """What the kernel or a test said then; empty if no seed found the race."""
    date: str


def searches(file: Path = FOUND) -> list[Search]:
    """All rows."""
    with file.open(encoding="utf-8", newline="") as rows:
        return [
            Search(race, load, int(cpus), int(seeds), report, date)
            for race, load, cpus, seeds, report, date in list(csv.reader(rows))[1:]
        ]


def is_accepted(search: Search, file: Path = FOUND) -> bool:
    """Whether the file says that no seed found the race on this number of CPUs."""
    here = [each for each in searches(file) if (each.race, each.cpus) == (search.race, search.cpus)]
    return any(not each.report for each in here)


def record(search: Search, file: Path = FOUND) -> None:
    """Write a search into the place of the last one for the same race and number of CPUs."""
    with file.open("r+", encoding="utf-8", newline="") as rows:
        fcntl.flock(rows, fcntl.LOCK_EX)  # other tests run beside this one
        kept = {(each.race, each.cpus): each for each in searches(file)}
        kept[search.race, search.cpus] = search
        rows.truncate()
        writer = csv.writer(rows, lineterminator="\n")
        writer.writerows([Search._fields, *(kept[key] for key in sorted(kept))])
