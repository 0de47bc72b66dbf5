# SPDX-License-Identifier: Apache-2.0
"""What a row is of: its configuration, and the board it was measured on where a run has several."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.compare import compare
from firesteel.analysis.rows import Published, Result, grouped
from firesteel.analysis.study import load_studies
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
    """The results with what they are beside, a place at a time: figures of studies that the place
    stands for, or of all.
    """
    studies = {study.name: study for study in load_studies()}
    found = []
    for ours in by_board(results).values():
        for place, those in grouped(ours, lambda result: result.identity.place).items():
            theirs = [
                each
                for each in published
                if everywhere or studies[each.source].is_of(place, each.table)
            ]
            found += compare(those, theirs)
    return found


def of_published(results: Iterable[Result], published: Iterable[Published]) -> list[Published]:
    """The published figures of studies that one of the places of a run stands for."""
    studies = {study.name: study for study in load_studies()}
    places = dict.fromkeys(result.identity.place for result in results)
    return [
        each
        for each in published
        if any(studies[each.source].is_of(place, each.table) for place in places)
    ]
