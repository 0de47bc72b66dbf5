# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API: what the board does, and the figures from its outputs."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table, check_distinct
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.kernel import check_driver
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.site import Site
from firesteel.protocols.window import CellFailure, data_of
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


class QuickCrypto(Table):
    """What `--quick` changes of the requests."""

    sizes: Many[RequestSize] | None = None
    requests: Requests | None = None


class Crypto(WorkloadTable):
    """The requests of every cell; see `CryptoPlan`."""

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
    quick: QuickCrypto = QuickCrypto()
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_distinct("sizes", self.sizes)
        check_distinct("sizes", self.quick.sizes or ())
        check_distinct("in_flight", self.in_flight)
        check_distinct("directions", self.directions)
        return self

    def plan(self, protocol: Protocol, quick: bool) -> CryptoPlan:
        """What a cell does."""
        del protocol
        sizes = (self.quick.sizes if quick else None) or self.sizes
        requests = (self.quick.requests if quick else None) or self.requests
        return CryptoPlan(
            sizes=sizes,
            requests=requests,
            in_flight=self.in_flight,
            directions=self.directions,
        )


_MOST_BYTES = 16 << 20
"""Bytes of all requests of a run, beyond which there are fewer requests, but 16 at least."""


@dataclass(frozen=True)
class Run:
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


