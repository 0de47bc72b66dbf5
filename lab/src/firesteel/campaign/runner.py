# SPDX-License-Identifier: Apache-2.0
"""What measures cells: the interface, so that a run does not care what is behind it."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


News = tuple[Path, str | None] | str
"""That a cell began, by the directory of its logs, on the machine of that name, or waits again, as
its machine is gone (None); or a sentence.
"""


class Machines(Protocol):
    """Where cells are measured; all methods are called on the thread of the run."""

    announces: bool
    """Whether a cell begins when `news` says so, and not when it is handed over."""

    def expect(self, boards: Sequence[int]) -> None:
        """Cells with so many boards each will be handed over."""

    def room(self) -> int:
        """How many cells may be handed over and not have ended; 1 or more."""

    def at_once(self) -> int:
        """How many cells are measured side by side; 0 while there is nothing to measure them."""

    def news(self) -> Iterator[News]:
        """What has happened since it was asked for last."""


@dataclass(frozen=True)
class Here:
    """The machine that the lab runs on, with so many cells at a time."""

    jobs: int
    announces = False

    def expect(self, boards: Sequence[int]) -> None:
        """The number of jobs was chosen for them."""

    def room(self) -> int:
        """Always the same."""
        return self.jobs

    def at_once(self) -> int:
        """Always the same."""
        return self.jobs

    def news(self) -> Iterator[News]:
        """There is none."""
        return iter(())
