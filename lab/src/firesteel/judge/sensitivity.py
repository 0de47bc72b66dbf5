# SPDX-License-Identifier: Apache-2.0
"""A study of sensitivity in the store: every verdict on the board itself and at the ends of
assumptions, and the values at which it changes (crossovers).

    STORE/sensitivity/NAME/study.json

It is made of records, which it names, and can always be made of them again.  Rows are measured at
the ends of a range and with the board's own number.  In between, the logarithms of each ratio and
of the ends of its interval are interpolated linearly in the logarithm of the number.  The rule of
verdicts is applied to the result.  So a value at which a verdict changes is interpolated, and other
changes between measured points remain unseen.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind
from firesteel.base.quantity import in_words
from firesteel.boards.assumptions import Assumption, End
from firesteel.boards.profile import Clock
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.intervals import SLACK, Gain
from firesteel.judge.verdict import LOSSES, RowVerdict, Verdict, verdict_of
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.store.store import Store
from firesteel.table import CELL_COLUMNS, WHERE

FORMAT = 2
"""The version of the file's format that this code writes and reads."""

_KIND = Kind(
    "study of sensitivity", FORMAT, "`firesteel sensitivity` makes it again from its records"
)
_FILE = "study.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Point(_Part):
    """What a row's figures say with one set of numbers.

    The fields come from `judge.verdict.RowVerdict`: the ratios, the margins of their logarithms,
    and whether only the link slows the hardware down.
    """

    verdict: Verdict
    speed: float | None
    work: float | None
    speed_margin: float | None = None
    work_margin: float | None = None
    at_link: bool = False

    @staticmethod
    def of(judged: RowVerdict) -> "Point":
        """What a verdict says."""
        return Point(**{name: getattr(judged, name) for name in Point.model_fields})

    @property
    def ratios(self) -> dict[str, float | None]:
        """Both by what people call them."""
        return {"speed": self.speed, "CPU work": self.work}

    @property
    def gains(self) -> tuple[Gain, Gain]:
        """What the rule counts of both ratios."""
        return RowVerdict("", **self.model_dump(exclude={"verdict"})).gains


class Extreme(_Part):
    """An end of an assumption's range on the row's board; no point where a cell failed."""

    value: float
    point: Point | None


class Swing(_Part):
    """A row at both ends of an assumption.  `nominal` is the board's own number, and `unit` is the
    unit of all three numbers (`boards.numbers`).
    """

    assumption: str
    unit: str
    nominal: float
    low: Extreme
    high: Extreme

    def at(self, end: End) -> Extreme:
        """One of both ends."""
        return self.low if end == "low" else self.high


class Corner(_Part):
    """A row with several assumptions at ends of their ranges; no point where a cell failed."""

    ends: dict[str, End]
    point: Point | None


class Row(_Part):
    """A verdict, with its identity, its name, the metric of its speed, and the addresses of its
    records in software and hardware, measured on the unchanged boards.  `corners` are measured
    combinations of ends, if there are any (`judge.together`).
    """

    identity: Identity
    name: str
    metric: str
    records: tuple[str, ...]
    nominal: Point
    swings: tuple[Swing, ...]
    corners: tuple[Corner, ...] = ()


Standing = Literal["holds", "changes", "inconclusive", "not known"]
"""What becomes of a verdict over the whole range of an assumption, or of several.  One that stays
`inconclusive` says nothing that could hold.
"""

_MARKS = tuple(map(math.log, (1 - SLACK, 1.0, 1 / (1 - SLACK))))
"""Where a verdict may change, of a ratio's logarithm or of an end of its interval."""

_SIGNS: dict[End, int] = {"low": -1, "high": 1}


@dataclass(frozen=True)
class Crossover:
    """The value of an assumption from which on, towards an end, another verdict is given."""

    value: float
    verdict: Verdict
    end: End


def standing(row: Row, *swings: Swing) -> Standing:
    """Whether the verdict of a row holds over the ranges of these assumptions; of all that varied
    where none is named.
    """
    swings = swings or row.swings
    if any(crossovers(row, swing) for swing in swings):
        return "changes"
    ends = [end.point for swing in swings for end in (swing.low, swing.high)]
    if not ends or not all(map(_says_something, ends)):
        return "not known"
    return "inconclusive" if row.nominal.verdict == "inconclusive" else "holds"


