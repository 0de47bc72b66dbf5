# SPDX-License-Identifier: Apache-2.0
"""Figures that parsers derive from observations.

The store knows no parser.  Whoever knows them (`firesteel.table`) gives them to all stores by
`use`, or to one as an argument.  They have a version, so that a parser that is mended makes figures
anew from what was observed, and nothing is measured again.
"""

from typing import Protocol

from pydantic import BaseModel, ConfigDict

from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure


class Derived(BaseModel):
    """Figures of a cell, in a fixed order, and `proof`: counters which show that the work went the
    way it was meant to (through the tunnel, by the cores or not), by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    figures: tuple[Figure, ...]
    proof: dict[str, int]


class Parsers(Protocol):
    """What derives figures."""

    @property
    def version(self) -> str:
        """A hash of all that figures depend on besides what was observed."""

    def derive(self, cell: Cell, run: TopologyRun) -> Derived:
        """What the observations of a cell say; `CellFailure` when they show that it went wrong."""


_used: list[Parsers] = []


def use(parsers: Parsers) -> None:
    """Makes these the parsers of all stores that are given no others."""
    _used[:] = [parsers]


def used() -> Parsers:
    """The parsers of stores that are given no others."""
    if not _used:
        raise RuntimeError("no parsers: import firesteel.table first")
    return _used[0]
