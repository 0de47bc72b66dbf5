# SPDX-License-Identifier: Apache-2.0
"""A limit: the ratio of two figures that differ only in their configurations, as the throughput in
hardware divided by that in software, and what it may be.
"""

from pydantic import BaseModel, ConfigDict

from firesteel.model.cell import Cell, Completion, Implementation
from firesteel.model.place import Place


class Side(BaseModel):
    """One side of a ratio: the configuration of a cell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: str
    cipher: str
    mac: str
    implementation: Implementation
    completion: Completion | None = None
    as_in_2015: str = ""

    @property
    def suite(self) -> str:
        """As the experiment's file has it."""
        return f"{self.cipher}:{self.mac}"

    @property
    def label(self) -> str:
        """As the cell's."""
        words = (self.protocol, self.suite, self.implementation, self.completion, self.as_in_2015)
        return " ".join(filter(None, words))


def side_of(cell: Cell) -> Side:
    """The configuration of a cell."""
    return Side(
        protocol=cell.protocol,
        cipher=cell.cipher,
        mac=cell.mac,
        implementation=cell.implementation,
        completion=cell.completion,
        as_in_2015=cell.habits,
    )


class Limit(BaseModel):
    """One metric of `of` divided by that of `beside`, and what the ratio may be.

    `experiments` and `parameters` are those of the figures; all if none is named.  `link` is a
    configuration that only the link slows down: whose throughput is `share` of its, or more, is
    slowed down by the link too, and cannot be faster.  `note` says why a missed limit is not
    reached, or where that is said.  `place` is where both were measured; none says that it holds
    in each place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: Side
    beside: Side
    metric: str
    experiments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    link: Side | None = None
    share: float = 1
    note: str = ""
    place: Place | None = None
