# SPDX-License-Identifier: Apache-2.0
"""What single operations take: OpenSSL's algorithms, system calls, switches between processes, and
accesses to memory.

They compare a board's virtual time with a real processor (`research.calibrate`).  So they are
published benchmarks: `openssl speed`, and lmbench's operations, by the guest's `microbench`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.toml import Many, check_distinct
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Parameter, operation_window
from firesteel.protocols.openssl import BARE_BOARD
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of
from firesteel.workloads.one_board import SCRIPTS, OnOneBoard, Run
from firesteel.workloads.openssl_speed import BlockSize, Seconds, blocks_and_seconds
from firesteel.workloads.presentation import Series
from firesteel.workloads.workload import Value, WorkloadTable, with_quick

Algorithm = Literal[
    "aes-128-cbc",
    "aes-128-cbc-integer",
    "aes-128-cbc-neon",
    "aes-192-cbc",
    "aes-192-cbc-integer",
    "aes-256-cbc",
    "aes-256-cbc-integer",
    "aes-256-cbc-neon",
    "aes-128-ecb",
    "aes-128-ecb-integer",
    "aes-128-ecb-neon",
    "aes-192-ecb",
    "aes-192-ecb-integer",
    "aes-256-ecb",
    "aes-128-ctr",
    "aes-128-ctr-neon",
    "aes-128-cbc-decrypt",
    "aes-128-cbc-decrypt-neon",
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
"""With `-integer` the code that uses no extension of the processor, with `-neon` the code that uses
NEON and no instructions for cryptography.
"""


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
    "ed25519-sign",
    "ed25519-verify",
    "x25519",
]
"""The kernel's, and OpenSSL's with public keys."""

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

_TIMED: Mapping[str, tuple[str, int]] = {
    "ed25519-sign": ("ed25519", 0),
    "ed25519-verify": ("ed25519", 1),
    "x25519": ("ecdhx25519", 0),
}
"""What `openssl speed` calls an operation with public keys, and the place of its result, as it
signs and verifies in one call.
"""

_CAPABLE: Mapping[str, int] = {"-integer": 0, "-neon": 1}
"""What OpenSSL is told of the processor's extensions by the end of an algorithm's name: none, and
NEON alone.
"""

_SPEED = "openssl speed"

_REPORTED = re.compile(r"^([\w-]+) ([\d.e+-]+) (ns|MB/s)$", re.MULTILINE)
"""Name, value and unit."""

MemorySize = Annotated[int, Field(ge=512, le=64 << 20, multiple_of=512)]


class MicrobenchmarksPlan(WorkloadPlan):
    """What is measured, one after the other in one boot."""

    workload = "microbenchmarks"

    algorithms: tuple[Algorithm, ...] = ()
    """Algorithms of OpenSSL, with blocks of all sizes."""
    bulk_algorithms: tuple[Algorithm, ...] = ()
    """The same with blocks of the largest size only."""
    sizes: tuple[int, ...] = ()
    """Block sizes, bytes."""
    seconds: int = 1
    """Virtual time for each algorithm and size."""
    operations: tuple[Operation, ...] = ()
    """Operations of the kernel, and with public keys."""
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
    """Algorithms of `openssl speed`; `-integer` uses no extensions of the processor, and `-neon`
    uses only NEON.
    """
    bulk_algorithms: Many[Algorithm] | None = None
    """Additional algorithms, measured only with the largest block size."""
    sizes: Many[BlockSize]
    """Block sizes, bytes."""
    seconds: Seconds = 1
    """Virtual time for each algorithm and size."""
    operations: Many[Operation]
    """Operations of the kernel or with public keys (see
    [Calibration](../calibration.md#the-table-microbenchmarks)).
    """
    latencies: Many[Latency]
    """Loads that depend on the previous load: 128 bytes apart, or at random multiples of 64 bytes.
    """
    latency_sizes: Many[MemorySize]
    """Memory sizes for the latencies, bytes."""
    bandwidths: Many[Bandwidth]
    """Memory is read, read at every fourth word, written, cleared or copied."""
    bandwidth_sizes: Many[MemorySize]
    """Memory sizes for the bandwidths, bytes."""

    @model_validator(mode="after")
    def _in_one_list(self) -> Self:
        for told in (self.values(quick) for quick in (False, True)):
            both = (*told["algorithms"], *told.get("bulk_algorithms", ()))
            check_distinct("algorithms` and `bulk_algorithms", both)
        return self


_SERIES = Series("microbenchmarks", "Single operations", of_operations=True)


def _run(what: str, size: int | None = None, does: str = "") -> Run:
    """Of an algorithm, operation or access, with a size or without, by the guest's `microbench` or
    what it `does` instead.
    """
    does = does or f"microbench {what}" + (f" {size}" if size else "")
    parameter = Parameter(operation=what, size_bytes=size)
    return Run(operation_window(what, size), does, _SERIES, parameter)


def _speed(what: str, size: int, seconds: int) -> Run:
    """Of an algorithm by OpenSSL."""
    ending = next((each for each in _CAPABLE if what.endswith(each)), "")
    algorithm = what.removesuffix(ending)
    # Without -elapsed it counts CPU time, which Linux has in steps of its tick.
    does = f"{_SPEED} -elapsed -mr -seconds {seconds} -bytes {size} "
    does += _OPTIONS.get(algorithm, f"-evp {algorithm}")
    return _run(what, size, f"env OPENSSL_armcap={_CAPABLE[ending]} {does}" if ending else does)


def _operation(what: str, seconds: int) -> Run:
    """Of the kernel, or of OpenSSL with public keys."""
    timed = _TIMED.get(what)
    return _run(what, does=f"{_SPEED} -elapsed -mr -seconds {seconds} {timed[0]}" if timed else "")


class _Microbenchmarks(OnOneBoard[list[Value]]):
    name = "microbenchmarks"
    meaning = "Single operations of the processor, the memory and the kernel; for `bare-board`."
    table = Microbenchmarks
    series = (_SERIES,)
    protocol = BARE_BOARD
    script = SCRIPTS / "microbenchmarks" / "run.sh"

    def variables(self, _cell: Cell, _site: Site) -> Mapping[str, str]:
        return {}

    def runs(self, cell: Cell) -> Sequence[Run]:
        plan = cell.needed(MicrobenchmarksPlan)
        return [
            *(_speed(what, size, plan.seconds) for what in plan.algorithms for size in plan.sizes),
            *(_speed(what, max(plan.sizes), plan.seconds) for what in plan.bulk_algorithms),
            *(_operation(what, plan.seconds) for what in plan.operations),
            *(_run(what, size) for what in plan.latencies for size in plan.latency_sizes),
            *(_run(what, size) for what in plan.bandwidths for size in plan.bandwidth_sizes),
        ]

    def read(self, _cell: Cell, node: NodeResult, run: Run) -> list[Value]:
        """The figures that the report says."""
        if _SPEED in run.does:
            _, place = _TIMED.get(run.parameter.operation or "", ("", 0))
            blocks, seconds = blocks_and_seconds(node, run.name, run.parameter.text, place)
            took = ("operation_time", seconds / blocks * 1e9)
            size = blocks * (run.parameter.size_bytes or 0)
            return [("throughput", size / seconds / 1e6), took] if size else [took]
        text = data_of(node, run.name).decode(errors="replace")
        found = _REPORTED.search(text)
        if not found or found[1] != run.parameter.operation or float(found[2]) <= 0:
            raise CellFailure(f"microbench {run.name} gave no result: {text.strip()[:200]}")
        return [("throughput" if found[3] == "MB/s" else "operation_time", float(found[2]))]

    def totals(
        self, _cell: Cell, _node: NodeResult, reports: Sequence[list[Value]]
    ) -> dict[str, int]:
        """`microbenchmarks`: how many reported."""
        return {"microbenchmarks": len(reports)}

    def values(
        self, _cell: Cell, _boards: TopologyRun, _run: Run, report: list[Value]
    ) -> Sequence[Value]:
        return report


MICROBENCHMARKS = _Microbenchmarks()
