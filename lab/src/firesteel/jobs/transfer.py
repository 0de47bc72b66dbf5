# SPDX-License-Identifier: Apache-2.0
"""Files that the client fetched: which of them there were, and how fast each came.

Where a cell's plan says so (`firesteel.cell.TransferPlan`), files are fetched until the rate is
steady, and the last one's figures are the cell's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from firesteel.board.result import NodeResult
from firesteel.cell import Cell, TransferPlan
from firesteel.jobs.failure import CellFailure
from firesteel.jobs.window import data_of, window

STEADY = 0.005
"""By what share the rates of two files may differ at the most, one of which is twice as long.

What is lost at a file's beginning is a share that halves as files double, so that this bounds what
any longer file could differ from the second as well.
"""

_LINE = re.compile(r"^(\d+) (\d+\.\d+) (\d+\.\d+)$")


@dataclass(frozen=True)
class TransferResult:
    """Bytes of the file, and seconds from its first byte's arrival to its last's."""

    size: int
    seconds: float

    @property
    def throughput(self) -> float:
        """In MB/s; a MB is 10^6 bytes."""
        return self.size / self.seconds / 1e6


def window_of(plan: TransferPlan, size: int) -> str:
    """What the window of the file of `size` is called, and curl's data."""
    return "transfer" if len(plan.sizes) == 1 else f"transfer-{size}"


def fetched(plan: TransferPlan, client: NodeResult) -> tuple[int, ...]:
    """The sizes of the files that the client fetched, of which the last gives the figures.

    Raises `CellFailure` when it fetched none.
    """
    marks = {mark.name for mark in client.marks}
    sizes = [size for size in plan.sizes if f"{window_of(plan, size)}.end" in marks]
    return tuple(sizes or plan.sizes[:1])


def transfer_of(cell: Cell, client: NodeResult) -> TransferResult:
    """The transfer whose figures are the cell's.

    Raises `CellFailure` when it did not come whole, or was not steady and not the longest.
    """
    plan = _plan(cell)
    results = [_result(cell, client, size) for size in fetched(plan, client)]
    _check_steady(plan, results)
    return results[-1]


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
        raise CellFailure(f"The file transfer brought {received} bytes of {size}.")
    seconds = float(matches[1][3]) - float(matches[1][2])
    if seconds <= 0:
        raise CellFailure("The file transfer took no time, which cannot be.")
    return TransferResult(size, seconds)


def _plan(cell: Cell) -> TransferPlan:
    if cell.transfer is None:
        raise ValueError(f"the cell {cell.label} transfers no file")
    return cell.transfer


def _result(cell: Cell, client: NodeResult, size: int) -> TransferResult:
    """With FTP curl tells when the file's first byte came.  scp does not: what it takes for a file
    of a few bytes, in the same connection, is taken off.
    """
    name = window_of(_plan(cell), size)
    if cell.protocol != "ssh":
        return parse_transfer(data_of(client, name), size)
    took = window(client, name).elapsed - window(client, "greeting").elapsed
    if took <= 0:
        raise CellFailure("The file transfer took no longer than that of a few bytes.")
    return TransferResult(size, took / 1e9)


def _check_steady(plan: TransferPlan, results: Sequence[TransferResult]) -> None:
    """The client went on for as long as it had to; of its own clock it reads a little more."""
    last = results[-1]
    if last.size == plan.size:
        return
    changes = [abs(two.throughput / one.throughput - 1) for one, two in pairwise(results)]
    if not changes or changes[-1] > 1.1 * STEADY:
        raise CellFailure(
            f"The file transfer ended with {last.size} bytes of {plan.size} at the most, "
            "though its rate was not steady."
        )
