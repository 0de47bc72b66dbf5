# SPDX-License-Identifier: Apache-2.0
"""What a sweep says: the verdict of each kind of traffic and of each row at every point, and where
it becomes another: between two neighbouring points.  Nothing is interpolated: between points the
driver may begin to use the core, which no line foretells.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import prod
from typing import Any, Generic, TypeVar

from firesteel.base.checkout import EXPERIMENTS
from firesteel.boards.numbers import Path, base_of, numbers_in
from firesteel.judge.advice.answer import Kind, kind_of
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.places import Places
from firesteel.judge.results import Coordinates, Results, by_place
from firesteel.judge.rows import Rows, grouped
from firesteel.judge.verdict import (
    LOSSES,
    Offload,
    Verdict,
    answering,
    fastest_software,
)
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.identity import Identity
from firesteel.model.metrics import better
from firesteel.store.journal import Journal
from firesteel.workloads import titles

_VALUES = 4
"""How many values a command measures between two, both among them, whose records are there."""

_NAMED = 3
"""How many rows the headline names at most."""

Line = tuple[tuple[float, Verdict], ...]
"""Verdicts along one number, all others as they are, in order."""


Judged = TypeVar("Judged", Kind, Offload)


@dataclass(frozen=True)
class Swept(Generic[Judged]):
    """A kind of traffic at each point where it has rows; or a row, by its name without its place,
    at each point where it was measured both ways.
    """

    name: str
    at: Mapping[Coordinates, Judged]

    def count(self, verdict: Verdict) -> int:
        """The number of points with that verdict."""
        return sum(found.verdict == verdict for found in self.at.values())


@dataclass(frozen=True)
class SweepAnswer:
    """The kinds and rows of a sweep of the numbers `paths`; `is_grid` if its `run` has every
    combination of values, whether they were measured or not.  `crossed` has the two numbers
    of a grid.  Software does not depend on the first, which is the core's.  It is None for any
    other sweep.
    """

    paths: tuple[Path, ...]
    kinds: tuple[Swept[Kind], ...]
    rows: tuple[Swept[Offload], ...]
    is_grid: bool
    crossed: tuple[Path, Path] | None
    run: Journal
    fastest: Mapping[Identity, Offload]
    """The fastest software for each row in hardware at each point."""

    def by_cores(self, row: Swept[Offload]) -> dict[str, list[tuple[float, Offload]]]:
        """For each value of the cores' number, the points of a row along the other number; if only
        one number varies, all points.
        """
        axis = self.paths.index(self.crossed[1]) if self.crossed else 0
        found: dict[str, list[tuple[float, Offload]]] = {}
        for at in self.points:
            if (pair := row.at.get(at)) and (x := at[axis]) is not None:
                whose = self.crossed[0].said(at[1 - axis] or 0) if self.crossed else ""
                found.setdefault(whose, []).append((x, pair))
        return found

    @property
    def points(self) -> list[Coordinates]:
        """All of them, sorted."""
        found = {at for kind in self.kinds for at in kind.at}
        return sorted(found, key=lambda at: [(each is not None, each or 0.0) for each in at])

    @property
    def headline(self) -> str:
        """Whether offload helps; rows that lose come first, by name, which the mean of a kind may
        hide.  A row counts once at each point.
        """
        if not self.kinds:
            return "Nothing was measured both in software and in hardware."
        verdicts = [pair.verdict for row in self.rows for pair in row.at.values()]
        count = len(verdicts)
        rows = f"{count} row{'s' if count > 1 else ''}"
        helps = f"helps in {verdicts.count('helps') or 'none'}"
        bad = [
            f"{does} {verdicts.count(verdict)}"
            for verdict, does in (("loses", "loses in"), ("mixed", "is mixed in"))
            if verdict in verdicts
        ]
        if not bad:
            unsure = verdicts.count("inconclusive")
            but = f" ({unsure} inconclusive)" if unsure else ""
            return f"{self.word}: offload {helps} of {rows} and loses in none{but}."
        bad[0] += f" of {rows}"
        if called := self._losing:
            bad[0] += f" ({names.first_of(called, _NAMED, '; ')})"
        begin = f"{self.word}, but" if self.word == "Mostly" else f"{self.word}:"
        return f"{begin} offload {names.all_of(bad)}. Offload {helps}."

    @property
    def word(self) -> str:
        """The headline's first words, by the kinds at all points: `Yes`, `Mostly` where rows are
        worse, `It depends`, `No`, or `Not shown` where nothing gains and something may.
        """
        verdicts = {pair.verdict for row in self.rows for pair in row.at.values()}
        if all(kind.count("helps") == len(kind.at) for kind in self.kinds):
            return "Mostly" if verdicts.intersection(LOSSES) else "Yes"
        if "helps" in verdicts or any(kind.count("helps") for kind in self.kinds):
            return "It depends"
        return "Not shown" if any(kind.count("inconclusive") for kind in self.kinds) else "No"

    @property
    def _losing(self) -> list[str]:
        """The rows that lose, each with its point in what varies; the costliest first."""
        found = [
            (pair.judged.cost, row.name, at)
            for row in self.rows
            for at, pair in row.at.items()
            if pair.verdict == "loses"
        ]
        found.sort(key=lambda each: -each[0])
        values = [{at[axis] for at in self.points} - {None} for axis in range(len(self.paths))]

        def point(at: Coordinates) -> str:
            axes = zip(self.paths, at, values, strict=True)
            return names.all_of(
                [of.said(x) for of, x, all_x in axes if x is not None and len(all_x) > 1]
            )

        return [" at ".join(filter(None, (name, point(at)))) for _, name, at in found]

    @property
    def sentences(self) -> list[str]:
        """A sentence for each kind and number that varies, and a second one if its rows disagree.
        Then follows the command that measures between two points.  For a sample, the sentences say
        which numbers matter.
        """
        if not self.is_grid:
            return [self._of_sample(kind) for kind in self.kinds]
        if self.crossed:
            # A row is there by each metric of its speed.
            return [*dict.fromkeys(self._by_row(self.crossed[1])), *self._narrowing()]
        told: list[str] = []
        for kind in self.kinds:
            for axis, path in enumerate(self.paths):
                if where := self.where(kind, axis):
                    told.append(f"{kind.name}, by {path.title}: {where}.")
                rows = {row.name: self.where(row, axis) for row in self.rows_of(kind)}
                if len(set(filter(None, rows.values()))) > 1:
                    listed = (f"{name}: {where}" for name, where in rows.items() if where)
                    told.append(f"Row by row: {'; '.join(listed)}.")
        return [*told, *self._narrowing()]

    def _by_row(self, path: Path) -> Iterator[str]:
        """For each row and number of the cores what `_turns` says."""
        lines = [(row.name, self.by_cores(row)) for row in self.rows]
        several = len({name for _, of in lines for name in of}) > 1
        for row, of in lines:
            turns = ((name, list(self._turns(line, path))) for name, line in of.items())
            whose = ((f"with {name}, " if several else "", said) for name, said in turns)
            if told := [f"{of_cores}{names.listed(*said)}" for of_cores, said in whose if said]:
                yield f"{row}: {'; '.join(told)}."

    def _turns(self, line: Sequence[tuple[float, Offload]], path: Path) -> Iterator[str]:
        """From which point of a line on a core is the bottleneck, and where software is faster; or
        else between which two points that begins.
        """
        values = [value for value, _ in line]
        first = path.said(values[0])
        since = {b: f"between {path.said(a)} and {path.said(b)}" for a, b in pairwise(values)}
        limited = [value for value, pair in line if pair.pair.other.bound == "core"]
        if limited and limited == values[-len(limited) :]:
            always = f"is the bottleneck {f'from {first} on' if len(values) > 1 else f'at {first}'}"
            begins = since.get(limited[0])
            yield f"a core {f'becomes the bottleneck {begins}' if begins else always}"
        for value, pair in line:
            best = self.fastest[pair.identity]
            if best.judged.gains[0].standing == "worse":
                other = best.software.identity
                key = other.parameter.key or ""
                own = other == pair.software.identity
                name = "software" if own else names.listed(titles.of_identity(other), key)
                begins = since.get(value)
                yield f"{name} overtakes {begins}" if begins else f"{name} is faster at {first}"
                return

    def rows_of(self, kind: Swept[Kind]) -> list[Swept[Offload]]:
        """The rows of a kind, the smallest size first."""
        # Pairs of a row differ in nothing but their places and figures.
        pairs = ((next(iter(row.at.values())), row) for row in self.rows)
        own = {pair.identity for each in kind.at.values() for pair in each.pairs}
        rows = [(pair, row) for pair, row in pairs if pair.identity in own]
        rows.sort(key=lambda each: each[0].identity.parameter.size_bytes or 0)
        return [row for _, row in rows]

    def where(self, of: Swept[Any], axis: int) -> str:
        """Its verdicts along a number: `loses from 25 MHz to 50 MHz, helps at 100 MHz`; or, where
        they depend on the others too, between which values they change.
        """
        path, lines = self.paths[axis], [line for _, line in self._lines(of, axis)]
        told = list(dict.fromkeys(_course(line, path) for line in lines))
        if len(told) < 2:
            return "".join(told)
        changing = [found[0] for line in lines if (found := _changes(line))]
        remark = _inconclusive(lines, path)
        if not changing:
            return f"changes nothing{remark}"
        low, high = min(before for before, _ in changing), max(after for _, after in changing)
        return (
            f"changes between {path.said(low)} and {path.said(high)}, in {len(changing)} of "
            f"{len(lines)} combinations of the other numbers{remark}"
        )

    def _lines(self, of: Swept[Any], axis: int) -> Iterator[tuple[Coordinates, Line]]:
        """The points along one number, for each combination of the others."""
        for others, points in grouped(of.at, lambda at: (*at[:axis], *at[axis + 1 :])).items():
            there = sorted(
                (value, of.at[at].verdict) for at in points if (value := at[axis]) is not None
            )
            telling = tuple(each for each in there if each[1] != PEER_LIMITED)
            if len(telling) > 1:
                yield others, telling

    def _narrowing(self) -> Iterator[str]:
        """How to measure between the two points of the first change."""
        every: list[Swept[Any]] = [*self.kinds, *self.rows]
        for of in every:
            for axis, path in enumerate(self.paths):
                for others, line in self._lines(of, axis):
                    for before, after in _changes(line):
                        rest = (*self.paths[:axis], *self.paths[axis + 1 :])
                        fixed = dict(zip(rest, others, strict=True))
                        if command := _between(self.run, path, before, after, fixed):
                            between = f"{path.said(before)} and {path.said(after)}"
                            there = tuple(each for each in line if before < each[0] < after)
                            remark = _inconclusive([there], path)
                            yield f"To narrow down what is between {between}{remark}: `{command}`."
                        return

    def _of_sample(self, kind: Swept[Kind]) -> str:
        """How far the speed goes with each number, from -1 to 1, the strongest first."""
        # It is slow to load, and few sweeps need it.
        from scipy.stats import spearmanr

        there = [(at, each.gains[0].value) for at, each in kind.at.items() if None not in at]
        found = []
        for axis, path in enumerate(self.paths):
            columns = [at[axis] for at, _ in there], [speed for _, speed in there]
            if all(len(set(column)) > 1 for column in columns):
                found.append((path.title, float(spearmanr(*columns).statistic)))
        found.sort(key=lambda each: -abs(each[1]))
        listed = ", ".join(f"{title} ({each:+.2f})" for title, each in found)
        matters = f"; speed goes with {listed} (rank correlation)" if found else ""
        return f"{kind.name}: helps at {kind.count('helps')} of {len(kind.at)} points{matters}."


def sweep_answer(results: Results) -> SweepAnswer | None:
    """The answer of a run as a sweep; None where nothing varies in it, be it that all numbers have
    one value.  A sweep of which one point is measured so far is a sweep.
    """
    paths = results.journal.varied
    places = by_place(results.records, paths)
    if len(set(places.values())) < 2 and not (paths and _has_points(results.journal)):
        return None
    is_grid = _is_grid(_planned(results.journal, paths)) or _is_grid(places.values())
    varied, pairs, row_of = tuple(map(Path.of, paths)), results.offloads, _unswept
    if crossed := _crossed(varied) if is_grid else None:
        pairs = tuple(_on_best_cpus(pairs, places, varied.index(crossed[1])))
        row_of = _on_any_cpus
    counted, all_rows = answering(pairs), Rows(results.means)
    several = len({base_of(pair.identity.board) for pair in counted}) > 1
    kinds = []
    by_kind = grouped(counted, lambda pair: (kind_of(pair), base_of(pair.identity.board)))
    for (kind, board), of in by_kind.items():
        name = f"{kind} [{board}]" if several else kind
        at = grouped(of, lambda pair: places[pair.identity.place])
        kinds.append(Swept(name, {point: Kind(name, tuple(those)) for point, those in at.items()}))
    by_row = grouped(counted, lambda pair: row_of(pair.identity))
    told = Places.of_rows(by_row)
    rows = []
    for identity, of in by_row.items():
        first, *others = {pair.identity.affinity for pair in of}
        own = replace(identity, affinity="" if others else first)
        title = titles.of_identity(own) + (", best affinity" if others else "")
        title = told.label(title, identity.place).replace(", hardware", "")
        points = {places[pair.identity.place]: pair for pair in of}
        rows.append(Swept(names.listed(title, of[0].at), points))
    return SweepAnswer(
        paths=varied,
        kinds=tuple(kinds),
        rows=tuple(rows),
        is_grid=is_grid,
        crossed=crossed,
        run=results.journal,
        fastest={pair.identity: fastest_software(pair, all_rows) for pair in counted},
    )


def _crossed(paths: Sequence[Path]) -> tuple[Path, Path] | None:
    """The numbers of `SweepAnswer.crossed`, if a grid is of these."""
    of_cores = [path for path in paths if path.on_cores]
    others = [path for path in paths if not path.on_cores]
    return (of_cores[0], others[0]) if len(of_cores) == len(others) == 1 else None


def _on_best_cpus(
    pairs: Iterable[Offload], places: Mapping[Place, Coordinates], axis: int
) -> list[Offload]:
    """At each value of a number, each row with that affinity alone with which hardware is fastest,
    of those that its experiment sets: on one CPU it may be another than on several.
    """

    def row(pair: Offload) -> tuple[Identity, float | None]:
        return _on_any_cpus(pair.identity), places[pair.identity.place][axis]

    found = []
    for of in grouped(pairs, row).values():
        choose = min if better(of[0].metric) == "lower" else max
        best = choose(of, key=lambda pair: pair.hardware.value)
        found += [pair for pair in of if pair.identity.affinity == best.identity.affinity]
    return found


def _on_any_cpus(identity: Identity) -> Identity:
    return replace(_unswept(identity), affinity="")


def _unswept(identity: Identity) -> Identity:
    """The row at all points: on the board and in the topology that the numbers are of."""
    board, topology = base_of(identity.board), base_of(identity.topology)
    return replace(identity, board=board, topology=topology)


def _inconclusive(lines: Iterable[Line], path: Path) -> str:
    """At which points of these it is, in brackets; nothing where it is at none."""
    values = {value for line in lines for value, verdict in line if verdict == "inconclusive"}
    return f" (inconclusive at {', '.join(map(path.said, sorted(values)))})" if values else ""


def _course(line: Line, path: Path) -> str:
    """The verdicts of all points, neighbours that have the same together."""
    told = []
    for verdict, those in groupby(line, key=lambda point: point[1]):
        ends = list(dict.fromkeys(path.said(value) for value, _ in those))
        span = f"at {ends[0]}" if len(ends) == 1 else f"from {ends[0]} to {ends[-1]}"
        told.append(f"{verdict} {span}")
    return names.listed(*told)


def _changes(line: Line) -> list[tuple[float, float]]:
    """Values between which the verdict becomes another, first where it helps: neighbours, or with
    those between them at which it is inconclusive.
    """
    settled = [each for each in line if each[1] != "inconclusive"]
    found = [(one, other) for one, other in pairwise(settled) if one[1] != other[1]]
    found.sort(key=lambda each: "helps" not in (each[0][1], each[1][1]))
    return [(one[0], other[0]) for one, other in found]


def _between(
    run: Journal, path: Path, before: float, after: float, others: Mapping[Path, float | None]
) -> str:
    """What measures the run's experiment between two values of a number, with one value of each
    other number that varied; empty where the checkout has no such experiment, or no number lies
    between.
    """
    # Of counts, such as engines, a board may have few values only.
    if not path.unit or not (EXPERIMENTS / f"{run.experiment}.toml").is_file():
        return ""
    spaced = " log" if before > 0 else ""
    vary = [f"{path.text}={path.typed(before)}..{path.typed(after)} x{_VALUES}{spaced}"]
    vary += [f"{other.text}={other.typed(at)}" for other, at in others.items() if at is not None]
    words = run.command("run", "--vary", "--sample", "--cells")
    for key in ("protocol", "cipher", "mac") if "--only" not in words else ():
        measured = {getattr(entry.cell, key) for entry in run.entries}
        words += [f"--only {key}={value}" for value in measured if len(measured) == 1]
    return " ".join([*words, *(f"--vary {shlex.quote(text)}" for text in vary)])


def _has_points(journal: Journal) -> bool:
    """Whether cells, measured or not, differ in the numbers of a board or topology."""
    places = {entry.cell.place for entry in journal.entries}
    # Of names that have a digest of their numbers, too.
    bases = {(at.board.split("+")[0], at.topology.split("+")[0], at.node, at.link) for at in places}
    return len(places) > len(bases)


def _planned(journal: Journal, paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Where the cells of a run stand, also those that failed or are not shown: by the names of
    their boards and topologies, which leave out what their files have.
    """
    for cell in (entry.cell for entry in journal.entries):
        name = cell.profiles[cell.measured]
        links, board = numbers_in(cell.topology), numbers_in(name)
        if links is None or board is None:  # Too long to tell.
            yield (f"{cell.topology} {name}",) * len(paths)
            continue
        said = links | board | {f"{cell.measured}:{keys}": each for keys, each in board.items()}
        yield tuple(said.get(path, "") for path in paths)


def _is_grid(points: Iterable[tuple[object, ...]]) -> bool:
    """Whether there is a point for every combination of values."""
    there = set(points)
    return len(there) == prod(len(set(values)) for values in zip(*there, strict=True))
