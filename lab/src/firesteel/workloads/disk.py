# SPDX-License-Identifier: Apache-2.0
"""A disk in memory, encrypted or bare: what the board does, and the figures from its outputs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from firesteel.base.schema import FileSize, Many, Table, bytes_of, check_distinct
from firesteel.board.job import JobFile
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, Window, data_of, window
from firesteel.workloads.load import load_values, offload_values
from firesteel.workloads.one_board import (
    SCRIPTS,
    BoardJob,
    OnOneBoard,
    kernel_files,
    kernel_variables,
)
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.rows import Value, rows
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


@dataclass(frozen=True)
class Output:
    """What fio did: bytes and I/Os, and latencies in ns from submitting an I/O to its completion.

    Its rates are left alone: it takes them from a time in whole milliseconds.
    """

    size: int
    ios: int
    latency_mean: float
    latency_p99: float


def parse_output(text: bytes, name: str, way: str) -> Output:
    """The output of the run called `name`; `way` is `read` or `write`.

    Raises `CellFailure` when it is not whole, or fio met an error.
    """
    # Before the JSON it says where the output of its commands went.
    begin = text.find(b"{")
    try:
        (job,) = json.loads(text[max(begin, 0) :].decode())["jobs"]
        error, done = int(job["error"]), job[way]
        output = Output(
            size=int(done["io_bytes"]),
            ios=int(done["total_ios"]),
            latency_mean=_number(done["lat_ns"]["mean"]),
            latency_p99=_number(done["clat_ns"]["percentile"]["99.000000"]),
        )
    except (ValueError, KeyError, TypeError) as problem:
        raise CellFailure(
            f"Run {name}: fio's report is incomplete: {type(problem).__name__} {problem}."
        ) from None
    if error:
        raise CellFailure(f"Run {name}: fio reported the error {error}.")
    return output


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or value <= 0:
        raise ValueError(f"{value!r} where a positive number belongs")
    return float(value)


def cell_outputs(cell: Cell, run: TopologyRun) -> list[tuple[Run, Output]]:
    """All runs of the cell with their outputs, in order.

    Raises `CellFailure` when one is missing, is not of the whole disk, or was not encrypted by
    whom it should.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in runs(cell):
        way = "read" if each.pattern.endswith("read") else "write"
        output = parse_output(data_of(node, each.name), each.name, way)
        size = cell.needed(DiskPlan).size
        if (output.size, output.ios) != (size, size // each.block):
            raise CellFailure(
                f"Run {each.name}: fio did {output.ios} I/Os of {output.size} bytes together; "
                f"it should have been {size // each.block} of {size}."
            )
        if cell.implementation == "hardware" and min(each.block, each.sector) >= LARGE:
            check_share(cell, node, each.name, output.size)
        found.append((each, output))
    return found


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `disk_ios` and `disk_bytes` of all runs, `sectors_checked`, those of the
    sample that lay on the disk as the cipher makes them; `cores.NAME.COUNTER`, what the board's
    cores did.

    Raises `CellFailure` as `cell_outputs` does, when the disk had other bytes, when not the
    kernel's fastest code made them, and when the cores worked for another implementation.
    """
    outputs = [output for _, output in cell_outputs(cell, run)]
    node = run.nodes[cell.measured]
    return {
        "disk_ios": sum(output.ios for output in outputs),
        "disk_bytes": sum(output.size for output in outputs),
        "sectors_checked": sum(
            _check_sample(cell, node, sector) for sector in cell.needed(DiskPlan).sector_sizes
        ),
        **cores_proof(cell, node),
    }


def _check_sample(cell: Cell, node: NodeResult, sector: int) -> int:
    """How many sectors of the sample there are, all of them as the cipher makes them."""
    protocol = disk_protocol(cell)
    protocol.check_code(cell, node, sector)
    if not protocol.has_encrypted(cell, node, SAMPLE, sector):
        raise CellFailure(
            f"Cell {cell.label}: the disk's contents are not what its cipher makes of the sample "
            f"in sectors of {sector} bytes."
        )
    return len(SAMPLE) // sector


SERIES: Mapping[Pattern, Series] = {
    pattern: Series(
        f"disk-{pattern}",
        f"Disk, {pattern.replace('-', ' ')}",
        same=Parameter(in_flight=1, pattern=pattern),
    )
    for pattern in get_args(Pattern)
}
"""Those of each pattern of accesses."""


@dataclass(frozen=True)
class _Overhead:
    """What starting and ending fio's job adds between two marks: time and busy time in ns."""

    elapsed: float
    busy: float


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when an output is incomplete or the disk was not encrypted as it should.
    """
    node = run.nodes[cell.measured]
    overheads = {sector: _overhead(node, sector) for sector in cell.needed(DiskPlan).sector_sizes}
    figures: list[Figure] = []
    for each, output in cell_outputs(cell, run):
        values = (
            *_metrics(output, window(node, each.name), overheads[each.sector]),
            *load_values(cell, run, each.name),
            *offload_values(cell, node, each.name, output.size),
        )
        figures += rows(cell, SERIES[each.pattern].name, _parameter(each), values)
    return figures


def _overhead(node: NodeResult, sector: int) -> _Overhead:
    """From a run of a single I/O, whose own time fio gives exactly."""
    name = overhead_name(sector)
    output = parse_output(data_of(node, name), name, "read")
    if output.ios != 1:
        raise CellFailure(f"Run {name}: fio did {output.ios} I/Os; 1 is expected.")
    during = window(node, name)
    return _Overhead(during.elapsed - output.latency_mean, during.busy - output.latency_mean)


def _parameter(run: Run) -> Parameter:
    return Parameter(
        size_bytes=run.block, in_flight=run.depth, sector_bytes=run.sector, pattern=run.pattern
    )


def _metrics(output: Output, during: Window, overhead: _Overhead) -> Iterator[Value]:
    elapsed = during.elapsed - overhead.elapsed
    busy = during.busy - overhead.busy
    yield "throughput", output.size / elapsed * 1e3
    yield "iops", output.ios / elapsed * 1e9
    yield "latency", output.latency_mean / 1e3
    yield "latency_p99", output.latency_p99 / 1e3
    yield "cpu", 100 * busy / elapsed
    yield "cpu_seconds_per_mb", busy / 1e9 / (output.size / 1e6)
    yield "context_switches", during.context_switches


class _Disk(OnOneBoard):
    name = "disk"
    meaning = "A disk in memory; for `dm-crypt` and `fscrypt`."
    table = Disk
    series = tuple(SERIES.values())
    script = SCRIPTS / "disk" / "run.sh"
    columns = (Column(SERIES["sequential-read"].name, "throughput", "disk read\nMB/s"),)

    def measures(self, protocol: Protocol) -> bool:
        """What encrypts disks, or their files."""
        return isinstance(protocol, DiskProtocol)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        return board_job(cell)

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(run.block, run.depth, run.name) for run in runs(cell)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)


DISK = _Disk()
