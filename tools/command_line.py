# SPDX-License-Identifier: Apache-2.0
"""The command line: every command with arguments and options, as `--help` has them."""

import re
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from firesteel.cli import app
from firesteel.cli.application import argument
from tools.markdown import code, table


def commands() -> str:
    """A section for each command."""
    command = typer.main.get_command(app)
    assert isinstance(command, TyperGroup)
    context = typer.Context(command, info_name="firesteel")
    return "\n\n".join(_sections(command, context))


def _sections(group: TyperGroup, context: typer.Context) -> Iterator[str]:
    """Those of all commands below a group, in the order of its help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = typer.Context(command, info_name=name, parent=context)
        if isinstance(command, TyperGroup):
            yield from _sections(command, inner)
        elif isinstance(command, TyperCommand):
            yield _section(command, inner)


def _section(command: TyperCommand, context: typer.Context) -> str:
    usage = [context.command_path]
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        name, meaning = record
        if isinstance(parameter, TyperArgument):
            name = argument(parameter)
            usage.append(name if parameter.required else f"[{name}]")
        rows.append((code(_option(name)), " ".join(meaning.split())))
    if any(not isinstance(parameter, TyperArgument) for parameter in command.params):
        usage.append("[OPTIONS]")
    parts = [f"## {context.command_path}", f"```\n{' '.join(usage)}\n```", command.help or ""]
    if rows:
        parts.append(table(("argument or option", "meaning"), rows))
    return "\n\n".join(parts)


def _option(name: str) -> str:
    """As `--jobs N`, where the help has the type's name in the number's place."""
    return re.sub(r"<int(?: range)?>", "N", name).replace("<", "").replace(">", "")
