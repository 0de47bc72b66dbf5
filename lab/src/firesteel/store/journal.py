# SPDX-License-Identifier: Apache-2.0
"""A run's journal: which cells it has, in order, and how each of them ended.

Unlike a record it is of one execution on one machine, so it may hold times of day.
"""

import json
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind
from firesteel.model.limit import Limit
from firesteel.workloads.registry import KnownCell

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

    cell: KnownCell
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

    def logs_of(self, entry: Entry) -> str:
        """The directory of an entry's logs: its slug, and where it is measured if another has the
        same.
        """
        if sum(each.slug == entry.slug for each in self.entries) < 2:
            return entry.slug
        place = entry.cell.place
        return "-".join((entry.slug, place.board, place.topology, place.node))

    def to_json(self) -> str:
        """The journal's file."""
        content = {"format": FORMAT, **self.model_dump(mode="json")}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Journal":
        """The journal in `text`, read from `where`.

        Raises `FiresteelError` when it is damaged or was written by a newer Firesteel.
        """
        return _KIND.validate(_KIND.load(text, where), Journal, where, strict=False)
