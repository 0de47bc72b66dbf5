# SPDX-License-Identifier: Apache-2.0
"""A question of design: the candidates, values of a number or boards by their names, in order;
their bisection; the answer with its measurements; and its file.

    STORE/design/NAME/answer.json

It lies with the last of these runs, and has no figure: the answer is made of the runs' records.

It is assumed that a requirement that a candidate meets is met by all behind it.  Trying some cannot
prove that; `Search.contradiction` says where those that were tried show otherwise.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path as File
from typing import Generic, Literal, TypeVar

from firesteel.base.envelope import Kind
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import Levels
from firesteel.base.toml import Table
from firesteel.boards.catalog import Axis, Catalog, at_point
from firesteel.boards.numbers import Path
from firesteel.judge.bound import REMEDIES, Bound, in_words
from firesteel.judge.pairing import disagreement
from firesteel.judge.places import Places
from firesteel.judge.requirements import Requirement, Standing, standings, worst
from firesteel.judge.results import spread_of
from firesteel.judge.rows import Rows, grouped, read_results
from firesteel.judge.verdict import SPEEDS
from firesteel.model import names
from firesteel.model.cell import Cell
from firesteel.model.names import MISSING
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.table import samples_of

Value = TypeVar("Value")


@dataclass
class Search(Generic[Value]):
    """Values in the order in which it becomes easier to hold, and at which of them it does, as far
    as they were tried.
    """

    values: Sequence[Value]
    tried: dict[int, bool] = field(default_factory=dict)

    @property
    def first_index(self) -> int | None:
        """Where the first value is that holds, with all that were tried behind it; None where the
        last one does not.
        """
        found = None
        for index, holds in sorted(self.tried.items(), reverse=True):
            if not holds:
                break
            found = index
        return found

    @property
    def first(self) -> Value | None:
        """That value."""
        found = self.first_index
        return None if found is None else self.values[found]

    @property
    def last_holding(self) -> Value | None:
        """The last value that was tried at which it holds, whatever is behind it."""
        holding = [index for index, holds in self.tried.items() if holds]
        return self.values[max(holding)] if holding else None

    @property
    def before(self) -> Value | None:
        """The nearest value before that one that was tried: there it does not hold.  None where
        there is no value before it.
        """
        end = len(self.values) if self.first_index is None else self.first_index
        earlier = [index for index in self.tried if index < end]
        return self.values[max(earlier)] if earlier else None

    @property
    def gap(self) -> tuple[int, int]:
        """Where the first value that holds lies: behind the one, up to the other, where there is
        any; both are the same if it is the very first.
        """
        end = len(self.values) - 1 if self.first_index is None else self.first_index
        return max((index for index in self.tried if index < end), default=end), end

    @property
    def contradiction(self) -> tuple[Value, Value] | None:
        """A value at which it holds, and one behind it at which it does not."""
        holding = [index for index, holds in self.tried.items() if holds]
        for index, holds in sorted(self.tried.items()):
            if not holds and holding and min(holding) < index:
                return self.values[min(holding)], self.values[index]
        return None


def search(
    values: Sequence[Value], holds: Callable[[Value], bool], probes: int = 0
) -> Search[Value]:
    """Tries both ends, so many `probes` evenly in between, and then halves what is left."""
    found = Search(values)
    for index in _anyway(len(values), probes):
        found.tried[index] = holds(values[index])
    while found.first_index is not None:
        fails, end = found.gap
        middle = (fails + end) // 2
        if middle in found.tried:
            break
        found.tried[middle] = holds(values[middle])
    return found


def most_tried(count: int, probes: int = 0) -> int:
    """How many of so many values `search` tries at the most."""
    anyway = sorted(_anyway(count, probes))
    return len(anyway) + max((b - a - 1).bit_length() for a, b in pairwise(anyway))


def _anyway(count: int, probes: int) -> list[int]:
    """Which of so many values are tried whatever comes of it."""
    last = count - 1
    between = (round(last * number / (probes + 1)) for number in range(1, probes + 1))
    return list(dict.fromkeys((last, 0, *between)))


Goal = Literal["smallest", "largest"]

BOARD = "board"
"""What stands for a number where boards are named."""

MOST_WHOLE = 10_000
"""Values of a range of counts."""


class Candidate(Table):
    """A value of a number, or the name of a board; in a file with the run that measured it, None
    where it was not needed.
    """

    text: str
    value: float | str
    run: str | None = None

    def of(self, cell: Cell, path: str, catalog: Catalog) -> Cell:
        """The cell on that board."""
        if isinstance(self.value, float):
            return at_point(cell, {path: self.value}, catalog)
        return cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: self.value}})


def read_candidates(
    goal: Goal, said: str, tolerance: float, catalog: Catalog
) -> tuple[str, tuple[Candidate, ...]]:
    """The path of `PATH=VALUES` and its candidates, ordered so that all after the first sufficient
    one suffice too.  The order is ascending for the smallest, and descending for the largest.

    A range of a number without a unit is of all whole numbers; one of another number is of values
    each at most `tolerance` above the one before.  Raises `FiresteelError` where there is no such
    number or board, or its values cannot be understood.
    """
    path, equals, values = said.partition("=")
    path = path.strip()
    if not equals:
        raise FiresteelError(
            f"--{goal} {said}: allowed is PATH=VALUES, such as "
            "cores.*.timing.clock_hz=25..400MHz, or board=NAME,NAME."
        )
    if path == BOARD:
        found = [_board(name.strip(), catalog) for name in values.split(",")]
        names = [each.text for each in found]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise FiresteelError(
                f"--{goal} {said}: `{twice}` appears more than once; each board may appear once."
            )
    else:
        try:
            found = _numbers(Axis.read(path, values), tolerance)
        except ValueError as error:
            raise FiresteelError(f"--{goal} {said}: {error}.") from None
    if len(found) < 2:
        raise FiresteelError(f"--{goal} {said}: that is one value; allowed are two or more.")
    return path, tuple(found if goal == "smallest" else reversed(found))


def _board(name: str, catalog: Catalog) -> Candidate:
    found = catalog.find_profile(name, File.cwd())
    return Candidate(text=found, value=found)


def _numbers(axis: Axis, tolerance: float) -> list[Candidate]:
    of = Path.of(axis.path)
    values = axis.levels.values or _range(axis.levels, tolerance, whole=not of.unit)
    return [Candidate(text=of.said(value), value=float(value)) for value in sorted(values)]


def _range(levels: Levels, tolerance: float, *, whole: bool) -> Sequence[float]:
    if whole:
        found = range(round(levels.low), round(levels.high) + 1)
        if len(found) > MOST_WHOLE:
            raise ValueError(f"the range has {len(found)} values; allowed are {MOST_WHOLE}")
        return [float(value) for value in found]
    if levels.low <= 0:
        raise ValueError("its range must begin above 0")
    steps = max(1, math.ceil(math.log(levels.high / levels.low) / math.log1p(tolerance)))
    between = Levels(low=levels.low, high=levels.high, log=True)
    return sorted({between.at(step / steps) for step in range(steps + 1)})


_OF_SPEED = frozenset((*SPEEDS, "link_use", "core_busy", "storage_busy"))
"""Metrics that are better once what limits a row is faster; CPU use is not."""


def standings_of(
    records: Iterable[Record], requirements: Iterable[Requirement]
) -> tuple[Standing, ...]:
    """How the figures of these records stand to requirements; raises what `standings` does."""
    figures = read_results(spread_of(samples_of(records)))
    rows = Rows(Places.of(figures).labelled(figures), first=True)
    return tuple(standings(rows, requirements))


def records_of(store: Store, run: str) -> list[Record]:
    """Those of a run among the store's runs for questions of design."""
    return store.design.records(store.design.journal(run))


