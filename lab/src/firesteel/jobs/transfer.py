# SPDX-License-Identifier: Apache-2.0
"""Reading what curl said about the file it fetched."""

import re
from dataclasses import dataclass

from firesteel.jobs.failure import CellFailure

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
