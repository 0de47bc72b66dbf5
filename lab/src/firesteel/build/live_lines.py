# SPDX-License-Identifier: Apache-2.0
"""The live lines of all steps that are under way at once, each with its bar and its time."""

import threading

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)


class LiveLines:
    """Lines at the bottom of a terminal; may be used from several threads."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._lock = threading.Lock()
        self._shown: Progress | None = None  # A console has no more than one live display.

    def add(self, what: str) -> TaskID:
        """A new line."""
        with self._lock:
            if self._shown is None:
                self._shown = Progress(
                    SpinnerColumn(),
                    TextColumn("{task.description}", markup=False),
                    BarColumn(bar_width=24),
                    TextColumn("{task.fields[far]}", markup=False),
                    TimeElapsedColumn(),
                    console=self.console,
                    transient=True,
                )
                self._shown.start()
            return self._shown.add_task(what, total=None, far="")

    def update(self, line: TaskID, done: int | None, total: int | None, far: str) -> None:
        """Show how far it is."""
        with self._lock:
            if self._shown is not None:
                self._shown.update(line, completed=done, total=total, far=far)

    def remove(self, line: TaskID) -> None:
        """Take the line away."""
        with self._lock:
            if self._shown is not None:
                self._shown.remove_task(line)
                if not self._shown.task_ids:
                    self._shown.stop()
                    self._shown = None