@dataclass(frozen=True)
class Trial:
    """A candidate that was measured, and how its figures stand to all requirements; `run` is the
    run among the store's runs for questions of design.
    """

    candidate: Candidate
    run: str
    standings: tuple[Standing, ...]

    @property
    def holds(self) -> bool:
        """Whether all are met."""
        return all(each.holds for each in self.standings)

    @property
    def bounds(self) -> str:
        """What limits its rows."""
        rows = {id(each.row): each.row for each in self.standings}.values()
        return ", ".join(dict.fromkeys(row.bound or MISSING for row in rows))

    @property
    def missed(self) -> list[Standing]:
        """The worst row of each requirement that is not met, in their order."""
        wanted = dict.fromkeys(each.requirement for each in self.standings)
        found = (worst(self.standings, each) for each in wanted)
        return [each for each in found if each and not each.holds]

    @property
    def why(self) -> str:
        """The missed requirements in each row, with their limits."""
        rows = grouped(self.missed, lambda each: id(each.row)).values()
        return ", ".join(
            f"{names.all_of([each.figure for each in those])} "
            f"({names.listed(those[0].what, _limited(those))})"
            for those in rows
        )

    @property
    def limits(self) -> list[Bound]:
        """What limited the rows that are too slow for a requirement."""
        slow = (each for each in self.missed if each.requirement.metric in _OF_SPEED)
        return list(dict.fromkeys(each.row.bound for each in slow if each.row.bound))


