# SPDX-License-Identifier: Apache-2.0
"""What a report says, before it is set: all that is computed of a run's figures, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.advice.answer import Answer, answer_of_pairs
from firesteel.analysis.boards import Boards, beside_published, by_board
from firesteel.analysis.breakeven import BreakEven, break_even
from firesteel.analysis.compare import Order, orders
from firesteel.analysis.offload import Offload, offloads
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published, Result
from firesteel.analysis.thresholds import Outcome, outcomes
from firesteel.replication.counterparts import Ours
from firesteel.replication.ratios import Ratio, ratios
from firesteel.replication.regressions import Regression, regressions


@dataclass(frozen=True)
class Findings:
    """`figures` are all of the run, `comparison` the same beside the `published` ones; `pairs` are
    of software and hardware.  What is by board has an entry for each board that has figures.
    """

    results: Results
    boards: Boards
    published: Sequence[Published]
    figures: Sequence[Result]
    comparison: Sequence[Result]
    ours: Ours
    pairs: Sequence[Offload]
    answer: Answer
    regressions: Sequence[Regression]
    limits: Sequence[Outcome]
    break_evens: Mapping[str, Sequence[BreakEven]]
    orders: Mapping[str, Sequence[Order]]
    ratios: Mapping[str, Sequence[Ratio]]


def findings(
    results: Results, published: Sequence[Published], *, everywhere: bool = False
) -> Findings:
    """Of a run, beside the published figures that its places stand for, or beside all."""
    boards = Boards.of(results.means)
    figures = boards.labelled(results.means)
    comparison = boards.labelled(beside_published(results.means, published, everywhere=everywhere))
    parts = by_board(comparison)
    ours = Ours(comparison, results.journal, boards)
    pairs = offloads(figures)
    return Findings(
        results=results,
        boards=boards,
        published=published,
        figures=figures,
        comparison=comparison,
        ours=ours,
        pairs=pairs,
        answer=answer_of_pairs(pairs),
        regressions=regressions(published, ours, pairs),
        limits=outcomes(results.means, results.journal.limits),
        break_evens={board: list(break_even(part)) for board, part in by_board(figures).items()},
        orders={board: orders(part) for board, part in parts.items()},
        ratios={board: ratios(part) for board, part in parts.items()},
    )
