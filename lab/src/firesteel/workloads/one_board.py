# SPDX-License-Identifier: Apache-2.0
"""Workloads that one board does by itself, in runs one after the other."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.board.job import Job, JobFile, script
from firesteel.board.profile import BOARD_FILES
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.kernel import KERNEL_SOFTWARE, driver_module, kernel_software
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site, settings_file, start_offset
from firesteel.workloads.workload import Solo

SCRIPTS = BOARD_FILES / "jobs"


@dataclass(frozen=True)
class BoardJob:
    """What a script is given: a line for each run, shell variables, and files by guest path."""

    lines: Iterable[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, JobFile] = field(default_factory=dict)


def kernel_job(
    cell: Cell, lines: Iterable[str], variables: Mapping[str, str], files: Mapping[str, JobFile]
) -> BoardJob:
    """That of a script which loads what computes in the kernel."""
    return BoardJob(
        lines,
        {"DRIVER": driver_module(cell), **kernel_software(cell), **variables},
        {"/job/kernel-software.sh": script(KERNEL_SOFTWARE), **files},
    )


class OnOneBoard(Solo, ABC):
    """A workload on one board, of one protocol unless `measures` names more; `script` is its job.

    Each run has a window, and hands out what its program prints, under its name.
    """

    protocol: Protocol
    script: Path

    @abstractmethod
    def job(self, cell: Cell, site: Site) -> BoardJob:
        """What the script is given."""

    @abstractmethod
    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        """The runs: the size of what each handles, how much is under way at once, its name."""

    def measures(self, protocol: Protocol) -> bool:
        """It alone."""
        return protocol is self.protocol

    def jobs(self, cell: Cell, site: Site) -> dict[str, Job]:
        """That of the one board."""
        nodes = list(site.topology.nodes)
        if len(nodes) != 1:
            raise FiresteelError(
                f"Cell {cell.label}: it is measured on one board, and the topology "
                f"`{cell.topology}` has {len(nodes)}; allowed is `one-board` or another "
                "of one node."
            )
        given = self.job(cell, site)
        files = {
            "/job/run": script(self.script),
            "/job/account.sh": script(SCRIPTS / "account.sh"),
            "/job/settings": settings_file({**given.variables, **start_offset(cell)}),
            "/job/runs": JobFile("".join(given.lines).encode()),
        }
        return {nodes[0]: Job(files | dict(given.files))}

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        """By size, the largest first, then by how much is under way; equal ones in their order."""
        del figures
        ordered = sorted(self.runs(cell), key=lambda run: (-run[0], -run[1]))
        return tuple(name for _, _, name in ordered)
