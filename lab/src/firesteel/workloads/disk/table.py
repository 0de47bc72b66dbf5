# SPDX-License-Identifier: Apache-2.0
"""The table `[disk]` of an experiment's file, and the plan of a cell: a disk in memory."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.quantity import FileSize, bytes_of
from firesteel.base.schema import Many, Table, check_distinct
from firesteel.model.cell import WorkloadPlan
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.protocol import Protocol
from firesteel.workloads.workload import WorkloadTable

Pattern = Literal["sequential-read", "sequential-write", "random-read", "random-write"]


class DiskPlan(WorkloadPlan):
    """A disk in memory that is read and written from one end to the other, or at random.

    Sizes in bytes: of the disk, of the blocks that a program asks for, of the sectors that
    are encrypted by themselves.  `depths` are how many blocks are under way at once.
    """

    workload = "disk"

    size: int
    """Bytes."""
    block_sizes: tuple[int, ...]
    """Bytes."""
    sector_sizes: tuple[int, ...]
    """Bytes."""
    patterns: tuple[Pattern, ...]
    """Patterns to measure."""
    depths: tuple[int, ...]
    """Numbers of I/Os in flight."""


_LARGEST_DISK = 256 << 20
_LARGEST_BLOCK = 1 << 20

Depth = Annotated[int, Field(ge=1, le=128)]


class QuickDisk(Table):
    """What `--quick` changes of the disk."""

    size: FileSize | None = None
    block_sizes: Many[FileSize] | None = None
    depths: Many[Depth] | None = None


class Disk(WorkloadTable):
    """The disk of every cell; see `DiskPlan`.  Sizes as `4 KiB`."""

    size: FileSize
    """Size of the disk: a multiple of 64 KiB, at most 256 MiB."""
    block_sizes: Many[FileSize]
    """Size of one I/O: multiples of the largest sector that divide the disk's size, at most 1 MiB.
    """
    sector_sizes: Many[Literal[512, 4096]] = (512,)
    """Bytes that are encrypted as one unit; `fscrypt` has 4096 alone."""
    patterns: Many[Pattern]
    """Order of the blocks, and whether they are read or written."""
    depths: Many[Depth] = (1,)
    """Numbers of I/Os in flight; `fscrypt` has 1 alone."""
    quick: QuickDisk = QuickDisk()
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        for name in ("block_sizes", "sector_sizes", "patterns", "depths"):
            check_distinct(name, getattr(self, name))
        for plan in (self._plan(quick=False), self._plan(quick=True)):
            _check(plan)
        return self

    def check(self, protocol: Protocol, suites: tuple[str, ...]) -> None:
        """Sectors and depths must be the protocol's."""
        del suites
        if isinstance(protocol, DiskProtocol):
            depths = (*self.depths, *(self.quick.depths or ()))
            protocol.check_sizes(self.sector_sizes, depths)

    def plan(self, protocol: Protocol, quick: bool) -> DiskPlan:
        """What a cell does."""
        del protocol
        return self._plan(quick)

    def _plan(self, quick: bool) -> DiskPlan:
        size = (self.quick.size if quick else None) or self.size
        blocks = (self.quick.block_sizes if quick else None) or self.block_sizes
        return DiskPlan(
            size=bytes_of(size),
            block_sizes=tuple(bytes_of(block) for block in blocks),
            sector_sizes=self.sector_sizes,
            patterns=self.patterns,
            depths=(self.quick.depths if quick else None) or self.depths,
        )


def _check(plan: DiskPlan) -> None:
    if plan.size > _LARGEST_DISK or plan.size % 65_536:
        raise ValueError(
            f"a disk of {plan.size} bytes is not possible; allowed are multiples of 64 KiB up to "
            "256 MiB"
        )
    for block in plan.block_sizes:
        if block % max(plan.sector_sizes) or block > _LARGEST_BLOCK or plan.size % block:
            raise ValueError(
                f"blocks of {block} bytes do not fit; allowed are multiples of the largest sector "
                f"({max(plan.sector_sizes)} bytes) that divide the disk's size, up to 1 MiB"
            )
