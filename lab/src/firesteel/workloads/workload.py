# SPDX-License-Identifier: Apache-2.0
"""The description of a workload; each is one object in a separate module.

A workload is what is measured of a protocol, such as pings or handshakes.  Workloads that boards do
one after the other in one boot share a `Session`, which makes the jobs of all nodes; most have
their own (`Solo`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar, get_type_hints

from pydantic import Field, create_model, model_validator

from firesteel.base.toml import Table, check_distinct
from firesteel.boards.job import Job
from firesteel.boards.profile import Profile
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.offload import ENGINES, engines
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.workloads.presentation import Column, Section, Series

Value = tuple[str, float] | tuple[str, float, float | None]
"""A metric of `model.metrics` and its value; behind it the uncertainty, if the figure has one."""


def rows(cell: Cell, workload: str, parameter: Parameter, values: Iterable[Value]) -> list[Figure]:
    """All `values` as figures of the cell."""
    return [
        Figure(
            workload=workload,
            protocol=cell.protocol,
            cipher=cell.cipher,
            mac=cell.mac,
            implementation=cell.implementation,
            parameter=parameter,
            metric=metric,
            value=value,
            uncertainty=uncertainty[0] if uncertainty else None,
        )
        for metric, value, *uncertainty in values
    ]


class WorkloadTable(Table, ABC):
    """A workload's table in an experiment's file, with the class of the plan that it makes.

    Its `quick`, where there is one, has the keys that `--quick` replaces.  Lists have each value
    once, but for those named in `repeats`.
    """

    planned: ClassVar[type[WorkloadPlan]]
    repeats: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for table in (self, getattr(self, "quick", None)):
            for key, value in table or ():
                if isinstance(value, tuple) and key not in self.repeats:
                    check_distinct(key, value)
        return self

    def values(self, quick: bool) -> dict[str, Any]:
        """What the keys say that are there."""
        tables = (self, getattr(self, "quick", None) if quick else None)
        return {
            key: value
            for table in tables
            for key, value in table or ()
            if key != "quick" and value is not None
        }

    def check(self, _protocol: Protocol, _suites: tuple[str, ...]) -> None:
        """Raises `ValueError` when the table is not for that protocol with these suites."""

    def plans(self, _protocol: Protocol, quick: bool) -> Sequence[WorkloadPlan]:
        """What each cell of a configuration of that protocol does: most tables make one."""
        return (self.planned.model_validate(self.values(quick)),)


SomeTable = TypeVar("SomeTable", bound=WorkloadTable)


def with_quick(*keys: str) -> Callable[[type[SomeTable]], type[SomeTable]]:
    """Gives a table the key `quick`: a table with some of the same keys."""

    def extended(table: type[SomeTable]) -> type[SomeTable]:
        hints = get_type_hints(table, include_extras=True)
        told: dict[str, Any] = {key: (hints[key] | None, None) for key in keys}
        doc, name = "What `--quick` changes.", table.__name__
        quick = create_model(f"Quick{name}", __base__=Table, __doc__=doc, **told)
        field: Any = (quick, Field(quick(), description="Keys that `--quick` replaces."))
        return create_model(name, __base__=table, __doc__=table.__doc__, quick=field)

    return extended


class Workload(ABC):
    """A workload; its table, and its plan in a cell, have its `name`.

    `series` are its figures' series, `meaning` is the table's text in the reference.  `columns` are
    its main figures, `sections` its sections of the report, the main one first; figures without a
    section are listed with figures by size.  Figures and windows are asked of cells with a plan of
    it.
    """

    name: str
    meaning: str
    table: type[WorkloadTable]
    series: tuple[Series, ...]
    columns: tuple[Column, ...] = ()
    sections: tuple[Section, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """The titles of its series, by name."""
        return {series.name: series.title for series in self.series}

    @abstractmethod
    def measures(self, protocol: Protocol) -> bool:
        """Whether it can be measured of that protocol."""

    def servers(self, _protocol: Protocol) -> frozenset[str]:
        """The servers of files that it starts; two workloads of a cell cannot start the same."""
        return frozenset()

    def brought_by(self, _cell: Cell) -> str | None:
        """The way of fetching the cell's files, even if it is the usual one; None if there are no
        files.
        """
        return None

    @abstractmethod
    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        """The cell's figures in a fixed order; `CellFailure` when what nodes report gives none."""

    @abstractmethod
    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        """Between which marks something is measured, the main window first: where offload has the
        most to do.
        """

    def stored(self, _cell: Cell) -> int:
        """Bytes that a board with storage needs there."""
        return 0

    def missing(self, cell: Cell, profile: Profile) -> Iterator[str]:
        """What the measured board's cores lack for a cell on the cores, with the file's keys."""
        lacking: list[str] = []
        if cell.cipher != "none" and not protocol_of(cell).in_user_space:
            # The kernel's driver offers ciphers on the AES core alone, a MAC with them or not.
            lacking = [] if any(cores.aes for cores in profile.cores) else ["aes"]
        elif not engines(cell, profile):
            lacking = [ENGINES[counter] for counter in engines(cell)]
        for engine in lacking:
            yield f"{'AES' if engine == 'aes' else engine} core (`{engine}`)"


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
        """The job of each node; `FiresteelError` when what the cell says does not go together."""

    @abstractmethod
    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """Counters which show that the work went the way it was meant to, by name; `CellFailure`
        when they show that it did not.
        """

    def with_cores(self, _cell: Cell, _site: Site) -> list[str]:
        """Other nodes than the measured one that use the cores."""
        return []


class Solo(Workload, Session, ABC):
    """A workload with a separate session."""

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """Itself."""
        return (self,)
