# SPDX-License-Identifier: Apache-2.0
"""Whether offload helps: the only implementation of the rule that docs/report.md describes.

1. `verdict` says of a pair of rows (software and hardware at one size, key or file) whether offload
   helps, by two ratios.  The *speed* is a ratio of hardware to software for throughput and
   handshakes a minute, and of software to hardware for times, so more than 1 is better.  The *CPU
   work* is what the CPU does for the same payload, hardware divided by software, so less than 1 is
   better.  Each stands by its interval (`judge.intervals.Gain`).
2. `is_at_link` says whether the link, and not the configuration, bounds a throughput.  `hidden`
   lists the transfers whose gain the link hides, each with the same transfer over links of other
   rates.
3. A row that the other nodes limited (`judge.bound`) says nothing about the measured board.
4. `alternatives` compares hardware with the best software that does the same for people: of any
   protocol of the same purpose, with any suite or key that protects as much.  Even if offload makes
   a suite cheaper, the suite may not be the best choice.  A tunnel in the kernel, a cipher without
   AES, or another server key may cost less in software than the suite on the cores.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from firesteel.judge import bound
from firesteel.judge.bound import LINK_USE, PEER_LIMITED
from firesteel.judge.intervals import Comparison, Gain, p_helps
from firesteel.judge.rows import (
    Pair,
    Result,
    Row,
    Rows,
    find,
    grouped,
    of_metrics,
    with_software,
)
from firesteel.model import names
from firesteel.model.cell import BY_PCRYPT
from firesteel.model.identity import Identity
from firesteel.model.metrics import AT_LINK, better
from firesteel.protocols import pki
from firesteel.protocols.offload import is_untouched
from firesteel.protocols.protocol import Use
from firesteel.protocols.registry import find as find_protocol
from firesteel.workloads.registry import TRANSFERS

Verdict = Literal["loses", "mixed", "inconclusive", "equal", "helps", "limited by the peer"]

VERDICTS: tuple[Verdict, ...] = ("loses", "mixed", "inconclusive", "equal", "helps")
"""In the order in which they are listed, worst first; a row that the peer limited has no verdict.
"""

LOSSES: tuple[Verdict, ...] = VERDICTS[:2]
"""Verdicts by which something is worse with offload."""

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
"""The metric of CPU work: the first of these that both sides have.  If there is none, it is CPU use
divided by speed.

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
"""The metrics that decide, and the metrics that say whether a row can be judged."""


_WITHOUT_CORES: dict[Verdict, Verdict] = {"helps": "inconclusive", "mixed": "loses"}
"""What stands for a verdict if software did all the work: a gain is not the cores', and shows that
the figures differ by more than the interval says.
"""

_UNKNOWN = "with unknown interval"
"""Stands in the place of an interval."""


