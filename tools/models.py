# SPDX-License-Identifier: Apache-2.0
"""What a file may say, as tables: each key with what is allowed, its default and its meaning.

Keys, bounds and defaults are the models' own, so they cannot be out of date, and so are meanings:
the docstring of a field. A key that has none is an error.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import in_words
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.workloads.registry import WORKLOADS
from tools.markdown import code, codes, table

_HEAD = ("key", "allowed", "default", "meaning")


@dataclass(frozen=True)
class Format:
    """How a file writes tables: TOML with headings, or JSON by paths."""

    top: str
    one: str
    many: str
    word: str

    def heading(self, path: str, several: bool) -> str:
        """What a table is called."""
        form = self.many if several else self.one
        return form.format(path) if path else self.top


TOML = Format("The file", "`[{}]`", "`[[{}]]`", "table")
COLLECTION = Format("A file of parts", "`[{}]`", "`[[{}]]`", "table")
JSON = Format("The object", "`{}`", "`{}[]`", "object")


def in_file(model: type[BaseModel]) -> type[BaseModel]:
    """The model as files have it: a cell with each plan by its workload's name."""
    if model is not Cell:
        return model
    fields: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in Cell.model_fields.items()
        if name != "plans"
    }
    plans: dict[str, Any] = {
        each.name: (
            WorkloadPlan.known[each.name] | None,
            Field(None, description=each.meaning),
        )
        for each in WORKLOADS
    }
    return create_model(Cell.__name__, **fields, **plans)


def sections(model: type[BaseModel], form: Format) -> Iterator[str]:
    """A section for the model and one for each table within it."""
    yield from _sections(model, "", False, form)


def _sections(model: type[BaseModel], path: str, several: bool, form: Format) -> Iterator[str]:
    schema = model.model_json_schema(mode="validation")
    rows, inner = [], []
    for name, field in model.model_fields.items():
        said = schema["properties"][name]
        below = f"{path}.{name}" if path else name
        models = [in_file(each) for each in toml.models_in(field.annotation)]
        named = said.get("type") == "object" and models
        if named:
            below += ".NAME"
        if models:
            inner.append((models[0], below, _is_list(said)))
        word = f"{form.word}s" if named or _is_list(said) else form.word
        allowed = f"{word}, [below](#{_anchor(below)})" if models else _values(said)
        rows.append((code(name), allowed, _default(field, bool(models)), meaning_of(model, name)))
    anchor = f" {{ #{_anchor(path)} }}" if path else ""
    title = f"## {form.heading(path, several)}{anchor}"
    yield f"{title}\n\n{table(_HEAD, rows)}"
    for each, below, many in inner:
        yield from _sections(each, below, many, form)


def meaning_of(model: type[BaseModel], name: str) -> str:
    """What a field's docstring says, as a cell of a table has it.

    Raises `FiresteelError` when it has none.  Tables named `Quick…` need none: their keys replace
    those of the same name.
    """
    said = model.model_fields[name].description
    if said is None and model.__name__.startswith("Quick"):
        return f"in the place of `{name}` under `--quick`"
    if said is None:
        raise FiresteelError(
            f"The key `{name}` of {model.__module__}.{model.__name__} has no docstring; say below "
            "it what it means."
        )
    text = " ".join(said.split()).removesuffix(".")
    is_word = text[1:2].islower() or text[1:2] == " "
    return text[0].lower() + text[1:] if is_word else text


def _anchor(path: str) -> str:
    return path.lower().replace(".", "-").replace("_", "-")


def _is_list(said: Mapping[str, Any]) -> bool:
    return said.get("type") == "array"


def _default(field: FieldInfo, is_table: bool) -> str:
    if field.is_required():
        return "must be there"
    if is_table or field.default_factory is not None or field.default is None:
        return "–"
    default = field.default
    if isinstance(default, tuple) and len(default) == 1:
        default = default[0]
    return code(json.dumps(default, ensure_ascii=False)) if default != () else "–"


def _values(said: Mapping[str, Any]) -> str:
    """What a JSON schema without references allows, in words."""
    if "anyOf" in said:
        if one := _one_or_many(said["anyOf"]):
            return f"one or a list of: {_values(one)}"
        return " or ".join(_values(one) for one in said["anyOf"] if one.get("type") != "null")
    if "enum" in said:
        return codes(said["enum"])
    if "const" in said:
        return code(said["const"])
    kind = said.get("type")
    if kind == "array":
        return f"a list of: {_values(said['items'])}"
    if kind == "object":
        return f"a table with, by name: {_values(_inner(said))}"
    if kind in ("integer", "number"):
        return _number(said, "a whole number" if kind == "integer" else "a number")
    if kind == "boolean":
        return "`true`, `false`"
    if "pattern" in said:
        return in_words(said["pattern"])
    return "text"


def _one_or_many(either: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """What there is one or a list of (`base.schema.Many`), if that is meant."""
    found = [one for one in either if one.get("type") != "null"]
    if len(found) == 1 and "anyOf" in found[0]:
        return _one_or_many(found[0]["anyOf"])
    many = found[-1].get("items")
    return many if len(found) == 2 and found[0] == many else None


def _inner(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """What each member of a table of like things is."""
    inner = said.get("additionalProperties")
    if not isinstance(inner, Mapping):
        inner = next(iter(said.get("patternProperties", {}).values()), {})
    return inner


def _number(said: Mapping[str, Any], name: str) -> str:
    least, most, above = (said.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    if least is not None and most is not None:
        return f"{name}, {least:,} to {most:,}"
    bounds = [
        f"{word} {bound:,}"
        for word, bound in (("above", above), ("at least", least), ("at most", most))
        if bound is not None
    ]
    return ", ".join([name, *bounds])
