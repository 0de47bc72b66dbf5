# SPDX-License-Identifier: Apache-2.0
"""Changing values in a TOML file that people wrote: all else stays as it is."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Integer, Trivia

from firesteel.base.errors import FiresteelError


def numbers(path: Path, name: str, key: str) -> set[int]:
    """The numbers that a key has in the table of that dotted name, or in each of an array of them.

    Raises `FiresteelError` when the file is not TOML.
    """
    return {int(table[key]) for table in _tables(_parsed(path), name.split("."))}


def with_values(path: Path, tables: Mapping[str, Mapping[str, float | str]]) -> str:
    """What the file would say with these values: keys of tables, each by its dotted name; of an
    array of tables, in each of them.

    A number that is whole is written as one.  Tables and keys that are not there are made.  Raises
    `FiresteelError` when the file is not TOML.
    """
    document = _parsed(path)
    for name, values in tables.items():
        for table in _tables(document, name.split(".")):
            for key, value in values.items():
                whole = isinstance(value, (int, float)) and value == int(value)
                table[key] = Integer(int(value), Trivia(), f"{int(value):_}") if whole else value
    return tomlkit.dumps(document)


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise FiresteelError(f"{path}: is not valid TOML: {error}.") from None


def _tables(node: Any, keys: list[str]) -> Iterator[Any]:
    """The tables that the keys lead to; one that is not there is made."""
    if isinstance(node, list):
        for each in node:
            yield from _tables(each, keys)
    elif keys:
        yield from _tables(node.setdefault(keys[0], tomlkit.table()), keys[1:])
    else:
        yield node