@dataclass(frozen=True)
class RowVerdict:
    """How hardware compares with software in one row.

    `speed`, measured by `metric`, is more than 1 if hardware is faster.  `work`, measured by
    `work_by`, is less than 1 if the CPU does less for the same payload.  Both are None if the
    divisor is missing.  The margins are by how much the logarithms of both may be off by chance,
    None where that is unknown.  `offloaded` is in percent; None where it was not measured.
    `at_link` says that the link bounds the hardware, which is not slower than software by more than
    the slack.  `peer_limited` says that the other nodes limited one of both, which then says
    nothing of the measured board.
    """

    metric: str
    speed: float | None
    work: float | None = None
    work_by: str = ""
    speed_margin: float | None = None
    work_margin: float | None = None
    offloaded: float | None = None
    at_link: bool = False
    peer_limited: bool = False
    speed_converged: bool = True
    work_converged: bool = True
    """Whether all figures of that ratio have converged (`model.figure.CONVERGED`)."""

    p_value: float | None = None
    """The probability that hardware helps this much only by chance (`judge.intervals.p_helps`);
    None if the interval of a ratio is unknown."""

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
        """By the rule of docs/report.md.  Cores that did nothing gained nothing."""
        if self.peer_limited:
            return PEER_LIMITED
        if self.speed is None:
            return "inconclusive"
        return verdict_of(*self.gains, by_cores=not self.left_to_software)

    @property
    def gains(self) -> tuple[Gain, Gain]:
        """The gains in speed and CPU work that the rule counts; for both, more than 1 is better.  A
        row that fills the link is never too slow, and what was not measured counts as no
        difference.
        """
        speed = Gain() if self.speed is None else Gain.of(self.speed, self.speed_margin)
        if self.work is None:
            work = Gain()
        else:
            work = Gain.of(1 / self.work if self.work else math.inf, self.work_margin)
        return speed.at_least(1) if self.at_link else speed, work

    @property
    def left_to_software(self) -> bool:
        """Whether the driver or the provider gave the cores none of the payload."""
        return is_untouched(self.offloaded)

    @property
    def cost(self) -> float:
        """The share of time by which hardware takes longer, or of work by which it takes more."""
        least = min(1.0, *(gain.value for gain in self.gains))
        return 1 / least - 1 if least else math.inf

    @property
    def said(self) -> str:
        """The verdict; with what it costs where software was left to do it, the intervals that make
        it inconclusive, and whether its figures have not converged.
        """
        remarks = []
        if self.left_to_software:
            cost = f"{self.cost * 100:.1f}\N{NO-BREAK SPACE}%"
            remarks.append(f"left to software, costs {cost}" if self.cost else "left to software")
        if self.verdict == "inconclusive":
            remarks += self._inconclusive()
        if not self.converged:
            remarks.append("not converged")
        return f"{self.verdict} ({'; '.join(remarks)})" if remarks else self.verdict

    def _inconclusive(self) -> Iterator[str]:
        """The ratios that are, with their intervals, as they are shown."""
        speed, work = self.gains
        if speed.standing == "inconclusive":
            yield "speed " + (
                f"{speed.low:.3f} to {speed.high:.3f}" if speed.is_known else _UNKNOWN
            )
        if work.standing == "inconclusive":
            low_high = f"{1 / work.high:.3f} to {1 / work.low:.3f}" if work.is_known else _UNKNOWN
            yield f"CPU work {low_high}"


def worst_first(verdict: Verdict) -> int:
    """The place of a verdict where rows are listed; those without one come last."""
    return VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)


def verdict_of(speed: Gain, work: Gain, *, by_cores: bool = True) -> Verdict:
    """What two ratios say, of both of which more than 1 is better; `by_cores` is false if software
    did all the work.
    """
    found = _of_gains(speed, work)
    return found if by_cores else _WITHOUT_CORES.get(found, found)


def _of_gains(speed: Gain, work: Gain) -> Verdict:
    standings = speed.standing, work.standing
    if "worse" in standings:
        return "mixed" if "better" in standings else "loses"
    if "better" in standings:
        sure = speed.is_not_inferior and work.is_not_inferior
        return "helps" if sure else "inconclusive"
    return "equal" if standings == ("equal", "equal") else "inconclusive"


def verdict(pair: Pair, clear: Row | None = None) -> RowVerdict | None:
    """Of software and hardware; None where they have no speed in common.

    `clear` is the same without a tunnel.
    """
    metric = next((name for name in SPEEDS if pair.has(name)), None)
    if metric is None:
        return None
    speed, work = pair.compared(metric), _work(pair, metric)
    hardware = pair.other.samples
    full = LINK_USE in hardware and hardware[LINK_USE].value >= 100 * AT_LINK
    # A link that carries clearly more in software does not bound the hardware.
    at_link = (
        metric == RATE and (full or is_at_link(speed.other.value, clear)) and not speed.is_inferior
    )
    are_known = None not in (speed.log_margin, work.log_margin if work else 0)
    return RowVerdict(
        metric,
        speed.gain,
        work.ratio if work else None,
        work.metric if work else "",
        speed.log_margin,
        work.log_margin if work else None,
        hardware[OFFLOADED].value if OFFLOADED in hardware else None,
        at_link,
        pair.peer_limited,
        speed.converged,
        work.converged if work else True,
        p_helps(speed, work, at_link=at_link) if are_known else None,
    )


def is_at_link(rate: float, clear: Row | None, share: float = AT_LINK) -> bool:
    """Whether a throughput reaches `share` of the throughput of a row that only the link slows
    down.

    One that keeps the CPU busy proves nothing about the link.
    """
    samples = clear.samples if clear else {}
    if RATE not in samples or (USE in samples and samples[USE].value > BUSY):
        return False
    return rate >= share * samples[RATE].value


