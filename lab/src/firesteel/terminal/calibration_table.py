# SPDX-License-Identifier: Apache-2.0
"""Boards beside published figures of their processor, for a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from firesteel.replication.calibration import Board, Calibration, Group, Line
from firesteel.replication.processor import KINDS, ROLES
from firesteel.terminal.grid import Grid

_NONE = "-"


def show_calibration(console: Console, calibration: Calibration) -> None:
    """A table for each role and kind of row, what these come to, and what has no figure."""
    several = len(calibration.boards) > 1
    for role in ROLES:
        for kind in KINDS:
            if lines := calibration.of(role, kind):
                _grid(f"{role}: {kind}", lines, calibration.boards, several).show(console)
    _summary(calibration, several).show(console)
    for group in calibration.groups:
        if not group.is_met:
            console.print(escape(_missed(group, several)), highlight=False)
    clock = calibration.processor.file.clock_hz / 1e6
    console.print(
        f"Published figures are of a {calibration.processor.file.processor} at {clock:g} MHz, or "
        "scaled to that clock; a deviation is how much longer the board takes.",
        highlight=False,
    )
    if missing := calibration.missing:
        names = ", ".join(dict.fromkeys(cost.what for cost in missing))
        told = f"Published rows without a figure here: {len(missing)}, of {names}."
        console.print(escape(told), highlight=False)


def _head(board: Board, several: bool, text: str) -> str:
    """The name of a column, above which the board stands where there are several."""
    return f"{board.name}\n{board.clock}\n{text}" if several else text


def _grid(title: str, lines: Sequence[Line], boards: Sequence[Board], several: bool) -> Grid:
    heads = ["source", "published"]
    for board in boards:
        heads += [_head(board, several, "board"), _head(board, several, "off, %")]
    rows = []
    for line in lines:
        first = next(iter(line.boards.values()))
        cells = [line.cost.source, f"{_number(first.published)} {line.cost.unit}"]
        for board in boards:
            found = line.boards.get(board)
            cells += [_number(found.ours), f"{found.deviation:+.1f}"] if found else [_NONE, _NONE]
        rows.append((line.cost.parameter.text, cells))
    return Grid(title, heads, rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _summary(calibration: Calibration, several: bool) -> Grid:
    heads = ("rows", "median, %", "worst, %", "goals, %", "")
    rows = [(_name(group, several), _cells(group)) for group in calibration.groups]
    title = "Deviations" if several else f"Deviations of {calibration.boards[0].label}"
    return Grid(title, heads, rows)


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
