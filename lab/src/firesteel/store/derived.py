# SPDX-License-Identifier: Apache-2.0
"""Figures from observations, and a cache of them.

Figures are made by parsers whose version is a hash of their code.  So a parser that is mended makes
figures anew from what was observed, and nothing is measured again.
"""

import functools
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind
from firesteel.base.errors import FiresteelError
from firesteel.board.result import TopologyRun
from firesteel.build.cache import key_of, tree_digest
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.workloads.cells import cell_figures, cell_proof

_KIND = Kind("file of figures", 1)

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

    def to_json(self) -> str:
        """With a digest, to be kept."""
        return _KIND.sealed(self)

    @staticmethod
    def from_json(text: str, where: str) -> "Derived | None":
        """What `to_json` gave; None where it is damaged."""
        try:
            return _KIND.validate(_KIND.unsealed(text, where), Derived, where)
        except FiresteelError:
            return None


def derive(cell: Cell, run: TopologyRun) -> Derived:
    """What the observations of a cell say; `CellFailure` when they show that it went wrong."""
    return Derived(figures=tuple(cell_figures(cell, run)), proof=cell_proof(cell, run))


@functools.cache
def parsers() -> str:
    """The version of the parsers: a digest of their code."""
    return tree_digest(*(_LAB / name for name in PARSERS))


def cache_name(key: str, cell: Cell) -> str:
    """The name of the cached figures that a cell has from a record, with these parsers."""
    of = key_of({"cell": cell.model_dump_json(), "parsers": parsers()})
    return f"{key}-{of[:16]}"
