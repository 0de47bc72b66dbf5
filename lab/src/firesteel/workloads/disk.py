# SPDX-License-Identifier: Apache-2.0
"""A disk in memory or in storage, encrypted or bare: what the board does, and the figures from its
outputs.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from firesteel.base.quantity import FileSize, bytes_of
from firesteel.base.toml import Many
from firesteel.boards.job import JobFile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Parameter
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of, window
from firesteel.workloads.load import load_values, offload_values
from firesteel.workloads.one_board import (
    KERNEL_FILES,
    SCRIPTS,
    OnOneBoard,
    Run,
    kernel_variables,
)
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.workload import Value, WorkloadTable, with_quick

Pattern = Literal["sequential-read", "sequential-write", "random-read", "random-write"]


class DiskPlan(WorkloadPlan):
    """A disk, in memory or the board's storage, that is read and written from one end to the other,
    or at random.

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


@with_quick("size", "block_sizes", "depths")
class Disk(WorkloadTable):
    """The disk of every cell; see `DiskPlan`.  Sizes as `4 KiB`."""

    planned = DiskPlan

    size: FileSize
    """Size of the disk: a multiple of 64 KiB, at most 256 MiB."""
    block_sizes: Many[FileSize]
    """Bytes of an I/O: a divisor of the disk's size, a multiple of the largest sector, at most 1
    MiB.
    """
    sector_sizes: Many[Literal[512, 4096]] = (512,)
    """Bytes encrypted as one unit; 4096 for `fscrypt`."""
    patterns: Many[Pattern]
    """Order in which blocks are read or written."""
    depths: Many[Depth] = (1,)
    """I/Os in flight; 1 for `fscrypt`."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        for quick in (False, True):
            _check(DiskPlan.model_validate(self.values(quick)))
        return self

    def check(self, protocol: Protocol, _suites: tuple[str, ...]) -> None:
        """Sectors and depths must be the protocol's."""
        if isinstance(protocol, DiskProtocol):
            for quick in (False, True):
                protocol.check_sizes(self.sector_sizes, self.values(quick)["depths"])

    def values(self, quick: bool) -> dict[str, Any]:
        """Sizes in bytes."""
        told = super().values(quick)
        blocks = tuple(map(bytes_of, told["block_sizes"]))
        return told | {"size": bytes_of(told["size"]), "block_sizes": blocks}


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


_FIO: Mapping[Pattern, str] = {
    "sequential-read": "read",
    "sequential-write": "write",
    "random-read": "randread",
    "random-write": "randwrite",
}

SAMPLE = bytes(range(256)) * 32
"""8 KiB that are written to the beginning of the disk: several sectors of either size."""

_SERIES: Mapping[Pattern, Series] = {
    pattern: Series(
        f"disk-{pattern}",
        f"Disk, {pattern.replace('-', ' ')}",
        same=Parameter(in_flight=1, pattern=pattern),
    )
    for pattern in get_args(Pattern)
}


def _run(name: str, pattern: Pattern, sector: int, block: int, depth: int, more: str = "") -> Run:
    """One run of fio over the whole disk, unless it has `more` options; sizes in bytes."""
    return Run(
        name,
        f"{sector} --rw={_FIO[pattern]} --bs={block} --iodepth={depth}{more}",
        _SERIES[pattern],
        Parameter(size_bytes=block, in_flight=depth, sector_bytes=sector, pattern=pattern),
    )


def _overhead_name(sector: int) -> str:
    """What the run of a single I/O is called, by which the cost of fio's start and end is known."""
    return f"overhead-{sector}"


def _protocol(cell: Cell) -> DiskProtocol:
    protocol = protocol_of(cell)
    assert isinstance(protocol, DiskProtocol)
    return protocol


@dataclass(frozen=True)
class _Output:
    """What fio did: bytes and I/Os, and latencies in ns from submitting an I/O to its completion.

    Its rates are left alone: it takes them from a time in whole milliseconds.
    """

    size: int
    ios: int
    latency_mean: float
    latency_p99: float


def _parsed(node: NodeResult, name: str, way: str) -> _Output:
    """The output of the run called `name`; `way` is `read` or `write`.

    Raises `CellFailure` when it is not whole, or fio met an error.
    """
    text = data_of(node, name)
    # Before the JSON it says where the output of its commands went.
    begin = text.find(b"{")
    try:
        (job,) = json.loads(text[max(begin, 0) :].decode())["jobs"]
        error, done = int(job["error"]), job[way]
        mean, p99 = done["lat_ns"]["mean"], done["clat_ns"]["percentile"]["99.000000"]
        if not (mean > 0 and p99 > 0):
            raise ValueError(f"latencies of {mean} and {p99}")
        output = _Output(int(done["io_bytes"]), int(done["total_ios"]), float(mean), float(p99))
    except (ValueError, KeyError, TypeError) as problem:
        raise CellFailure(
            f"Run {name}: fio's report is incomplete: {type(problem).__name__} {problem}."
        ) from None
    if error:
        raise CellFailure(f"Run {name}: fio reported the error {error}.")
    return output


