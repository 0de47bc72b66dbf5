# SPDX-License-Identifier: Apache-2.0
"""How a run under way goes: a file beside its journal that grows by a line with each event.

    STORE/runs/NAME/progress.jsonl

The first line says the format, how many cells are measured side by side, and when that began.  Each
other line is an event: a cell, by its place in the journal, began, waits again or ended; or another
number of cells is measured side by side.  The file is gone when the journal has all of it.

Its writer holds a lock on it, which the system takes away when the process ends, however it ends:
so others can tell a run under way from one that was killed.  A line that a crash cut off is not
counted.  Lines are not flushed to the disk one by one: what a loss of power takes of them is found
again in the store, where every record was flushed.
"""

import fcntl
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from firesteel.base.envelope import Kind
from firesteel.base.errors import FiresteelError, StoreError
from firesteel.store.journal import Entry, Journal, Summary

_KIND = Kind(
    "run's progress",
    1,
    "remove it; finished cells are in the store, and `firesteel run` takes them from there",
)

FILE = "progress.jsonl"
"""The file's name."""


class Event(BaseModel):
    """What happened to a cell, by its number in the journal.

    `at` is the time of day in seconds, `on` the machine that measures it, empty for this one.
    `seconds` and `problem` are as in `store.journal.Entry`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cell: int
    what: Literal["began", "waits", "done", "failed"]
    at: float
    on: str = ""
    seconds: float | None = None
    problem: str = ""

    @property
    def is_end(self) -> bool:
        """Whether the cell has ended."""
        return self.what in {"done", "failed"}


class AtOnce(BaseModel):
    """So many cells are measured side by side from then on; `at` is the time of day in seconds.

    The first line says it besides the format.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs: int
    at: float


_EVENTS: TypeAdapter[Event | AtOnce] = TypeAdapter(Event | AtOnce)


class Progress:
    """Writes what happens in a run; closing it says that nothing more will come."""

    def __init__(self, path: Path, jobs: int, now: Callable[[], float] = time.time) -> None:
        """Raises `StoreError` when it cannot be written."""
        self._path = path
        self._now = now
        head = {"format": _KIND.format, **AtOnce(jobs=jobs, at=round(now(), 3)).model_dump()}
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            raise StoreError.of(path, error) from None
        try:
            self._append([json.dumps(head)])
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def began(self, cell: int, on: str = "") -> None:
        """That cell is being measured, on that machine."""
        self._tell([Event(cell=cell, what="began", at=self._at, on=on)])

    def waits(self, cell: int) -> None:
        """That cell began, and waits again."""
        self._tell([Event(cell=cell, what="waits", at=self._at)])

    def at_once(self, cells: int) -> None:
        """So many are measured side by side from now on."""
        self._tell([AtOnce(jobs=cells, at=self._at)])

    def ended(self, entries: Iterable[tuple[int, Entry]]) -> None:
        """These cells have ended as their entries say."""
        self._tell(
            Event(
                cell=number,
                what="failed" if entry.state == "failed" else "done",
                at=self._at,
                seconds=entry.seconds,
                problem=entry.problem,
            )
            for number, entry in entries
        )

    def close(self) -> None:
        """Gives up the lock."""
        os.close(self._file)

    @property
    def _at(self) -> float:
        return round(self._now(), 3)

    def _tell(self, events: Iterable[Event | AtOnce]) -> None:
        self._append([event.model_dump_json(exclude_defaults=True) for event in events])

    def _append(self, lines: Sequence[str]) -> None:
        """Adds all of them or nothing."""
        append_whole(self._file, "".join(f"{line}\n" for line in lines).encode(), self._path)


@dataclass(frozen=True)
class Seen:
    """What a file of progress says from some place on, and the place up to which that goes.

    `at_once` is how many cells are measured side by side by what it says last, None if it does not.
    """

    head: AtOnce | None
    events: tuple[Event, ...]
    end: int
    at_once: int | None = None


def append_whole(file: int, content: bytes, path: Path) -> None:
    """Adds to a file all of it, or else leaves the file as it was and raises `StoreError`."""
    before = os.fstat(file).st_size
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        os.ftruncate(file, before)
        raise StoreError.of(path, error) from None


def read(path: Path, start: int = 0) -> Seen | None:
    """What the file says from `start` on, which is the end of a line; None where there is none.

    Raises `FiresteelError` when it is damaged, of another format or cannot be read.
    """
    try:
        with path.open("rb") as file:
            file.seek(start)
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.splitlines()
    head = None
    if lines and not start:
        text = lines.pop(0).decode(errors="replace")
        head = _KIND.validate(_KIND.load(text, str(path)), AtOnce, str(path))
    try:
        told = [_EVENTS.validate_json(line) for line in lines]
    except ValidationError as error:
        raise _KIND.damaged(str(path), str(error.errors()[0]["msg"])) from None
    events = tuple(each for each in told if isinstance(each, Event))
    at_once = [each.jobs for each in (head, *told) if isinstance(each, AtOnce)]
    return Seen(head, events, start + len(whole), at_once[-1] if at_once else None)


def apply(journal: Journal, events: Iterable[Event], path: Path) -> None:
    """Brings a journal up to date; `FiresteelError` when an event is of no cell of it."""
    for event in events:
        if not 0 <= event.cell < len(journal.entries):
            raise _KIND.damaged(str(path), f"there is no cell {event.cell}")
        if event.what == "done" or event.what == "failed":
            entry = journal.entries[event.cell]
            entry.state, entry.seconds, entry.problem = event.what, event.seconds, event.problem


def counted(summary: Summary, events: Iterable[Event]) -> Summary:
    """A summary of a run of which no cell has ended, brought up to date."""
    ended = Counter({event.cell: event.what for event in events if event.is_end}.values())
    return replace(
        summary, done=summary.done + ended["done"], failed=summary.failed + ended["failed"]
    )


def is_written(path: Path) -> bool:
    """Whether a process still writes it, as far as this machine can tell."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
