# SPDX-License-Identifier: Apache-2.0
"""The answer to a question of design on a terminal: a sentence, then the measurements that prove
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.requirements import Standing, worst
from firesteel.analysis.sheet import MISSING
from firesteel.board.numbers import Path
from firesteel.campaign.search import Search
from firesteel.experiment.candidates import BOARD, Candidate, Goal
from firesteel.experiment.requirement import Requirement
from firesteel.terminal.grid import Grid


@dataclass(frozen=True)
class Trial:
    """A candidate that was measured, and how its figures stand to all requirements."""

    candidate: Candidate
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
        found: dict[Requirement, Standing] = {}
        for each in self.standings:
            before = found.get(each.requirement)
            if not each.holds and (before is None or each.margin < before.margin):
                found[each.requirement] = each
        return list(found.values())


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
            return [*self._without_answer, f"{self._tried}."]
        which = "first board" if self.path == BOARD else f"{self.goal} {self.title}"
        told = [f"The {which} that meets all requirements is {found.text}."]
        if before is not None:
            told.append(f"At {before.text} they are not met: {_why(self._trial(before))}.")
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
                f"None of the {self._values} asked for meets all requirements.",
                f"The nearest is {nearest.candidate.text}: {_why(nearest)}.",
            ]
        told = [
            f"All requirements are met at {met.text}, but not behind it.",
            f"At {last.text} they are not met: {_why(self._trial(last))}.",
        ]
        if self.search.tried[0]:
            told.append(self._other_way)
        else:
            told.append(f"Neither end meets them; ask for {self._values} that end at {met.text}.")
        return told

    @property
    def _other_way(self) -> str:
        if self.path == BOARD:
            return "Name the boards in the reverse order: the answer is then the first that does."
        other = "largest" if self.goal == "smallest" else "smallest"
        return f"Ask for the {other} with --{other}: it begins at the other end."

    @property
    def _tried(self) -> str:
        return f"{len(self.trials)} of {len(self.search.values)} {self._values} were measured"

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


def show_answer(console: Console, answer: Answer) -> None:
    """The sentences, then a row for each candidate that was measured."""
    first, *rest = answer.sentences
    console.print(f"[bold]{escape(first)}[/bold]", highlight=False)
    for sentence in rest:
        console.print(escape(sentence), highlight=False)
    console.print()
    _proof(answer).show(console)


def _proof(answer: Answer) -> Grid:
    order = {id(value): index for index, value in enumerate(answer.search.values)}
    lines = []
    for trial in sorted(answer.trials, key=lambda each: order[id(each.candidate)]):
        worsts = (worst(trial.standings, each) for each in answer.requirements)
        texts = [each.said if each else MISSING for each in worsts]
        lines.append((trial.candidate.text, [*texts, trial.bounds, "yes" if trial.holds else "no"]))
    heads = (
        f"{each.metric}\n{each.text.removeprefix(each.metric).strip()}"
        for each in answer.requirements
    )
    return Grid(f"The worst figure at each {answer.title}", (*heads, "limited by", "met"), lines)


def frame(answer: Answer) -> pl.DataFrame:
    """A tidy row for each figure that a requirement is of, at each candidate."""
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(("path", "candidate", "requirement", "what"), pl.String),
        "value": pl.Float64,
        "met": pl.Boolean,
        "note": pl.String,
        "answer": pl.Boolean,
    }
    rows = [
        {
            "path": answer.path,
            "candidate": f"{trial.candidate.value:.15g}"
            if isinstance(trial.candidate.value, float)
            else trial.candidate.value,
            "requirement": each.requirement.text,
            "what": each.what,
            "value": each.value,
            "met": each.holds,
            "note": each.why_not,
            "answer": trial.candidate == answer.search.first,
        }
        for trial in answer.trials
        for each in trial.standings
    ]
    return pl.DataFrame(rows, schema=schema)


def _why(trial: Trial) -> str:
    return ", ".join(
        f"{each.requirement.metric} {each.said} ({each.what})" for each in trial.missed
    )
