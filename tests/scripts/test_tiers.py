# SPDX-License-Identifier: Apache-2.0
"""Which tests each run takes."""

import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

_TIERS = runpy.run_path(str(Path(__file__).parents[1] / "tiers.py"))
SHARES: int = _TIERS["SHARES"]


@dataclass(frozen=True)
class Item:
    """What is asked of an item of pytest's."""

    nodeid: str
    marks: str = ""

    def get_closest_marker(self, name: str) -> object:
        """As pytest's."""
        return name in self.marks.split() or None


MEMBERS = [f"tests/boards/test_x.py::test_matrix[{n}]" for n in range(3)]
OTHERS = [f"tests/boards/test_x.py::test_other[{n}]" for n in range(3)]

ITEMS = [
    Item("tests/boards/test_x.py::test_first", "first"),
    Item("tests/boards/test_x.py::test_usual"),
    Item("tests/boards/test_x.py::test_thorough", "thorough"),
    # As pytest orders them if a fixture has the parameters
    *(
        item
        for one, two in zip(MEMBERS, OTHERS, strict=True)
        for item in (Item(one, "matrix"), Item(two, "matrix first"))
    ),
    Item("tests/boards/test_x.py::test_other[3]", "matrix thorough"),
    Item("lab/tests/test_y.py::test_usual"),
    Item("lab/tests/test_y.py::test_thorough", "thorough"),
]


def names(tier: str, share: int | None = None, turn: int = 0) -> list[str]:
    """Those that a run takes, in their order."""
    items = cast("list[pytest.Item]", ITEMS)
    chosen = _TIERS["taken"](items, tier, share, turn)
    return [item.nodeid for item in ITEMS if item.nodeid in chosen]


def test_all_are_taken() -> None:
    assert names("all") == [item.nodeid for item in ITEMS]


@pytest.mark.parametrize("turn", range(4))
def test_one_member_of_a_matrix_is_usual_and_what_is_thorough_is_not(turn: int) -> None:
    x = "tests/boards/test_x.py::test"
    matrices = [MEMBERS[turn % 3], OTHERS[turn % 3]]
    usual = [f"{x}_first", f"{x}_usual", *matrices, "lab/tests/test_y.py::test_usual"]
    assert names("usual", turn=turn) == usual


@pytest.mark.parametrize("turn", range(2))
def test_few_boards_are_first_and_all_that_is_fast(turn: int) -> None:
    assert names("first", turn=turn) == [
        "tests/boards/test_x.py::test_first",
        OTHERS[0],
        "lab/tests/test_y.py::test_usual",
    ]


def test_each_file_is_whole_in_one_share() -> None:
    more = [set(names("usual", share)) - set(names("usual")) for share in range(SHARES)]
    whole = {item.nodeid for item in ITEMS} - set(names("usual"))
    assert set().union(*more) == whole
    assert sum(len(each) for each in more) == len(whole)
