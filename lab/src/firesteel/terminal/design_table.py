# SPDX-License-Identifier: Apache-2.0
"""The answer to a question of design on a terminal: a sentence, then the measurements that prove
it.
"""

import polars as pl
from rich.console import Console

from firesteel.analysis.design import Answer
from firesteel.analysis.requirements import worst
from firesteel.analysis.sheet import MISSING
from firesteel.experiment.requirement import Requirement
from firesteel.terminal.grid import Grid, say, show


def show_answer(console: Console, answer: Answer) -> None:
    """The sentences, then a row for each candidate that was measured."""
    for number, sentence in enumerate(answer.sentences):
        say(console, sentence, "" if number else "bold")
    console.print()
    order = {id(value): index for index, value in enumerate(answer.search.values)}
    rows = []
    for trial in sorted(answer.trials, key=lambda each: order[id(each.candidate)]):
        worsts = {each: worst(trial.standings, each) for each in answer.requirements}
        cells = {_head(each): said.said if said else MISSING for each, said in worsts.items()}
        rows.append(
            {
                "": trial.candidate.text,
                **cells,
                "limited by": trial.bounds,
                "met": "yes" if trial.holds else "no",
            }
        )
    show(console, Grid.of(f"The worst figure at each {answer.title}", rows))


def _head(requirement: Requirement) -> str:
    parts = (f"{requirement.traffic}:" if requirement.traffic else "", requirement.metric)
    return "\n".join((*filter(None, parts), f"{requirement.sign} {requirement.bound_text}"))


def frame(answer: Answer) -> pl.DataFrame:
    """A tidy row for each figure that a requirement is of, at each candidate."""
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(("path", "candidate", "requirement", "traffic", "what"), pl.String),
        "value": pl.Float64,
        "met": pl.Boolean,
        "bound": pl.String,
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
            "traffic": each.traffic,
            "what": each.what,
            "value": each.value,
            "met": each.holds,
            "bound": each.row.bound or "",
            "note": each.why_not,
            "answer": trial.candidate == answer.search.first,
        }
        for trial in answer.trials
        for each in trial.standings
    ]
    return pl.DataFrame(rows, schema=schema)