def crossovers(row: Row, swing: Swing, to: Collection[Verdict] = ()) -> list[Crossover]:
    """Where the verdict of a row changes, or comes to be one of these, towards either end; at most
    one each way.
    """
    found = (
        next((flip for flip in _towards(row, swing, end) if not to or flip.verdict in to), None)
        for end in _SIGNS
    )
    return [flip for flip in found if flip]


def losses(row: Row, swing: Swing) -> list[Crossover]:
    """Where offload comes to lose, or to be mixed, of a row for which it is nothing as bad; often
    behind another change.
    """
    own = row.nominal.verdict
    worse = LOSSES[: LOSSES.index(own)] if own in LOSSES else LOSSES
    return crossovers(row, swing, worse) if worse else []


def can_lose(row: Row) -> bool:
    """Whether offload comes to lose, or to be mixed, somewhere in the range of an assumption."""
    return any(losses(row, swing) for swing in row.swings)


def _towards(row: Row, swing: Swing, end: End) -> Iterator[Crossover]:
    """All changes of a row's verdict on the way to an end, up to the first point that says
    nothing.
    """
    sign = _SIGNS[end]
    # The board's own number need not lie within the range.
    beyond = [
        (extreme.value, extreme.point)
        for extreme in (swing.low, swing.high)
        if extreme.point and (extreme.value - swing.nominal) * sign > 0
    ]
    path = [(swing.nominal, row.nominal), *sorted(beyond, key=lambda each: each[0] * sign)]
    given = row.nominal.verdict
    for (before, one), (after, other) in pairwise(path):
        if not (_says_something(one) and _says_something(other)):
            return
        for share, verdict in _verdicts(one, other):
            if verdict != given:
                given = verdict
                yield Crossover(_value_at(before, after, share), verdict, end)


def _value_at(before: float, after: float, share: float) -> float:
    if min(before, after) <= 0:
        return _between(before, after, share)
    return math.exp(_between(math.log(before), math.log(after), share))


def _says_something(point: Point | None) -> bool:
    return point is not None and point.verdict != PEER_LIMITED


def by_width(row: Row) -> list[Swing]:
    """The swings of a row, that which moves a ratio most first: by the largest divided by the
    smallest, as far as they are known.
    """

    def width(swing: Swing) -> float:
        points = [point for point in (swing.low.point, row.nominal, swing.high.point) if point]
        both = zip(*((point.speed, point.work) for point in points), strict=True)
        known = (list(filter(None, ratios)) for ratios in both)
        return max((max(ratios) / min(ratios) for ratios in known if ratios), default=1.0)

    return sorted(row.swings, key=width, reverse=True)


Scales = tuple[float, ...]


def scales_of(point: Point) -> Scales:
    """The numbers from which a verdict follows, in the form that is interpolated.  They are the
    logarithms of the gain and of the ends of its interval, first for speed, then for CPU work.
    """
    parts = [each for gain in point.gains for each in (gain.value, gain.low, gain.high)]
    return tuple(math.log(ratio) if ratio > 0 else -math.inf for ratio in parts)


def _verdicts(one: Point, other: Point) -> Iterator[tuple[float, Verdict]]:
    """The verdicts on the way from one point to another, each with the share of the way from which
    on it is given.
    """
    ways = list(zip(scales_of(one), scales_of(other), strict=True))
    turns = {0.0, 1.0}
    for first, last in ways:
        turns |= {(mark - first) / (last - first) for mark in _MARKS if first != last}
    for start, stop in pairwise(sorted(turn for turn in turns if 0 <= turn <= 1)):
        yield start, verdict_at([_between(*way, (start + stop) / 2) for way in ways])
    yield 1.0, other.verdict


def verdict_at(scales: Sequence[float]) -> Verdict:
    """The verdict that follows from them."""
    gains = [math.exp(each) for each in scales]
    return verdict_of(Gain(*gains[:3]), Gain(*gains[3:]))


