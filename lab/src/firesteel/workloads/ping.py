# SPDX-License-Identifier: Apache-2.0
"""Reading what ping printed."""

import math
import re
from dataclasses import dataclass

from firesteel.protocols.failure import CellFailure

_REPLY = re.compile(r"^(\d+) bytes from \S+: icmp_seq=\d+ ttl=\d+ time=([\d.]+) ms$")
_COUNTS = re.compile(r"^(\d+) packets transmitted, (\d+) received,.* packet loss", re.MULTILINE)
_SUMMARY = re.compile(r"^rtt min/avg/max/mdev = ([\d.]+)/([\d.]+)/([\d.]+)/[\d.]+ ms", re.MULTILINE)
_ICMP_HEADER = 8


@dataclass(frozen=True)
class PingResult:
    """Round-trip times in ms; `times` has one for each reply, in order, to three digits."""

    sent: int
    minimum: float
    mean: float
    maximum: float
    times: tuple[float, ...]

    @property
    def loss(self) -> float:
        """Percent of requests without a reply."""
        return 100 * (self.sent - len(self.times)) / self.sent

    def percentile(self, percent: float) -> float:
        """The least time that `percent` of the replies did not exceed (nearest rank)."""
        ranked = sorted(self.times)
        return ranked[max(math.ceil(len(ranked) * percent / 100), 1) - 1]


def parse_ping(text: bytes, size: int, count: int) -> PingResult:
    """The result of `ping -n -c COUNT -s SIZE`.

    Raises `CellFailure` when the text is not that of this ping, or no reply came.
    """
    lines = text.decode(errors="replace")
    counts, summary = _COUNTS.search(lines), _SUMMARY.search(lines)
    if not counts or int(counts[1]) != count:
        raise CellFailure(f"ping -s {size}: its output does not say that it sent {count} requests.")
    replies = [reply for line in lines.splitlines() if (reply := _REPLY.match(line))]
    if len(replies) != int(counts[2]):
        raise CellFailure(f"ping -s {size}: {len(replies)} replies listed, {counts[2]} counted.")
    if not replies or not summary:
        raise CellFailure(f"ping -s {size}: none of {count} requests was answered.")
    if any(int(reply[1]) != size + _ICMP_HEADER for reply in replies):
        raise CellFailure(f"ping -s {size}: a reply has another size.")
    minimum, mean, maximum = (float(summary[i]) for i in (1, 2, 3))
    times = tuple(float(reply[2]) for reply in replies)
    return PingResult(count, minimum, mean, maximum, times)
