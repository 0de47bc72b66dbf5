# SPDX-License-Identifier: Apache-2.0
"""The table of old and new commands: nothing that a user could ask is forgotten."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import invoke

import research
from firesteel import cli
from firesteel.base.errors import FiresteelError, RequestError

TABLE = tomllib.loads(Path(cli.__file__).with_name("commands.toml").read_text(encoding="utf-8"))
OLD: dict[str, dict[str, Any]] = TABLE["old"]
MOST = 14
"""Commands, with those of groups."""


def test_an_old_command_line_is_one_of_today() -> None:
    group: Any = typer.main.get_command(cli.app)
    assert len(group.commands) <= MOST
    assert list(TABLE["commands"]) == group.list_commands(None)
    assert TABLE["commands"].keys() == group.commands.keys()
    for name, row in OLD.items():
        new, *words = shlex.split(row["becomes"])
        if new.startswith("PYTHONPATH="):
            assert row["becomes"].replace(words[-2], "research.fit") in str(research.__doc__)
        else:
            taken = {word for each in group.commands[new].params for word in each.opts}
            asked = {word for word in words if word.startswith("--")}
            assert asked | set(row.get("options", {}).values()) <= taken, name


@pytest.mark.parametrize("name", [name for name in OLD if name not in TABLE["commands"]])
def test_an_old_name_is_answered_with_the_new_command_line(name: str) -> None:
    new = OLD[name]["becomes"]
    told = new if new.startswith("PYTHONPATH=") else f"firesteel {new}"
    for words in (name.split(), [*name.split(), "RUN", "--help"]):
        with pytest.raises(RequestError) as refused:
            invoke(*words)
        assert str(refused.value) == f"`firesteel {name}` is now `{told}`."
        assert refused.value.status == 2


def test_the_first_word_of_an_old_name_may_be_a_command_of_today(tmp_path: Path) -> None:
    for words in (("provider",), ("provider", "--directory", str(tmp_path))):
        with pytest.raises(FiresteelError, match="There are no statistics"):
            invoke(*words)


def test_an_old_option_is_answered_with_the_new_one() -> None:
    for words in (("advise", "--profile", "socrates"), ("console", "--profile=socrates")):
        with pytest.raises(RequestError, match="`--profile` of `firesteel .*` is now `--board`"):
            invoke(*words)
