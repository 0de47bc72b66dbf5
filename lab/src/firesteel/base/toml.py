# SPDX-License-Identifier: Apache-2.0
"""Reading a TOML file into a validated model, with errors a person can act on.

`read_model` reads all profiles, topologies and experiments.  So each error in them is one sentence
with the file, the key, the value and the allowed values.
"""

import json
import re
import stat
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails

from firesteel.base.errors import FiresteelError, meant, reason_of, shortened

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


Model = TypeVar("Model", bound=BaseModel)

_LONGEST_FOUND = 60
"""Characters of a wrong value that are quoted; a longer one is cut."""

_MOST_BYTES = 1 << 20
"""Of a file; what people write is a thousand times shorter."""

_ALLOWED = {
    **dict.fromkeys(("tuple_type", "list_type"), "an array"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "a table"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"),
        "a date, as 2026-11-24",
    ),
}
"""What is allowed, by pydantic's name of the mistake, where its own words are not TOML's."""

_RENAMED = {"beside": "versus", "tell": "show"}
"""Keys of `[limits]` that had other names."""

_IN_BYTES = re.compile(r"\bsizes?(\[\d+\])?$")
"""Keys whose whole numbers are bytes."""


def read_model(path: Path, model: type[Model]) -> Model:
    """The file `path` as a `model`.

    Values are taken as TOML types them: "5" is no number and 1 no truth value.  Raises
    `FiresteelError` when the file cannot be read, is not TOML, or does not fit the model; of
    several mistakes each has a line.
    """
    data = read_table(path)
    try:
        # Strict checking of JSON, unlike that of Python objects, still takes a list for a tuple.
        text = json.dumps(data, default=str)
        return model.model_validate_json(text, strict=True, context={"path": path})
    except ValidationError as error:
        raise FiresteelError(_describe(path, data, model, error)) from None
    except (RecursionError, ValueError) as error:
        raise _unreasonable(path, error) from None


def names_in(directory: Path) -> list[str]:
    """Names, sorted, of the TOML files in `directory`, without the suffix."""
    return sorted(file.stem for file in directory.glob("*.toml"))


def read_named(kind: str, name: str, directory: Path, model: type[Model]) -> Model:
    """The file of that name in `directory`; `kind` is the word for it ("profile").

    Raises `FiresteelError` listing the names there are if there is no such file.
    """
    known = names_in(directory)
    if name not in known:
        there = ", ".join(known) or "none"
        raise FiresteelError(
            f"There is no {kind} `{shortened(name)}`{_guess(name, known)} in {directory}; there "
            f"are: {there}."
        )
    return read_model(directory / f"{name}.toml", model)


def is_there(path: Path) -> bool:
    """Whether there is something of that name, whatever it is."""
    return bool(kind_of(path))


