# SPDX-License-Identifier: Apache-2.0
"""A watcher of runs that a test asks afterwards."""

from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record


class Notes:
    """A watcher that only remembers."""

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self.endings: list[str] = []
        self.jobs: list[int] = []

    def opened(self, journal: Journal) -> None:
        self.count = len(journal.entries)

    def began(self, entry: Entry, machine: str = "") -> None:
        pass

    def ended(self, entry: Entry, record: Record | None) -> None:
        assert record is None or entry.state == "done"
        measured = "stored" if entry.seconds is None else "measured"
        self.endings.append("failed" if entry.state == "failed" else measured)

    def at_once(self, cells: int) -> None:
        self.jobs.append(cells)

    def tick(self) -> None:
        pass

    def remark(self, text: str) -> None:
        self.remarks.append(text)
