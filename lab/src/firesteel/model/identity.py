# SPDX-License-Identifier: Apache-2.0
"""What a figure is of, but for its metric and its seed."""

import datetime
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from firesteel.model.cell import (
    ABSENT,
    NO_TUNNEL,
    USUAL_COMPLETION,
    Cell,
    Completion,
    Implementation,
    Place,
)
from firesteel.model.figure import Parameter
from firesteel.model.metrics import unit_of


class Side(BaseModel):
    """One side of a ratio: the configuration of a cell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: str
    cipher: str
    mac: str
    implementation: Implementation
    completion: Completion | None = None
    as_in_2015: str = ""
    affinity: str = ""

    @property
    def suite(self) -> str:
        """The value in the experiment's file."""
        return f"{self.cipher}:{self.mac}"

    @property
    def label(self) -> str:
        """As the cell's."""
        words = (self.protocol, self.suite, self.implementation, self.completion, self.as_in_2015)
        return " ".join(filter(None, (*words, self.affinity)))


def side_of(cell: Cell) -> Side:
    """The configuration of a cell."""
    return Side(
        protocol=cell.protocol,
        cipher=cell.cipher,
        mac=cell.mac,
        implementation=cell.implementation,
        completion=cell.completion,
        as_in_2015=cell.habits,
        affinity=cell.pinned,
    )


class Bounds(BaseModel):
    """What a ratio may be; on which day that was set, and why.

    Runs of before 2026-11-29 have limits without a date.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: float | None = None
    most: float | None = None
    date: datetime.date | None = None
    reason: str = ""


class Limit(Bounds):
    """A metric of `of` divided by the same metric of `beside`, and the ratio's limits.

    `first` are the bounds that were set first, where they were moved since.  `experiments` and
    `parameters` select figures; without them all figures count.  `link` is a configuration that
    only the link slows down: whose throughput is `share` of its, or more, is slowed down by the
    link too, and cannot be faster.  `note` says why a missed limit is not reached, or where that is
    said.  `place` is where both were measured; none says that it holds in each place.  With
    `board`, that board is compared with the board `beside_board`.
    """

    of: Side
    beside: Side
    metric: str
    experiments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    first: Bounds | None = None
    link: Side | None = None
    share: float = 1
    note: str = ""
    place: Place | None = None
    board: str = ""
    beside_board: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """One configuration, on one board, at one point of a workload.

    `completion` is empty where there is none to choose, `variant` where the cell works as programs
    do today, and `affinity` where nothing is set.  `board` is the profile of the measured `node`,
    in `topology`; all three are empty where nothing was measured on a board of ours.  `link` is the
    rate of all links, as `1 Gbit/s`, and empty where they have the topology's own.
    """

    workload: str
    parameter: Parameter
    protocol: str
    cipher: str
    mac: str
    implementation: str
    completion: str = ""
    variant: str = ""
    affinity: str = ""
    board: str = ""
    topology: str = ""
    node: str = ""
    link: str = ""

    @property
    def side(self) -> Side:
        """Its configuration, as thresholds name it."""
        return Side.model_construct(
            protocol=self.protocol,
            cipher=self.cipher,
            mac=self.mac,
            implementation=self.implementation,
            completion=self.completion or None,
            as_in_2015=self.variant,
            affinity=self.affinity,
        )

    @property
    def how(self) -> tuple[str, str, str, str]:
        """Its configuration but for the protocol and the suite, as titles take it."""
        return self.implementation, self.completion, self.variant, self.affinity

    @property
    def place(self) -> Place:
        """Where it was measured."""
        return Place(self.board, self.topology, self.node, self.link)

    @property
    def in_software(self) -> "Identity":
        """The same in the fastest software."""
        return replace(self, implementation="software", completion="")

    @property
    def clear(self) -> "Identity":
        """The same without a tunnel, with today's software, and with files fetched in the usual
        way.
        """
        return replace(
            self.in_software,
            protocol=NO_TUNNEL,
            cipher=ABSENT,
            mac=ABSENT,
            variant="",
            parameter=self.parameter.model_copy(update={"by": None}),
        )

    @property
    def is_usual(self) -> bool:
        """Whether it has the completion that its driver would choose, or none to choose, the CPUs
        that the kernel would, and is no variant.
        """
        own = self.variant or self.affinity
        return self.completion in ("", USUAL_COMPLETION) and not own

    @property
    def comparable(self) -> "Identity":
        """What figures of different runs have in common that may be compared: files of any size."""
        return replace(self, parameter=self.parameter.comparable)

    @property
    def anywhere(self) -> "Identity":
        """The same wherever it was measured, as published figures are."""
        return replace(self, board="", topology="", node="", link="")

    @property
    def where(self) -> dict[str, str]:
        """As columns of a table that needs them."""
        return asdict(self.place)

    def columns(self, metric: str) -> dict[str, str]:
        """As columns of a table, with a metric that was measured of it; but for `where`."""
        return {
            "experiment": self.workload,
            "protocol": self.protocol,
            "cipher": self.cipher,
            "mac": self.mac,
            "implementation": self.implementation,
            "parameter": self.parameter.text,
            "metric": metric,
            "unit": unit_of(metric),
            "completion": self.completion,
            "as_in_2015": self.variant,
            "affinity": self.affinity,
        }

    def with_side(self, side: Side) -> "Identity":
        """The same of another configuration."""
        return replace(
            self,
            protocol=side.protocol,
            cipher=side.cipher,
            mac=side.mac,
            implementation=side.implementation,
            completion=side.completion or "",
            variant=side.as_in_2015,
            affinity=side.affinity,
        )


Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def by_key(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, Item]:
    """The items by what they are; of several that are the same the first."""
    found: dict[Key, Item] = {}
    for item in items:
        found.setdefault(key(item), item)
    return found


def with_partners(
    items: Iterable[Item], partner: Callable[[Item], Key | None], among: Mapping[Key, Item]
) -> Iterator[tuple[Item, Item]]:
    """Each item after its partner; items without one are left out.  `partner` returns the partner's
    key, or None.
    """
    for item in items:
        wanted = partner(item)
        found = None if wanted is None else among.get(wanted)
        if found is not None:
            yield found, item
