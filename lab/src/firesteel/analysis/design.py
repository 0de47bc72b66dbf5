# SPDX-License-Identifier: Apache-2.0
"""The answer to a question of design: the number that was looked for, and the measurements that
prove it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.bound import REMEDIES, Bound, in_words
from firesteel.analysis.places import Places
from firesteel.analysis.requirements import Standing, standings
from firesteel.analysis.results import load_results, spread_of
from firesteel.analysis.rows import Rows, grouped, read_results
from firesteel.analysis.sheet import MISSING
from firesteel.analysis.verdict import SPEEDS
from firesteel.board.numbers import Path
from firesteel.campaign.search import Search
from firesteel.experiment.candidates import BOARD, Candidate, Goal
from firesteel.experiment.requirement import Requirement
from firesteel.model import names
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.table import samples_of

_OF_SPEED = frozenset((*SPEEDS, "link_use", "core_busy"))
"""Metrics that are better once what limits a row is faster; CPU use is not."""


def standings_of(records: Iterable[Record], requirements: Iterable[Requirement]) -> list[Standing]:
    """How the figures of these records stand to requirements; raises what `standings` does."""
    figures = read_results(spread_of(samples_of(records)))
    return standings(Rows(Places.of(figures).labelled(figures), first=True), requirements)


@dataclass(frozen=True)
class Trial:
    """A candidate that was measured, and how its figures stand to all requirements; `run` is the
    run among the store's runs for questions of design.
    """

    candidate: Candidate
    run: str
    standings: tuple[Standing, ...]

    @staticmethod
    def of(
        candidate: Candidate, store: Store, run: str, requirements: Iterable[Requirement]
    ) -> "Trial":
        """What that run says; raises what `standings` does."""
        records = load_results(store.design, run).records
        return Trial(candidate, run, tuple(standings_of(records, requirements)))

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
        found: dict[Requirement, Standing] = {}
        for each in self.standings:
            before = found.get(each.requirement)
            if not each.holds and (before is None or each.margin < before.margin):
                found[each.requirement] = each
        return list(found.values())

    @property
    def why(self) -> str:
        """What is missed in each row, with what limited it."""
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

    @property
    def title(self) -> str:
        """What is looked for: `clock of all cores`."""
        return "board" if self.path == BOARD else Path.of(self.path).title

    @property
    def sentences(self) -> list[str]:
        """The answer, and what it rests on."""
        found, before = self.search.first, self.search.before
        if found is None:
            return [*self._without_answer, f"{self._tried}{self._others}."]
        which = "first board" if self.path == BOARD else f"{self.goal} {self.title}"
        told = [f"The {which} that meets all requirements is {found.text}."]
        if before is not None:
            told.append(f"At {before.text} they are not met: {self._trial(before).why}.")
        else:
            told.append("It is the first one that was asked for, so another beyond it may do, too.")
        told.append(f"{self._tried}; {self._beyond}")
        return told

    @property
    def _values(self) -> str:
        return "boards" if self.path == BOARD else "values"

    @property
    def _without_answer(self) -> list[str]:
        """What the measurements show where the last value does not meet the requirements."""
        met, last = self.search.last_holding, self.search.values[-1]
        if met is None:
            nearest = max(self.trials, key=lambda each: min(one.margin for one in each.standings))
            return [
                f"{self._none} meets all requirements.",
                f"The nearest is {nearest.candidate.text}: {nearest.why}.",
                *map(_remedy, nearest.limits),
            ]
        told = [
            f"All requirements are met at {met.text}, but not behind it.",
            f"At {last.text} they are not met: {self._trial(last).why}.",
        ]
        if self.search.tried[0]:
            told.append(self._other_way)
        else:
            told.append(f"Neither end meets them; ask for {self._values} that end at {met.text}.")
        return told

    @property
    def _none(self) -> str:
        if self.path == BOARD:
            return "None of the boards asked for"
        first, last = self.search.values[0], self.search.values[-1]
        low, high = (first, last) if self.goal == "smallest" else (last, first)
        return f"No {self.title} from {low.text} to {high.text}"

    @property
    def _other_way(self) -> str:
        if self.path == BOARD:
            return "Name the boards in the reverse order: the answer is then the first that does."
        other = "largest" if self.goal == "smallest" else "smallest"
        return f"Ask for the {other} with --{other}: it begins at the other end."

    @property
    def _tried(self) -> str:
        return f"{len(self.trials)} of {len(self.search.values)} {self._values} were measured"

    @property
    def _others(self) -> str:
        """What is not known where no value that was measured meets them."""
        if self.search.last_holding is not None or len(self.trials) == len(self.search.values):
            return ""
        return "; that none of the others meets them is assumed"

    def _trial(self, of: Candidate) -> Trial:
        return next(each for each in self.trials if each.candidate == of)

    @property
    def _beyond(self) -> str:
        contradiction = self.search.contradiction
        if contradiction:
            holds, fails = contradiction
            return (
                f"they do not agree: requirements are met at {holds.text} and not at {fails.text}, "
                f"so the answer is of the {self._values} behind."
            )
        return (
            f"that requirements are met at all {self._values} behind the answer is assumed, and "
            "none of them contradicts it."
        )


def _remedy(limit: Bound) -> str:
    return (
        f"What limits the speed there is {in_words(limit)}; {REMEDIES[limit]} would change it "
        "(docs/what-limits.md)."
    )


def _limited(those: Sequence[Standing]) -> str:
    """What limited their row; nothing where that is unknown, or what they say themselves."""
    limit = those[0].row.bound
    if limit is None or any(each.value is None for each in those):
        return ""
    return f"limited by {in_words(limit)}"
