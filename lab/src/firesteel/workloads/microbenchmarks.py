# SPDX-License-Identifier: Apache-2.0
"""What single operations take: OpenSSL's algorithms, system calls, switches between processes, and
accesses to memory.

A board's virtual time is compared with a real processor by these (`firesteel calibrate`), so they
are what others publish: `openssl speed`, and what lmbench measures, by the guest's `microbench`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, check_distinct
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter, operation_window
from firesteel.protocols.openssl import BARE_BOARD
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard
from firesteel.workloads.openssl_speed import BlockSize, Seconds, blocks_and_seconds
from firesteel.workloads.presentation import Series
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.workload import WorkloadTable, with_quick

Algorithm = Literal[
    "aes-128-cbc",
    "aes-192-cbc",
    "aes-256-cbc",
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-ctr",
    "aes-128-cbc-decrypt",
    "des-ede3-cbc",
    "md5",
    "sha1",
    "sha1-integer",
    "sha224",
    "sha256",
    "sha256-integer",
    "sha512",
    "sha512-integer",
    "sha3-256",
    "chacha20",
    "chacha20-integer",
    "chacha20-poly1305",
    "chacha20-poly1305-integer",
    "ghash",
]
"""With `-integer` the code that uses no NEON, where OpenSSL would choose NEON's."""

Operation = Literal[
    "null-call",
    "read",
    "write",
    "stat",
    "fstat",
    "signal-install",
    "signal-catch",
    "pipe",
    "unix-socket",
    "context-switch",
    "fork",
    "page-fault",
    "pipe-bandwidth",
    "unix-socket-bandwidth",
]

Latency = Literal["read-latency", "read-latency-random"]

Bandwidth = Literal[
    "memory-read",
    "memory-read-sparse",
    "memory-write",
    "memory-zero",
    "memory-copy",
]

_OPTIONS: Mapping[str, str] = {
    "aes-128-cbc-decrypt": "-decrypt -evp aes-128-cbc",
    "chacha20-poly1305": "-aead -evp chacha20-poly1305",
    "ghash": "ghash",
}
"""Options of `openssl speed` where they are not `-evp` and the name."""

_INTEGER = "-integer"

_REPORTED = re.compile(r"^([\w-]+) ([\d.e+-]+) (ns|MB/s)$", re.MULTILINE)
"""Name, value and unit."""

MemorySize = Annotated[int, Field(ge=512, le=64 << 20, multiple_of=512)]


class MicrobenchmarksPlan(WorkloadPlan):
    """What is measured, one after the other in one boot."""

    workload = "microbenchmarks"

    algorithms: tuple[Algorithm, ...] = ()
    """OpenSSL's algorithms with blocks of all sizes."""
    bulk_algorithms: tuple[Algorithm, ...] = ()
    """The same with blocks of the largest size alone."""
    sizes: tuple[int, ...] = ()
    """Block sizes, bytes."""
    seconds: int = 1
    """Virtual time for each algorithm and size."""
    operations: tuple[Operation, ...] = ()
    """Operations of the kernel."""
    latencies: tuple[Latency, ...] = ()
    """How memory is read, one word after the other."""
    latency_sizes: tuple[int, ...] = ()
    """Of what size, bytes."""
    bandwidths: tuple[Bandwidth, ...] = ()
    """What is done with memory as a whole."""
    bandwidth_sizes: tuple[int, ...] = ()
    """Of what size, bytes."""


@with_quick(
    "algorithms", "bulk_algorithms", "sizes", "operations", "latency_sizes", "bandwidth_sizes"
)
class Microbenchmarks(WorkloadTable):
    """What every cell measures; see `MicrobenchmarksPlan`."""

    planned = MicrobenchmarksPlan

    algorithms: Many[Algorithm]
    """OpenSSL's algorithms, by `openssl speed`; with `-integer` without NEON."""
    bulk_algorithms: Many[Algorithm] | None = None
    """More of them, which are measured with the largest block size alone."""
    sizes: Many[BlockSize]
    """Block sizes, bytes."""
    seconds: Seconds = 1
    """Virtual time for each algorithm and size."""
    operations: Many[Operation]
    """Operations of the kernel, by lmbench's definitions."""
    latencies: Many[Latency]
    """Loads of which each needs the one before: 128 bytes apart, or at random 64-byte places."""
    latency_sizes: Many[MemorySize]
    """Sizes of memory for them, bytes."""
    bandwidths: Many[Bandwidth]
    """Memory read, read at every fourth word, written, cleared and copied."""
    bandwidth_sizes: Many[MemorySize]
    """Sizes of memory for them, bytes."""

    @model_validator(mode="after")
    def _in_one_list(self) -> Self:
        for told in (self.values(quick) for quick in (False, True)):
            both = (*told["algorithms"], *told.get("bulk_algorithms", ()))
            check_distinct("algorithms` and `bulk_algorithms", both)
        return self


