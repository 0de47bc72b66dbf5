# SPDX-License-Identifier: Apache-2.0
"""Reading a TOML file into a validated model, with errors a person can act on.

`read_model` is the only way in: profiles, topologies and experiments all come through it, so a
mistake in any of them is reported the same way, in one sentence that names the file, the key, what
was found there and what is allowed.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from firesteel.base.errors import FiresteelError, reason_of, shortened
from firesteel.base.patterns import in_words

Model = TypeVar("Model", bound=BaseModel)

_LONGEST_FOUND = 60
"""Characters of a wrong value that are quoted; a longer one is cut."""

_MOST_BYTES = 1 << 20
"""Of a file; what people write is a thousand times shorter."""

_KINDS = {
    **dict.fromkeys(("tuple_type", "list_type"), "an array"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "a table"),
}
"""What TOML calls a value, by pydantic's name of the mistake that it is none."""


_RENAMED = {"beside": "versus", "tell": "show"}
"""Keys of `[limits]` that had other names."""

_WHOLE = "a whole number"

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
        return model.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise FiresteelError(_describe(path, data, model, error)) from None
    except (RecursionError, ValueError) as error:
        raise _unreasonable(path, error) from None


def names_in(directory: Path) -> list[str]:
    """Names, sorted, of the TOML files in `directory`, without the suffix."""
    return sorted(file.stem for file in directory.glob("*.toml"))


def read_named(kind: str, name: str, directory: Path, model: type[Model]) -> Model:
    """The file of that name in `directory`; `kind` is the word for it ("profile").

    Raises `FiresteelError` listing the names there are when there is no such file.
    """
    known = names_in(directory)
    if name not in known:
        there = ", ".join(known) or "none"
        meant = _guess(name, known)
        raise FiresteelError(
            f"There is no {kind} `{shortened(name)}`{meant} in {directory}; there are: {there}."
        )
    return read_model(directory / f"{name}.toml", model)


