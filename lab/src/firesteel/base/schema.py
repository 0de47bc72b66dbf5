# SPDX-License-Identifier: Apache-2.0
"""What tables of an experiment's file are made of."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from firesteel.base.patterns import pattern

Item = TypeVar("Item")


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

_FILE_SIZE = pattern(
    r"^[1-9][0-9]{0,4} (KiB|MiB|GiB)$",
    'a size in KiB, MiB or GiB with a space before the unit, as "8 MiB" or "512 KiB"',
)

FileSize = Annotated[str, Field(pattern=_FILE_SIZE)]
"""Such as `128 MiB`."""

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Table(BaseModel):
    """A table of the file: it has the keys that are named, and no other."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def bytes_of(size: FileSize) -> int:
    """A size in bytes."""
    number, unit = size.split()
    return int(number) * _UNITS[unit]


def check_distinct(name: str, values: tuple[Any, ...]) -> None:
    """Raises `ValueError` when a value of the list `name` is there twice."""
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"`{name}` has {value} more than once; list each value once")
