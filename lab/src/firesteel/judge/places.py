# SPDX-License-Identifier: Apache-2.0
"""What a row is of: its configuration, and where it was measured if a run has several places."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from firesteel.boards.assumptions import level_in_words
from firesteel.boards.numbers import base_of, board_in_words, name_in_words
from firesteel.judge.compare import compare, published_at
from firesteel.judge.rows import Published, Result, grouped
from firesteel.model.cell import NO_TUNNEL, Cell, Place
from firesteel.model.identity import Identity
from firesteel.table import WHERE
from firesteel.workloads import titles


@dataclass(frozen=True)
class Places:
    """The places of a run, that with the most figures first.

    `told` are the parts of a place that are needed to distinguish the places.  `apart` are the
    parts in `told` that differ between measurements of the same configuration.  Every row names its
    place by the parts in `apart`.  Only rows of other places than the first name the remaining
    parts.
    """

    all: tuple[Place, ...]
    told: tuple[str, ...] = ()
    apart: frozenset[str] = frozenset()

    @staticmethod
    def of(results: Iterable[Result]) -> "Places":
        """Those that the figures are of."""
        return Places.of_rows(result.identity for result in results)

    @staticmethod
    def of_rows(identities: Iterable[Identity]) -> "Places":
        """Those of the rows."""
        return _places(((each.workload, each.side), each.place) for each in identities)

    @staticmethod
    def of_cells(cells: Iterable[Cell]) -> "Places":
        """Those where the cells are measured."""
        return _places((cell.configuration, cell.place) for cell in cells)

    def label(self, text: str, place: Place) -> str:
        """A configuration's name, with its place where that does not go without saying."""
        said = self.mark(place)
        return f"{text} [{said}]" if said else text

    def mark(self, place: Place) -> str:
        """The place, as far as it does not go without saying: `socrates-1600, 1 Gbit/s`."""
        if not self.all:
            return ""
        said = (
            self._in_words(place, part)
            for part in self.told
            if part in self.apart or getattr(place, part) != getattr(self.all[0], part)
        )
        return ", ".join(filter(None, said))

    def name(self, place: Place) -> str:
        """The place, named by its board and by all that distinguishes it from the others."""
        parts = dict.fromkeys(("board", *self.told))
        return ", ".join(filter(None, (self._in_words(place, part) for part in parts)))

    def _in_words(self, place: Place, part: str) -> str:
        """A part of a place; a board or topology that was made of another one by what it has
        otherwise, and by its own name too where not all are made of the same one.
        """
        name = getattr(place, part)
        said = board_in_words(name) if part in self._of_several else name_in_words(name)
        return level_in_words(said)

    @cached_property
    def _of_several(self) -> frozenset[str]:
        """The parts whose names are not all made of the same one."""
        bases = {
            part: {base_of(name) for each in self.all if (name := getattr(each, part))}
            for part in WHERE
        }
        return frozenset(part for part, of in bases.items() if len(of) > 1)

    @property
    def sentence(self) -> str:
        """What the run was measured on."""
        if not self.all or not self.all[0].board:
            return ""
        first, points = self.all[0], dict.fromkeys(map(_point, self.all))
        if len(points) > 1:
            return f"Measured at {len(self.all)} points of a sweep; each row names its point."
        varied = next(iter(points))
        board = base_of(first.board) + (f" with {varied}" if varied else "")
        named = list(dict.fromkeys(map(self.name, self.all)))
        if len(named) == 1:
            at = f", with all links at {first.link}" if first.link else ""
            return f"Measured on the board {board}{at}."
        if self.apart == {"board"} == set(self.told):
            return f"Measured on the boards {', '.join(named)}; each row names its board."
        if self.mark(first):
            return f"Measured in several places: {'; '.join(named)}. Each row names its place."
        others = dict.fromkeys(filter(None, map(self.mark, self.all)))
        return f"Measured on the board {board}; brackets mark rows of {'; '.join(others)}."

    def labelled(self, results: Iterable[Result]) -> list[Result]:
        """The results with what they are called."""
        return [replace(each, label=self._called(each)) for each in results]

    def told_in_full(self, result: Result) -> str:
        """What a result is called where software does not go without saying."""
        identity = result.identity
        if identity.implementation != "software" or identity.protocol == NO_TUNNEL:
            return self._called(result)
        return self.label(f"{titles.of_identity(identity)}, software", identity.place)

    def of_cell(self, cell: Cell) -> str:
        """What a cell is called."""
        return self.label(titles.of_cell(cell), cell.place)

    def _called(self, result: Result) -> str:
        return self.label(titles.of_identity(result.identity), result.identity.place)


def _places(measured: Iterable[tuple[Hashable, Place]]) -> Places:
    counted: Counter[Place] = Counter()
    of_one: dict[Hashable, dict[Place, None]] = {}
    for configuration, place in measured:
        counted[place] += 1
        of_one.setdefault(configuration, {})[place] = None
    ordered = tuple(sorted(counted, key=lambda place: (-counted[place], _values(place, WHERE))))
    told = _needed(ordered)
    apart = (part for those in of_one.values() for part in _needed(tuple(those)))
    return Places(ordered, told, frozenset(apart) & set(told))


def _point(place: Place) -> str:
    """The numbers that a place has otherwise than the files of its board and topology."""
    made = (name for name in (place.board, place.topology) if base_of(name) != name)
    return ", ".join(map(name_in_words, made))


def _needed(places: Sequence[Place]) -> tuple[str, ...]:
    """The parts, in their order, in which places differ that are the same in all parts before: two
    boards need no word on their topologies.  The rate of links is one by itself.
    """
    *before_link, link = WHERE
    found = []
    for number, part in enumerate(before_link):
        groups: dict[tuple[str, ...], set[str]] = {}
        for place in places:
            key = _values(place, before_link[:number])
            groups.setdefault(key, set()).add(getattr(place, part))
        if any(len(values) > 1 for values in groups.values()):
            found.append(part)
    return (*found, link) if len({place.link for place in places}) > 1 else tuple(found)


def _values(place: Place, parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(getattr(place, part) for part in parts)


def beside_published(
    results: Iterable[Result], published: Sequence[Published], *, everywhere: bool = False
) -> list[Result]:
    """The results, in their order, each with the published figure that it is compared with.  The
    figures come from studies that the place stands for, or from all studies.  Sums that only
    published histograms have come last.
    """
    results = list(results)
    found = []
    for place, those in grouped(results, lambda result: result.identity.place).items():
        found += compare(those, published if everywhere else published_at([place], published))
    order = {(each.identity, each.metric): number for number, each in enumerate(results)}
    return sorted(found, key=lambda each: order.get((each.identity, each.metric), len(order)))
