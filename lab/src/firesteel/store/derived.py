# SPDX-License-Identifier: Apache-2.0
"""Figures from observations, and a cache of them.

Figures are made by parsers whose version is a hash of their code.  So a parser that is mended makes
figures anew from what was observed, and nothing is measured again.
"""

import functools
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from firesteel.board.result import TopologyRun
from firesteel.build.cache import key_of, tree_digest
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.whole import digest_of
from firesteel.workloads.cells import cell_figures, cell_proof

_LAB = Path(__file__).parents[1]
PARSERS = ("workloads", "protocols", "board", "build", "architectures", "model", "base")
"""The packages that figures depend on besides what was observed: all that a parser may import.  To
derive figures once too often costs little; those of another parser would be wrong.
"""


class Derived(BaseModel):
    """Figures of a cell, in a fixed order, and `proof`: counters which show that the work went the
    way it was meant to (through the tunnel, by the cores or not), by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    figures: tuple[Figure, ...]
    proof: dict[str, int]

    def to_text(self) -> str:
        """A line to be kept: its digest, and all as JSON."""
        text = self.model_dump_json()
        return f"{digest_of(text.encode())} {text}"

    @staticmethod
    def from_text(line: str) -> "Derived | None":
        """What `to_text` gave; None where it is damaged."""
        known, _, text = line.partition(" ")
        return Derived.model_validate_json(text) if digest_of(text.encode()) == known else None


def derive(cell: Cell, run: TopologyRun) -> Derived:
    """What the observations of a cell say; `CellFailure` when they show that it went wrong."""
    return Derived(figures=tuple(cell_figures(cell, run)), proof=cell_proof(cell, run))


@functools.cache
def parsers() -> str:
    """The version of the parsers: a digest of their code."""
    return tree_digest(*(_LAB / name for name in PARSERS))


def cache_name(key: str, observed: str, cell: Cell) -> str:
    """The name of the cached figures that a cell has, with these parsers, from a record and its
    observations, which have the digest `observed`: a record that is replaced gets others.
    """
    of = key_of({"cell": cell.model_dump_json(), "parsers": parsers(), "observed": observed})
    return f"{key}-{of[:16]}"
