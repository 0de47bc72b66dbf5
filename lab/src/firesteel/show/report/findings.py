# SPDX-License-Identifier: Apache-2.0
"""A run's figures for a report: with the published ones, in groups that make a panel each, and
judged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from firesteel.judge.advice.answer import Answer, answer_of
from firesteel.judge.compare import published_at
from firesteel.judge.places import Places, beside_published
from firesteel.judge.results import Results
from firesteel.judge.rows import Published, Result, Rows, grouped
from firesteel.judge.verdict import Offload, alternatives
from firesteel.model.cell import NO_TUNNEL, Place
from firesteel.workloads import titles

Group = tuple[str, Sequence[Result]]
"""The title of a panel, and the figures that it is of."""


@dataclass(frozen=True)
class Findings:
    """`comparison` pairs all figures of the run with the `published` ones: only on boards and links
    that represent the study's, unless `everywhere`.  Charts draw the comparison by `tunnels` of an
    experiment.  `alternatives` are pairs of the hardware that the answer counts and other software.
    """

    results: Results
    places: Places
    everywhere: bool
    published: Sequence[Published]
    comparison: Sequence[Result]
    tunnels: Mapping[str, Sequence[Group]]
    answer: Answer
    alternatives: Sequence[Offload]


def findings(
    results: Results, published: Sequence[Published], everywhere: bool = False
) -> Findings:
    """The findings of a run, with the published figures that its places represent, or with all."""
    means = results.means
    places = Places.of(means)
    if not everywhere:
        published = published_at(places.all, published)
    comparison = places.labelled(beside_published(means, published, everywhere=everywhere))
    answer = answer_of(results)
    return Findings(
        results=results,
        places=places,
        everywhere=everywhere,
        published=published,
        comparison=comparison,
        tunnels=by_tunnel(comparison, places),
        answer=answer,
        alternatives=alternatives(answer.all_pairs, Rows(means)),
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
