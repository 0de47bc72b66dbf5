# SPDX-License-Identifier: Apache-2.0
"""A study's statements in a page, with what a recorded run says of each."""

from firesteel.analysis.results import load_results
from firesteel.analysis.study import load_studies
from firesteel.base.errors import FiresteelError
from firesteel.replication.statements import Answer, answers, summary
from firesteel.store.store import Store
from tools.markdown import table

_HEAD = ("statement", "where", "published", "ours", "verdict", "remark")


def statements(store: Store, asked: str) -> str:
    """All statements of a study, asked for as `RUN STUDY`, and how many have which verdict."""
    match asked.split():
        case [run, name]:
            pass
        case _:
            raise FiresteelError(f"`statements: {asked}`: allowed is RUN STUDY.")
    found = [study for study in load_studies() if study.name == name]
    if not found:
        raise FiresteelError(f"`statements: {asked}`: there is no study `{name}`.")
    those = answers(found[0], load_results(store, run).means)
    return f"{summary(those)}\n\n{table(_HEAD, map(_cells, those))}"


def _cells(answer: Answer) -> tuple[str, ...]:
    values = (answer.with_unit(answer.published), answer.with_unit(answer.ours))
    return (answer.said, answer.where, *values, answer.verdict, answer.why)