def _work(pair: Pair, speed: str) -> Comparison | None:
    """Both CPU works, by the first metric that has them; None where nothing has."""
    for name in COSTS:
        if pair.has(name) and pair.one.results[name].sample.value:
            return pair.compared(name)
    return use_by_speed(pair, speed)


def use_by_speed(pair: Pair, speed: str) -> Comparison | None:
    """CPU use by time, or by rate: what is the same for the same payload, seed by seed.  None if
    a side has no CPU use or no speed, or software used nothing.
    """
    found = []
    for samples in (pair.one.samples, pair.other.samples):
        if USE not in samples or not all(samples[speed].values):
            return None
        time = samples[speed] if better(speed) == "lower" else samples[speed].inverse()
        found.append(samples[USE].times(time))
    return Comparison(USE, *found) if found[0].value else None


@dataclass(frozen=True)
class Offload:
    """A pair of software and hardware, with its verdict."""

    pair: Pair
    judged: RowVerdict

    @property
    def identity(self) -> Identity:
        """The hardware's."""
        return self.pair.identity

    @property
    def label(self) -> str:
        """What the hardware is called."""
        return self.hardware.label

    @property
    def metric(self) -> str:
        """That of speed."""
        return self.judged.metric

    @property
    def software(self) -> Result:
        """The figure of speed in software."""
        return self.pair.one.results[self.metric]

    @property
    def hardware(self) -> Result:
        """The figure of speed in hardware."""
        return self.pair.other.results[self.metric]

    @property
    def counts(self) -> bool:
        """Whether the answer can count it: of the cores, with the driver's choice of completion,
        and not limited by the peer.
        """
        usual = _on_any_cpus(self).is_usual
        return usual and self.identity.implementation == "hardware" and not self.judged.peer_limited

    @property
    def software_name(self) -> str:
        """What the software is called, with the server's key where that is a part of it."""
        key = self.software.identity.parameter.key
        return names.listed(self.software.label, key or "")

    @property
    def verdict(self) -> Verdict:
        """By the rule of docs/report.md."""
        return self.judged.verdict

    @property
    def in_short(self) -> str:
        """The label without what goes without saying: that it is hardware versus software."""
        return self.label.replace(", hardware", "")

    @property
    def at(self) -> str:
        """The size, key or file; and whether it is of decrypting, where both ways were measured."""
        parameter = self.identity.parameter
        doing = "decrypting, " if parameter.direction == "decrypt" else ""
        return f"{doing}{parameter.text}"


def offloads(results: Iterable[Result]) -> list[Offload]:
    """All pairs of labelled figures, in their order."""
    rows = Rows(of_metrics(results, METRICS))
    pairs = find(rows, with_software)
    judged = ((pair, verdict(pair, rows.get(pair.identity.clear))) for pair in pairs)
    return [Offload(pair, told) for pair, told in judged if told]


def answering(found: Sequence[Offload]) -> tuple[Offload, ...]:
    """The pairs that an answer counts; all that can be judged where none does.

    A pair on CPUs that its experiment sets counts if the same was measured on no others.
    """
    judged = tuple(pair for pair in found if not pair.judged.peer_limited)
    alike = grouped(found, _on_any_cpus)

    def is_usual(pair: Offload) -> bool:
        there = (each.identity.affinity for each in alike[_on_any_cpus(pair)])
        return pair.counts and on_usual_cpus(pair.identity.affinity, there)

    return tuple(filter(is_usual, judged)) or judged


def _on_any_cpus(pair: Offload) -> Identity:
    return replace(pair.identity, affinity="")


def on_usual_cpus(own: Hashable, alike: Iterable[Hashable]) -> bool:
    """Whether an affinity is the kernel's choice, or the only one of what was measured alike."""
    return not own or all(each == own for each in alike)


def transfers(pairs: Iterable[Offload]) -> list[Offload]:
    """Those whose speed a link bounds."""
    return [pair for pair in pairs if pair.identity.workload in TRANSFERS and pair.metric == RATE]


