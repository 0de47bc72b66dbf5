# SPDX-License-Identifier: Apache-2.0
"""Whether offload helps: the one rule of it, which docs/report.md has in words.

1. `verdict` says of a pair of rows (software and hardware at one size, key or file) whether offload
   helps, by two ratios: its speed and its CPU work.
2. `is_at_link` says whether the link, and not the configuration, bounds a throughput.
3. A row that the other nodes limited (`analysis.bound`) says nothing of the measured board.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.analysis import bound
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.comparison import SLACK, Comparison
from firesteel.analysis.noise import Sample
from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Row
from firesteel.model import names
from firesteel.model.metrics import better
from firesteel.model.saturation import AT_LINK
from firesteel.protocols.offload import UNTOUCHED

Verdict = Literal[
    "helps", "makes no difference", "left to software", "mixed", "loses", "limited by the peer"
]

VERDICTS: tuple[Verdict, ...] = (
    "helps",
    "makes no difference",
    "left to software",
    "mixed",
    "loses",
)
"""From the best to the worst; one that is limited by the peer is none of them."""

COST_OF_CHOICE = 0.05
"""How much more time that may take than software by itself, and not be a loss."""


BUSY = 95.0
"""Percent of CPU use above which a configuration is slowed down by the CPU, whatever the link."""

SPEEDS = (
    "packet_rate",
    "throughput",
    "connections",
    "rtt_mean",
    "connection_time",
    "time_per_request_p50",
    "time_per_request",
    "latency",
    "run_time",
)
"""The metric of speed: the first of these that both sides have."""

COSTS = (
    "cpu_seconds_per_mb",
    "cpu_seconds_per_connection",
    "cpu_time_per_request_p50",
    "busy_per_packet",
)
"""The metric of CPU work, likewise; without one, it is CPU use by speed.

