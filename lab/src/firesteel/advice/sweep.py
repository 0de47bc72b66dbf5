# SPDX-License-Identifier: Apache-2.0
"""What a sweep says: the verdict of each kind of traffic at every point, and where it changes.

1. `Swept` has a kind of traffic with its rows at each point.
2. Along each number, all others as they are, a `Line` has the points in order, and its `changes`
   name the two neighbouring points between which the verdict becomes another.  Nothing is
   interpolated: between points the driver may begin to use the core, which no line foretells.
3. `SweepAnswer.sentences` say that in words, a sentence for each kind, or of a sample what matters;
   a second one where the rows of a kind, such as sizes, begin to gain at other values; and the
   command that measures between the two points of a change.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import TypeVar

from firesteel.advice.answer import Kind, kind_of
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.places import Places
from firesteel.analysis.results import Coordinates, Results, by_place, grid_of
from firesteel.analysis.rows import grouped
from firesteel.analysis.verdict import Offload, Verdict, answering, offloads
from firesteel.base.checkout import CHECKOUT
from firesteel.board.numbers import Path
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.store.journal import Journal
from firesteel.workloads import titles

_VALUES = 4
"""How many values a command measures between two, both among them, whose records are there."""

_CHANGES = "changes"
"""What a verdict does where offload neither begins to help nor ceases to."""

_TURNS = {
    "begins to help": "from a value between {} and {} on",
    "ceases to help": "up to a value between {} and {}",
    _CHANGES: "from or up to a value between {} and {}",
}
"""What offload does between two values, as the range in which it helps."""

_ALWAYS, _NEVER = "at every value measured", "at none"


@dataclass(frozen=True)
class Change:
    """Two neighbouring values that were measured, between which the verdict becomes another."""

    before: float
    after: float
    verdict: Verdict


@dataclass(frozen=True)
class Stretch:
    """Neighbouring values with one verdict, from `first` to `last`."""

    verdict: Verdict
    first: float
    last: float


@dataclass(frozen=True)
class Swept:
    """A kind of traffic, with its rows at each point where it has some."""

    name: str
    at: Mapping[Coordinates, Kind]

    def count(self, verdict: Verdict) -> int:
        """At how many points it has that verdict."""
        return sum(kind.verdict == verdict for kind in self.at.values())


@dataclass(frozen=True)
class SweptRow:
    """A row, by its name without its place, at each point where it was measured both ways."""

    name: str
    at: Mapping[Coordinates, Offload]

    @property
    def alone(self) -> Swept:
        """The row as a kind of its own."""
        return Swept(self.name, {at: Kind(self.name, (pair,)) for at, pair in self.at.items()})

    @property
    def pair(self) -> Offload:
        """One of its pairs, which differ in nothing but their places and figures."""
        return next(iter(self.at.values()))

    @property
    def configuration(self) -> str:
        """Its name without the size, or what else `pair.at` says."""
        return self.name.removesuffix(f", {self.pair.at}")


@dataclass(frozen=True)
class Line:
    """Points of a kind along one number, all others as `others` has them, in order."""

    kind: Swept
    axis: int
    others: Coordinates
    points: tuple[tuple[float, Kind], ...]

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Its points by verdict, in order."""
        found = []
        for verdict, those in groupby(self.points, key=lambda point: point[1].verdict):
            values = [value for value, _ in those]
            found.append(Stretch(verdict, values[0], values[-1]))
        return tuple(found)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Where the verdict becomes another."""
        neighbours = pairwise(self.stretches)
        return tuple(Change(one.last, other.first, other.verdict) for one, other in neighbours)

    @property
    def turn(self) -> tuple[Change, str] | None:
        """The first change at which offload begins to help, or ceases to, or else the first one,
        with what happens there; None where nothing does.
        """
        for before, change in zip(self.stretches, self.changes, strict=False):
            if "helps" in (before.verdict, change.verdict):
                helps = change.verdict == "helps"
                return change, "begins to help" if helps else "ceases to help"
        return (self.changes[0], _CHANGES) if self.changes else None

    @property
    def helps_within(self) -> bool:
        """Whether offload helps in the midst of its range, or in several parts of it."""
        helping = [number for number, each in enumerate(self.stretches) if each.verdict == "helps"]
        return bool(helping) and helping not in ([0], [len(self.stretches) - 1])

    def where(self, path: Path, *, always: str = _ALWAYS, never: str = _NEVER) -> str:
        """At which values offload helps: `from 100 MHz on (not at 50 MHz)`."""
        told = []
        for number, each in enumerate(self.stretches):
            if each.verdict == "helps":
                if not self.changes:
                    return always
                before, after = self.stretches[:number][-1:], self.stretches[number + 1 :][:1]
                span = _at(path, each.first, each.last)
                if not after:
                    span = f"from {path.said(each.first)} on"
                elif not before:
                    span = f"up to {path.said(each.last)}"
                nots = [
                    path.said(value)
                    for value in (*(one.last for one in before), *(one.first for one in after))
                ]
                told.append(f"{span} (not at {names.all_of(nots)})")
        return names.all_of(told) or never


@dataclass(frozen=True)
class SweepAnswer:
    """The kinds and rows of a sweep of the numbers `paths`; `is_grid` if its `run` has every
    combination of values, whether they were measured or not.
    """

    paths: tuple[Path, ...]
    kinds: tuple[Swept, ...]
    rows: tuple[SweptRow, ...]
    is_grid: bool
    run: Journal

    @property
    def points(self) -> list[Coordinates]:
        """All of them, sorted."""
        found = {at for kind in self.kinds for at in kind.at}
        return sorted(found, key=lambda at: [(each is not None, each or 0.0) for each in at])

    @property
    def headline(self) -> str:
        """At how many points offload helps, and in how many rows there, if points have several; and
        how many rows lose, which the mean of a kind may hide.
        """
        if not self.kinds:
            return "Nothing was measured both in software and in hardware."
        total = sum(len(kind.at) for kind in self.kinds)
        helped = sum(kind.count("helps") for kind in self.kinds)
        verdicts = [pair.verdict for row in self.rows for pair in row.at.values()]
        lost = verdicts.count("loses")
        all_help = "Mostly" if lost else "Yes"
        word = all_help if helped == total else "It depends" if helped else "No"
        count = len(self.kinds)
        per = f"at {helped} of {total} points" + (f" of {count} kinds of traffic" * (count > 1))
        if len(verdicts) > total:
            per += f", in {verdicts.count('helps')} of {len(verdicts)} rows"
            per += f"; it loses in {lost}" if lost else ""
        return f"{word}: offload helps {per}."

    @property
    def sentences(self) -> list[str]:
        """A sentence for each kind and number that varies."""
        if not self.is_grid:
            return [self._of_sample(kind) for kind in self.kinds]
        told: list[str] = []
        for kind in self.kinds:
            for axis in self._axes:
                told += filter(None, (self._along(kind, axis), self._by_row(kind, axis)))
        return [*told, *self._narrowing()]

    def _narrowing(self) -> Iterator[str]:
        """How to measure between the two points of a change: of the first that there is, one at
        which offload begins to help or ceases to before others.
        """
        kinds = [*self.kinds, *(row.alone for row in self.rows)]
        lines = [line for kind in kinds for axis in self._axes for line in self.lines(kind, axis)]
        found = [(line, turn) for line in lines if (turn := line.turn)]
        found.sort(key=lambda each: each[1][1] == _CHANGES)
        for line, (change, _) in found[:1]:
            others = dict(zip(_without(self.paths, line.axis), line.others, strict=True))
            path = self.paths[line.axis]
            if command := _between(self.run, path, change, others):
                between = f"{path.said(change.before)} and {path.said(change.after)}"
                yield f"To narrow a change down, such as between {between}: `{command}`."

    @property
    def _axes(self) -> range:
        return range(len(self.paths))

    def rows_of(self, kind: Swept) -> list[SweptRow]:
        """The rows of a kind, the smallest size first."""
        rows = [row for row in self.rows if kind_of(row.pair) == kind.name]
        return sorted(rows, key=lambda row: row.pair.identity.parameter.size_bytes or 0)

    def where(self, row: SweptRow, axis: int) -> str:
        """At which values of a number offload helps in a row, over all combinations of the others;
        nothing where it was not measured at two.
        """
        path, lines = self.paths[axis], list(self.lines(row.alone, axis))
        found = list(dict.fromkeys(line.where(path) for line in lines))
        if len(found) < 2:
            return "".join(found)
        turns = [turn for line in lines if (turn := line.turn) and turn[1] != _CHANGES]
        if not turns:
            helped = sum(line.stretches[0].verdict == "helps" for line in lines)
            return f"{_ALWAYS}, in {helped} of {len(lines)} combinations of the others"
        per = f"in {len(turns)} of {len(lines)} combinations of the others"
        if any(line.helps_within for line in lines if line.changes):
            return f"over a part of its range, {per}"
        return f"{_TURNS[_happens(turns)].format(*_bracket(path, turns))}, {per}"

    def _by_row(self, kind: Swept, axis: int) -> str:
        """Where each row of a kind gains, if not all gain at the same values."""
        rows = self.rows_of(kind)
        found = {row.name: where for row in rows if (where := self.where(row, axis))}
        if len(set(found.values())) < 2:
            return ""
        told = []
        for name, of in grouped(rows, lambda row: row.configuration).items():
            there = grouped((row for row in of if row.name in found), lambda row: found[row.name])
            gains = [
                f"{names.all_of([row.pair.at for row in those])} {where}"
                for where, those in there.items()
            ]
            told.append(f"{name}, {', '.join(gains)}")
        return f"Row by row, offload helps: {'; '.join(told)}."

    def lines(self, kind: Swept, axis: int) -> Iterator[Line]:
        """The points of a kind along one number, for each combination of the others."""
        for others, points in grouped(kind.at, lambda at: _without(at, axis)).items():
            there = sorted((value, kind.at[at]) for at in points if (value := at[axis]) is not None)
            telling = tuple(each for each in there if each[1].verdict != PEER_LIMITED)
            if len(telling) > 1:
                yield Line(kind, axis, others, telling)

    def _along(self, kind: Swept, axis: int) -> str:
        lines = list(self.lines(kind, axis))
        path = self.paths[axis]
        if not lines:
            return ""
        if len(lines) == 1:
            return f"{kind.name}, by {path.title}: {_course(lines[0], path)}."
        found = [turn for line in lines if (turn := line.turn)]
        turns = [turn for turn in found if turn[1] != _CHANGES] or found
        if not turns:
            return f"{kind.name}: {path.title} changes no verdict in its range."
        low, high = _bracket(path, turns)
        return (
            f"{kind.name}, by {path.title}: {_happens(turns)} between {low} and {high}, in "
            f"{len(turns)} of {len(lines)} combinations of the other numbers."
        )

    def _of_sample(self, kind: Swept) -> str:
        helped = kind.count("helps")
        told = f"{kind.name}: helps at {helped} of {len(kind.at)} points"
        matters = ", ".join(
            f"{path.title} ({strength:+.2f})".replace("-", "\N{MINUS SIGN}")
            for path, strength in self._strengths(kind)
        )
        return f"{told}; speed goes with {matters} (rank correlation)." if matters else f"{told}."

    def _strengths(self, kind: Swept) -> list[tuple[Path, float]]:
        """How far the speed goes with each number, from -1 to 1, the strongest first."""
        # It is slow to load, and few sweeps need it.
        from scipy.stats import spearmanr

        there = [(at, each.counted[0]) for at, each in kind.at.items() if None not in at]
        found = []
        for axis, path in enumerate(self.paths):
            columns = [at[axis] for at, _ in there], [speed for _, speed in there]
            if all(len(set(column)) > 1 for column in columns):
                found.append((path, float(spearmanr(*columns).statistic)))
        return sorted(found, key=lambda each: -abs(each[1]))


def sweep_answer(results: Results) -> SweepAnswer | None:
    """The answer of a run as a sweep; None where nothing varies in it."""
    paths = results.journal.varied
    if not paths:
        return None
    figures = Places.of(results.means).labelled(results.means)
    places = by_place(results.records, paths)
    counted = answering(offloads(figures))
    return SweepAnswer(
        paths=tuple(map(Path.of, paths)),
        kinds=tuple(_kinds(counted, places)),
        rows=tuple(_rows(counted, places)),
        is_grid=bool(grid_of(results.journal.entries, paths)) or _is_grid(places.values()),
        run=results.journal,
    )


def _rows(counted: Sequence[Offload], places: Mapping[Place, Coordinates]) -> list[SweptRow]:
    """The pairs that differ in nothing but their places, together."""
    return [
        SweptRow(
            names.listed(titles.of_identity(identity).replace(", hardware", ""), of[0].at),
            {places[pair.identity.place]: pair for pair in of},
        )
        for identity, of in grouped(counted, lambda pair: pair.identity.anywhere).items()
    ]


def _kinds(counted: Sequence[Offload], places: Mapping[Place, Coordinates]) -> list[Swept]:
    """The kinds of the pairs, with their rows at each point."""
    return [
        Swept(
            name,
            {
                at: Kind(name, tuple(those))
                for at, those in grouped(of, lambda pair: places[pair.identity.place]).items()
            },
        )
        for name, of in grouped(counted, kind_of).items()
    ]


def _course(line: Line, path: Path) -> str:
    """The verdicts of all points: `loses from 25 MHz to 50 MHz, helps at 100 MHz`."""
    said = (f"{each.verdict} {_at(path, each.first, each.last)}" for each in line.stretches)
    return names.listed(*said)


def _at(path: Path, first: float, last: float) -> str:
    if first == last:
        return f"at {path.said(first)}"
    return f"from {path.said(first)} to {path.said(last)}"


_Turn = tuple[Change, str]


def _bracket(path: Path, turns: Sequence[_Turn]) -> tuple[str, str]:
    """The measured values between which all of these lie."""
    low = min(change.before for change, _ in turns)
    high = max(change.after for change, _ in turns)
    return path.said(low), path.said(high)


def _happens(turns: Sequence[_Turn]) -> str:
    """What happens at all of these."""
    words = {what for _, what in turns}
    return words.pop() if len(words) == 1 else _CHANGES


def _between(run: Journal, path: Path, change: Change, others: Mapping[Path, float | None]) -> str:
    """What measures the run's experiment between two values of a number, with one value of each
    other number that varied; empty where the checkout has no such experiment, or no number lies
    between.
    """
    # Of counts, such as engines, a board may have few values only.
    if not path.unit or not (CHECKOUT / "experiments" / f"{run.experiment}.toml").is_file():
        return ""
    spaced = " log" if change.before > 0 else ""
    ends = f"{path.typed(change.before)}..{path.typed(change.after)}"
    vary = [f"{path.text}={ends} x{_VALUES}{spaced}"]
    vary += [f"{other.text}={other.typed(at)}" for other, at in others.items() if at is not None]
    words = ["firesteel run", run.experiment, *(["--quick"] if run.quick else [])]
    for key in ("protocol", "cipher", "mac"):
        measured = {getattr(entry.cell, key) for entry in run.entries}
        words += [f"--only {key}={value}" for value in measured if len(measured) == 1]
    return " ".join([*words, *(f"--vary {shlex.quote(text)}" for text in vary)])


_Item = TypeVar("_Item")


def _without(at: tuple[_Item, ...], axis: int) -> tuple[_Item, ...]:
    return (*at[:axis], *at[axis + 1 :])


def _is_grid(points: Iterable[Coordinates]) -> bool:
    """Whether there is a point for every combination of values."""
    there = set(points)
    count = 1
    for values in zip(*there, strict=True):
        count *= len(set(values))
    return len(there) == count