def repeats(pairs: Sequence[Offload]) -> list[Offload]:
    """Rows that repeat another row over links of another rate.  Of such rows, the row over the
    links that most rows have is not a repeat; if no row has these links, the first row is not.
    """
    counted = Counter(pair.identity.link for pair in pairs)
    usual = max(counted, key=lambda link: counted[link], default="")
    told = []
    for those in grouped(pairs, over_any_link).values():
        first = next((pair for pair in those if pair.identity.link == usual), those[0])
        told += [pair for pair in those if pair.identity.link != first.identity.link]
    return told


def hidden(pairs: Sequence[Offload]) -> list[tuple[Offload, Offload | None]]:
    """The transfers whose gain the link hides, in their order.  Each comes with the fastest of the
    same over other links, if one of them is faster or is not limited by its link.
    """
    alike = grouped(sorted(transfers(pairs), key=_throughput), over_any_link)

    def fastest(pair: Offload) -> Offload | None:
        others = [
            other
            for other in alike[over_any_link(pair)]
            if not other.judged.at_link or _throughput(other) > _throughput(pair)
        ]
        return others[-1] if others else None

    return [(pair, fastest(pair)) for pair in transfers(pairs) if pair.judged.at_link]


def over_any_link(pair: Offload) -> Identity:
    """What a row is that counts once, over whichever links it was measured."""
    return replace(pair.identity, link="")


def _throughput(pair: Offload) -> float:
    return pair.hardware.value


def alternatives(offloads: Sequence[Offload], rows: Rows) -> list[Offload]:
    """Rows in hardware that have any among the `rows` of their run, in their order, each with the
    other software that it stands worst against.
    """
    known = grouped((row for row in rows if _is_candidate(row.identity)), _same)
    found = []
    for row in (offload.pair.other for offload in offloads):
        others = (Pair(each, row) for each in known.get(_same(row), ()) if _is_other(each, row))
        clear = rows.get(row.identity.clear)
        compared = [Offload(pair, told) for pair in others if (told := verdict(pair, clear))]
        judged = [each for each in compared if each.verdict in VERDICTS]
        if judged:
            found.append(max(judged, key=lambda each: _badness(each.judged)))
    return found


def fastest_software(offload: Offload, rows: Iterable[Row]) -> Offload:
    """The row with the fastest of all software that does the same at one place, by threads
    included.
    """
    row, metric = offload.pair.other, offload.metric
    sign = -1 if better(metric) == "lower" else 1
    found = (
        each
        for each in rows
        if each.identity.implementation in ("software", BY_PCRYPT)
        and (_same(each), metric in each.results) == (_same(row), True)
    )
    pair = Pair(max(found, key=lambda each: sign * each.results[metric].value), row)
    return Offload(pair, verdict(pair) or offload.judged)


def _badness(judged: RowVerdict) -> tuple[int, float, float]:
    """How badly hardware stands: by the verdict, then by CPU work, then by speed."""
    speed, work = judged.gains
    return -worst_first(judged.verdict), -work.value, -speed.value


def _use(identity: Identity) -> Use | None:
    protocol = find_protocol(identity.protocol)
    suite = (identity.cipher, identity.mac)
    of_connections = identity.parameter.key is not None
    return protocol.use(*suite, connections=of_connections) if protocol else None


def _is_candidate(identity: Identity) -> bool:
    """Whether it is software that people may use today, and that protects what it carries."""
    use = _use(identity)
    usual = identity.implementation == "software" and identity.is_usual
    return usual and use is not None and use.protects


def _same(row: Row) -> tuple[object, ...]:
    """What rows have in common that do the same at one place.  Which key a server has is its
    user's choice.
    """
    identity = row.identity
    use = _use(identity)
    parameter = identity.comparable.parameter.model_copy(update={"key": None})
    where = (identity.place, identity.workload, parameter)
    return (use.purpose, use.protection, *where) if use else where


def _is_other(software: Row, hardware: Row) -> bool:
    """Whether it is software of another protocol or suite, or with a key that may replace the
    hardware's.  The same suite and key is what the usual verdict compares.
    """
    one, other = software.identity, hardware.identity
    key, replaced = one.parameter.key, other.parameter.key
    if key and replaced and key != replaced:
        return pki.may_replace(key, replaced)
    return (one.protocol, one.cipher, one.mac) != (other.protocol, other.cipher, other.mac)