@dataclass(frozen=True)
class Answer:
    """What was asked, and all that was measured for it."""

    goal: Goal
    path: str
    requirements: Sequence[Requirement]
    search: Search[Candidate]
    trials: Sequence[Trial]
    differences: str = ""
    """A sentence where the candidates were not measured with the same software."""

    @property
    def title(self) -> str:
        """What is looked for: `clock of all cores`."""
        return "board" if self.path == BOARD else Path.of(self.path).title

    @property
    def sentences(self) -> list[str]:
        """The answer, and what it rests on."""
        search, board = self.search, self.path == BOARD
        values = "boards" if board else "values"
        tried = f"{len(self.trials)} of {len(search.values)} {values} were measured"
        met, last = search.last_holding, search.values[-1]
        if search.first is not None:
            which = "first board" if board else f"{self.goal} {self.title}"
            told = [f"The {which} that meets all requirements is {search.first.text}."]
            if search.before is not None:
                told.append(self._not_met(search.before))
            else:
                told.append("It is the first one that was asked for; one beyond it may do, too.")
            agree = "none of the values measured contradicts that requirements are met behind it"
            if contradiction := search.contradiction:
                holds, fails = (each.text for each in contradiction)
                agree = f"they are met at {holds} too, and not at {fails} behind it"
            return [*told, f"{tried}; {agree}."]
        if met is not None:
            told = [f"All requirements are met at {met.text}, but not behind it."]
            ends = f"ask for {values} that end at {met.text}, or from the other end"
            return [*told, self._not_met(last), f"{tried}; {ends}."]
        low, high = search.values[0], last
        if self.goal == "largest":
            low, high = high, low
        none = "None of the boards asked for"
        if not board:
            none = f"No {self.title} from {low.text} to {high.text}"
        nearest = max(self.trials, key=lambda each: min(one.margin for one in each.standings))
        return [
            f"{none} meets all requirements.",
            f"The nearest is {nearest.candidate.text}: {nearest.why}.",
            *(
                f"What limits the speed there is {in_words(limit)}; {REMEDIES[limit]} would change "
                "it (docs/what-limits.md)."
                for limit in nearest.limits
            ),
            f"{tried}.",
        ]

    def _not_met(self, of: Candidate) -> str:
        trial = next(each for each in self.trials if each.candidate == of)
        return f"At {of.text} they are not met: {trial.why}."


def _limited(those: Sequence[Standing]) -> str:
    """What limited their row; nothing where that is unknown, or what they say themselves."""
    limit = those[0].row.bound
    if limit is None or any(each.value is None for each in those):
        return ""
    return f"limited by {in_words(limit)}"


FORMAT = 1
"""The version of the file's format that this code writes and reads."""

_KIND = Kind("question of design", FORMAT, "`firesteel design` makes it again from its records")
_FILE = "answer.json"


class Question(Table):
    """`run` is the last run, whose name the question gets.  `requirements` are as people write
    them, `values` in the order of the search, and `order` has the runs in the order of their
    measurement.
    """

    run: str
    goal: Goal
    path: str
    requirements: tuple[str, ...]
    values: tuple[Candidate, ...]
    order: tuple[str, ...]

    @staticmethod
    def of(answer: Answer) -> "Question":
        """What is kept of an answer."""
        runs = {id(trial.candidate): trial.run for trial in answer.trials}
        return Question(
            run=answer.trials[-1].run,
            goal=answer.goal,
            path=answer.path,
            requirements=tuple(each.text for each in answer.requirements),
            values=tuple(
                each.model_copy(update={"run": runs.get(id(each))}) for each in answer.search.values
            ),
            order=tuple(trial.run for trial in answer.trials),
        )

    def renamed(self, names: dict[str, str]) -> "Question":
        """The same with other names of its runs."""
        values = tuple(
            each.model_copy(update={"run": names[each.run]}) if each.run else each
            for each in self.values
        )
        order = tuple(names[run] for run in self.order)
        return self.model_copy(update={"run": names[self.run], "values": values, "order": order})

    def answer(self, store: Store) -> Answer:
        """The answer, from the records of the runs.

        Raises `FiresteelError` where one of them is missing or damaged.
        """
        requirements = tuple(Requirement.read(text) for text in self.requirements)
        runs = {each.run: number for number, each in enumerate(self.values) if each.run}
        records = {run: records_of(store, run) for run in self.order}
        trials = [
            Trial(self.values[runs[run]], run, standings_of(those, requirements))
            for run, those in records.items()
        ]
        tried = {runs[trial.run]: trial.holds for trial in trials}
        search = Search(self.values, tried)
        apart = disagreement(chain.from_iterable(records.values()))
        return Answer(self.goal, self.path, requirements, search, trials, apart)


def question_path(store: Store, run: str) -> File:
    """Where the question is, or would be, whose last run that one of `store.design` is."""
    return store.design.runs / run / _FILE


def save(store: Store, question: Question) -> File:
    """Keeps a question, and gives its path."""
    return _KIND.write(question_path(store, question.run), question)


def load(store: Store, run: str) -> Question | None:
    """That question; None where it was never answered.

    Raises `FiresteelError` when its file is damaged or of another format.
    """
    path = question_path(store, run)
    question = _KIND.read(path, Question)
    if question is None:
        return None
    measured = {each.run for each in question.values if each.run}
    if set(question.order) != measured or question.run not in measured:
        raise _KIND.damaged(str(path), "its runs are not those of its values")
    return question
