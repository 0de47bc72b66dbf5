# SPDX-License-Identifier: Apache-2.0
"""A run's journal: which cells it has, in order, and how each of them ended.

Unlike a record it is of one execution on one machine, so it may hold times of day.  While the run
is under way its file stays as it was at the start; what has happened since is in a file beside it
(`store.progress`), so that a cell costs the same however many there are.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from firesteel.base.envelope import Kind
from firesteel.model.cell import Cell
from firesteel.model.identity import Limit

FORMAT = 1
"""The version of the journal's format that this code writes and reads."""

_KIND = Kind("run", FORMAT)

State = Literal["waiting", "done", "failed"]


class Entry(BaseModel):
    """One cell of a run.

    `key` is its record's address.  `seconds` is the wall time its measurement took, None when it
    was not measured in this run: then it waits, or its record was in the store before.  `problem`
    is why it failed; the journal's `logs_of` names its logs below the run's `logs`.
    """

    model_config = ConfigDict(extra="forbid")

    cell: Cell
    key: str
    state: State = "waiting"
    seconds: float | None = None
    problem: str = ""

    @property
    def slug(self) -> str:
        """The cell's label as the name of a directory, and its seed unless that is 1."""
        label = re.sub("[: /]", "-", self.cell.label)
        return label if self.cell.seed == 1 else f"{label}-seed-{self.cell.seed}"


class Journal(BaseModel):
    """A run: name, what was run (`title` is the experiment's), when it started, its cells, and what
    the experiment held their figures against at that time.  `varied` are the numbers of boards and
    links that its cells differ in, by their paths (`board.numbers`).
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    experiment: str
    title: str
    quick: bool
    started: str
    entries: list[Entry]
    limits: tuple[Limit, ...] = ()
    varied: tuple[str, ...] = ()

    def count(self, state: State) -> int:
        """How many cells are in that state."""
        return sum(entry.state == state for entry in self.entries)

    @property
    def summary(self) -> "Summary":
        """The run in short."""
        states = Counter(entry.state for entry in self.entries)
        return Summary(
            name=self.name,
            experiment=self.experiment,
            quick=self.quick,
            started=self.started,
            cells=len(self.entries),
            done=states["done"],
            failed=states["failed"],
        )

    @property
    def slugs(self) -> Counter[str]:
        """How many entries have each slug."""
        return Counter(entry.slug for entry in self.entries)

    def logs_of(self, entry: Entry, slugs: Counter[str] | None = None) -> str:
        """The directory of an entry's logs: its slug, and where it is measured if another has the
        same.  Who asks for many gives `slugs`, so that they are counted once.
        """
        if (slugs or self.slugs)[entry.slug] < 2:
            return entry.slug
        place = entry.cell.place
        return "-".join((entry.slug, place.board, place.topology, place.node))

    def to_json(self) -> str:
        """The journal's file: a line for each cell."""
        head = {"format": FORMAT, **self.model_dump(mode="json", exclude={"entries"})}
        said = [f" {_json(key)}: {_json(value)}" for key, value in head.items()]
        entries = _listed(entry.model_dump_json() for entry in self.entries)
        return "{\n" + ",\n".join([*said, f' "entries": {entries}']) + "\n}\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Journal":
        """The journal in `text`, read from `where`.

        Raises `FiresteelError` when it is damaged or was written by a newer Firesteel.
        """
        try:
            file = _File.model_validate_json(text)
        except ValidationError:  # What is wrong is said of a slower reading.
            return _KIND.validate(_KIND.load(text, where), Journal, where, strict=False)
        return Journal.model_construct(
            **{name: getattr(file, name) for name in Journal.model_fields}
        )


class _File(Journal):
    """The same with the number of its format."""

    format: Literal[1]


@dataclass(frozen=True)
class Summary:
    """A run in short, as far as a list of runs needs it."""

    name: str
    experiment: str
    quick: bool
    started: str
    cells: int
    done: int
    failed: int

    @property
    def waiting(self) -> int:
        """How many cells have not ended."""
        return self.cells - self.done - self.failed


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(texts: Iterable[str]) -> str:
    """A list in JSON, an item a line."""
    lines = ",\n".join(f"  {text}" for text in texts)
    return f"[\n{lines}\n ]" if lines else "[]"
