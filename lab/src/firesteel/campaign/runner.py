# SPDX-License-Identifier: Apache-2.0
"""What measures cells: the interface, so that a run does not care what is behind it."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.store.record import Inputs


class Cancelled(Exception):  # noqa: N818 - it was asked for, nothing is in error
    """A measurement was told to stop, and has left nothing running."""


class Runner(Protocol):
    """Measures cells; all methods but `prepare` may be called from several threads at once."""

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Makes ready all that measuring these cells needs."""

    def inputs(self, cell: Cell) -> Inputs:
        """The cell with the versions of all that it will be measured with."""

    def packages(self) -> dict[str, str]:
        """The guest's package versions, by package name."""

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """Runs the cell once and gives what its boards handed out.

        It may leave logs in the directory `logs`.  Raises `FiresteelError` when the cell fails,
        with the reason as a sentence, followed by log lines if there are any; and `Cancelled` soon
        after `cancel` was set.
        """