@dataclass(frozen=True)
class _Run:
    """One thing that is measured: an algorithm, operation or access, with a size or without."""

    what: str
    size: int | None = None
    of_openssl: bool = False

    @property
    def name(self) -> str:
        """What its window and its report are called."""
        return operation_window(self.what, self.size)

    @property
    def parameter(self) -> Parameter:
        """What its figures are of."""
        return Parameter(operation=self.what, size_bytes=self.size)

    def command(self, seconds: int) -> str:
        """What measures it."""
        if not self.of_openssl:
            return f"microbench {self.what}" + (f" {self.size}" if self.size else "")
        algorithm = self.what.removesuffix(_INTEGER)
        # Without -elapsed it counts CPU time, which Linux has in steps of its tick.
        told = f"openssl speed -elapsed -mr -seconds {seconds} -bytes {self.size} "
        told += _OPTIONS.get(algorithm, f"-evp {algorithm}")
        # No bit set: none of the processor's extensions.
        return f"env OPENSSL_armcap=0 {told}" if self.what.endswith(_INTEGER) else told

    def values(self, node: NodeResult) -> Iterator[Value]:
        """Its figures; `CellFailure` when there is no report, or it says something else."""
        if self.of_openssl:
            blocks, seconds = blocks_and_seconds(node, self.name, self.parameter.text)
            yield "throughput", blocks * (self.size or 0) / seconds / 1e6
            yield "operation_time", seconds / blocks * 1e9
            return
        text = data_of(node, self.name).decode(errors="replace")
        found = _REPORTED.search(text)
        if not found or found[1] != self.what or float(found[2]) <= 0:
            raise CellFailure(f"microbench {self.name} gave no result: {text.strip()[:200]}")
        yield ("throughput" if found[3] == "MB/s" else "operation_time"), float(found[2])


def _runs(plan: MicrobenchmarksPlan) -> Iterator[_Run]:
    for what in plan.algorithms:
        yield from (_Run(what, size, of_openssl=True) for size in plan.sizes)
    for what in plan.bulk_algorithms:
        yield _Run(what, max(plan.sizes), of_openssl=True)
    yield from map(_Run, plan.operations)
    for latency in plan.latencies:
        yield from (_Run(latency, size) for size in plan.latency_sizes)
    for bandwidth in plan.bandwidths:
        yield from (_Run(bandwidth, size) for size in plan.bandwidth_sizes)


_SERIES = Series("microbenchmarks", "Single operations", of_operations=True)


class _Microbenchmarks(OnOneBoard):
    name = "microbenchmarks"
    meaning = "Single operations of the processor, the memory and the kernel; for `bare-board`."
    table = Microbenchmarks
    series = (_SERIES,)
    protocol = BARE_BOARD
    script = SCRIPTS / "microbenchmarks" / "run.sh"

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        plan = cell.needed(MicrobenchmarksPlan)
        return BoardJob(f"{run.name} {run.command(plan.seconds)}\n" for run in _runs(plan))

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        plan = cell.needed(MicrobenchmarksPlan)
        return [(run.size or 0, 1, run.name) for run in _runs(plan)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """`microbenchmarks`: how many reported."""
        reported = {each.parameter for each in self.figures(cell, run)}
        return {"microbenchmarks": len(reported)}

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        node = run.nodes[cell.measured]
        return [
            figure
            for each in _runs(cell.needed(MicrobenchmarksPlan))
            for figure in rows(cell, _SERIES.name, each.parameter, each.values(node))
        ]


MICROBENCHMARKS = _Microbenchmarks()
