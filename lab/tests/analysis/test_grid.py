# SPDX-License-Identifier: Apache-2.0
"""A run's cells as a grid, by what boards are called; of a large one whole values are left."""

from collections.abc import Sequence
from itertools import product

from firesteel.analysis.results import MOST, drawn, grid_of
from firesteel.board.numbers import made_name
from firesteel.experiment.experiment import load_experiment
from firesteel.store.journal import Entry

OPENVPN = load_experiment("openvpn")
CLOCK, REGISTER = "cores.crypto0.timing.clock_hz", "cores.crypto0.timing.register_ns"
PATHS = (CLOCK, REGISTER)


def entries_of(points: Sequence[tuple[float, ...]], *boards: str) -> list[Entry]:
    """Two cells at each point."""
    cells = []
    for at, board in product(points, boards or ("socrates",)):
        name = _name(board, dict(zip(PATHS, at, strict=False)))
        for cell in OPENVPN.cells(quick=True)[:2]:
            profiles = cell.profiles | {cell.measured: name}
            cells.append(cell.model_copy(update={"profiles": profiles}))
    return [
        Entry(cell=cell, key=f"{number:064x}", state="done") for number, cell in enumerate(cells)
    ]


def _name(board: str, numbers: dict[str, float]) -> str:
    """As boards are called; 100 MHz are what they have anyway."""
    changes = {path: value for path, value in numbers.items() if value != 100e6}
    return made_name(board, changes) if changes else board


def points(clocks: int, registers: int) -> list[tuple[float, ...]]:
    return list(
        product([(n + 1) * 50e6 for n in range(clocks)], [n + 1.0 for n in range(registers)])
    )


def test_of_a_grid_over_a_thousand_cells_whole_values_are_left_out() -> None:
    entries = entries_of(points(23, 23))
    assert len(entries) == 1058
    grid = grid_of(entries, PATHS)
    assert grid
    taken = drawn(entries, MOST, grid)
    assert len(taken) == 2 * 22 * 22
    assert grid_of(taken, PATHS), "what is left is a grid too"
    assert taken[:2] == entries[:2]
    assert taken[-2:] == entries[-2:]


def test_a_number_with_few_values_keeps_them() -> None:
    entries = entries_of(points(200, 3))
    taken = drawn(entries, MOST, grid_of(entries, PATHS))
    assert len(taken) == 2 * 166 * 3


def test_cells_on_two_boards_are_a_grid_on_each() -> None:
    entries = entries_of(points(4, 4), "socrates", "socrates-2pk")
    grid = grid_of(entries, PATHS)
    assert grid
    assert len(drawn(entries, 40, grid)) == 4 * 9
    assert grid_of(entries[:-2], PATHS) is None, "the last point of one is missing"


def test_where_even_the_ends_are_too_many_cells_are_drawn() -> None:
    entries = entries_of(points(2, 2))
    assert len(drawn(entries, 5, grid_of(entries, PATHS))) <= 5


def test_a_sample_or_a_name_that_does_not_tell_is_no_grid() -> None:
    assert grid_of(entries_of(points(3, 3)[:-1]), PATHS) is None
    entries = entries_of([()], "socrates+0123456789abcdef")
    assert grid_of(entries, PATHS) is None
    assert grid_of(entries, ()) is None
