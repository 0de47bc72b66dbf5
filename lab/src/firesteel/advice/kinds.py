# SPDX-License-Identifier: Apache-2.0
"""Pairs by kind of traffic, so that no kind drowns the others.

A flood ping has a row for each size and a file transfer has one: counted by rows, pings would
decide.  So the rows of one experiment through one protocol, at one place, make a kind, and each
kind counts once.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.offload import Offload
from firesteel.analysis.places import Places
from firesteel.analysis.sheet import ratio_range
from firesteel.analysis.verdict import COST_OF_CHOICE, Verdict, verdict_of
from firesteel.model.place import Place
from firesteel.workloads import titles


@dataclass(frozen=True)
class Kind:
    """One kind of traffic and its rows, at least one."""

    name: str
    pairs: tuple[Offload, ...]

    @property
    def speed(self) -> float | None:
        """The geometric mean of hardware's speed over software's."""
        return _mean(pair.speed for pair in self.pairs if pair.judged.speed_converged)

    @property
    def work(self) -> float | None:
        """The geometric mean of hardware's CPU work over software's."""
        return _mean(pair.work for pair in self.pairs if pair.judged.work_converged)

    @property
    def counted(self) -> tuple[float, float]:
        """The geometric means of what its rows count of speed and CPU work.  A row that has not
        converged counts too: a difference within its interval is noise, and so none.
        """
        counted = [pair.judged.counted for pair in self.pairs]
        return (
            _mean(speed for speed, _ in counted) or 1.0,
            _mean(work for _, work in counted) or 1.0,
        )

    @property
    def verdict(self) -> Verdict:
        """The rule of a row, applied to the means of what its rows count."""
        speed, work = self.counted
        found = verdict_of(speed, work)
        costs = [pair for pair in self.pairs if pair.verdict in ("loses", "mixed")]
        if found == "loses" and not costs and 1 / speed <= 1 + COST_OF_CHOICE:
            return "left to software"
        return found

    def count(self, verdict: Verdict) -> int:
        """How many rows have that verdict."""
        return sum(pair.verdict == verdict for pair in self.pairs)


def kinds(pairs: Sequence[Offload]) -> list[Kind]:
    """The kinds of these pairs, in the order in which they come; where one is measured in several
    places, its names say where.
    """
    found: dict[str, dict[Place, list[Offload]]] = {}
    for pair in pairs:
        of_kind = found.setdefault(kind_of(pair), {})
        of_kind.setdefault(pair.identity.place, []).append(pair)
    places = Places.of(pair.hardware for pair in pairs)
    return [
        Kind(places.label(name, place) if len(of_kind) > 1 else name, tuple(those))
        for name, of_kind in found.items()
        for place, those in of_kind.items()
    ]


def kind_of(pair: Offload) -> str:
    """The name of a pair's kind: `File transfer, IPsec`."""
    kind, protocol = (
        titles.experiment(pair.identity.workload),
        titles.protocol(pair.identity.protocol),
    )
    return kind if protocol.lower() in kind.lower() else f"{kind}, {protocol}"


def speeds_of(kind: Kind) -> str:
    """The speeds of its rows: `1.35 (1.02–5.60)`."""
    numbers = ((pair.speed, pair.judged.speed_converged) for pair in kind.pairs)
    return ratio_range(numbers, median_too=True)


def works_of(kind: Kind) -> str:
    """The CPU work of its rows, likewise."""
    numbers = ((pair.work, pair.judged.work_converged) for pair in kind.pairs)
    return ratio_range(numbers, median_too=True)


def _mean(numbers: Iterable[float | None]) -> float | None:
    there = [number for number in numbers if number]
    return math.exp(math.fsum(map(math.log, there)) / len(there)) if there else None
