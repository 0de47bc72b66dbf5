# SPDX-License-Identifier: Apache-2.0
"""The job of a disk's cell: a script, and a line for each run of fio."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesteel.board.job import Job, JobFile
from firesteel.board.profile import BOARD_FILES
from firesteel.model.cell import Cell
from firesteel.protocols.dm_crypt import DM_CRYPT
from firesteel.protocols.kernel import KERNEL_SOFTWARE, driver_module, kernel_software
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.workloads.dm_crypt.table import DiskPlan, Pattern
from firesteel.workloads.one_board import only_node

_SCRIPT = BOARD_FILES / "jobs" / "disk" / "run.sh"

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
        """What its report is called."""
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


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of the one board.

    Raises `FiresteelError` when suite, implementation, profile and topology do not go together.
    """
    node = only_node(cell, site.topology)
    cipher = DM_CRYPT.cipher(cell)
    variables = {
        "DRIVER": driver_module(cell),
        **kernel_software(cell),
        "SIZE": str(cell.needed(DiskPlan).size),
        "CIPHER": cipher.spec if cipher else "",
        "KEY": cipher.key.hex() if cipher else "",
        **start_offset(cell),
    }
    files = {
        "/job/run": JobFile(_SCRIPT.read_bytes()),
        "/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes()),
        "/job/settings": settings_file(variables),
        "/job/runs": JobFile("".join(_lines(cell)).encode()),
        "/job/sample": JobFile(SAMPLE),
    }
    return {node: Job(files)}


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
