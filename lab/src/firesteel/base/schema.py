# SPDX-License-Identifier: Apache-2.0
"""What tables of files that people write are made of."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Item = TypeVar("Item")

_PATTERNS: dict[str, str] = {}


def pattern(expression: str, words: str) -> str:
    """The expression, for `Field(pattern=...)`; `words` say what it allows, with an example.

    Nobody is answered with a regular expression: so each is registered with its words.
    """
    _PATTERNS[expression] = words
    return expression


def in_words(expression: str) -> str:
    """What an expression allows; KeyError when it was not registered."""
    return _PATTERNS[expression]


def _one_or_many(value: Any) -> Any:
    """A lone value stands for a list of it."""
    if isinstance(value, str | int):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


class _OneOrMany:
    """Says so in a JSON schema."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


Many = Annotated[tuple[Item, ...], Field(min_length=1), BeforeValidator(_one_or_many), _OneOrMany()]
"""One value or a list of values."""

Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Table(BaseModel):
    """A table of the file: it has the keys that are named, and no other."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def check_distinct(name: str, values: tuple[Any, ...]) -> None:
    """Raises `ValueError` when a value of the list `name` is there twice."""
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"`{name}` has {value} more than once; list each value once")
