# SPDX-License-Identifier: Apache-2.0
"""Boards beside published figures of their processor, for a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from firesteel.replication.calibration import Board, Calibration, Group, Line
from firesteel.replication.processor import KINDS, ROLES, Kind, Role
from firesteel.terminal.grid import Grid

_NONE = "-"


def show_calibration(console: Console, calibration: Calibration) -> None:
    """A table for each role and kind of row, what these come to, and what has no figure."""
    several = len(calibration.boards) > 1
    for role in ROLES:
        for kind in KINDS:
            if calibration.of(role, kind):
                _grid(calibration, role, kind).show(console)
    _summary(calibration, several).show(console)
    for group in calibration.groups:
        if not group.is_met:
            console.print(escape(_missed(group, several)), highlight=False)
    console.print(
        f"Published figures are of a {calibration.processor.file.processor} at "
        f"{_clocks(calibration)}, or scaled to that clock; a deviation is how much longer the "
        "board takes.",
        highlight=False,
    )
    if missing := calibration.missing:
        names = ", ".join(dict.fromkeys(cost.what for cost in missing))
        told = f"Published rows without a figure here: {len(missing)}, of {names}."
        console.print(escape(told), highlight=False)


def _head(board: Board, several: bool, text: str) -> str:
    """The name of a column, above which the board stands where there are several."""
    return f"{board.name}\n{board.clock}\n{text}" if several else text


def _clocks(calibration: Calibration) -> str:
    """The clocks of the boards, each with its board if they have several."""
    clocks = calibration.clocks
    if len(set(clocks.values())) == 1:
        return f"{next(iter(clocks.values())) / 1e6:g} MHz"
    return " and ".join(f"{hz / 1e6:g} MHz ({board.label})" for board, hz in clocks.items())


def _grid(calibration: Calibration, role: Role, kind: Kind) -> Grid:
    """A row's published figure, once if all boards have one clock, and what boards make of it."""
    boards = calibration.boards
    several = len(boards) > 1
    each_its_own = len(set(calibration.clocks.values())) > 1
    heads = ["source"] if each_its_own else ["source", "published"]
    for board in boards:
        names = [*(["published"] if each_its_own else []), "board", "off, %"]
        heads += [_head(board, several, name) for name in names]
    rows = [
        (line.cost.parameter.text, _row(line, boards, each_its_own))
        for line in calibration.of(role, kind)
    ]
    return Grid.plain(f"{role}: {kind}", heads, rows)


def _row(line: Line, boards: Sequence[Board], each_its_own: bool) -> list[str]:
    first = next(iter(line.boards.values()))
    cells = [line.cost.source]
    if not each_its_own:
        cells.append(f"{_number(first.published)} {line.cost.unit}")
    for board in boards:
        found = line.boards.get(board)
        if each_its_own:
            cells.append(f"{_number(found.published)} {line.cost.unit}" if found else _NONE)
        cells += [_number(found.ours), f"{found.deviation:+.1f}"] if found else [_NONE, _NONE]
    return cells


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _summary(calibration: Calibration, several: bool) -> Grid:
    heads = ("rows", "median, %", "worst, %", "goals, %", "")
    rows = [(_name(group, several), _cells(group)) for group in calibration.groups]
    title = "Deviations" if several else f"Deviations of {calibration.boards[0].label}"
    return Grid.plain(title, heads, rows)


def _name(group: Group, several: bool) -> str:
    board = f" ({group.board.label})" if several else ""
    return f"{group.role}: {group.kind}{board}"


def _missed(group: Group, several: bool) -> str:
    return f"The goal is missed by {_name(group, several)}; the worst row is {group.worst_row}."


def _cells(group: Group) -> tuple[str, ...]:
    goal = f"{group.goal.each:g}"
    if group.goal.median is not None:
        goal += f", median {group.goal.median:g}"
    met = "met" if group.is_met else "missed"
    return str(group.rows), f"{group.median:.1f}", f"{group.worst:.1f}", goal, met
