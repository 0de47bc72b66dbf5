# SPDX-License-Identifier: Apache-2.0
"""How commands write their help, and what a wrong value on the command line is answered with.

Help names arguments and values by what they are, `RUN` and `N`, without types of Python.  A wrong
value is a `RequestError` that says what is allowed, as for anything else that a user can mend.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from pydantic import ValidationError
from typer.core import TyperArgument, TyperCommand, TyperGroup

from firesteel.base.errors import RequestError, shortened

Function = TypeVar("Function", bound=Callable[..., Any])

_CHOICES = re.compile(r" is not one of (?P<choices>.*?)\.?$", re.DOTALL)
_RANGE = ("greater_than_equal", "less_than_equal", "int_parsing", "int_type")


class Command(TyperCommand):
    """A command of this program."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] EXPERIMENT`, or `[OPTIONS] [RUN]` where it may be left out."""
        pieces = [self.options_metavar] if self.options_metavar else []
        for parameter in self.get_params(ctx):
            if isinstance(parameter, TyperArgument):
                name = argument(parameter)
                pieces.append(name if parameter.required else f"[{name}]")
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then options, each with its meaning."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
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

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that is named."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if isinstance(cause := error.__cause__, ValidationError):
                raise RequestError(_mistake(error.param, cause)) from None
            raise


class Application(typer.Typer):
    """An application whose commands are of these classes."""

    def __init__(self, **settings: Any) -> None:
        """Settings are those of `typer.Typer`."""
        super().__init__(cls=Group, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        """As that of `typer.Typer`."""
        return super().command(name, **({"cls": Command} | settings))


def argument(parameter: TyperArgument) -> str:
    """The name of an argument: `RUN`, or `CELL...` where there may be several."""
    return parameter.metavar or (parameter.name or "").upper()


def _mistake(parameter: Any, error: ValidationError) -> str:
    """What was given for an option or argument, and what is allowed."""
    first = error.errors()[0]
    is_argument = isinstance(parameter, TyperArgument)
    name = argument(parameter) if is_argument else parameter.opts[0]
    said = f"{name} {shortened(str(first['input']))}"
    if first["type"] in _RANGE:
        return f"{said}: allowed is {_range(parameter.min, parameter.max)}."
    if choices := _CHOICES.search(first["msg"]):
        return f"{said}: allowed are {choices['choices'].replace(chr(39), '')}."
    return f"{said}: {first['msg'].removeprefix('Value error, ')}."


def _range(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f"{least:g} to {most:g}"
    return "a whole number" if least is None else f"a whole number from {least:g} on"
