# SPDX-License-Identifier: Apache-2.0
"""A run's journal: which cells it has, in order, and how each of them ended.

Unlike a record it is of one execution on one machine, so it may hold times of day.  During the run
its file does not change; later events are in a second file, so that the cost of a cell does not
depend on the number of cells:

    STORE/runs/NAME/progress.jsonl

The first line says the format, how many cells are measured side by side, and when that began.  Each
other line is an event: a cell, by its place in the journal, began or ended; or another number of
cells is measured side by side.  The second file is deleted when the journal contains all events.

Its writer locks it, and the system releases the lock however the process ends.  So others can
distinguish a running run from a killed one.  A line that a crash cut off is not counted.  Lines are
not flushed to the disk one by one: what a loss of power takes of them is found again in the store,
where every record was flushed.
"""

import fcntl
import json
import os
import re
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firesteel.base.envelope import Kind
from firesteel.base.errors import FiresteelError, StoreError
from firesteel.base.files import append_whole
from firesteel.model.cell import Cell
from firesteel.model.identity import Limit

_KIND = Kind("run", 1)

State = Literal["waiting", "done", "failed"]


class Ended(BaseModel):
    """How a cell of a run ended, if it did.

    `seconds` is the wall time its measurement took, None when it was not measured in this run: then
    it waits, or its record was in the store before.  `problem` is why it failed; the journal's
    `logs_of` names its logs below the run's `logs`.
    """

    state: State = "waiting"
    seconds: float | None = None
    problem: str = ""


class Entry(Ended):
    """One cell of a run; `key` is its record's address."""

    model_config = ConfigDict(extra="forbid")

    cell: Cell
    key: str

    @property
    def slug(self) -> str:
        """The cell's label as the name of a directory, and its seed unless that is 1."""
        label = re.sub("[: /]", "-", self.cell.label)
        return label if self.cell.seed == 1 else f"{label}-seed-{self.cell.seed}"


class Summary(BaseModel):
    """A run in short: name, what was run, when it started, and how its cells ended.  A list of runs
    needs no more of a journal's file, which has the number of its format.
    """

    format: Literal[1] = 1
    name: str
    experiment: str
    quick: bool
    started: str
    entries: Sequence[Ended]

    @property
    def is_numbered(self) -> bool:
        """Whether the file that it was read from has the number of its format."""
        return "format" in self.model_fields_set

    def count(self, state: State) -> int:
        """How many cells are in that state."""
        return sum(entry.state == state for entry in self.entries)


class Journal(Summary):
    """A run: also its cells, and what the experiment, whose title it has, held their figures
    against at that time.  `varied` are the numbers of boards and links that its cells differ in, by
    their paths (`boards.numbers`).  `options` are the command's options that say what is measured.
    """

    model_config = ConfigDict(extra="forbid")

    title: str
    entries: list[Entry]
    limits: tuple[Limit, ...] = ()
    varied: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def command(self, name: str, *without: str) -> list[str]:
        """That command for the same experiment with the options, but for some, as words of a
        shell.
        """
        quick = [("--quick",)] if self.quick else []
        said = [*quick, *((option, shlex.quote(value)) for option, value in self.options)]
        words = (word for each in said if each[0] not in without for word in each)
        return ["firesteel", name, shlex.quote(self.experiment), *words]

    @property
    def slugs(self) -> Counter[str]:
        """How many entries have each slug."""
        return Counter(entry.slug for entry in self.entries)

    def logs_of(self, entry: Entry, slugs: Counter[str] | None = None) -> str:
        """The directory of an entry's logs: its slug, and its place if that is not unique.  Who
        asks for many gives `slugs`, so that they are counted once.
        """
        if (slugs or self.slugs)[entry.slug] < 2:
            return entry.slug
        place = entry.cell.place
        board = place.board.replace("/", ",")  # Of a real machine
        return "-".join((entry.slug, board, place.topology, place.node))

    def to_json(self) -> str:
        """The journal's file: a line for each cell."""
        head = self.model_dump(mode="json", exclude={"entries"})
        dumps = partial(json.dumps, ensure_ascii=False)
        said = [f" {dumps(key)}: {dumps(value)}" for key, value in head.items()]
        lines = ",\n".join(f"  {entry.model_dump_json()}" for entry in self.entries)
        entries = f"[\n{lines}\n ]" if lines else "[]"
        return "{\n" + ",\n".join([*said, f' "entries": {entries}']) + "\n}\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Journal":
        """The journal in `text`, read from `where`.

        Raises `FiresteelError` when it is damaged or was written by a newer Firesteel.
        """
        with suppress(ValidationError):
            journal = Journal.model_validate_json(text)
            if journal.is_numbered:
                return journal
        # What is wrong is said of a slower reading.
        return _KIND.validate(_KIND.load(text, where), Journal, where, strict=False)


