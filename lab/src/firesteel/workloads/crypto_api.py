# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API: what the board does, and the figures from its outputs."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Literal

from pydantic import Field

from firesteel.base.schema import Many
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.kernel import check_driver
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of
from firesteel.workloads.load import load_values, offload_values
from firesteel.workloads.one_board import SCRIPTS, BoardJob, OnOneBoard, kernel_job
from firesteel.workloads.presentation import Column, Series
from firesteel.workloads.rows import Value, rows
from firesteel.workloads.workload import WorkloadTable, with_quick

Direction = Literal["encrypt", "decrypt"]


class CryptoPlan(WorkloadPlan):
    """Requests to the kernel's crypto API.

    Their sizes in bytes; how many of each size and direction; and how many are under way at once,
    each number a measurement of its own.  Hashes know no direction and are measured once.
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


RequestSize = Annotated[int, Field(ge=16, le=65_536)]
"""Bytes: from a block of AES to the largest packet that IP has a length for."""

Requests = Annotated[int, Field(ge=1, le=5_000)]
InFlight = Annotated[int, Field(ge=1, le=256)]


@with_quick("sizes", "requests")
class Crypto(WorkloadTable):
    """The requests of every cell; see `CryptoPlan`."""

    planned = CryptoPlan

    sizes: Many[RequestSize]
    """Request sizes, bytes, each once."""
    requests: Requests
    """Number for each size; fewer of large sizes, so that they stay below 16 MiB together, but at
    least 16.
    """
    in_flight: Many[InFlight] = (1,)
    """Number of requests in flight; each number is a separate measurement."""
    directions: Many[Direction] = ("encrypt",)
    """Encryption, decryption or both; hashes have no direction and are measured once."""


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


@dataclass(frozen=True)
class _Run:
    """One run of the module: `each` times every request by itself."""

    direction: Direction
    size: int
    in_flight: int
    requests: int
    each: bool

    @property
    def name(self) -> str:
        """What its output is called."""
        last = "each" if self.each else str(self.in_flight)
        return f"{self.direction}-{self.size}-{last}"


def _runs(cell: Cell) -> Iterator[_Run]:
    """The runs of a cell, in order: for each direction and size one that times each request by
    itself, and one for each number of requests in flight.
    """
    plan = cell.needed(CryptoPlan)
    for direction in plan.directions:
        if direction not in CRYPTO_API.algorithm(cell).directions:
            continue
        for size in plan.sizes:
            requests = min(plan.requests, max(_MOST_BYTES // size, 16))
            yield _Run(direction, size, 1, requests, each=True)
            for in_flight in plan.in_flight:
                yield _Run(direction, size, in_flight, requests, each=False)


def _line(cell: Cell, run: _Run) -> str:
    """The module's parameters for a run."""
    told = CRYPTO_API.algorithm(cell)
    values = {
        "kind": told.kind,
        "algorithm": CRYPTO_API.kernel_name(cell),
        "reference": told.reference,
        "key": told.key,
        "auth_key": told.auth_key,
        "size": told.padded(run.size),
        "ad": told.ad,
        "head": told.head,
        "decrypt": int(run.direction == "decrypt"),
        "requests": run.requests,
        "in_flight": run.in_flight,
        "each": int(run.each),
    }
    return f"{run.name} {' '.join(f'{key}={value}' for key, value in values.items())}\n"


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
    """One run: the driver that was measured, totals of all requests, and each one if timed so.

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


def _outputs(cell: Cell, run: TopologyRun) -> list[tuple[_Run, Output]]:
    """All runs of the cell with their outputs, in order.

    Raises `CellFailure` when one is missing, is not what was asked for, or went elsewhere: the
    driver's name is of the implementation, and so is what the devices counted.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in _runs(cell):
        output = parse_output(data_of(node, each.name), each.name)
        if (output.requests, output.in_flight) != (each.requests, each.in_flight):
            raise CellFailure(f"Run {each.name}: its report is of another run.")
        if each.each and not output.each:
            raise CellFailure(f"Run {each.name}: its report has no line for each request.")
        check_driver(cell, output.driver)
        if output.asynchronous < output.requests and cell.implementation == "virtio-crypto":
            raise CellFailure(
                f"Run {each.name}: the device had {output.asynchronous} of {output.requests} "
                "requests."
            )
        if cell.implementation == "hardware" and output.size >= LARGE:
            check_share(cell, node, each.name, output.bytes_with_warm_up)
        found.append((each, output))
    return found


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


def _together(cell: Cell, boards: TopologyRun, run: _Run, output: Output) -> Iterator[Value]:
    """From the first request to the end of the last."""
    yield "throughput", run.size * output.requests / output.time_ns * 1e3
    yield "cpu", 100 * output.busy_ns / output.time_ns
    yield from load_values(cell, boards, run.name, output.time_ns)
    if run.in_flight > 1:
        yield "instructions_per_request", output.instructions / output.requests
        yield "cpu_time_per_request", output.busy_ns / output.requests / 1e3
    node = boards.nodes[cell.measured]
    yield from offload_values(cell, node, run.name, output.bytes_with_warm_up)


class _Crypto(OnOneBoard):
    name = "crypto"
    meaning = "Requests to the kernel's crypto API; for `crypto-api`."
    table = Crypto
    series = tuple(_SERIES.values())
    protocol = CRYPTO_API
    script = SCRIPTS / "crypto-api" / "run.sh"
    columns = (Column(_SERIES["encrypt"].name, "time_per_request_p50", "smallest request\nµs"),)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        return kernel_job(cell, (_line(cell, run) for run in _runs(cell)), {}, {})

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(run.size, run.in_flight, run.name) for run in _runs(cell)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        """Counters by name: `crypto_requests`, `crypto_bytes` and how many of the requests were
        `crypto_asynchronous`, of all runs together; `cores.NAME.COUNTER`, what the board's cores
        did.
        """
        outputs = [output for _, output in _outputs(cell, run)]
        return {
            "crypto_requests": sum(output.requests for output in outputs),
            "crypto_bytes": sum(output.requests * output.size for output in outputs),
            "crypto_asynchronous": sum(output.asynchronous for output in outputs),
            **cores_proof(cell, run.nodes[cell.measured]),
        }

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        figures: list[Figure] = []
        for each, output in _outputs(cell, run):
            values = _each_request(output) if each.each else _together(cell, run, each, output)
            parameter = Parameter(
                size_bytes=each.size, in_flight=each.in_flight, direction=each.direction
            )
            figures += rows(cell, _SERIES[each.direction].name, parameter, values)
        return figures


CRYPTO = _Crypto()
