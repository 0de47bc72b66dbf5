# SPDX-License-Identifier: Apache-2.0
"""The command that measures a board that was not: an experiment of the checkout, with numbers of
its board or links varied (`--vary`).
"""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from firesteel.advice.question import BOTH, Question, is_asked, only_words, that_measure
from firesteel.advice.records import Measured
from firesteel.advice.wanted import Away, Wanted, setup_of
from firesteel.analysis.rows import grouped
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import Path, Value, is_made
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import Experiment
from firesteel.experiment.sweep import RATE, origin_of
from firesteel.experiment.vary_table import sweep_of_options
from firesteel.model.cell import Cell
from firesteel.model.place import Place


def how_to_measure_at(question: Question, wanted: Wanted, near: Measured) -> str:
    """The command, in half a sentence: of the experiment of a record nearby, if the checkout has
    it and it can, or else of the smallest that can.
    """
    asked = replace(question, profile=None, topology=None, link=None)
    there = [experiment.name for experiment, _ in that_measure(asked)]
    for name in dict.fromkeys((near.experiment, *there)):
        words = _words(asked, wanted, name, near.quick)
        if words:
            return f"`firesteel run {' '.join(words)}` measures it"
    if not there:
        return (
            "no experiment of the checkout measures it; docs/experiments.md shows how to write one"
        )
    name, board = wanted.place.profile, ""
    if is_made(name):
        name = "my-board"
        board = f" and {name}.toml with the board's numbers (docs/add-a-profile.md)"
    return (
        f"a copy of experiments/{there[0]}.toml with `profiles = {{ {wanted.cell.measured} = "
        f'"{name}.toml" }}`{board} measures it (docs/experiments.md)'
    )


def _words(asked: Question, wanted: Wanted, name: str, quick: bool) -> list[str]:
    """What the experiment is run with to measure it; nothing where it cannot be."""
    try:
        told = load(name)
        place = None if told.varied else _nearest(asked, wanted, told, quick)
        if place is None:
            return []
        at, away = place
        numbers = wanted.setup.parts(wanted.cell.measured)
        vary = [f"{path}={_typed(path, numbers[path])}" for path in away]
        swept = load(name, sweep=sweep_of_options(vary))
        cells = swept.cells(quick)
    except FiresteelError:
        return []  # No experiment of the checkout, or of numbers that do not vary.
    if any(path.endswith(RATE) for path in away):
        at = replace(at, link="")  # What varies, cells do not say besides.
    fitting = [cell for cell in cells if _is_at(asked, at, origin_of(cell, swept.catalog)[0])]
    if not fitting:
        return []
    words = [name, *(["--quick"] if quick else []), *only_words(cells, fitting)]
    return words + [word for text in vary for word in ("--vary", shlex.quote(text))]


def _typed(path: str, value: Value) -> str:
    return Path.of(path).typed(value) if isinstance(value, int | float) else f"{value}"


def _nearest(
    asked: Question, wanted: Wanted, told: Experiment | Collection, quick: bool
) -> tuple[Place, Away] | None:
    """Where the experiment measures it on boards and links that differ in the fewest numbers."""
    cells = [cell for cell in told.cells(quick) if is_asked(asked, cell)]
    found = []
    for place, those in grouped(cells, lambda cell: cell.place).items():
        if _are_both(those) and place.node == wanted.cell.measured:
            away = wanted.away(setup_of(those[0], told.catalog))
            if away is not None:
                found.append((place, away))
    return min(found, key=lambda each: len(each[1]), default=None)


def _are_both(cells: Sequence[Cell]) -> bool:
    return {cell.implementation for cell in cells} == BOTH


def _is_at(asked: Question, at: Place, cell: Cell) -> bool:
    """Whether a cell, as its boards and links are without numbers that vary, is asked for there."""
    return is_asked(asked, cell) and cell.place == at
