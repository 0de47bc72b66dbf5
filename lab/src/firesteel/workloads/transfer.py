# SPDX-License-Identifier: Apache-2.0
"""Files that the client fetched, and what came of them: how fast, and at what cost.

What a file takes at its beginning is no part of the figures.  With FTP curl tells when the first
byte came.  scp does not, so what a file of a few bytes takes is taken off.  Where a cell's plan
asks for a steady rate (`model.cell.TransferPlan`), the first of its files is taken off the
last.

The same bytes are timed twice: as the program read them, and as the client's network card took the
frames that carried them.  The slower of both counts.  At its end a file waits in the kernel for the
program, and the first file, which is sent in bursts, waits longer than the last: by the program
alone, the rest came faster than the wire is.  By the wire alone, what still waits would count as
read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firesteel.base.errors import FiresteelError
from firesteel.board.result import NodeResult
from firesteel.model.cell import Cell, TransferPlan
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.window import Window, data_of, mark_of, window

STEADY = 0.005
"""When a rate is steady: the bytes by which a file is longer than the one before come at the rate
of those by which that is longer than its own, to this share.
"""

_GREETING = "greeting"
"""What scp's window of a file of a few bytes is called."""

FILES_BY: Mapping[str, str] = {"none": "ftp", "openvpn": "ftp", "ipsec": "ftp", "ssh": "scp"}
"""What brings the files, by protocol."""

_LINE = re.compile(r"^(\d+) (\d+\.\d+) (\d+\.\d+)$")


@dataclass(frozen=True)
class TransferResult:
    """Bytes, and the seconds that they took."""

    size: int
    seconds: float

    def __sub__(self, other: "TransferResult") -> "TransferResult":
        seconds = self.seconds - other.seconds
        if seconds <= 0:
            raise CellFailure(
                f"A file of {self.size} bytes took no longer than one of {other.size} bytes."
            )
        return TransferResult(self.size - other.size, seconds)

    def slower(self, other: "TransferResult | None") -> "TransferResult":
        """The one that took longer of two of the same bytes."""
        return self if other is None or other.seconds < self.seconds else other

    @property
    def throughput(self) -> float:
        """In MB/s; a MB is 10^6 bytes."""
        return self.size / self.seconds / 1e6


def window_of(plan: TransferPlan, size: int) -> str:
    """What the window of the file of `size` is called, and curl's data."""
    return "transfer" if len(plan.sizes) == 1 else f"transfer-{size}"


def fetched(plan: TransferPlan, client: NodeResult) -> tuple[int, ...]:
    """The sizes of the files that the client fetched, and of the first, even if it did not."""
    marks = {mark.name for mark in client.marks}
    sizes = [size for size in plan.sizes if f"{window_of(plan, size)}.end" in marks]
    return tuple(sizes or plan.sizes[:1])


def windows_of(plan: TransferPlan, client: NodeResult) -> list[str]:
    """The windows that a transfer's figures are of: that of the last file, and behind it that of
    the first, if what the last has more is what counts.
    """
    sizes = fetched(plan, client)
    names = [window_of(plan, sizes[-1]), window_of(plan, sizes[0])]
    return names if len(plan.sizes) > 1 else names[:1]


def transfer_of(
    cell: Cell, client: NodeResult, measured: NodeResult
) -> tuple[TransferResult, Window, int]:
    """What was transferred in how long, the measured node's window of the last file, and for how
    many ns its CPU was busy with what was transferred.

    Raises `CellFailure` when a file did not come whole, and when the client stopped before the rate
    was steady.
    """
    plan = _plan(cell)
    sizes = fetched(plan, client)
    results = [_result(cell, client, size) for size in sizes]
    last, during = results[-1], window(measured, window_of(plan, sizes[-1]))
    if len(plan.sizes) > 1:
        _check_steady(plan, results)
        first = window(measured, window_of(plan, sizes[0]))
        read, carried = last - results[0], _carried(plan, client, sizes[0], sizes[-1])
        return read.slower(carried), during, during.busy - first.busy
    carried = _carried(plan, client, None, sizes[-1])
    if _is_timed_by_marks(cell):
        started = TransferResult(0, window(client, _GREETING).elapsed / 1e9)
        read = last - started
        return read.slower(carried), during, during.busy - window(measured, _GREETING).busy
    return last.slower(carried), during, during.busy


def _carried(
    plan: TransferPlan, client: NodeResult, first: int | None, last: int
) -> TransferResult | None:
    """What the last file has more than the first, by the arrivals of its frames; None where the
    run has kept none.
    """
    if not client.large_frames:
        return None
    of_last = TransferResult(last, _arriving(client, window_of(plan, last)))
    if first is None:
        return of_last
    return of_last - TransferResult(first, _arriving(client, window_of(plan, first)))


def _arriving(client: NodeResult, name: str) -> float:
    """Seconds from the first frame that carried data in a window to the last."""
    begin, end = (mark_of(client, f"{name}.{which}").time_ns for which in ("begin", "end"))
    frames = client.large_frames
    first, behind = bisect_left(frames, begin), bisect_right(frames, end)
    if behind <= first:
        raise CellFailure(f"No frame carried the file of the window {name}.")
    return (frames[behind - 1] - frames[first]) / 1e9


def parse_transfer(text: bytes, size: int) -> TransferResult:
    """What curl wrote after the greeting and after the file of `size` bytes.

    Raises `CellFailure` when curl complained or the file is not whole.
    """
    lines = text.decode(errors="replace").splitlines()
    matches = [_LINE.match(line) for line in lines]
    if len(matches) != 2 or matches[1] is None:
        raise CellFailure(f"The file transfer failed; curl said: {' / '.join(lines)}")
    received = int(matches[1][1])
    if received != size:
        raise CellFailure(f"The file transfer delivered {received} of {size} bytes.")
    seconds = float(matches[1][3]) - float(matches[1][2])
    if seconds <= 0:
        raise CellFailure("The file transfer took no time, which is impossible.")
    return TransferResult(size, seconds)


def _plan(cell: Cell) -> TransferPlan:
    if cell.transfer is None:
        raise ValueError(f"the cell {cell.label} transfers no file")
    return cell.transfer


def _result(cell: Cell, client: NodeResult, size: int) -> TransferResult:
    name = window_of(_plan(cell), size)
    if _is_timed_by_marks(cell):
        return TransferResult(size, window(client, name).elapsed / 1e9)
    return parse_transfer(data_of(client, name), size)


def _is_timed_by_marks(cell: Cell) -> bool:
    """Of FTP's files curl tells how long they took; scp says nothing of it."""
    if cell.protocol not in FILES_BY:
        raise FiresteelError(
            f"Cell {cell.label}: files are not transferred by {cell.protocol}; allowed are "
            f"{', '.join(FILES_BY)}."
        )
    return FILES_BY[cell.protocol] == "scp"


def _check_steady(plan: TransferPlan, results: Sequence[TransferResult]) -> None:
    """The client went on for as long as it had to; by its own clock it knows it a little worse."""
    last = results[-1]
    if last.size == plan.size and len(results) > 1:
        return
    rates = [(two - one).throughput for one, two in pairwise(results)]
    if len(rates) < 2 or abs(rates[-1] / rates[-2] - 1) > 1.1 * STEADY:
        raise CellFailure(
            f"The transfers ended with a file of {last.size} bytes, where {plan.size} are allowed, "
            "though their rate was not steady."
        )
