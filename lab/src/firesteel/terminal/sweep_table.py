# SPDX-License-Identifier: Apache-2.0
"""A sweep on a terminal: a row for each kind of traffic and point, then where verdicts change."""

from rich.console import Console

from firesteel.advice.answer import Kind, speeds_of, works_of
from firesteel.advice.sweep import SweepAnswer
from firesteel.analysis.results import Coordinates
from firesteel.analysis.sheet import MISSING
from firesteel.terminal.grid import Grid
from firesteel.terminal.prose import show

_MOST_ROWS = 16
"""Of the table, so that the answer fits a screen."""


def show_sweep(console: Console, answer: SweepAnswer) -> None:
    """Where offload helps, as a table as long as it fits a screen, and in sentences."""
    show(console, f"Where does offload help? {answer.headline}", style="bold")
    grid = sweep_grid(answer)
    if len(grid.rows) <= _MOST_ROWS:
        grid.show(console)
    for sentence in answer.sentences:
        show(console, sentence)
    if len(grid.rows) > _MOST_ROWS:
        show(console, "All points: `firesteel export`, or the report.")


def sweep_grid(answer: SweepAnswer) -> Grid:
    """A column for each number that varies, then the verdict and the ratios that it is made of."""
    rows: list[tuple[str, list[str]]] = []
    for kind in answer.kinds:
        there = [(at, kind.at[at]) for at in answer.points if at in kind.at]
        for number, (at, found) in enumerate(there):
            rows.append(("" if number else kind.name, _texts(answer, at, found)))
    heads = [path.title.replace(" of ", "\nof ") for path in answer.paths]
    return Grid("", [*heads, "verdict", "speed,\n× software", "CPU work"], rows)


def _texts(answer: SweepAnswer, at: Coordinates, kind: Kind) -> list[str]:
    said = [
        MISSING if value is None else path.said(value)
        for path, value in zip(answer.paths, at, strict=True)
    ]
    return [*said, kind.verdict, speeds_of(kind), works_of(kind)]
