# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API: what the board does, and the figures from its outputs."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Literal

from pydantic import Field

from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many
from firesteel.boards.job import JobFile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Parameter
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.kernel import check_driver
from firesteel.protocols.offload import LARGE, account_of, check_share, cores_proof
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of
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

Direction = Literal["encrypt", "decrypt"]


class CryptoPlan(WorkloadPlan):
    """Requests to the kernel's crypto API.

    Their sizes in bytes; how many of each size and direction; and numbers of requests in flight,
    each a separate measurement.  Hashes know no direction and are measured once.
    """

    workload = "crypto"

    sizes: tuple[int, ...]
    """Bytes."""
    requests: int
    """Number for each size."""
    in_flight: tuple[int, ...]
    """Numbers of requests in flight."""
    directions: tuple[Direction, ...]
    """Directions to measure."""


_MOST_OF_A_REQUEST = 65_536
"""Bytes, with associated data: only packets have such data."""

RequestSize = Annotated[int, Field(ge=16, le=_MOST_OF_A_REQUEST)]
"""Bytes: from a block of AES to the largest packet that IP has a length for."""

Requests = Annotated[int, Field(ge=1, le=5_000)]
InFlight = Annotated[int, Field(ge=1, le=256)]


@with_quick("sizes", "requests")
class Crypto(WorkloadTable):
    """The requests of every cell; see `CryptoPlan`."""

    planned = CryptoPlan

    sizes: Many[RequestSize]
    """Request sizes, bytes; all different.  With associated data, only those that fit a packet are
    measured.
    """
    requests: Requests
    """Number of requests of each size; for large sizes, only 16 MiB of requests, but at least 16.
    """
    in_flight: Many[InFlight] = (1,)
    """Requests in flight; each number is measured separately."""
    directions: Many[Direction] = ("encrypt",)
    """Encryption, decryption or both; ignored for hashes."""


_MOST_BYTES = 16 << 20
"""Bytes of all requests of a run, beyond which there are fewer requests, but 16 at least."""

_MEDIANS = ("cpu_time_per_request_p50", "time_per_request_p50")
"""What the kernel does besides, now and then, is not in them."""

_TITLES: Mapping[Direction, tuple[str, str]] = {
    "encrypt": ("kernel-crypto", "Kernel crypto"),
    "decrypt": ("kernel-crypto-decrypt", "Kernel crypto, decrypting"),
}

_SERIES: Mapping[Direction, Series] = {
    direction: Series(*titles, costs=_MEDIANS, same=Parameter(in_flight=1, direction=direction))
    for direction, titles in _TITLES.items()
}


_EACH_NAME = "-each"
"""What the names of runs end with that time every request by itself."""


