# SPDX-License-Identifier: Apache-2.0
"""Changing values in a TOML file that people wrote: all else stays as it is."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Integer

from firesteel.base.errors import FiresteelError


def numbers(path: Path, key: str) -> list[int]:
    """The numbers that a dotted key has: several where a part of it is an array of tables.

    Raises `FiresteelError` when the file is not TOML.
    """
    return [int(table[_last(key)]) for table in _tables(_parsed(path), key.split(".")[:-1])]


def with_number(path: Path, key: str, number: int) -> str:
    """What the file would say with that number in the place of each of these."""
    document = _parsed(path)
    for table in _tables(document, key.split(".")[:-1]):
        comment = table[_last(key)].trivia
        table[_last(key)] = Integer(number, comment, f"{number:_}")
    return tomlkit.dumps(document)


def with_values(path: Path, tables: Mapping[str, Mapping[str, float | str]]) -> str:
    """What the file would say with these values: keys of tables, each by its dotted name.

    A number that is whole is written as one.  Tables and keys that are not there are made.  Raises
    `FiresteelError` when the file is not TOML.
    """
    document = _parsed(path)
    for name, values in tables.items():
        table: Any = document
        for part in name.split("."):
            table = table.setdefault(part, tomlkit.table())
        for key, value in values.items():
            whole = isinstance(value, float) and value.is_integer()
            table[key] = int(value) if whole else value
    return tomlkit.dumps(document)


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise FiresteelError(f"{path}: is not valid TOML: {error}.") from None


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _tables(node: Any, keys: list[str]) -> Iterator[Any]:
    """The tables that the keys lead to."""
    if isinstance(node, list):
        for each in node:
            yield from _tables(each, keys)
    elif keys:
        yield from _tables(node[keys[0]], keys[1:])
    else:
        yield node
