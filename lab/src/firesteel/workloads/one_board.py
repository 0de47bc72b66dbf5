# SPDX-License-Identifier: Apache-2.0
"""Workloads that one board does by itself, in runs one after the other."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile, script
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.kernel import KERNEL_SOFTWARE, driver_module, kernel_software
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site, settings_file, start_offset
from firesteel.workloads.presentation import Series
from firesteel.workloads.workload import Solo, Value, rows

SCRIPTS = BOARD_FILES / "jobs"


@dataclass(frozen=True)
class Run:
    """One measured operation, with a window and a report of its `name`.  `does` is its line for the
    script; its figures have `series` and `parameter`.  `requests` is the number of requests that it
    must make, if fixed.
    """

    name: str
    does: str
    series: Series
    parameter: Parameter
    requests: int = 0


Report = TypeVar("Report")


def kernel_variables(cell: Cell) -> dict[str, str]:
    """The variables of a script which loads what computes in the kernel."""
    return {"DRIVER": driver_module(cell), **kernel_software(cell)}


KERNEL_FILES = {"/job/kernel-software.sh": script(KERNEL_SOFTWARE)}
"""What such a script reads."""


class OnOneBoard(Solo, ABC, Generic[Report]):
    """A workload on one board, of one protocol unless it `measures` more; `script` is its job."""

    protocol: Protocol
    script: Path

    @abstractmethod
    def variables(self, cell: Cell, site: Site) -> Mapping[str, str]:
        """The script's variables."""

    def files(self, _cell: Cell) -> Mapping[str, JobFile]:
        """Further files of the script, by guest path."""
        return {}

    @abstractmethod
    def runs(self, cell: Cell) -> Sequence[Run]:
        """All runs, in order."""

    def lines(self, cell: Cell) -> Iterable[str]:
        """The script's input: a line for each run."""
        return (f"{run.name} {run.does}\n" for run in self.runs(cell))

    @abstractmethod
    def read(self, cell: Cell, node: NodeResult, run: Run) -> Report:
        """What a run's program reported.

        Raises `CellFailure` when it is not whole, is not what was asked for, or was computed by
        whom it should not.
        """

    @abstractmethod
    def totals(self, cell: Cell, node: NodeResult, reports: Sequence[Report]) -> dict[str, int]:
        """The total work of all runs, by name, and the work of the board's cores: the proof."""

    @abstractmethod
    def values(self, cell: Cell, boards: TopologyRun, run: Run, report: Report) -> Iterable[Value]:
        """The figures of a run."""

    def measures(self, protocol: Protocol) -> bool:
        """Only it."""
        return protocol is self.protocol

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """That of the one board."""
        nodes = list(site.topology.nodes)
        if len(nodes) != 1:
            raise FiresteelError(
                f"Cell {cell.label}: it needs a topology of one board, such as `one-board`; "
                f"`{cell.topology}` has {len(nodes)}."
            )
        files = {
            "/job/run": script(self.script),
            "/job/account.sh": script(SCRIPTS / "account.sh"),
            "/job/settings": settings_file({**self.variables(cell, site), **start_offset(cell)}),
            "/job/runs": JobFile("".join(self.lines(cell)).encode()),
        }
        return {nodes[0]: Job(files | dict(self.files(cell)))}

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """The totals of all runs, and `cores.NAME.COUNTER`, what the board's cores did."""
        node = run.nodes[cell.measured]
        return self.totals(cell, node, [self.read(cell, node, each) for each in self.runs(cell)])

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        """Those of all runs, in order."""
        figures: list[Figure] = []
        for each in self.runs(cell):
            report = self.read(cell, run.nodes[cell.measured], each)
            values = self.values(cell, run, each, report)
            figures += rows(cell, each.series.name, each.parameter, values)
        return figures

    def windows(self, cell: Cell, _figures: Sequence[Figure]) -> tuple[str, ...]:
        """By size, the largest first, then by how much is under way; equal ones in their order."""

        def order(run: Run) -> tuple[int, int]:
            return -(run.parameter.size_bytes or 0), -(run.parameter.in_flight or 1)

        return tuple(run.name for run in sorted(self.runs(cell), key=order))