def _between(first: float, last: float, share: float) -> float:
    # Nothing is known of the way to nothing but where it ends.
    if first == last or math.isinf(last - first):
        return first
    return first + (last - first) * share


@dataclass(frozen=True)
class Studied:
    """A row of a study, or of several; `left_out` are names of assumptions that did not vary and
    would matter, and `assumptions` those that did.  `recorded` are the names of the studies that
    come with the checkout, among those that say something of it.
    """

    row: Row
    left_out: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    recorded: tuple[str, ...] = ()

    def beside(self, older: "Studied") -> "Studied":
        """The combination of two studies of the same row; if an assumption varied in both, this
        study counts.
        """
        own = {swing.assumption for swing in self.row.swings}
        newer = own.issuperset(swing.assumption for swing in older.row.swings)
        if newer and (self.row.corners or not older.row.corners):
            return self
        parts = (older, self)
        swings = {swing.assumption: swing for part in parts for swing in part.row.swings}
        assumptions = {each.name: each for part in parts for each in part.assumptions}
        corners = self.row.corners or older.row.corners
        return Studied(
            self.row.model_copy(update={"swings": tuple(swings.values()), "corners": corners}),
            tuple(name for name in self.left_out if name not in assumptions),
            tuple(assumptions.values()),
            (*self.recorded, *older.recorded),
        )

    def title_of(self, assumption: str) -> str:
        """What people call an assumption that varied."""
        titles = {each.name: each.title for each in self.assumptions}
        return titles.get(assumption, assumption)


INTERPOLATED = (
    "Values are interpolated between the ends of a range and the board's own number, the logarithm "
    "of each ratio linearly in the logarithm of the number."
)

_NAMED = 3
"""How many assumptions a sentence names at most."""


class Sensitivity(_Part):
    """Verdicts of one study or of several, and the assumptions that varied; `left_out` are the
    names of those that mean something for the boards and did not vary.
    """

    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...] = ()
    rows: tuple[Row, ...]

    @staticmethod
    def of_all(found: Iterable[Studied]) -> "Sensitivity | None":
        """What is known of these rows, together; None if there is none."""
        known = list(found)
        if not known:
            return None
        assumptions = {each.name: each for part in known for each in part.assumptions}
        left_out = dict.fromkeys(name for part in known for name in part.left_out)
        return Sensitivity(
            rows=tuple(part.row for part in known),
            assumptions=tuple(assumptions.values()),
            left_out=tuple(left_out),
        )

    @property
    def judged(self) -> list[Row]:
        """The rows that have a verdict, and on whose boards something varied."""
        return [row for row in self.rows if row.swings and row.nominal.verdict != PEER_LIMITED]

    @property
    def changing(self) -> list[Row]:
        """Those whose verdict changes with some assumption."""
        return [row for row in self.judged if standing(row) == "changes"]

    def title_of(self, assumption: str) -> str:
        """What people call an assumption."""
        return next(each.title for each in self.assumptions if each.name == assumption)

    @property
    def headline(self) -> str:
        """How many verdicts hold, how many do not, how many of these come to a loss, and how many
        are inconclusive throughout.
        """
        count = len(self.judged)
        if not count:
            return "No verdict was given, so none could change."
        there = f"{count} verdict{'s' if count > 1 else ''}"
        verb = "hold" if count > 1 else "holds"
        standings, changing = [standing(row) for row in self.judged], self.changing
        unsure, unknown = (standings.count(each) for each in ("inconclusive", "not known"))
        told = f"{standings.count('holds')} of {there} {verb} over the whole range of {self._all}"
        if changing:
            verb, losing = "does" if len(changing) == 1 else "do", sum(map(can_lose, changing))
            told += f"; {len(changing)} {verb} not"
            told += f"; of these {losing or 'none'} can come to lose or be mixed"
        if unsure:
            told += f"; {unsure} stay{'s' if unsure == 1 else ''} inconclusive"
        if unknown:
            verb = "is" if unknown == 1 else "are"
            told += f"; {unknown} {verb} not known, because an end of a range is missing"
        return f"{told}."

    @property
    def _all(self) -> str:
        """The assumptions that varied: every one, or which."""
        if not self.left_out:
            return "every assumption"
        titles = [each.title for each in self.assumptions]
        varied = names.first_of(titles, _NAMED) if len(titles) > _NAMED else names.all_of(titles)
        return f"{varied} ({len(self.left_out)} other assumptions did not vary)"

    @property
    def crossovers(self) -> list[tuple[Row, Swing, Crossover]]:
        """For each row, the first change towards each end of an assumption, and the first change to
        a loss after it.
        """
        return [
            (row, swing, flip)
            for row in self.changing
            for swing in row.swings
            for flip in dict.fromkeys((*crossovers(row, swing), *losses(row, swing)))
        ]


