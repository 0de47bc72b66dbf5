# SPDX-License-Identifier: Apache-2.0
"""Hardware compared with software of the same configuration, and whether offload helps.

Each is one configuration at one size, key or file, measured both ways on the same board.
Its *speed* is the throughput or the handshakes a minute in hardware divided by those in software,
or the time in software divided by that in hardware, so more than 1 is better.  Its *CPU work* is
what the CPU does for the same payload, hardware divided by software, so less than 1 is better.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firesteel.analysis.pairs import Pair, find, with_software
from firesteel.analysis.rows import Result, Rows, of_metrics
from firesteel.analysis.verdict import METRICS, RowVerdict, Verdict, verdict
from firesteel.model import names
from firesteel.model.identity import Identity


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
        """Whether it is one of those that the answer counts: of the cores, with the driver's own
        choice of completion, and not limited by the peer.
        """
        of_cores = self.identity.is_usual and self.identity.implementation == "hardware"
        return of_cores and not self.judged.peer_limited

    @property
    def speed(self) -> float | None:
        """More than 1 where hardware is faster; None where there is nothing to divide by."""
        return self.judged.speed

    @property
    def work(self) -> float | None:
        """Less than 1 where the CPU does less; None where it was not looked at."""
        return self.judged.work

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

    @property
    def what(self) -> str:
        """What is compared, in words."""
        return names.listed(self.label, self.at)


def offloads(results: Iterable[Result]) -> list[Offload]:
    """All pairs of labelled figures, in their order."""
    return list(offloads_of(Rows(of_metrics(results, METRICS))))


def answering(found: Sequence[Offload]) -> tuple[Offload, ...]:
    """The pairs that an answer counts; all that can be judged where none does."""
    judged = tuple(pair for pair in found if not pair.judged.peer_limited)
    return tuple(pair for pair in judged if pair.counts) or judged


def offloads_of(rows: Rows) -> Iterator[Offload]:
    """All pairs of these rows, in their order."""
    for pair in find(rows, with_software):
        judged = verdict(pair, rows.get(pair.identity.clear))
        if judged:
            yield Offload(pair, judged)
