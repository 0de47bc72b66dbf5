# SPDX-License-Identifier: Apache-2.0
"""Following a run that another process executes, by what it writes down as it goes."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.run.loop import Watcher
from firesteel.store.journal import (
    Entry,
    Event,
    Journal,
    apply,
    is_under_way,
    read_progress,
)
from firesteel.store.record import Record
from firesteel.store.store import Store

End = Literal["ended", "gone"]
"""How a run ends for who follows it: its journal is whole, or its process is gone before that."""

_PAUSE_SECONDS = 0.5


def under_way(store: Store) -> list[str]:
    """The runs that a process executes at this moment, the newest last."""
    return [name for name in store.run_names() if is_under_way(store.progress_path(name))]


class Follower:
    """Reports the events of a run to a watcher, with `now`, the time of day of the event."""

    def __init__(self, store: Store, run: str, pause: Callable[[float], None] = time.sleep) -> None:
        """Raises `FiresteelError` when there is no such run, or it is damaged."""
        self._store = store
        self._pause = pause
        self._at: float | None = None
        self._path = store.progress_path(run)
        self._events, self._place = read_progress(self._path) or ([], 0)
        self.journal: Journal = store.journal(run)
        self.at_once = next((each.jobs for each in reversed(self._events) if each.cell < 0), 0)
        """How many cells were measured side by side when this was made."""

    def now(self) -> float:
        """The time of day of the reported event."""
        return time.time() if self._at is None else self._at

    def follow(self, watcher: Watcher) -> End:
        """Tells all until the run ends, what has happened so far in short."""
        if self._events:
            self._open(watcher)
        while True:
            alive = is_under_way(self._path)
            seen = read_progress(self._path, self._place)
            if seen is None:
                self.journal = self._store.journal(self.journal.name)
                return "ended"
            events, self._place = seen
            self._tell(watcher, events)
            if not alive and not events:
                return "gone"
            watcher.tick()
            self._pause(_PAUSE_SECONDS)

    def _open(self, watcher: Watcher) -> None:
        """What is under way, of a run some of whose cells may have ended."""
        ended = {event.cell for event in self._events if event.is_end}
        running = [each for each in self._events if each.cell >= 0 and each.cell not in ended]
        for number, entry in enumerate(self.journal.entries):
            if entry.state != "waiting" and number not in ended:  # Since the events were read.
                entry.state, entry.seconds, entry.problem = "waiting", None, ""
        self._at = self._events[0].at
        watcher.opened(self.journal)
        if ended:
            watcher.remark(f"{len(ended)} of {len(self.journal.entries)} cells have ended before")
        self._tell(watcher, running)

    def _tell(self, watcher: Watcher, events: Iterable[Event]) -> None:
        for event in events:
            self._at = event.at
            if event.what == "side by side":
                watcher.at_once(event.jobs)
                continue
            apply(self.journal, [event], self._path)
            entry = self.journal.entries[event.cell]
            if event.what == "began":
                watcher.began(entry, event.on)
            else:
                watcher.ended(entry, self._record(entry))
        self._at = None

    def _record(self, entry: Entry) -> Record | None:
        """The record of a cell that was measured, if it can be read."""
        if entry.state == "done" and entry.seconds is not None:
            with suppress(FiresteelError):
                return self._store.record(self.journal, entry)
        return None
