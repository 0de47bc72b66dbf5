# SPDX-License-Identifier: Apache-2.0
"""Files that the client fetched or sent: their speed and their cost.

What a file takes at its beginning is no part of the figures.  curl says when the first byte came,
or could be sent.  scp and sftp do not, so what a file of a few bytes takes is taken off.  Where a
cell's plan asks for a steady rate (`TransferPlan`), the first of its files is taken off the last.

The same bytes are timed twice: in the client's program, which reads them or sends them until the
server answers, and at the receiver's network card, which takes their frames.  The slower of both
counts, as at its end a file waits in the kernel for the program, the first longer than the last.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from firesteel.base.quantity import FileSize, bytes_of
from firesteel.base.toml import Many, Table
from firesteel.boards.network import Plan
from firesteel.boards.result import SIZE_CLASSES, NodeResult, TopologyRun
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure, Parameter
from firesteel.protocols.between_hosts import BetweenHosts, FileAccess
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.window import (
    LEAST_WINDOW,
    CellFailure,
    Window,
    data_of,
    ends_of,
    window,
)
from firesteel.workloads.load import cpu_values, least_seconds, load_values, offload_values
from firesteel.workloads.presentation import Bars, Column, Section, Series, Shares
from firesteel.workloads.traffic import TrafficPart, between_hosts, roles, snmp_growth
from firesteel.workloads.workload import WorkloadTable, rows


class TransferPlan(WorkloadPlan):
    """One file of random data that the client fetches or sends: its size in bytes.

    With `steady_from` files of that size, `steady_factor` times that, and so on up to `size` go
    until the rate is steady (`STEADY`).
    """

    workload = "transfer"
    always_named = True

    size: int
    """Bytes of the longest file."""
    steady_from: int | None = None
    """Bytes of the first file; absent for a single file, as is the next key."""
    steady_factor: int | None = None
    """Size of a file divided by the size of the previous one."""
    by: str | None = None
    """What brings the files; absent where it is the protocol's usual way."""

    def label(self, _protocol: str) -> str:
        """What brings the files, if that is to be said."""
        return f"by {self.by}" if self.by else ""

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """As `Cell` does."""
        told = handler(self)
        return {key: value for key, value in told.items() if value is not None}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the files in the order in which they are fetched."""
        sizes = [self.steady_from or self.size]
        while sizes[-1] < self.size:
            sizes.append(min((self.steady_factor or 2) * sizes[-1], self.size))
        return tuple(sizes)


_LARGEST_FILES = 256 << 20
"""They lie in the sender's main memory, beside the image's own files."""


class Steady(Table):
    """Files of `start`, `factor` times that, and so on, until their rate is steady."""

    start: FileSize
    """Size of the first file, smaller than the longest."""
    factor: Annotated[int, Field(ge=2, le=64)] = 2
    """Size of a file divided by the size of the previous one."""


class QuickTransfer(Table):
    """What `--quick` changes of the file transfer."""

    size: FileSize
    steady: Steady | None = None


class Transfer(WorkloadTable):
    """The file transfer of every cell; sizes as `128 MiB`."""

    repeats = ("by",)

    size: FileSize
    """Size of the longest file; at most 256 MiB for all files together."""
    steady: Steady | None = None
    """Longer and longer files, until the rate is steady (see [How long a transfer
    is](../experiments.md#how-long-a-transfer-is)).
    """
    by: Many[Literal["ftp", "http", "upload", "scp", "rcp", "sftp"]] | None = None
    """Program or direction of the transfer (see [How files are
    transferred](../experiments.md#what-brings-files)); one cell for each value that the protocol
    supports.
    """
    quick: QuickTransfer | None = None
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        tables: list[Transfer | QuickTransfer] = [self, *([self.quick] if self.quick else [])]
        for which in tables:
            plan = _plan_of(which)
            if plan.steady_from and plan.steady_from >= plan.size:
                raise ValueError("`steady.start` must be smaller than `size`")
            if sum(plan.sizes) > _LARGEST_FILES:
                raise ValueError(
                    f"a file of {which.size} is too large; 256 MiB is the most, for one file or "
                    "all together"
                )
        return self

    def check(self, protocol: Protocol, _suites: tuple[str, ...]) -> None:
        """Raises `ValueError` if the protocol lacks the ways that the table names."""
        if not self._ways(protocol):
            known = " or ".join(f'"{way.name}"' for way in _ways_of(protocol))
            raise ValueError(f'`transfer.by`: protocol "{protocol.name}" brings files by {known}')

    def plans(self, protocol: Protocol, quick: bool) -> Sequence[TransferPlan]:
        """One for each way."""
        plan = _plan_of(self.quick if quick and self.quick else self)
        return [plan.model_copy(update={"by": way}) for way in self._ways(protocol)]

    def _ways(self, protocol: Protocol) -> list[str | None]:
        """Those that cells of the protocol have, by name; None is its usual one."""
        ways = _ways_of(protocol)
        usual, *others = ways
        if self.by is None:
            return [None]
        known = {way.name: way for way in ways}
        # A protocol that leaves no choice of what fetches is fetched by its own way
        else_by = None if any(not way.sends for way in others) else usual
        chosen = dict.fromkeys(known.get(name, else_by) for name in self.by)
        return [None if way is usual else way.name for way in chosen if way]


def _ways_of(protocol: Protocol) -> tuple[FileAccess, ...]:
    return protocol.files_by if isinstance(protocol, BetweenHosts) else ()


def _plan_of(table: Transfer | QuickTransfer) -> TransferPlan:
    plan, steady = TransferPlan(size=bytes_of(table.size)), table.steady
    if not steady:
        return plan
    told = {"steady_from": bytes_of(steady.start), "steady_factor": steady.factor}
    return plan.model_copy(update=told)


_STEADY = 0.005
"""When a rate is steady: the bytes by which a file is longer than the one before come at the rate
of those by which that is longer than its own, to this share.
"""

_GREETING = "greeting"
"""What scp's window of a file of a few bytes is called."""

_LINE = re.compile(r"^(\d+) (\d+\.\d+) (\d+\.\d+)$")


@dataclass(frozen=True)
class _Result:
    """Bytes, and the seconds that they took."""

    size: int
    seconds: float

    def __sub__(self, other: "_Result") -> "_Result":
        seconds = self.seconds - other.seconds
        if seconds <= 0:
            raise CellFailure(
                f"A file of {self.size} bytes took no longer than one of {other.size} bytes."
            )
        return _Result(self.size - other.size, seconds)

    def slower(self, seconds: float) -> "_Result":
        """The same bytes, if they took that long at the least."""
        return _Result(self.size, max(self.seconds, seconds))

    @property
    def throughput(self) -> float:
        """In MB/s; a MB is 10^6 bytes."""
        return self.size / self.seconds / 1e6


def _window_of(plan: TransferPlan, size: int) -> str:
    """What the window of the file of `size` is called, and curl's data."""
    return "transfer" if len(plan.sizes) == 1 else f"transfer-{size}"


def _fetched(plan: TransferPlan, client: NodeResult) -> tuple[int, ...]:
    """The sizes of the files that came whole, and of the first, even if it did not."""
    marks = {mark.name for mark in client.marks}
    sizes = [size for size in plan.sizes if f"{_window_of(plan, size)}.end" in marks]
    return tuple(sizes or plan.sizes[:1])


def _transferred(
    cell: Cell, run: TopologyRun, sizes: Sequence[int]
) -> tuple[_Result, Window, int, str]:
    """What was transferred in how long, the measured node's window of the last file, for how many
    ns its CPU was busy with what was transferred, and that window's name.

    Raises `CellFailure` when a file did not come whole, when the client stopped before the rate
    was steady, and when it is said to have been faster than its frames can be.
    """
    plan, nodes = cell.needed(TransferPlan), roles(cell, run.topology)
    client, measured = run.nodes[nodes.client], run.nodes[cell.measured]
    receiver = run.nodes[nodes.server if _way_of(cell).sends else nodes.client]
    results = [_result(cell, client, size) for size in sizes]
    # What the last file has more than the first is what counts, where there are several.
    names = [_window_of(plan, size) for size in (sizes[-1], sizes[0])][: len(plan.sizes)]
    transfer, during = results[-1], _during(cell, measured, client, names[0])
    busy = during.busy
    if len(plan.sizes) > 1:
        _check_steady(plan, results)
        transfer -= results[0]
        busy -= _during(cell, measured, client, names[1]).busy
    elif not _way_of(cell).tells_times:
        transfer -= _Result(0, window(client, _GREETING).elapsed / 1e9)
        busy -= _during(cell, measured, client, _GREETING).busy
    if receiver.large_frames:
        carried = _Result(sizes[-1], _arriving(receiver, names[0]))
        for name in names[1:]:
            carried -= _Result(sizes[0], _arriving(receiver, name))
        transfer = transfer.slower(carried.seconds)
    least = least_seconds(cell, run, receiver, transfer.seconds, names)
    return transfer.slower(least), during, busy, names[0]


def _during(cell: Cell, measured: NodeResult, client: NodeResult, name: str) -> Window:
    """What the measured node did while the client fetched or sent a file.

    Another node than the client marks the ends at the client's orders: the beginning before the
    client itself, which gives it 50 ms, and the end after it.  Of this time the node does not need
    what the client does not time, unless it was busy for longer.
    """
    own, of_client = window(measured, name), window(client, name)
    if own.elapsed < LEAST_WINDOW * of_client.elapsed:
        raise CellFailure(
            f"Cell {cell.label}: {cell.measured} marked {own.elapsed / 1e9:.3f} s of a file that "
            f"took its client {of_client.elapsed / 1e9:.3f} s; at least {LEAST_WINDOW:.0%} is "
            "needed."
        )
    return replace(own, elapsed=min(own.elapsed, max(of_client.elapsed, *own.by_cpu)))


def _arriving(receiver: NodeResult, name: str) -> float:
    """Seconds from the first frame that carried data in a window to the last."""
    begin, end = (mark.time_ns for mark in ends_of(receiver, name))
    frames = receiver.large_frames
    first, behind = bisect_left(frames, begin), bisect_right(frames, end)
    if behind <= first:
        raise CellFailure(f"No frame carried the file of the window {name}.")
    return (frames[behind - 1] - frames[first]) / 1e9


def _result(cell: Cell, client: NodeResult, size: int) -> _Result:
    """Of a file: what curl wrote after it, and after the greeting; other programs say nothing of
    times, so marks are all that is known.
    """
    name = _window_of(cell.needed(TransferPlan), size)
    if not _way_of(cell).tells_times:
        return _Result(size, window(client, name).elapsed / 1e9)
    lines = data_of(client, name).decode(errors="replace").splitlines()
    matches = [_LINE.match(line) for line in lines]
    if len(matches) != 2 or matches[1] is None:
        raise CellFailure(f"The file transfer failed; curl said: {' / '.join(lines)}")
    received, begin, end = matches[1].groups()
    if int(received) != size:
        raise CellFailure(f"The file transfer delivered {received} of {size} bytes.")
    if float(end) <= float(begin):
        raise CellFailure("The file transfer took no time, which is impossible.")
    return _Result(size, float(end) - float(begin))


def _way_of(cell: Cell) -> FileAccess:
    """How the cell's files come."""
    return between_hosts(cell).access(cell.needed(TransferPlan).by)


def _check_steady(plan: TransferPlan, results: Sequence[_Result]) -> None:
    """The client went on for as long as it had to; by its own clock it knows it a little worse."""
    last = results[-1]
    if last.size == plan.size and len(results) > 1:
        return
    rates = [(two - one).throughput for one, two in pairwise(results)]
    if len(rates) < 2 or abs(rates[-1] / rates[-2] - 1) > 1.1 * _STEADY:
        raise CellFailure(
            f"The transfers ended with a file of {last.size} bytes, where {plan.size} are allowed, "
            "though their rate was not steady."
        )


_FILES = Series("file-transfer", "File transfer", is_transfer=True)
_SIZES = Series("packet-sizes", "Packet sizes during the file transfer")


class _Transfer(TrafficPart):
    name = "transfer"
    meaning = "File transfers."
    table = Transfer
    series = (_FILES, _SIZES)
    columns = (
        Column(_FILES.name, "throughput", "file transfer\nMB/s"),
        Column(_FILES.name, "cpu", "its CPU use\n%"),
    )
    sections = (
        Section(
            "transfer",
            "File transfer: throughput and CPU use",
            Bars(_FILES, "throughput", "MB/s"),
            {
                _FILES.name: "All figures of the file transfer: CPU time by kind, packets, "
                "interrupts"
            },
        ),
        Section(
            "sizes",
            _SIZES.title,
            Shares(
                _SIZES,
                what="packet sizes",
                of="packets",
                caption="Share of packets by frame size, % (published in brackets)",
            ),
        ),
    )

    def measures(self, protocol: Protocol) -> bool:
        return isinstance(protocol, BetweenHosts)

    def scripts(self, cell: Cell) -> tuple[str, ...]:
        return (*super().scripts(cell), *_way_of(cell).scripts)

    def variables(self, cell: Cell, _plan: Plan, _node: str) -> dict[str, str]:
        way = _way_of(cell)
        return {
            "TRANSFER_SIZES": " ".join(map(str, cell.needed(TransferPlan).sizes)),
            "STEADY": str(_STEADY),
            "FILES_BY": way.name,
            "FILES_SERVER": way.server,
        }

    def stored(self, cell: Cell) -> int:
        """All files, and 32 MiB for what a file system takes."""
        return sum(cell.needed(TransferPlan).sizes) + (32 << 20)

    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        moved = sum(_fetched(cell.needed(TransferPlan), clients[0]))
        return (0, moved) if _way_of(cell).sends else (moved, 0)

    def figures(self, cell: Cell, run: TopologyRun) -> list[Figure]:
        plan, nodes = cell.needed(TransferPlan), roles(cell, run.topology)
        sizes = _fetched(plan, run.nodes[nodes.client])
        transfer, during, busy, name = _transferred(cell, run, sizes)
        values = (
            ("throughput", transfer.throughput),
            ("elapsed", during.elapsed / 1e9),
            *cpu_values(during),
            *load_values(cell, run, name, during.elapsed),
            ("cpu_seconds_per_mb", busy / 1e9 / (transfer.size / 1e6)),
            *offload_values(cell, run.nodes[cell.measured], name, sizes[-1]),
            ("retransmissions", snmp_growth(run.nodes[nodes.server], "Tcp", "RetransSegs")),
            ("transferred", transfer.size / (1 << 20)),
        )
        figures = rows(cell, _FILES.name, Parameter(file_bytes=plan.size, by=plan.by), values)
        # A histogram of each configuration; what brings the file is no matter to it
        return figures if plan.by else [*figures, *_size_figures(cell, during)]

    def servers(self, protocol: Protocol) -> frozenset[str]:
        """All that its ways may need."""
        return protocol.servers if isinstance(protocol, BetweenHosts) else frozenset()

    def brought_by(self, cell: Cell) -> str | None:
        """The way's name."""
        return _way_of(cell).name if cell.plan(TransferPlan) else None

    def windows(self, cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
        """The last file is the main one, which the figures are of; how many there were follows from
        what was transferred, which is the last file without the first.
        """
        plan = cell.needed(TransferPlan)
        sizes = plan.sizes
        if len(sizes) > 1:
            (mebibytes,) = (each.value for each in figures if each.metric == "transferred")
            last = round(mebibytes * (1 << 20)) + sizes[0]
            sizes = tuple(size for size in sizes if size <= last)
        names = [_window_of(plan, size) for size in reversed(sizes)]
        return (*names, *([] if _way_of(cell).tells_times else [_GREETING]))


def _size_figures(cell: Cell, during: Window) -> Iterator[Figure]:
    total = sum(during.sizes)
    for (low, high), count in zip(SIZE_CLASSES, during.sizes, strict=True):
        if count:
            parameter = Parameter(class_bytes=low, class_bytes_most=high)
            share = ("frequency", 100 * count / total)
            yield from rows(cell, _SIZES.name, parameter, [share])


TRANSFER = _Transfer()