def kind_of(path: Path) -> str:
    """What there is of that name, in words; nothing where there is none."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISREG(mode):
        return "a file"
    return "a directory" if stat.S_ISDIR(mode) else "a pipe or a device"


def read_table(path: Path) -> dict[str, Any]:
    """What the file says, not held against anything; `FiresteelError` when it is not TOML."""
    if (kind := kind_of(path)) not in ("", "a file"):  # Pipes and devices are not waited for.
        raise FiresteelError(f"{path}: is {kind}; allowed is a TOML file.")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{shortened(path)}: cannot be read: {reason_of(error)}.") from None
    if len(content) > _MOST_BYTES:
        raise FiresteelError(f"{path}: is longer than 1 MiB, the most that is allowed.")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise FiresteelError(
            f"{path}: byte {error.start} is not UTF-8, which TOML requires."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise FiresteelError(f"{path}: is not valid TOML: {error}.") from None
    except (RecursionError, ValueError) as error:
        raise _unreasonable(path, error) from None


def _unreasonable(path: Path, error: Exception) -> FiresteelError:
    """What is said of TOML that is right by the letter, and that nobody can mean."""
    if isinstance(error, RecursionError):
        return FiresteelError(f"{path}: nests tables or arrays too deeply.")
    return FiresteelError(f"{path}: contains a number with too many digits.")


def _describe(path: Path, data: Any, model: type[BaseModel], error: ValidationError) -> str:
    """A line for each key that is wrong; what is said first of a key counts.

    A default that is made of a wrong value is no mistake of its own, nor is a list or a table with
    a mistake in it, nor a key that is missing because it is misspelt.
    """
    details = sorted(error.errors(include_url=False), key=lambda each: each["type"] == "missing")
    places = [_place(data, model, each) for each in details]
    found: dict[str, str] = {}
    for detail, (key, fields) in zip(details, places, strict=True):
        last = key.rpartition(".")[2]
        is_meant = last and any(f"did you mean `{last}`" in each for each in found.values())
        is_above = any(other.startswith((f"{key}.", f"{key}[")) for other, _ in places)
        if detail["type"] != "default_factory_not_called" and not (is_above or is_meant):
            found.setdefault(key, f"{path}: {_sentence(detail, key, fields)}.")
    return "\n".join(found.values())


def _place(data: Any, model: type[BaseModel], detail: ErrorDetails) -> tuple[str, list[str]]:
    """The key of a mistake as TOML writes it, `links[1].rate`, counting array members from 1; and
    all keys that are allowed there.

    Tags of unions, which pydantic counts to the location, are no keys of the file.
    """
    text, inner = "", [model]
    beside = inner
    last = len(detail["loc"]) - 1
    for number, part in enumerate(detail["loc"]):
        members = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(members, dict) and part in members:
            data = members[part]
        elif number < last or detail["type"] != "missing":
            continue
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
        # A member of an array or of a table of like things is reached by its container.
        beside, fields = inner, [_by_key(each).get(str(part)) for each in inner]
        types = [field.annotation for field in fields if field]
        inner = [each for kind in types for each in models_in(kind)] or inner
    return text, [key for each in beside for key in _by_key(each)]


def _by_key(model: type[BaseModel]) -> dict[str, Any]:
    """A model's fields by the keys under which the file writes them."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models inside a type, such as a field's type."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [model for part in get_args(annotation) for model in models_in(part)]


def _sentence(detail: ErrorDetails, key: str, fields: Sequence[str]) -> str:
    if detail["type"] == "missing":
        return f"key `{key}` is missing and has no default"
    if detail["type"] == "extra_forbidden":
        guess = _guess(str(detail["loc"][-1]), fields)
        return f"key `{key}` is unknown{guess}; allowed here: {', '.join(fields)}"
    allowed = _allowed(detail, key)
    if not key:
        return allowed
    found = json.dumps(detail["input"], ensure_ascii=False, default=str)
    if len(found) > _LONGEST_FOUND:
        if isinstance(detail["input"], list | dict):  # Which cut would be none.
            return f"key `{key}`: {allowed}"
        found = found[: _LONGEST_FOUND - 1] + "…"
    return f"key `{key}` is {found}; {allowed}"


def _guess(key: str, allowed: Sequence[str]) -> str:
    """Which key was probably meant; nothing where none is like it."""
    if (now := _RENAMED.get(key)) in allowed:
        return f" (it is now `{now}`)"
    return meant(key, allowed)


def _allowed(detail: ErrorDetails, key: str) -> str:
    """What pydantic says is wrong, turned into what is allowed."""
    if known := _ALLOWED.get(detail["type"]):
        in_bytes = known == "a whole number" and _IN_BYTES.search(key)
        return f"allowed is {known}{' of bytes' if in_bytes else ''}"
    if detail["type"] == "string_pattern_mismatch":
        return f"allowed is {in_words(detail['ctx']['pattern'])}"
    message = detail["msg"].rstrip(".").removeprefix("Value error, ")
    return re.sub(r"^Input should (be )?", "allowed is ", message)
