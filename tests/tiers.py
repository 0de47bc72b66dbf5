# SPDX-License-Identifier: Apache-2.0
"""Which tests a run takes: a plugin of pytest, for `make check`, `make test` and `make test-all`.

A test is marked by what it is:

- `first`: it shows in a minute that the whole stands; all that `make check` takes from boards.
- `matrix`: one scenario with several parameters.  One of them is run, another with each commit;
  `make check` always takes the first, so that it does the same each time.
- `thorough`: it takes long, and what it looks for seldom breaks.  Usually it is left out, also as
  a member of a matrix.

`--tier` is `first`, `usual`, or `all`, as it is without.  What `usual` leaves out is dealt to
`SHARES` shares, of which `--share` adds the commit's own: so each has its turn.
"""

import re
import subprocess
import zlib
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest

SHARES = 8

BOARDS = re.compile(
    r"^(tests/(boards|cells|driver|image|cycles|bundle|programs)/|model/tests/test_qtest)"
)
"""Tests that need more than the checkout, of which `make check` has few."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and what is written into the run's head."""
    group = parser.getgroup("tiers")
    group.addoption("--tier", choices=["first", "usual", "all"], default="all")
    group.addoption("--share", action="store_true", help="and the commit's share of the others")


def _scenario(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _members(items: Sequence[pytest.Item], turn: int) -> set[str]:
    """Of each matrix the member whose turn it is."""
    matrices = [
        item
        for item in items
        if item.get_closest_marker("matrix") and not item.get_closest_marker("thorough")
    ]
    chosen = set()
    # If a fixture has the parameters, pytest interleaves the members of its tests
    for _, group in groupby(sorted(matrices, key=_scenario), _scenario):
        members = [item.nodeid for item in group]
        chosen.add(members[turn % len(members)])
    return chosen


def taken(items: Sequence[pytest.Item], tier: str, share: int | None, turn: int) -> set[str]:
    """The names of those that a run takes.

    Args:
        items: all that pytest has found.
        tier: the value of `--tier`.
        share: the number of the share that is added, below `SHARES`; None for none.
        turn: which member of each matrix is run, counted around.
    """
    if tier == "all":
        return {item.nodeid for item in items}
    members = _members(items, 0 if tier == "first" else turn)
    chosen = set()
    for item in items:
        usual = (
            item.nodeid in members
            if item.get_closest_marker("matrix")
            else not item.get_closest_marker("thorough")
        )
        if tier == "first" and BOARDS.match(item.nodeid):
            usual = usual and bool(item.get_closest_marker("first"))
        # by file: what is made for a file is made once
        file = item.nodeid.partition("::")[0]
        if usual or (share is not None and zlib.crc32(file.encode()) % SHARES == share):
            chosen.add(item.nodeid)
    return chosen


def _turn() -> int:
    """How many commits led to this one, so that runs repeat; 0 outside of a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-list", "--count", "HEAD"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    return int(found.stdout) if found.returncode == 0 else 0


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what the tier does not have."""
    turn = _turn()
    share = turn % SHARES if config.getoption("--share") else None
    chosen = taken(items, config.getoption("--tier"), share, turn)
    left_out = [item for item in items if item.nodeid not in chosen]
    if left_out:
        items[:] = [item for item in items if item.nodeid in chosen]
        config.hook.pytest_deselected(items=left_out)
