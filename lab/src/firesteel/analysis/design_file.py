# SPDX-License-Identifier: Apache-2.0
"""An answered question of design as the store has it: what was asked, and the runs that answer it.

    STORE/design/NAME/answer.json

It lies with the last of these runs, and has no figure: the answer is made of the runs' records.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from firesteel.analysis.design import Answer, Trial
from firesteel.base.envelope import Kind
from firesteel.campaign.search import Search
from firesteel.experiment.candidates import Candidate, Goal
from firesteel.experiment.requirement import Requirement
from firesteel.store.store import Store, write_whole

FORMAT = 1
"""The version of the file's format that this code writes and reads."""

_KIND = Kind("question of design", FORMAT, "`firesteel design` makes it again from its records")
_FILE = "answer.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Value(_Part):
    """A candidate, and the run that measured it; None where it was not needed."""

    text: str
    value: float | str
    run: str | None = None


class Question(_Part):
    """`run` is the last of the runs, by whose name the question is kept; `requirements` are as
    people write them, `values` in the order of the search, `order` the runs as they were made.
    """

    run: str
    goal: Goal
    path: str
    requirements: tuple[str, ...]
    values: tuple[Value, ...]
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
                Value(text=each.text, value=each.value, run=runs.get(id(each)))
                for each in answer.search.values
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
        candidates = [Candidate(each.text, each.value) for each in self.values]
        runs = {each.run: number for number, each in enumerate(self.values) if each.run}
        trials = [Trial.of(candidates[runs[run]], store, run, requirements) for run in self.order]
        tried = {runs[trial.run]: trial.holds for trial in trials}
        return Answer(self.goal, self.path, requirements, Search(candidates, tried), trials)


def question_path(store: Store, run: str) -> Path:
    """Where the question is, or would be, whose last run that one of `store.design` is."""
    return store.design.runs / run / _FILE


def save(store: Store, question: Question) -> Path:
    """Keeps a question, and gives its path."""
    path = question_path(store, question.run)
    write_whole(path, _KIND.sealed(question).encode())
    return path


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
