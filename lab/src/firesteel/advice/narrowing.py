# SPDX-License-Identifier: Apache-2.0
"""The command that measures between two points of a sweep."""

import shlex
from collections.abc import Mapping

from firesteel.advice.question import only_words
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import Path
from firesteel.experiment.collection import load
from firesteel.experiment.vary_table import sweep_of_options
from firesteel.model.cell import Cell
from firesteel.store.journal import Journal

_VALUES = 4
"""How many values are measured, both ends among them, whose records are in the store."""


def narrowing_command(
    run: Journal, path: Path, ends: tuple[float, float], others: Mapping[Path, float | None]
) -> str:
    """What measures the run's experiment at values of a number between two others, with one value
    of each other number that varied; empty where the checkout has no such experiment, or no number
    lies between.
    """
    if not path.unit:
        return ""  # Of counts, such as engines, a board may have few values only.
    low, high = ends
    spaced = " log" if low > 0 else ""
    vary = [f"{path.text}={path.typed(low)}..{path.typed(high)} x{_VALUES}{spaced}"]
    vary += [f"{other.text}={other.typed(at)}" for other, at in others.items() if at is not None]
    try:
        cells = load(run.experiment, sweep=sweep_of_options(vary)).cells(run.quick)
    except FiresteelError:
        return ""  # The experiment was a file of elsewhere, or is another one by now.
    measured = {_suite(entry.cell) for entry in run.entries}
    fitting = [cell for cell in cells if _suite(cell) in measured]
    words = ["firesteel run", run.experiment, *(["--quick"] if run.quick else [])]
    words += only_words(cells, fitting)
    return " ".join([*words, *(f"--vary {shlex.quote(text)}" for text in vary)])


def _suite(cell: Cell) -> tuple[str, str, str]:
    return cell.protocol, cell.cipher, cell.mac