class Study(Sensitivity):
    """All verdicts of an experiment that were studied; `clocks` are the boards' clocks."""

    run: str
    experiment: str
    title: str
    quick: bool
    started: str
    clocks: tuple[Clock, ...]


def study_path(store: Store, run: str) -> Path:
    """Where the study that was made of that run of `store.sensitivity` is, or would be."""
    return store.sensitivity.runs / run / _FILE


def save(store: Store, study: Study) -> Path:
    """Keeps a study, and gives its path."""
    return _KIND.write(study_path(store, study.run), study)


def load(store: Store, run: str) -> Study | None:
    """That study; None where it was never finished.

    Raises `FiresteelError` when its file is damaged or of another format.
    """
    path = study_path(store, run)
    study = _KIND.read(path, Study)
    if study is None:
        return None
    known = {each.name for each in study.assumptions}
    if any(swing.assumption not in known for row in study.rows for swing in row.swings):
        raise _KIND.damaged(str(path), "a row varies with an assumption that it does not have")
    return study


def studies(store: Store) -> list[Study]:
    """All studies that came to their end, the newest first.

    Raises `FiresteelError` when one is damaged.
    """
    found = (load(store, name) for name in store.sensitivity.run_names())
    # Of those started in one second, the number in the name tells which is newer.
    return sorted(
        filter(None, found), key=lambda each: (each.started, len(each.run), each.run), reverse=True
    )


def value_text(swing: Swing, value: float) -> str:
    """A number of an assumption with its unit."""
    return in_words(value, swing.unit)


def range_text(swing: Swing) -> str:
    """The range of an assumption on a board: `50 to 200 MHz`."""
    low, high = (value_text(swing, end.value) for end in (swing.low, swing.high))
    number, _, unit = low.partition(" ")
    return f"{number if unit and high.endswith(f' {unit}') else low} to {high}"


COLUMNS = (
    *("experiment", "protocol", "cipher", "mac", "implementation", "parameter"),
    *(*CELL_COLUMNS, *WHERE, "assumption", "unit", "end", "assumed", "metric"),
    *("speed", "cpu_work", "verdict", "standing", "changes_at", "changes_to"),
)
"""Columns of `frame`: the verdict's row, the assumption and its end (`own` is the board's own
number), and the results; `changes_at` is interpolated.
"""


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    """A row for each verdict and each of the three numbers of each assumption."""
    found = [line for row in rows for swing in row.swings for line in _lines(row, swing)]
    return pl.DataFrame(found, schema=COLUMNS, infer_schema_length=None)


def _lines(row: Row, swing: Swing) -> Iterable[dict[str, object]]:
    of = {**row.identity.columns(row.metric), **row.identity.where, **dict(swing)}
    flips: dict[str, Crossover] = {flip.end: flip for flip in crossovers(row, swing)}
    own = Extreme(value=swing.nominal, point=row.nominal)
    for end, at in (("low", swing.low), ("own", own), ("high", swing.high)):
        point, flip = at.point, flips.get(end)
        yield {
            **of,
            "end": end,
            "assumed": at.value,
            "speed": point and point.speed,
            "cpu_work": point and point.work,
            "verdict": point and point.verdict,
            "standing": standing(row, swing),
            "changes_at": flip and flip.value,
            "changes_to": flip and flip.verdict,
        }