All are times in which the CPU is busy: while it waits for a device's register it executes no
instruction, and does no other work either.
"""

RATE = "throughput"
"""The metric that a link bounds."""

USE = "cpu"
"""The metric of CPU use."""

OFFLOADED = "offloaded"
"""The metric of how much of the payload, or of the handshakes, the cores did."""

DECIDING = (*SPEEDS, *COSTS, USE, OFFLOADED)
"""All that a row is judged by."""

METRICS = tuple(dict.fromkeys((*DECIDING, *bound.METRICS)))
"""And what says whether it can be."""


@dataclass(frozen=True)
class RowVerdict:
    """How hardware stands beside software in one row.

    `speed` is more than 1 where hardware is faster, by `metric`; `work` less than 1 where the CPU
    does less for the same payload, by `work_by`; None where there is nothing to divide by.
    `offloaded` is in percent; None where it was not measured.  `peer_limited` says that the other
    nodes limited one of both, which then says nothing of the measured board.
    """

    metric: str
    speed: float | None
    work: float | None = None
    work_by: str = ""
    speed_in_noise: bool = False
    work_in_noise: bool = False
    offloaded: float | None = None
    at_link: bool = False
    peer_limited: bool = False
    speed_converged: bool = True
    work_converged: bool = True
    """Whether all figures of that ratio have converged (`model.figure.CONVERGED`)."""

    @property
    def converged(self) -> bool:
        """Whether both ratios have."""
        return self.speed_converged and self.work_converged

    @property
    def speed_mark(self) -> str:
        """What stands before the speed."""
        return names.mark(converged=self.speed_converged)

    @property
    def work_mark(self) -> str:
        """What stands before the CPU work."""
        return names.mark(converged=self.work_converged)

    @property
    def verdict(self) -> Verdict:
        """By the rule of docs/report.md."""
        if self.peer_limited:
            return PEER_LIMITED
        found = verdict_of(*self.counted)
        left = self.offloaded is not None and self.offloaded <= UNTOUCHED
        if found == "loses" and left and self.cost <= COST_OF_CHOICE:
            return "left to software"
        return found

    @property
    def cost(self) -> float:
        """The share of time by which hardware takes longer, or of work by which it takes more."""
        speed, work = self.counted
        return max(1 / speed if speed else math.inf, work, 1.0) - 1

    @property
    def cost_in_percent(self) -> str:
        """In words: `2.4 %`."""
        return f"{self.cost * 100:.1f}\N{NO-BREAK SPACE}%"

    @property
    def said(self) -> str:
        """The verdict with what it costs, where software was left to do it, and what is noise."""
        remarks = []
        if self.verdict == "left to software":
            remarks.append(f"costs {self.cost_in_percent}")
        noisy = [("speed", self.speed_in_noise), ("CPU work", self.work_in_noise)]
        if not self.converged:
            remarks.append("not converged")
        if named := " and ".join(name for name, is_so in noisy if is_so):
            remarks.append(f"{named} within noise")
        return f"{self.verdict} ({'; '.join(remarks)})" if remarks else self.verdict

    @property
    def counted(self) -> tuple[float, float]:
        """The ratios of speed and work that the rule counts: 1 where a difference is none."""
        speed = 1.0 if self.speed is None or self.speed_in_noise else self.speed
        work = 1.0 if self.work is None or self.work_in_noise else self.work
        return (max(speed, 1.0) if self.at_link else speed), work


def counted(verdicts: Sequence[Verdict]) -> dict[Verdict, int]:
    """How many there are of each, those that none has left out; the best first."""
    return {name: count for name in VERDICTS if (count := verdicts.count(name))}


def verdict_of(speed: float, work: float) -> Verdict:
    """What two ratios say: more than 1 of speed is a gain, less than 1 of work too."""
    gains = speed > 1 + SLACK or work < 1 - SLACK
    costs = speed < 1 - SLACK or work > 1 + SLACK
    if gains and costs:
        return "mixed"
    if costs:
        return "loses"
    return "helps" if gains else "makes no difference"


def verdict(pair: Pair, clear: Row | None = None) -> RowVerdict | None:
    """Of software and hardware; None where they have no speed in common.

    `clear` is the same without a tunnel.
    """
    metric = next((name for name in SPEEDS if pair.has(name)), None)
    if metric is None:
        return None
    speed, work = pair.compared(metric), _work(pair, metric)
    rate = speed.other.value if metric == "throughput" else None
    hardware = pair.other.samples
    link = clear.results if clear else {}
    fastest, use = (link[name].value if name in link else None for name in (RATE, USE))
    return RowVerdict(
        metric,
        speed.gain,
        work.ratio if work else None,
        work.metric if work else "",
        speed.in_noise,
        work.in_noise if work else False,
        hardware[OFFLOADED].value if OFFLOADED in hardware else None,
        is_at_link(rate, fastest, use),
        pair.peer_limited,
        speed.converged,
        work.converged if work else True,
    )


def is_at_link(
    rate: float | None, link: float | None, link_use: float | None = None, share: float = AT_LINK
) -> bool:
    """Whether a throughput is `share` of that of a configuration that only the link slows down.

    One that keeps the CPU busy proves nothing about the link.
    """
    if rate is None or link is None or (link_use is not None and link_use > BUSY):
        return False
    return rate >= share * link


def _work(pair: Pair, speed: str) -> Comparison | None:
    """Both CPU works, by the first metric that has them; None where nothing has."""
    for name in COSTS:
        if pair.has(name) and pair.one.results[name].sample.value:
            return pair.compared(name)
    one, other = _by_use(speed, pair.one), _by_use(speed, pair.other)
    if one is None or other is None or not one.value:
        return None
    return Comparison(USE, one, other)


def _by_use(speed: str, row: Row) -> Sample | None:
    """CPU use by time, or by rate: what is the same for the same payload, seed by seed."""
    samples = row.samples
    if USE not in samples or not all(samples[speed].values):
        return None
    time = samples[speed] if better(speed) == "lower" else samples[speed].inverse()
    return samples[USE].times(time)