def _run(cell: Cell, direction: Direction, size: int, in_flight: int | None) -> Run:
    """With so many requests in flight, or with each of them timed by itself."""
    told, plan = CRYPTO_API.algorithm(cell), cell.needed(CryptoPlan)
    requests, at_once = min(plan.requests, max(_MOST_BYTES // size, 16)), in_flight or 1
    values = {
        "kind": told.kind,
        "algorithm": CRYPTO_API.kernel_name(cell),
        "reference": told.reference,
        "key": told.key,
        "auth_key": told.auth_key,
        "size": told.padded(size),
        "ad": told.ad,
        "head": told.head,
        "decrypt": int(direction == "decrypt"),
        "requests": requests,
        "in_flight": at_once,
        "each": int(in_flight is None),
    }
    return Run(
        f"{direction}-{size}{_EACH_NAME if in_flight is None else f'-{in_flight}'}",
        " ".join(f"{key}={value}" for key, value in values.items()),
        _SERIES[direction],
        Parameter(size_bytes=size, in_flight=at_once, direction=direction),
        requests,
    )


_LINE = re.compile(r"^(\w+) (.+)$", re.MULTILINE)
_EACH = re.compile(r"^each (\d+) (\d+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """One request from its submission to its completion; times in ns."""

    instructions: int
    time_ns: int
    idle_ns: int

    @property
    def busy_ns(self) -> int:
        """Time in which the CPU did not sleep: it executed instructions, or stood still in one."""
        return self.time_ns - self.idle_ns


@dataclass(frozen=True)
class Output:
    """One run: the measured driver, totals of all requests, and single requests if they were timed.

    Times are in ns.
    """

    driver: str
    each: tuple[Request, ...]
    size: int
    requests: int
    in_flight: int
    asynchronous: int
    time_ns: int
    instructions: int
    idle_ns: int

    @property
    def bytes_with_warm_up(self) -> int:
        """Of all requests, those before the measured ones too."""
        return (self.requests + self.in_flight) * self.size

    @property
    def busy_ns(self) -> int:
        """Time in which the CPU did not sleep."""
        return self.time_ns - self.idle_ns


def parse_output(text: bytes, name: str) -> Output:
    """What the module cryptobench says of the run called `name` (docs/cryptobench.md);
    `CellFailure` when it is not whole.
    """
    lines = text.decode(errors="replace")
    values = dict(_LINE.findall(lines))
    names = [each.name for each in fields(Output)][2:]
    try:
        output = Output(
            values["driver"],
            tuple(Request(*map(int, numbers)) for numbers in _EACH.findall(lines)),
            *(int(values[name]) for name in names),
        )
    except KeyError as error:
        raise CellFailure(f"Run {name}: its report lacks {error.args[0]}.") from None
    except ValueError as error:
        raise CellFailure(f"Run {name}: its report is damaged: {error}.") from None
    if output.time_ns <= 0 or (output.each and len(output.each) != output.requests):
        raise CellFailure(f"Run {name}: its report has no length, or not one line per request.")
    return output


def _percentile(values: list[int], percent: int) -> int:
    """The least value that `percent` of all did not exceed (nearest rank)."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def _each_request(output: Output) -> Iterator[Value]:
    """From submitting a request to its completion."""
    instructions = [each.instructions for each in output.each]
    busy = [each.busy_ns for each in output.each]
    times = [each.time_ns for each in output.each]
    yield "instructions_per_request", sum(instructions) / output.requests
    yield "instructions_per_request_p50", _percentile(instructions, 50)
    yield "cpu_time_per_request", sum(busy) / output.requests / 1e3
    yield "cpu_time_per_request_p50", _percentile(busy, 50) / 1e3
    yield "time_per_request", sum(times) / output.requests / 1e3
    for percent in (50, 99):
        yield f"time_per_request_p{percent}", _percentile(times, percent) / 1e3


class _Crypto(OnOneBoard[Output]):
    name = "crypto"
    meaning = "Requests to the kernel's crypto API; for `crypto-api`."
    table = Crypto
    series = tuple(_SERIES.values())
    protocol = CRYPTO_API
    script = SCRIPTS / "crypto-api" / "run.sh"
    columns = (Column(_SERIES["encrypt"].name, "time_per_request_p50", "smallest request\nµs"),)

    def variables(self, cell: Cell, site: Site) -> Mapping[str, str]:
        if (cpus := site.measured(cell).cpu.count) > 1:
            raise FiresteelError(
                f"Cell {cell.label}: its module takes the idle time of a single CPU, and the board "
                f"has {cpus}; measure it on a board with one CPU."
            )
        return kernel_variables(cell)

    def files(self, _cell: Cell) -> Mapping[str, JobFile]:
        return KERNEL_FILES

    def runs(self, cell: Cell) -> Sequence[Run]:
        """For each direction and size one that times each request by itself, and one for each
        number of requests in flight.
        """
        plan = cell.needed(CryptoPlan)
        algorithm = CRYPTO_API.algorithm(cell)
        return [
            _run(cell, direction, size, in_flight)
            for direction in plan.directions
            if direction in algorithm.directions
            for size in plan.sizes
            if algorithm.padded(size) + algorithm.ad <= _MOST_OF_A_REQUEST
            for in_flight in (None, *plan.in_flight)
        ]

    def read(self, cell: Cell, node: NodeResult, run: Run) -> Output:
        """The driver's name is of the implementation, and so is what the devices counted."""
        output = parse_output(data_of(node, run.name), run.name)
        if (output.requests, output.in_flight) != (run.requests, run.parameter.in_flight):
            raise CellFailure(f"Run {run.name}: its report is of another run.")
        if run.name.endswith(_EACH_NAME) and not output.each:
            raise CellFailure(f"Run {run.name}: its report has no line for each request.")
        check_driver(cell, output.driver, aside=cell.on_cores and account_of(node).is_aside(cell))
        if output.asynchronous < output.requests and cell.implementation == "virtio-crypto":
            raise CellFailure(
                f"Run {run.name}: the device had {output.asynchronous} of {output.requests} "
                "requests."
            )
        if cell.implementation == "hardware" and output.size >= LARGE:
            check_share(cell, node, run.name, output.bytes_with_warm_up, kernel=True)
        return output

    def totals(self, cell: Cell, node: NodeResult, reports: Sequence[Output]) -> dict[str, int]:
        """`crypto_requests`, `crypto_bytes` and how many requests were `crypto_asynchronous`."""
        return {
            "crypto_requests": sum(output.requests for output in reports),
            "crypto_bytes": sum(output.requests * output.size for output in reports),
            "crypto_asynchronous": sum(output.asynchronous for output in reports),
            **cores_proof(cell, node, kernel=True),
        }

    def values(self, cell: Cell, boards: TopologyRun, run: Run, report: Output) -> Iterator[Value]:
        """From the first request to the end of the last, or of each request."""
        if run.name.endswith(_EACH_NAME):
            yield from _each_request(report)
            return
        yield "throughput", (run.parameter.size_bytes or 0) * report.requests / report.time_ns * 1e3
        yield "cpu", 100 * report.busy_ns / report.time_ns
        yield from load_values(cell, boards, run.name, report.time_ns)
        if report.in_flight > 1:
            yield "instructions_per_request", report.instructions / report.requests
            yield "cpu_time_per_request", report.busy_ns / report.requests / 1e3
        node = boards.nodes[cell.measured]
        yield from offload_values(cell, node, run.name, report.bytes_with_warm_up)


CRYPTO = _Crypto()