_PROGRESS = Kind(
    "run's progress",
    1,
    "remove it; finished cells are in the store, and `firesteel run` takes them from there",
)

PROGRESS = "progress.jsonl"
"""The name of the file of a run under way."""


class Event(BaseModel):
    """An event: of a cell, by its number in the journal, or a change of the number of cells
    measured at a time (`jobs`).  The first line has the latter, and the format.

    `at` is the time of day in seconds, `on` the machine that measures the cell, empty for this
    machine.  `seconds` and `problem` are as in `Entry`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: float
    cell: int = -1
    what: Literal["began", "done", "failed", "side by side"] = Field(
        default_factory=lambda said: "side by side" if said["cell"] < 0 else "",
        validate_default=True,
    )
    on: str = ""
    jobs: int = 0
    seconds: float | None = None
    problem: str = ""

    @property
    def is_end(self) -> bool:
        """Whether the cell has ended."""
        return self.what in {"done", "failed"}


class Progress:
    """Writes what happens in a run; closing it says that nothing more will come."""

    def __init__(self, path: Path, jobs: int, now: Callable[[], float] = time.time) -> None:
        """Raises `StoreError` when it cannot be written."""
        self._path = path
        self._now = now
        head = {"format": _PROGRESS.format, "jobs": jobs, "at": round(now(), 3)}
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

    def at_once(self, cells: int) -> None:
        """So many are measured side by side from now on."""
        self._tell([Event(what="side by side", jobs=cells, at=self._at)])

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

    def _tell(self, events: Iterable[Event]) -> None:
        self._append([event.model_dump_json(exclude_defaults=True) for event in events])

    def _append(self, lines: Sequence[str]) -> None:
        """Adds all of them or nothing."""
        append_whole(self._file, "".join(f"{line}\n" for line in lines).encode(), self._path)


def read_progress(path: Path, start: int = 0) -> tuple[list[Event], int] | None:
    """What the file says from `start` on, which is the end of a line, and the place up to which
    that goes; None where there is no file.

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
    lines, events = whole.splitlines(), list[Event]()
    if lines and not start:
        text = lines.pop(0).decode(errors="replace")
        events.append(_PROGRESS.validate(_PROGRESS.load(text, str(path)), Event, str(path)))
    try:
        events += map(Event.model_validate_json, lines)
    except ValidationError as error:
        raise _PROGRESS.damaged(str(path), str(error.errors()[0]["msg"])) from None
    return events, start + len(whole)


def apply(journal: Summary, events: Iterable[Event], path: Path) -> None:
    """Brings a journal up to date; `FiresteelError` when an event is of no cell of it."""
    for event in events:
        if event.what == "side by side":
            continue
        if not 0 <= event.cell < len(journal.entries):
            raise _PROGRESS.damaged(str(path), f"there is no cell {event.cell}")
        if event.what == "done" or event.what == "failed":
            entry = journal.entries[event.cell]
            entry.state, entry.seconds, entry.problem = event.what, event.seconds, event.problem


def is_under_way(path: Path) -> bool:
    """Whether a process on this machine still writes it."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