def _check_sample(cell: Cell, node: NodeResult, sector: int) -> int:
    """How many sectors of the sample there are, all of them as the cipher makes them."""
    protocol = _protocol(cell)
    protocol.check_code(cell, node, sector)
    if not protocol.has_encrypted(cell, node, SAMPLE, sector):
        raise CellFailure(
            f"Cell {cell.label}: the disk's contents are not what its cipher makes of the sample "
            f"in sectors of {sector} bytes."
        )
    return len(SAMPLE) // sector


def _overhead(node: NodeResult, sector: int) -> tuple[float, float]:
    """What starting and ending fio's job adds between two marks, time and busy time in ns: from a
    run of a single I/O, whose own time fio gives exactly.
    """
    name = _overhead_name(sector)
    output = _parsed(node, name, "read")
    if output.ios != 1:
        raise CellFailure(f"Run {name}: fio did {output.ios} I/Os; 1 is expected.")
    during = window(node, name)
    return during.elapsed - output.latency_mean, during.busy - output.latency_mean


class _Disk(OnOneBoard[_Output]):
    name = "disk"
    meaning = "A disk in memory, or in the board's storage; for `dm-crypt` and `fscrypt`."
    table = Disk
    series = tuple(_SERIES.values())
    script = SCRIPTS / "disk" / "run.sh"
    columns = (Column(_SERIES["sequential-read"].name, "throughput", "disk read\nMB/s"),)

    def measures(self, protocol: Protocol) -> bool:
        """What encrypts disks, or their files."""
        return isinstance(protocol, DiskProtocol)

    def variables(self, cell: Cell, _site: Site) -> Mapping[str, str]:
        size = str(cell.needed(DiskPlan).size)
        return {**kernel_variables(cell), "SIZE": size, **_protocol(cell).variables(cell)}

    def stored(self, cell: Cell) -> int:
        """A quarter more and 8 MiB are room for what tags and file systems take."""
        return cell.needed(DiskPlan).size * 5 // 4 + (8 << 20)

    def files(self, cell: Cell) -> Mapping[str, JobFile]:
        return {**KERNEL_FILES, **_protocol(cell).files(cell), "/job/sample": JobFile(SAMPLE)}

    def runs(self, cell: Cell) -> Sequence[Run]:
        """Those of one sector size together."""
        plan = cell.needed(DiskPlan)
        return [
            _run(f"{pattern}-{sector}-{block}-{depth}", pattern, sector, block, depth)
            for sector in plan.sector_sizes
            for block in plan.block_sizes
            for depth in plan.depths
            for pattern in plan.patterns
        ]

    def lines(self, cell: Cell) -> Iterator[str]:
        """A window of a single I/O before the windows of each sector size."""
        plan, runs = cell.needed(DiskPlan), list(super().lines(cell))
        each = len(runs) // len(plan.sector_sizes)
        for number, sector in enumerate(plan.sector_sizes):
            smallest = min(plan.block_sizes)
            name, more = _overhead_name(sector), " --number_ios=1"
            one = _run(name, "sequential-read", sector, smallest, 1, more)
            yield f"{one.name} {one.does}\n"
            yield from runs[number * each : (number + 1) * each]

    def read(self, cell: Cell, node: NodeResult, run: Run) -> _Output:
        """It must be of the whole disk."""
        size, block = cell.needed(DiskPlan).size, run.parameter.size_bytes or 1
        output = _parsed(node, run.name, (run.parameter.pattern or "").partition("-")[2])
        if (output.size, output.ios) != (size, size // block):
            raise CellFailure(
                f"Run {run.name}: fio did {output.ios} I/Os of {output.size} bytes together; "
                f"it should have been {size // block} of {size}."
            )
        at_once = min(block, run.parameter.sector_bytes or block)
        if cell.implementation == "hardware" and at_once >= LARGE:
            check_share(cell, node, run.name, output.size, kernel=True)
        return output

    def totals(self, cell: Cell, node: NodeResult, reports: Sequence[_Output]) -> dict[str, int]:
        """`disk_ios` and `disk_bytes`; `sectors_checked`, the sampled sectors with the right
        ciphertext on the disk.

        Raises `CellFailure` when the disk had other bytes, and when not the kernel's fastest code
        made them.
        """
        sectors = cell.needed(DiskPlan).sector_sizes
        return {
            "disk_ios": sum(output.ios for output in reports),
            "disk_bytes": sum(output.size for output in reports),
            "sectors_checked": sum(_check_sample(cell, node, sector) for sector in sectors),
            **cores_proof(cell, node, kernel=True),
        }

    def values(self, cell: Cell, boards: TopologyRun, run: Run, report: _Output) -> Iterator[Value]:
        """docs/disk.md says what they mean."""
        node = boards.nodes[cell.measured]
        during = window(node, run.name)
        more, more_busy = _overhead(node, run.parameter.sector_bytes or 0)
        elapsed, busy = during.elapsed - more, during.busy - more_busy
        yield "throughput", report.size / elapsed * 1e3
        yield "iops", report.ios / elapsed * 1e9
        yield "latency", report.latency_mean / 1e3
        yield "latency_p99", report.latency_p99 / 1e3
        yield "cpu", 100 * busy / elapsed
        yield "cpu_seconds_per_mb", busy / 1e9 / (report.size / 1e6)
        yield "context_switches", during.context_switches
        yield from load_values(cell, boards, run.name)
        yield from offload_values(cell, node, run.name, report.size)


DISK = _Disk()
