# SPDX-License-Identifier: Apache-2.0
"""What the script of a disk's cell is given: a line for each run of fio."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesteel.board.job import JobFile
from firesteel.model.cell import Cell
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.registry import protocol_of
from firesteel.workloads.disk.table import DiskPlan, Pattern
from firesteel.workloads.one_board import BoardJob, kernel_files, kernel_variables

_FIO: Mapping[Pattern, str] = {
    "sequential-read": "read",
    "sequential-write": "write",
    "random-read": "randread",
    "random-write": "randwrite",
}

SAMPLE = bytes(range(256)) * 32
"""8 KiB that are written to the beginning of the disk: several sectors of either size."""


@dataclass(frozen=True)
class Run:
    """One run of fio over the whole disk; sizes in bytes."""

    pattern: Pattern
    sector: int
    block: int
    depth: int

    @property
    def name(self) -> str:
        """What its output is called."""
        return f"{self.pattern}-{self.sector}-{self.block}-{self.depth}"


def runs(cell: Cell) -> Iterator[Run]:
    """The runs of a cell, in order; those of one sector size together."""
    plan = cell.needed(DiskPlan)
    for sector in plan.sector_sizes:
        for block in plan.block_sizes:
            for depth in plan.depths:
                for pattern in plan.patterns:
                    yield Run(pattern, sector, block, depth)


def overhead_name(sector: int) -> str:
    """What the run of a single I/O is called, by which the cost of fio's start and end is known."""
    return f"overhead-{sector}"


def disk_protocol(cell: Cell) -> DiskProtocol:
    """The cell's protocol, which is one of disks."""
    protocol = protocol_of(cell)
    assert isinstance(protocol, DiskProtocol)
    return protocol


def board_job(cell: Cell) -> BoardJob:
    """What the board's script is given."""
    protocol, plan = disk_protocol(cell), cell.needed(DiskPlan)
    variables = {
        **kernel_variables(cell),
        "SIZE": str(plan.size),
        **protocol.variables(cell),
    }
    files = {**kernel_files(), **protocol.files(cell), "/job/sample": JobFile(SAMPLE)}
    return BoardJob(variables, _lines(cell), files)


def _lines(cell: Cell) -> Iterator[str]:
    smallest = min(cell.needed(DiskPlan).block_sizes)
    sector = 0
    for run in runs(cell):
        if run.sector != sector:
            sector = run.sector
            one = Run("sequential-read", sector, smallest, depth=1)
            yield f"{overhead_name(sector)} {sector} {_options(one)} --number_ios=1\n"
        yield f"{run.name} {run.sector} {_options(run)}\n"


def _options(run: Run) -> str:
    return f"--rw={_FIO[run.pattern]} --bs={run.block} --iodepth={run.depth}"
