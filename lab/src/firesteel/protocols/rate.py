# SPDX-License-Identifier: Apache-2.0
"""How often something happens, and how sure that is: from when it happened in one window."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from firesteel.model.figure import t_quantile


@dataclass(frozen=True)
class Rate:
    """Events a second; `uncertainty` is half of the 95 % interval."""

    value: float
    uncertainty: float


def of_turns(times: Sequence[Sequence[float]], parts: int, *, shared: bool) -> Rate:
    """Of several clients that come in turn: when each was done, in seconds, the first time before
    the window.

    Each one's own rounds are whole, whatever the window: all rounds by the time that they took is a
    client's rate.  How sure it is follows from the course of time: the rounds of all clients, in up
    to `parts` parts.  Where the clients do not share a server that has all it can do (`shared`),
    each goes by its own clock, for many rounds slower or faster than the others: then the clients'
    own rates show it too, and the larger of both intervals counts.  Where they do, what one has
    more another has less, and their rates say nothing.
    """
    clients = [each for each in times if len(each) > 1]
    if not clients:
        return Rate(0.0, 0.0)
    rounds = sum(len(each) - 1 for each in clients)
    value = len(clients) * rounds / sum(each[-1] - each[0] for each in clients)
    share = _share(_in_parts(clients, parts))
    if not shared:
        rates = [(len(each) - 1) / (each[-1] - each[0]) for each in clients]
        share = max(share, _share(rates))
    return Rate(value, value * share)


def _in_parts(times: Sequence[Sequence[float]], parts: int) -> list[float]:
    """A client's rate in up to `parts` parts of as many rounds, the mean of all clients."""
    gaps = [[later - sooner for sooner, later in pairwise(each)] for each in times]
    whole = min(len(each) for each in gaps)
    parts = min(parts, whole)
    cuts = [round(number * whole / parts) for number in range(parts + 1)]
    return [
        1 / statistics.mean(statistics.mean(each[first:last]) for each in gaps)
        for first, last in pairwise(cuts)
    ]


def of_counts(counts: Sequence[tuple[float, int]]) -> Rate:
    """Of how many there had been at some instants, in seconds, the same time apart.

    It is no surer than one that is under way at an end.
    """
    (begun, first), *_, (ended, last) = counts
    value = (last - first) / (ended - begun)
    rates = [(more - less) / (later - sooner) for (sooner, less), (later, more) in pairwise(counts)]
    return Rate(value, max(value * _share(rates), 1 / (ended - begun)))


def _share(values: Sequence[float]) -> float:
    """Half of the 95 % interval of their mean, as a share of it (Student's t); all of it where a
    single value says nothing.
    """
    n, mean = len(values), statistics.mean(values)
    if n < 2 or mean == 0:
        return 1.0
    return t_quantile(n - 1) * statistics.stdev(values) / math.sqrt(n) / mean
