# SPDX-License-Identifier: Apache-2.0
"""What pages show of a question of design: the command that asks it, and the recorded answer."""

import shlex
from collections.abc import Sequence
from io import StringIO

from rich.console import Console

from firesteel.analysis import design_file
from firesteel.base.errors import FiresteelError
from firesteel.store.store import Store
from firesteel.terminal.design_table import show_answer
from tools.runs import RUNS, Run, load_designs

_WIDTH = 100
"""Of the command."""


def question_named(name: str) -> Run:
    """The question of that name; `FiresteelError` where nobody asks it."""
    asked = next((each for each in load_designs() if each.name == name), None)
    if asked is None:
        raise FiresteelError(f"`design: {name}`: {RUNS} has no such question of design.")
    return asked


def command_lines(asked: Run) -> list[str]:
    """The command as it is typed, with an option and its value always in one line."""
    lines = ["./firesteel design"]
    for words in (asked.experiment, *_options(asked.options)):
        longer = f"{lines[-1]} {words}"
        if len(longer) + len(_GOES_ON) > _WIDTH:
            lines[-1] += _GOES_ON
            lines.append(f"    {words}")
        else:
            lines[-1] = longer
    return lines


def answer_lines(store: Store, name: str, width: int) -> list[str]:
    """The answer as a terminal of that width shows it; nothing where it is not recorded."""
    question = design_file.load(store, name)
    if question is None:
        return []
    console = Console(file=(out := StringIO()), width=width)
    show_answer(console, question.answer(store))
    return out.getvalue().splitlines()


_GOES_ON = " \\"


def _options(words: Sequence[str]) -> list[str]:
    """Each with its value."""
    found: list[str] = []
    for word in words:
        said = word if shlex.quote(word) == word else f'"{word}"'
        if word.startswith("--"):
            found.append(said)
        else:
            found[-1] += f" {said}"
    return found