def runs(cell: Cell) -> Iterator[Run]:
    """The runs of a cell, in order: for each direction and size one that times each request by
    itself, and one for each number of requests in flight.
    """
    plan = cell.needed(CryptoPlan)
    for direction in plan.directions:
        if direction not in CRYPTO_API.algorithm(cell).directions:
            continue
        for size in plan.sizes:
            requests = min(plan.requests, max(_MOST_BYTES // size, 16))
            yield Run(direction, size, 1, requests, each=True)
            for in_flight in plan.in_flight:
                yield Run(direction, size, in_flight, requests, each=False)


def board_job(cell: Cell) -> BoardJob:
    """What the board's script is given."""
    lines = (f"{run.name} {_settings(cell, run)}\n" for run in runs(cell))
    return BoardJob(kernel_variables(cell), lines, kernel_files())


def _settings(cell: Cell, run: Run) -> str:
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
    return " ".join(f"{key}={value}" for key, value in values.items())


_LINE = re.compile(r"^(\w+) (.+)$")
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
    size: int
    requests: int
    in_flight: int
    asynchronous: int
    time_ns: int
    instructions: int
    idle_ns: int
    each: tuple[Request, ...]

    @property
    def bytes_with_warm_up(self) -> int:
        """Of all requests, those before the measured ones too."""
        return (self.requests + self.in_flight) * self.size

    @property
    def busy_ns(self) -> int:
        """Time in which the CPU did not sleep."""
        return self.time_ns - self.idle_ns


def parse_output(text: bytes, name: str) -> Output:
    """The output of the run called `name`; `CellFailure` when it is not whole."""
    lines = text.decode(errors="replace")
    found = [_LINE.match(line) for line in lines.splitlines()]
    values = {match[1]: match[2] for match in found if match}
    try:
        output = Output(
            driver=values["driver"],
            size=int(values["size"]),
            requests=int(values["requests"]),
            in_flight=int(values["in_flight"]),
            asynchronous=int(values["asynchronous"]),
            time_ns=int(values["time_ns"]),
            instructions=int(values["instructions"]),
            idle_ns=int(values["idle_ns"]),
            each=tuple(Request(*map(int, numbers)) for numbers in _EACH.findall(lines)),
        )
    except KeyError as error:
        raise CellFailure(f"Run {name}: its report lacks {error.args[0]}.") from None
    except ValueError as error:
        raise CellFailure(f"Run {name}: its report is damaged: {error}.") from None
    if output.time_ns <= 0 or (output.each and len(output.each) != output.requests):
        raise CellFailure(f"Run {name}: its report has no length, or not one line per request.")
    return output


def percentile(values: list[int], percent: int) -> int:
    """The least value that `percent` of all did not exceed (nearest rank)."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def cell_outputs(cell: Cell, run: TopologyRun) -> list[tuple[Run, Output]]:
    """All runs of the cell with their outputs, in order.

    Raises `CellFailure` when one is missing, is not what was asked for, or went elsewhere.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in runs(cell):
        output = parse_output(data_of(node, each.name), each.name)
        if (output.requests, output.in_flight) != (each.requests, each.in_flight):
            raise CellFailure(f"Run {each.name}: its report is of another run.")
        if each.each and not output.each:
            raise CellFailure(f"Run {each.name}: its report has no line for each request.")
        check_driver(cell, output.driver)
        _check_share(cell, node, each, output)
        found.append((each, output))
    return found


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `crypto_requests`, `crypto_bytes` and how many of the requests were
    `crypto_asynchronous`, of all runs together; `cores.NAME.COUNTER`, what the board's cores did.

    Raises `CellFailure` as `cell_outputs` does, and when the cores did none of the work, or any in
    that of another implementation.
    """
    outputs = [output for _, output in cell_outputs(cell, run)]
    return {
        "crypto_requests": sum(output.requests for output in outputs),
        "crypto_bytes": sum(output.requests * output.size for output in outputs),
        "crypto_asynchronous": sum(output.asynchronous for output in outputs),
        **cores_proof(cell, run.nodes[cell.measured]),
    }


def _check_share(cell: Cell, node: NodeResult, run: Run, output: Output) -> None:
    """A driver of a device did what it should of a run."""
    if output.asynchronous < output.requests and cell.implementation == "virtio-crypto":
        raise CellFailure(
            f"Run {run.name}: the device had {output.asynchronous} of {output.requests} requests."
        )
    if cell.implementation == "hardware" and output.size >= LARGE:
        check_share(cell, node, run.name, output.bytes_with_warm_up)


_MEDIANS = ("cpu_time_per_request_p50", "time_per_request_p50")
"""What the kernel does besides, now and then, is not in them."""

SERIES: Mapping[Direction, Series] = {
    "encrypt": Series(
        "kernel-crypto",
        "Kernel crypto",
        costs=_MEDIANS,
        same=Parameter(in_flight=1, direction="encrypt"),
    ),
    "decrypt": Series(
        "kernel-crypto-decrypt",
        "Kernel crypto, decrypting",
        costs=_MEDIANS,
        same=Parameter(in_flight=1, direction="decrypt"),
    ),
}
"""Those of requests in each direction."""

_TIME_PERCENTILES = (50, 99)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order.

    Raises `CellFailure` when an output is incomplete or the requests went elsewhere.
    """
    figures: list[Figure] = []
    for each, output in cell_outputs(cell, run):
        values = _each_request(output) if each.each else _together(cell, run, each, output)
        figures += rows(cell, SERIES[each.direction].name, _parameter(each), values)
    return figures


def _parameter(run: Run) -> Parameter:
    return Parameter(size_bytes=run.size, in_flight=run.in_flight, direction=run.direction)


def _each_request(output: Output) -> Iterator[Value]:
    """From submitting a request to its completion."""
    instructions = [each.instructions for each in output.each]
    busy = [each.busy_ns for each in output.each]
    times = [each.time_ns for each in output.each]
    yield "instructions_per_request", sum(instructions) / output.requests
    yield "instructions_per_request_p50", percentile(instructions, 50)
    yield "cpu_time_per_request", sum(busy) / output.requests / 1e3
    yield "cpu_time_per_request_p50", percentile(busy, 50) / 1e3
    yield "time_per_request", sum(times) / output.requests / 1e3
    for percent in _TIME_PERCENTILES:
        yield f"time_per_request_p{percent}", percentile(times, percent) / 1e3


def _together(cell: Cell, boards: TopologyRun, run: Run, output: Output) -> Iterator[Value]:
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
    series = tuple(SERIES.values())
    protocol = CRYPTO_API
    script = SCRIPTS / "crypto-api" / "run.sh"
    columns = (Column(SERIES["encrypt"].name, "time_per_request_p50", "smallest request\nµs"),)

    def job(self, cell: Cell, site: Site) -> BoardJob:
        del site
        return board_job(cell)

    def runs(self, cell: Cell) -> Sequence[tuple[int, int, str]]:
        return [(run.size, run.in_flight, run.name) for run in runs(cell)]

    def proof(self, cell: Cell, run: TopologyRun) -> dict[str, int]:
        return cell_proof(cell, run)

    def figures(self, cell: Cell, run: TopologyRun, proof: Mapping[str, int]) -> list[Figure]:
        del proof
        return cell_figures(cell, run)


CRYPTO = _Crypto()
