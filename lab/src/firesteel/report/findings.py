# SPDX-License-Identifier: Apache-2.0
"""What a report says, before it is set: all that is computed of a run's figures, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.advice.answer import Answer, answer_of_pairs
from firesteel.analysis.compare import Order, orders
from firesteel.analysis.places import Places, beside_published, by_place, of_published
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published, Result, Rows, grouped
from firesteel.analysis.thresholds import BreakEven, Outcome, break_even, outcomes
from firesteel.analysis.verdict import Alternative, Offload, alternatives, offloads
from firesteel.model.place import Place
from firesteel.replication.counterparts import Ours
from firesteel.replication.ratios import Ratio, ratios
from firesteel.replication.regressions import Regression, regressions
from firesteel.report.panels import Group, by_suite, by_tunnel


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
