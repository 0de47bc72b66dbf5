# SPDX-License-Identifier: Apache-2.0
"""The application that modules of this package add their commands to, how commands write their
help, and what a wrong word on the command line is answered with.

Help names arguments and values by what they are, `RUN` and `N`, without types of Python.  A wrong
value is a `RequestError` that says what is allowed, as for anything else that a user can mend.  A
command or an option that was renamed is answered with its new name (`commands.toml`).
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from pydantic import ValidationError
from typer.core import TyperArgument, TyperCommand, TyperGroup

from firesteel.base.errors import RequestError, meant, shortened

Function = TypeVar("Function", bound=Callable[..., Any])

_CHOICES = re.compile(r" is not one of (?P<choices>.*?)\.?$", re.DOTALL)
_TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text(encoding="utf-8")
)


class Command(TyperCommand):
    """A command of this program."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line; `RequestError` for an option that has another name now."""
        known = {name for parameter in self.params for name in parameter.opts}
        given = {word.partition("=")[0] for word in args} - known
        for row in _TABLE["old"].values():
            for old, new in row.get("options", {}).items():
                if row["becomes"].split()[0] == self.name and old in given:
                    raise RequestError(f"`{old}` of `firesteel {self.name}` is now `{new}`.")
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] EXPERIMENT`, or `[OPTIONS] [RUN]` where it may be left out."""
        taken = [each for each in self.get_params(ctx) if isinstance(each, TyperArgument)]
        pieces = (argument(each) if each.required else f"[{argument(each)}]" for each in taken)
        return ["[OPTIONS]", *pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then options, each with its meaning."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                if isinstance(parameter, TyperArgument):
                    sections["Arguments"].append((argument(parameter), record[1]))
                else:
                    sections["Options"].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Group(TyperGroup):
    """All commands; a wrong value of any of them is reported as all mistakes are."""

    def list_commands(self, _: Any) -> list[str]:
        """In the order of `commands.toml`."""
        return list(_TABLE["commands"])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named; `RequestError` for one that has another name now."""
        for name, row in _TABLE["old"].items():
            words, new = name.split(), row["becomes"]
            typed = args[: len(words)]
            # The first word of an old name may be a command of today.
            whole = len(typed) == len(words) or typed[0] not in self.commands
            if name not in self.commands and whole and words[: len(typed)] == typed:
                told = new if new.startswith("PYTHONPATH=") else f"firesteel {new}"
                raise RequestError(f"`firesteel {name}` is now `{told}`.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that is named."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if isinstance(cause := error.__cause__, ValidationError):
                raise RequestError(_mistake(error.param, cause)) from None
            raise


app = typer.Typer(
    name="firesteel",
    cls=Group,
    help="Measure crypto offload on virtual boards, and compare it with published figures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def command(name: str, **values: Any) -> Callable[[Function], Function]:
    """Makes a command of a function, whose docstring is its help.

    What its parameters are called and mean stands in `commands.toml`, in whose texts `{value}` is
    one of `values`.  A parameter of a dataclass stands for an option for each of its fields.
    """

    def add(function: Function) -> Function:
        options = list(_parameters(function, name, values))

        @wraps(function)
        def run(**given: Any) -> Any:
            return _called(function, given)

        run.__annotations__ = {each.name: each.annotation for each in options}
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        app.command(name, cls=Command)(run)
        return function

    return add


def _parameters(
    of: Callable[..., Any], command: str, values: dict[str, Any]
) -> Iterator[inspect.Parameter]:
    """The parameters of a function or a dataclass, as Typer takes them."""
    hints = get_type_hints(of)
    for name, found in inspect.signature(of).parameters.items():
        if is_dataclass(hints[name]):
            yield from _parameters(hints[name], command, values)
        else:
            told = _told(name, command, values)
            each = found.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            yield each.replace(annotation=Annotated[hints[name], told])


def _called(of: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """What comes of a function or a dataclass with the given options."""
    kinds = get_type_hints(of)
    names = inspect.signature(of).parameters
    return of(
        **{
            name: _called(kinds[name], given) if is_dataclass(kinds[name]) else given[name]
            for name in names
        }
    )


def _told(parameter: str, command: str, values: dict[str, Any]) -> Any:
    """What the table says of a parameter."""
    row = dict((_TABLE["shared"] | _TABLE["commands"][command])[parameter])
    row["help"] = row["help"].format_map(values)
    if "argument" in row:
        return typer.Argument(metavar=row.pop("argument"), **row)
    return typer.Option(row.pop("option", f"--{parameter.replace('_', '-')}"), **row)


def argument(parameter: TyperArgument) -> str:
    """The name of an argument: `RUN`, or `CELL...` where there may be several."""
    return parameter.metavar or (parameter.name or "").upper()


def _mistake(parameter: Any, error: ValidationError) -> str:
    """What was given for an option or argument, and what is allowed."""
    first = error.errors()[0]
    is_argument = isinstance(parameter, TyperArgument)
    said = f"{argument(parameter) if is_argument else parameter.opts[0]} {first['input']}"
    if choices := _CHOICES.search(first["msg"]):
        allowed = choices["choices"].replace("'", "")
        near = meant(str(first["input"]), allowed.split(", "))
        return f"{shortened(said)}{near}: allowed are {allowed}."
    return f"{shortened(said)} {first['msg'].removeprefix('Input ')}."


def refuse_options(why: str, given: dict[str, Any]) -> None:
    """Raises `RequestError` for the first of these options that was given, by name and value."""
    for name, value in given.items():
        if value:
            raise RequestError(f"{name} {why}")
