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
    """The arguments and options of each command that there is."""
    group: Any = typer.main.get_command(cli.app)
    return {
        name: {
            word
            for each in command.params
            for word in (
                [argument(each).rstrip(".")] if isinstance(each, TyperArgument) else each.opts
            )
        }
        for name, command in group.commands.items()
    }


def test_there_are_the_new_commands_and_no_others() -> None:
    there = today()
    assert len(NEW) <= MOST
    assert there.keys() == NEW.keys()
    for name, command in NEW.items():
        assert set(command["takes"]) <= there[name], name


def test_every_old_command_and_option_has_a_place() -> None:
    for name, row in OLD.items():
        new, *words = shlex.split(row["becomes"])
        if new != "python":
            assert {word for word in words if word.startswith("--")} <= set(NEW[new]["takes"]), name
        assert name == new or row["why"], name
    for name, taken in today().items():
        if name in OLD:
            renamed = OLD[name].get("options", {})
            new = shlex.split(OLD[name]["becomes"])[0]
            lost = {renamed.get(each, each) for each in taken} - set(NEW[new]["takes"])
            assert not lost, f"{name}: {lost} of `firesteel {new}`"


@pytest.mark.parametrize("name", [name for name in OLD if name not in NEW])
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
