# SPDX-License-Identifier: Apache-2.0
"""What every workload says of itself; each is one object in a module of its own.

A workload is what is measured of a protocol, such as pings or handshakes.  Those that boards do one
after the other in one boot share a `Session`, which makes the jobs of all nodes; most have theirs
alone (`Solo`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from firesteel.base.schema import Table
from firesteel.board.job import Job
from firesteel.board.profile import Profile
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure
from firesteel.protocols.offload import ENGINES, engines
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.workloads.presentation import Column, Section, Series, Summary

_CORES = {"aes": "AES core (`aes`)", "hash": "hash core (`hash`)"}


class WorkloadTable(Table, ABC):
    """A workload's table in an experiment's file."""

    def check(self, protocol: Protocol, suites: tuple[str, ...]) -> None:
        """Raises `ValueError` when the table is not for that protocol with these suites."""
        del protocol, suites

    @abstractmethod
    def plan(self, protocol: Protocol, quick: bool) -> WorkloadPlan:
        """What a cell of that protocol does."""

    def plans(self, protocol: Protocol, quick: bool) -> Sequence[WorkloadPlan]:
        """The same where the table may ask for several cells of each configuration."""
        return (self.plan(protocol, quick),)


class Workload(ABC):
    """A workload; `name` is that of its table, and of its plan in a cell.

    `series` are those of its figures, `meaning` is what the reference says of the table.  `columns`
    are its main figures, `sections` those of the report, the main one first; figures without one
    are listed with what is measured by size.  `summary` is what the terminal shows first of a
    comparison with published figures.
    """

    name: str
    meaning: str
    table: type[WorkloadTable]
    series: tuple[Series, ...]
    columns: tuple[Column, ...] = ()
    sections: tuple[Section, ...] = ()
    summary: Summary | None = None

    @property
    def titles(self) -> dict[str, str]:
        """The titles of its series, by name."""
        return {series.name: series.title for series in self.series}

    @abstractmethod
    def measures(self, protocol: Protocol) -> bool:
        """Whether it can be measured of that protocol."""

    def servers(self, protocol: Protocol) -> frozenset[str]:
        """The servers of files that it starts; two workloads of a cell cannot start the same."""
        del protocol
        return frozenset()

    def brought_by(self, cell: Cell) -> str | None:
        """The name of what brings the cell's files, also where that is the usual way; None: it
        transfers none.
        """
        del cell
        return None

    @abstractmethod
    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        """The figures of a cell that has a plan of it, in a fixed order; `proof` is the cell's.

        Raises `CellFailure` when what nodes report gives none.
        """

    @abstractmethod
    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        """Between which marks something is measured, the main window first: where offload has the
        most to do.
        """

    def missing(self, cell: Cell, profile: Profile) -> Iterator[str]:
        """What the measured board's cores lack for a cell on the cores, with the keys of its
        file.
        """
        if cell.cipher != "none" and not protocol_of(cell).in_user_space:
            # The kernel's driver offers ciphers on the AES core alone, a MAC with them or not.
            if not any(cores.aes for cores in profile.cores):
                yield _CORES["aes"]
        elif not engines(cell, profile):
            yield from (_CORES[ENGINES[counter]] for counter in engines(cell))


class Session(ABC):
    """One boot of all boards, in which some workloads are measured; `name` is for error messages.

    Every job of a session marks the instants `proof.before` and `proof.after`, and around each
    window its `NAME.begin` and `NAME.end`.
    """

    name: str

    @property
    @abstractmethod
    def workloads(self) -> tuple[Workload, ...]:
        """Which ones."""

    @abstractmethod
    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """The job of each node, by node name.

        Raises `FiresteelError` when what the cell says does not go together.
        """

    @abstractmethod
    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """Counters which show that the work went the way it was meant to, by name.

        Raises `CellFailure` when they show that it did not.
        """

    def with_cores(self, cell: Cell, site: Site) -> list[str]:
        """Nodes besides the measured one that have the cores."""
        del cell, site
        return []


class Solo(Workload, Session, ABC):
    """A workload with a session of its own."""

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """Itself."""
        return (self,)
