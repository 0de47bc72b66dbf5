# SPDX-License-Identifier: Apache-2.0
"""What a report says, before it is set: all that is computed of a run's figures, each once; and, in
sentences, which rows lose or are left to software, what became of published regressions, how near
figures are to the published ones, and what nobody knows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from firesteel.advice.answer import Answer, answer_of_pairs, times
from firesteel.analysis.compare import Order, is_told, orders
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.places import Places, beside_published, by_place, of_published
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published, Result, Rows, grouped
from firesteel.analysis.thresholds import BreakEven, Outcome, break_even, outcomes
from firesteel.analysis.verdict import Alternative, Offload, alternatives, offloads
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL, Place
from firesteel.replication.counterparts import Ours
from firesteel.replication.ratios import Ratio, ratios
from firesteel.replication.regressions import Regression, regressions
from firesteel.workloads import titles
from firesteel.workloads.registry import TRANSFERS

_NAMED = 4
"""How many rows a sentence names at most."""


Group = tuple[str, Sequence[Result]]
"""The title of a panel, and the figures that it is of."""


@dataclass(frozen=True)
class Findings:
    """`figures` are all of the run, and `experiments` their rows; `comparison` are the same beside
    the `published` ones, which stand beside ours only where a study was made unless `everywhere`,
    and `other_sizes` says where those are of files of another size.  `pairs` are of software and
    hardware, `alternatives` of those that the answer counts and other software.
    Charts draw the comparison by `tunnels` or by `suites`, and the run's own figures by
    `own_suites`.  Break-evens are by place, as far as it has figures.
    """

    results: Results
    places: Places
    everywhere: bool
    published: Sequence[Published]
    figures: Sequence[Result]
    experiments: Mapping[str, Rows]
    comparison: Sequence[Result]
    other_sizes: Sequence[str]
    tunnels: Mapping[str, Sequence[Group]]
    suites: Sequence[Group]
    own_suites: Sequence[Group]
    ours: Ours
    pairs: Sequence[Offload]
    answer: Answer
    alternatives: Sequence[Alternative]
    regressions: Sequence[Regression]
    limits: Sequence[Outcome]
    break_evens: Mapping[Place, Sequence[BreakEven]]
    orders: Sequence[Order]
    ratios: Sequence[Ratio]


def findings(
    results: Results, published: Sequence[Published], *, everywhere: bool = False
) -> Findings:
    """Of a run, beside the published figures that its places stand for, or beside all."""
    means = results.means
    places = Places.of(means)
    if not everywhere:
        published = of_published(means, published)
    figures = places.labelled(means)
    comparison = places.labelled(beside_published(means, published, everywhere=everywhere))
    by_experiment = grouped(figures, lambda each: each.identity.workload)
    experiments = {name: Rows(part) for name, part in by_experiment.items()}
    ours = Ours(comparison, results.journal, places)
    pairs = offloads(figures)
    answer = answer_of_pairs(pairs)
    return Findings(
        results=results,
        places=places,
        everywhere=everywhere,
        published=published,
        figures=figures,
        experiments=experiments,
        comparison=comparison,
        other_sizes=list(dict.fromkeys(note for each in comparison if (note := each.size_note))),
        tunnels=by_tunnel(comparison, places),
        suites=by_suite(comparison, places),
        own_suites=by_suite(figures, places),
        ours=ours,
        pairs=pairs,
        answer=answer,
        alternatives=alternatives(answer.all_pairs, Rows(figures)),
        regressions=regressions(published, ours, pairs),
        limits=outcomes(means, results.journal.limits),
        break_evens={place: list(break_even(part)) for place, part in by_place(figures).items()},
        ratios=ratios(comparison, results.clocks),
        orders=orders(comparison),
    )


def by_tunnel(figures: Iterable[Result], places: Places) -> dict[str, list[Group]]:
    """By experiment, the figures of each protocol at each place, those without a tunnel with it."""
    usual = (each for each in figures if each.identity.is_usual)
    tunnels: dict[str, dict[tuple[str, Place], list[Result]]] = {}
    for each in usual:
        of = each.identity
        group = tunnels.setdefault(of.workload, {}).setdefault((of.protocol, of.place), [])
        group.append(each)
    found: dict[str, list[Group]] = {}
    for name, groups in tunnels.items():
        others = {key: group for key, group in groups.items() if key[0] != NO_TUNNEL}
        for (protocol, place), group in (others or groups).items():
            clear = groups.get((NO_TUNNEL, place), []) if others else []
            title = places.label(titles.protocol(protocol), place)
            found.setdefault(name, []).append((title, [*clear, *group]))
    return found


def by_suite(figures: Iterable[Result], places: Places) -> list[Group]:
    """The figures of each experiment, tunnel and suite at each place."""

    def suite(result: Result) -> tuple[str, str, str, str, Place]:
        of = result.identity
        return of.workload, of.protocol, of.cipher, of.mac, of.place

    return [
        (places.label(titles.configuration(protocol, cipher, mac), place), group)
        for (_, protocol, cipher, mac, place), group in grouped(figures, suite).items()
    ]


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
