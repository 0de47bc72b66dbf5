# SPDX-License-Identifier: Apache-2.0
"""What the report says besides the answer: which rows lose or are left to software, what became of
published regressions, how near figures are to the published ones, and what nobody knows.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from firesteel.advice.answer import times
from firesteel.analysis.compare import is_told
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.rows import Result
from firesteel.analysis.verdict import Offload
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL
from firesteel.replication.regressions import Regression
from firesteel.workloads.registry import TRANSFERS

_NAMED = 4
"""How many rows a sentence names at most."""


def further(
    comparison: Sequence[Result], found: Sequence[Offload], regressions: Sequence[Regression]
) -> list[str]:
    """In a few sentences; `found` are the pairs that the answer counts."""
    if not comparison:
        return ["This run has no figures."]
    told = [*_lost(found), *_left(found)] if found else _cost(comparison)
    return [*told, *_turned(regressions), *_nearness(comparison)]


def reservations(found: Sequence[Offload], counted: Sequence[Offload], seeds: int) -> list[str]:
    """What of all pairs the answer did not count, and what it does not know."""
    told = []
    judged = [pair for pair in found if not pair.judged.peer_limited]
    if others := sorted({pair.label for pair in judged} - {pair.label for pair in counted}):
        told.append(f"Measured for comparison and not counted: {_some(others)}.")
    if limited := [pair.what for pair in found if pair.judged.peer_limited]:
        told.append(f"Limited by the peer, so without a verdict: {_some(limited)}.")
    if counted and seeds == 1:
        told.append(
            "All figures are from one seed, so their spread is unknown; differences up to "
            f"{SLACK * 100:g}\xa0% count as none."
        )
    return told


def _lost(found: Sequence[Offload]) -> list[str]:
    """Which rows lose."""
    those = [_named(pair) for pair in found if pair.verdict == "loses"]
    return [f"Offload loses in {_some(those)}."] if those else []


def _left(found: Sequence[Offload]) -> list[str]:
    """Which rows software was left to do, and what that costs."""
    those = [pair for pair in found if pair.verdict == "left to software"]
    if not those:
        return []
    named = [f"{pair.what} (costs {pair.judged.cost_in_percent})" for pair in those]
    return [f"Left to software, because the cores would take longer: {_some(named)}."]


def _named(pair: Offload) -> str:
    parts = [f"speed {times(pair.speed)}"]
    if pair.work is not None:
        parts.append(f"CPU work {times(pair.work)}")
    return f"{pair.what} ({', '.join(parts)})"


def _some(texts: Sequence[str]) -> str:
    return names.first_of(texts, _NAMED, between="; ", last="; and ")


def _turned(regressions: Sequence[Regression]) -> list[str]:
    """What became of the rows in which the published work lost."""
    here = [
        regression
        for regression in regressions
        if regression.ours and regression.state != "missing"
    ]
    if not here:
        return []
    counts = [
        f"{state} in {count}"
        for state in ("better", "equal", "worse")
        if (count := sum(each.state == state for each in here))
    ]
    told = names.all_of(counts)
    figures = f"{len(here)} figure{'s' if len(here) > 1 else ''}"
    return [f"In {figures} the published hardware was worse than software; here it is {told}."]


def _cost(comparison: Sequence[Result]) -> list[str]:
    """Where nothing was offloaded: what the costliest tunnel takes, seen from none at all."""
    part = [each for each in comparison if each.identity.workload in TRANSFERS]
    rates = [each for each in part if each.metric == "throughput"]
    busy = {each.label: each.value for each in part if each.metric == "cpu"}
    clear = [each for each in rates if each.identity.protocol == NO_TUNNEL]
    tunnels = [
        each
        for each in rates
        if each.identity.protocol != NO_TUNNEL and each.identity.implementation == "software"
    ]
    sentences = []
    if clear:
        sentences.append(f"Without a tunnel the board receives {_rate(clear[0], busy)}.")
    if tunnels:
        by_rate = sorted(tunnels, key=lambda each: -each.value)
        fast, slow = by_rate[0], by_rate[-1]
        text = f"In software, the slowest tunnel is {slow.label} with {_rate(slow, busy)}"
        if len(tunnels) > 1:
            text += f"; the fastest is {fast.label} with {_rate(fast, busy)}"
        sentences.append(text + ".")
    return sentences


def _rate(result: Result, busy: Mapping[str, float]) -> str:
    cpu = busy.get(result.label)
    return f"{result.text} {names.unit(result.unit)}" + (
        "" if cpu is None else f" at {cpu:.0f} % CPU"
    )


def _nearness(comparison: Sequence[Result]) -> list[str]:
    off = sorted(
        abs(result.deviation)
        for result in comparison
        if result.identity.is_usual and result.deviation is not None and is_told(result)
    )
    if not off:
        return ["None of these figures has a published counterpart."]
    told = f"{len(off)} figures have a published counterpart: the median deviation is"
    return [f"{told} {median(off):.0f}\xa0%, the largest {off[-1]:.0f}\xa0%."]
