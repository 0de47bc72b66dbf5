# SPDX-License-Identifier: Apache-2.0
"""What a row is of: its configuration, and the board it was measured on where a run has several."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.compare import compare
from firesteel.analysis.published import published_at
from firesteel.analysis.rows import Published, Result, grouped
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.workloads import titles


@dataclass(frozen=True)
class Boards:
    """The boards of a run, that with the most figures first.

    Where each configuration was measured on one board alone, the first goes without saying; where
    one was measured on several (`apart`), every row names its board.
    """

    profiles: tuple[str, ...]
    apart: bool = False

    @staticmethod
    def of(results: Iterable[Result]) -> "Boards":
        """Those that the figures are of."""
        counted: Counter[str] = Counter()
        boards: dict[object, set[str]] = {}
        for result in results:
            identity = result.identity
            counted[identity.board] += 1
            boards.setdefault((identity.workload, identity.side), set()).add(identity.board)
        profiles = sorted(counted, key=lambda board: (-counted[board], board))
        return Boards(tuple(profiles), any(len(those) > 1 for those in boards.values()))

    def label(self, text: str, board: str) -> str:
        """A configuration's name, with its board where that does not go without saying."""
        said = len(self.profiles) > 1 and (self.apart or board != self.profiles[0])
        return f"{text} [{board}]" if said and board else text

    @property
    def sentence(self) -> str:
        """What the run was measured on."""
        if not self.profiles or not self.profiles[0]:
            return ""
        if len(self.profiles) == 1:
            return f"Measured on the board {self.profiles[0]}."
        if self.apart:
            return f"Measured on the boards {', '.join(self.profiles)}; each row names its board."
        first, *others = self.profiles
        return f"Measured on the board {first}; brackets mark rows of {', '.join(others)}."

    def labelled(self, results: Iterable[Result]) -> list[Result]:
        """The results with what they are called."""
        return [replace(each, label=self._called(each)) for each in results]

    def told(self, result: Result) -> str:
        """What a result is called where software does not go without saying."""
        identity = result.identity
        if identity.implementation != "software" or identity.protocol == NO_TUNNEL:
            return self._called(result)
        return self.label(f"{titles.of_identity(identity)}, software", identity.board)

    def of_cell(self, cell: Cell) -> str:
        """What a cell is called."""
        return self.label(titles.of_cell(cell), cell.profiles.get(cell.measured, ""))

    def _called(self, result: Result) -> str:
        return self.label(titles.of_identity(result.identity), result.identity.board)


def by_board(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results of each board, in the order of their first ones."""
    return grouped(results, lambda result: result.identity.board)


def beside_published(
    results: Iterable[Result], published: Sequence[Published], *, everywhere: bool = False
) -> list[Result]:
    """The results, in their order, with what they are beside: figures of studies that their place
    stands for, or of all.  Sums that only published histograms have come last.
    """
    results = list(results)
    found = []
    for place, those in grouped(results, lambda result: result.identity.place).items():
        found += compare(those, published if everywhere else published_at([place], published))
    order = {(each.identity, each.metric): number for number, each in enumerate(results)}
    return sorted(found, key=lambda each: order.get((each.identity, each.metric), len(order)))


def of_published(results: Iterable[Result], published: Iterable[Published]) -> list[Published]:
    """The published figures of studies that one of the places of a run stands for."""
    return published_at((result.identity.place for result in results), published)
