# SPDX-License-Identifier: Apache-2.0
"""The table of old and new commands: nothing that a user can ask today is forgotten."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import invoke
from typer.core import TyperArgument

from firesteel import cli
from firesteel.base.errors import RequestError
from firesteel.cli.application import argument

TABLE = tomllib.loads(Path(cli.__file__).with_name("renamed.toml").read_text(encoding="utf-8"))
OLD: dict[str, dict[str, Any]] = TABLE["old"]
NEW: dict[str, dict[str, Any]] = TABLE["commands"]
MOST = 14
"""Commands, with those of groups."""


def today() -> dict[str, set[str]]:
    """The arguments and options of each command that there is; `board console` is one."""
    found: dict[str, set[str]] = {}

    def walk(command: Any, name: str) -> None:
        if hasattr(command, "commands"):
            for word, below in command.commands.items():
                walk(below, f"{name} {word}".strip())
        else:
            found[name] = {taken for each in command.params for taken in taken_by(each)}

    walk(typer.main.get_command(cli.app), "")
    return found


def taken_by(parameter: Any) -> list[str]:
    """What it is called: `RUN`, or all names of an option."""
    if isinstance(parameter, TyperArgument):
        return [argument(parameter).rstrip(".")]
    return list(parameter.opts)


def asked_by(becomes: str) -> tuple[str, list[str]]:
    """A command line's command, and the options in it."""
    command, *words = shlex.split(becomes)
    return command, [word for word in words if word.startswith("--")]


def test_every_command_of_today_is_in_the_table() -> None:
    assert today().keys() <= OLD.keys() | NEW.keys()


def test_every_option_of_today_has_a_place_in_the_new_command() -> None:
    for name, taken in today().items():
        if name not in OLD or OLD[name]["becomes"].startswith("python -m research."):
            continue
        new, _ = asked_by(OLD[name]["becomes"])
        renamed = OLD[name].get("options", {})
        lost = {renamed.get(each, each) for each in taken} - set(NEW[new]["takes"])
        assert not lost, f"{name}: {lost} of `firesteel {new}`"


def test_an_old_command_becomes_one_that_there_will_be() -> None:
    for name, row in OLD.items():
        new, options = asked_by(row["becomes"])
        if new != "python":
            assert set(options) <= set(NEW[new]["takes"]), name
        if name != new:
            assert row["why"], name


def test_there_are_few() -> None:
    assert len(NEW) <= MOST


def test_there_are_the_new_commands_and_no_others() -> None:
    there = today()
    assert there.keys() == NEW.keys()
    for name, command in NEW.items():
        assert set(command["takes"]) <= there[name], name


GONE = [name for name in OLD if name not in NEW]


@pytest.mark.parametrize("name", GONE)
def test_an_old_name_is_answered_with_the_new_command_line(name: str) -> None:
    new = OLD[name]["becomes"]
    told = new if new.startswith("python ") else f"firesteel {new}"
    for words in (name.split(), [*name.split(), "RUN", "--help"]):
        with pytest.raises(RequestError) as refused:
            invoke(*words)
        assert str(refused.value) == f"`firesteel {name}` is now `{told}`."
        assert refused.value.status == 2


def test_an_old_option_is_answered_with_the_new_one() -> None:
    for words in (("advise", "--profile", "socrates"), ("console", "--profile=socrates")):
        with pytest.raises(RequestError, match="`--profile` of `firesteel .*` is now `--board`"):
            invoke(*words)