def is_there(path: Path) -> bool:
    """Whether there is something of that name, whatever it is."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def kind_of(path: Path) -> str:
    """What there is of that name, in words; nothing where there is none."""
    try:
        return _kind(path.stat().st_mode)
    except (OSError, ValueError):
        return ""


def read_table(path: Path) -> dict[str, Any]:
    """What the file says, not held against anything; `FiresteelError` when it is not TOML."""
    content = _content(path)
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


def _content(path: Path) -> bytes:
    """What a file of reasonable length has; pipes and devices are not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            _check_kind(path, os.fstat(descriptor).st_mode)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(_MOST_BYTES + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{shortened(path)}: cannot be read: {reason_of(error)}.") from None
    if len(content) > _MOST_BYTES:
        raise FiresteelError(f"{path}: is longer than 1 MiB, the most that is allowed.")
    return content


def _check_kind(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise FiresteelError(f"{path}: is {_kind(mode)}; allowed is a TOML file.")


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "a file"
    return "a directory" if stat.S_ISDIR(mode) else "a pipe or a device"


def _unreasonable(path: Path, error: Exception) -> FiresteelError:
    """What is said of TOML that is right by the letter, and that nobody can mean."""
    if isinstance(error, RecursionError):
        return FiresteelError(f"{path}: nests tables or arrays too deeply.")
    return FiresteelError(f"{path}: has a number of too many digits.")


def _describe(path: Path, data: Any, model: type[BaseModel], error: ValidationError) -> str:
    """A line for each key that is wrong; what is said first of a key counts.

    A default that is made of a wrong value is no mistake of its own, nor is a list or a table with
    a mistake in it, nor a key that is missing because it is misspelt.
    """
    details = sorted(error.errors(include_url=False), key=_comes_later)
    keys = [_keys(data, each["loc"], each["type"] == "missing") for each in details]
    spelt = [_spell(each) for each in keys]
    found: dict[str, str] = {}
    for detail, at, key in zip(details, keys, spelt, strict=True):
        is_meant = at and any(f"did you mean `{at[-1]}`" in each for each in found.values())
        is_above = any(each.startswith((f"{key}.", f"{key}[")) for each in spelt)
        if detail["type"] != "default_factory_not_called" and not (is_above or is_meant):
            said = _sentence(detail, key, _fields_at(model, at[:-1]))
            found.setdefault(key, f"{path}: {said}.")
    return "\n".join(found.values())


def _comes_later(detail: ErrorDetails) -> bool:
    """A key that is missing is often there under another name, which is named instead."""
    return detail["type"] == "missing"


def _sentence(detail: ErrorDetails, key: str, allowed_keys: Sequence[str]) -> str:
    if detail["type"] == "missing":
        return f"key `{key}` is missing and has no default"
    if detail["type"] == "extra_forbidden":
        guess = _guess(str(detail["loc"][-1]), allowed_keys)
        return f"key `{key}` is unknown{guess}; allowed here: {', '.join(allowed_keys)}"
    allowed = _allowed(detail)
    if not key:
        return allowed
    if allowed.endswith(_WHOLE) and _IN_BYTES.search(key):
        allowed += " of bytes"
    found = _quote(detail["input"])
    return f"key `{key}` is {found}; {allowed}" if found else f"key `{key}`: {allowed}"


def _guess(key: str, allowed: Sequence[str]) -> str:
    """Which key was probably meant; nothing where none is like it."""
    if (now := _RENAMED.get(key)) in allowed:
        return f" (it is now `{now}`)"
    meant = get_close_matches(key, allowed, n=1)
    return f" (did you mean `{meant[0]}`?)" if meant else ""


def _allowed(detail: ErrorDetails) -> str:
    """What pydantic says is wrong, turned into what is allowed."""
    if detail["type"] in _KINDS:
        return f"allowed is {_KINDS[detail['type']]}"
    if detail["type"] == "string_pattern_mismatch":
        return f"allowed is {in_words(detail['ctx']['pattern'])}"
    if detail["type"] in ("int_type", "int_parsing", "int_from_float"):
        return f"allowed is {_WHOLE}"
    message = detail["msg"].rstrip(".")
    for prefix in ("Input should be ", "Input should "):
        if message.startswith(prefix):
            return "allowed is " + message.removeprefix(prefix)
    return message.removeprefix("Value error, ")


def _quote(found: Any) -> str:
    """A value as it may stand in a sentence; nothing of a long array or table, which cut would be
    none.
    """
    text = json.dumps(found, ensure_ascii=False, default=str)
    if len(text) <= _LONGEST_FOUND:
        return text
    return "" if isinstance(found, list | dict) else text[: _LONGEST_FOUND - 1] + "…"


def _keys(data: Any, location: Sequence[str | int], missing: bool) -> list[str | int]:
    """The parts of pydantic's location that are keys of the file, without tags of unions."""
    keys: list[str | int] = []
    for position, part in enumerate(location):
        last = position == len(location) - 1
        if _has(data, part):
            data = data[part]
        elif not (missing and last):
            continue
        keys.append(part)
    return keys


def _has(data: Any, key: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(key, int) and key < len(data)
    return isinstance(data, Mapping) and key in data


def _spell(keys: Sequence[str | int]) -> str:
    """Keys as TOML writes them: `links[1].rate`, counting array members from 1."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key + 1}]"
        else:
            text += f".{key}" if text else key
    return text


def _fields_at(model: type[BaseModel], keys: Sequence[str | int]) -> list[str]:
    """Names of the fields of the model that stands at `keys`; several for a union of models."""
    models: list[type[BaseModel]] = [model]
    for key in keys:
        inner: list[type[BaseModel]] = []
        for outer in models:
            # A member of an array or of a table of like things is reached by its container.
            if isinstance(key, str) and key in _aliases(outer):
                inner += models_in(outer.model_fields[_aliases(outer)[key]].annotation)
        models = inner or models
    return [name for each in models for name in _aliases(each)]


def _aliases(model: type[BaseModel]) -> dict[str, str]:
    """Field names by the keys under which the file writes them."""
    return {field.alias or name: name for name, field in model.model_fields.items()}


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that stand in a type, such as that of a field."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [model for part in get_args(annotation) for model in models_in(part)]
