# SPDX-License-Identifier: Apache-2.0
"""What pages of docs/reference/ ask of the code, each by a function, and the JSON schemas of the
TOML files that people write.

Keys, bounds and defaults are the models' own, so they cannot be out of date, and so are meanings:
the docstring of a field.  A key without a docstring is an error.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import typer
from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo
from typer.core import TyperArgument, TyperGroup

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import FACTOR, in_words, unit_of
from firesteel.base.toml import in_words as pattern_in_words
from firesteel.boards.assumptions import Assumption, Assumptions, load_assumptions
from firesteel.boards.profile import (
    EVENTS,
    INSTRUCTIONS,
    INSTRUCTIONS_64,
    MEANINGS,
    SHARING,
    Processor,
    Profile,
)
from firesteel.boards.topology import Topology
from firesteel.cli import app
from firesteel.cli.application import argument
from firesteel.judge.export import COLUMN_TYPES
from firesteel.judge.replication.causes import Causes
from firesteel.judge.replication.fit_file import FitFile
from firesteel.judge.replication.method import Cycles
from firesteel.judge.study import StudyFile
from firesteel.model import names
from firesteel.model.cell import Cell, WorkloadPlan
from firesteel.model.figure import Figure
from firesteel.model.metrics import EACH_CPU, METRICS
from firesteel.protocols.registry import PROTOCOLS
from firesteel.run.experiment.collection import Parts
from firesteel.run.experiment.experiment import ExperimentFile
from firesteel.store.record import RecordFile, Versions
from firesteel.table import FIGURE_COLUMNS
from firesteel.workloads.registry import WORKLOADS
from research.fidelity import FidelityFile
from research.processor import PriorsFile, ProcessorFile
from tools.tables import code, codes, table

SCHEMAS = CHECKOUT / "schemas"


class Form(NamedTuple):
    """How a kind of file writes its tables, one and several of a kind, and what it calls them."""

    top: str
    one: str
    many: str
    word: str


TOML = Form("The file", "`[{}]`", "`[[{}]]`", "table")
JSON = Form("The object", "`{}`", "`{}[]`", "object")

_KEYS: Mapping[str, tuple[type[BaseModel], Form]] = {
    "experiment": (ExperimentFile, TOML),
    "parts": (Parts, TOML._replace(top="A file of parts")),
    "profile": (Profile, TOML),
    "processor": (Processor, TOML),
    "topology": (Topology, TOML),
    "assumptions": (Assumptions, TOML),
    "record": (RecordFile, JSON),
}

_SCHEMAS: Mapping[str, tuple[str, tuple[type[BaseModel], ...]]] = {
    "experiment": ("A file of experiments/", (ExperimentFile, Parts)),
    "profile": ("A file of board/profiles/", (Profile,)),
    "processor": ("A file of board/processors/", (Processor,)),
    "topology": ("A file of board/topologies/", (Topology,)),
    "assumptions": ("The file board/assumptions.toml", (Assumptions,)),
    "study": ("A file published/NAME/study.toml", (StudyFile,)),
    "causes": ("A file published/NAME/causes.toml", (Causes,)),
    "cycles": ("A file published/NAME/cycles.toml", (Cycles,)),
    "fit": ("A file published/NAME/fit.toml", (FitFile,)),
    "fidelity": ("A file published/NAME/fidelity.toml", (FidelityFile,)),
    "published-processor": ("A file published/NAME/processor.toml", (ProcessorFile,)),
    "priors": ("A file published/NAME/priors.toml", (PriorsFile,)),
}


def keys(file: str, *but: str) -> str:
    """Sections with all keys of a kind of file, except tables below the paths `but`."""
    return "\n\n".join(sections(*_KEYS[file], seen=_Seen({}, {}, but)))


def protocols() -> str:
    """All protocols, with what can be chosen of each."""
    alike = groupby(PROTOCOLS, lambda of: (codes(of.suites), codes(of.implementations)))
    rows = ((codes(of.name for of in several), *choices) for choices, several in alike)
    return table(("protocol", "suites", "implementations"), rows)


_COSTLY: Mapping[str, Sequence[str]] = {
    "instructions": INSTRUCTIONS,
    "instructions-64": INSTRUCTIONS_64,
    "events": EVENTS,
    "sharing": SHARING,
}


def costly(kind: str) -> str:
    """The classes of instructions, or the events, that cost."""
    rows = ((code(name), MEANINGS[name]) for name in _COSTLY[kind])
    return table(("name", "meaning"), rows)


def faults(rate: int) -> str:
    """What came of each fault of the cores that struck one operation in `rate`, and of none."""
    with (CHECKOUT / "tests/boards/fault_matrix.csv").open(encoding="utf-8", newline="") as file:
        found = [row for row in csv.DictReader(file) if row["one in"] in ("", str(rate))]
    rows = (
        (
            code(row["fault"]),
            *(row[column] or "–" for column in ("struck", "noticed", "software")),
            *(f"{row[f'{of} corrupted']} of {_files(row, of)}" for of in ("IPsec", "disks")),
        )
        for row in found
    )
    head = ("fault", "struck", "noticed", "work in software", "IPsec files corrupted", "disk files")
    return table(head, rows)


def _files(row: Mapping[str, str], of: str) -> int:
    return int(row[f"{of} intact"]) + int(row[f"{of} corrupted"])


def assumptions() -> str:
    """The assumptions of the checkout; their file also has classes and reasons."""
    rows = (
        (
            code(each.name),
            code(each.parameter),
            *(_end(each, value) for value in (each.low, each.high)),
        )
        for each in load_assumptions()
    )
    return table(("name", "parameter", "low", "high"), rows)


def _end(assumption: Assumption, value: float) -> str:
    """An end of a range, as a factor or with its unit."""
    return in_words(value, FACTOR if assumption.relative else unit_of(assumption.parameter))


def columns() -> str:
    """The columns of tidy figures."""
    rows = ((code(name), meaning_of(Figure, name)) for name in Figure.model_fields)
    return table(("column", "meaning"), rows)


def metrics() -> str:
    """All metrics; the CPUs of a board have one row."""
    each_cpu = f"{code(EACH_CPU[0])} to {code(EACH_CPU[-1])}"
    rows = (
        (each_cpu if name in EACH_CPU else code(name), names.quantity(name), metric.meaning)
        for name, metric in METRICS.items()
        if name not in EACH_CPU[1:]
    )
    return table(("metric", "shown as", "meaning"), rows)


def commands() -> str:
    """A section for each command of the command line, with the text of `--help`; options of at
    least two commands share one section.
    """
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="firesteel")
    found = [_command(group.commands[name], context) for name in group.list_commands(context)]
    times = Counter(row for _, rows in found for row in rows if row[0].startswith("`--"))
    common = [row for row, several in times.items() if several > 1]
    parts = []
    for head, rows in found:
        own = [row for row in rows if row not in common]
        also = [row for row in common if row in rows]
        parts += [head, *([table(("argument or option", "meaning"), own)] if own else [])]
        if also:
            parts.append(f"[Common options](#options-of-several-commands): {_named(also, common)}.")
    return "\n\n".join(
        (*parts, "## Options of several commands", table(("option", "meaning"), common))
    )


def _named(some: Sequence[tuple[str, str]], all_of: Sequence[tuple[str, str]]) -> str:
    """Options by their names, or all by those that are left out, whichever is shorter."""
    left_out = [row for row in all_of if row not in some]
    few = left_out if len(left_out) < len(some) else some
    told = ", ".join(code(row[0].strip("`").split()[0]) for row in few)
    return told if few is some else f"all except {told}" if told else "all"


def _command(command: Any, above: typer.Context) -> tuple[str, list[tuple[str, str]]]:
    """The head of its section, and its rows."""
    context = typer.Context(command, info_name=command.name, parent=above)
    usage, rows = [context.command_path], []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        name, meaning = record
        if isinstance(parameter, TyperArgument):
            name = argument(parameter)
            usage.append(name if parameter.required else f"[{name}]")
        # As `--jobs N`, where the help has the type's name in the number's place.
        name = re.sub(r"<int(?: range)?>", "N", name).replace("<", "").replace(">", "")
        rows.append((code(name), " ".join(meaning.split())))
    if any(not isinstance(parameter, TyperArgument) for parameter in command.params):
        usage.append("[OPTIONS]")
    head = f"## {context.command_path}\n\n```\n{' '.join(usage)}\n```\n\n{command.help or ''}"
    return head.rstrip(), rows


FUNCTIONS: Mapping[str, Callable[..., str]] = {
    each.__name__: each
    for each in (keys, protocols, costly, faults, assumptions, columns, metrics, commands)
}
"""What a page may ask."""


_Row = tuple[str, str, str, str]
"""A key, what it allows, its default, and what it means."""


class _Seen(NamedTuple):
    """What earlier sections of a page have: tables by their paths, long texts with their keys; and
    the paths below which the page has no tables.
    """

    tables: dict[str, set[_Row]]
    texts: dict[str, str]
    leaves: Sequence[str] = ()


def sections(
    model: type[BaseModel],
    form: Form,
    path: str = "",
    several: bool = False,
    seen: _Seen | None = None,
) -> Iterator[str]:
    """A section for the model, and one for each table within it, except the tables for `--quick`;
    `seen` is what earlier sections say.
    """
    seen = seen or _Seen({}, {})
    rows, inner = _rows(model, form, path, is_leaf=path in seen.leaves)
    if first := next((of for of, known in seen.tables.items() if known >= set(rows)), ""):
        missing = sorted(name for name, *_ in seen.tables[first] - set(rows))
        but = f", but not {codes(missing)}" if missing else ""
        said = f"This {form.word} uses the same keys as [{code(first)}](#{_anchor(first)}){but}."
    else:
        seen.tables[path] = set(rows)
        said = table(("key", "allowed", "meaning"), _short(rows, path, seen.texts))
    heading = (form.many if several else form.one).format(path) if path else form.top
    anchor = f" {{ #{_anchor(path)} }}" if path else ""
    yield f"## {heading}{anchor}\n\n{said}"
    for each, below, many in inner:
        yield from sections(each, form, below, many, seen)


_Inner = tuple[type[BaseModel], str, bool]
"""A model, its path, and whether there may be several."""


def _rows(
    model: type[BaseModel], form: Form, path: str, *, is_leaf: bool
) -> tuple[list[_Row], list[_Inner]]:
    """A row for each key, and the tables below, of which a leaf has none."""
    schema = model.model_json_schema(mode="validation")
    rows: list[_Row] = []
    inner: list[_Inner] = []
    for name, field in model.model_fields.items():
        said = schema["properties"][name]
        models = [_in_file(each) for each in toml.models_in(field.annotation)]
        by_name, is_list = said.get("type") == "object", said.get("type") == "array"
        below = (f"{path}." if path else "") + name + (".NAME" if by_name and models else "")
        if models and models[0].__name__.startswith("Quick"):
            allowed = f"{form.word} of {codes(models[0].model_fields)}"
        elif models:
            allowed = form.word + ("s" if by_name or is_list else "")
            if not is_leaf:
                inner.append((models[-1], below, is_list))
                allowed += f", [below](#{_anchor(below)})"
        else:
            allowed = _values(said)
        rows.append((name, allowed, _default(field, bool(models)), meaning_of(model, name)))
    return rows, inner


_LONG = 6
"""Words of a text from which on a page has it once."""


def _short(rows: Sequence[_Row], path: str, seen: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Lines of a table: neighbours that say the same have one, and what an earlier key allows is
    not said again if it is long.
    """
    for (allowed, default, meaning), alike in groupby(rows, lambda row: row[1:]):
        names_alike = [name for name, *_ in alike]
        several, mark, text = allowed.rpartition(": ")
        key = f"{path}.{names_alike[0]}".removeprefix(".")
        if len(text.split()) >= _LONG and (first := seen.setdefault(text, key)) != key:
            text = f"as {code(first)}"
        yield codes(names_alike), f"{several}{mark}{text}{default}", meaning


_PLAN = "workload, as in [the experiment's file](experiment.md)"


def _in_file(model: type[BaseModel]) -> type[BaseModel]:
    """The model as files have it: a cell with each plan by its workload's name."""
    if model is not Cell:
        return model
    fields: dict[str, Any] = {name: (of.annotation, of) for name, of in Cell.model_fields.items()}
    del fields["plans"]
    for each in WORKLOADS:
        plan = WorkloadPlan.known[each.name] | None
        fields[each.name] = (plan, Field(None, description=_PLAN))
    return create_model(Cell.__name__, **fields)


def meaning_of(model: type[BaseModel], name: str) -> str:
    """A field's docstring in the form for a cell of a table.

    Raises `FiresteelError` if there is no docstring.  Tables named `Quick…` need no docstrings:
    their keys replace keys of the same name.
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
    rest = text.split()[0][1:]
    return text[0].lower() + text[1:] if not rest or rest.islower() else text


def _anchor(path: str) -> str:
    return path.lower().replace(".", "-").replace("_", "-")


def _default(field: FieldInfo, is_table: bool) -> str:
    """What follows what is allowed."""
    if field.is_required():
        return "; required"
    default = field.default
    if is_table or field.default_factory is not None or default in (None, ()):
        return ""
    if isinstance(default, tuple) and len(default) == 1:
        default = default[0]
    return f"; default {code(json.dumps(default, ensure_ascii=False))}"


def _values(said: Mapping[str, Any]) -> str:
    """What a JSON schema without references allows, in words."""
    if "anyOf" in said:
        either = [one for one in said["anyOf"] if one.get("type") != "null"]
        while len(either) == 1 and "anyOf" in either[0]:
            either = either[0]["anyOf"]
        if len(either) == 2 and either[0] == either[1].get("items"):  # `base.toml.Many`
            return f"one or several: {_values(either[0])}"
        return " or ".join(map(_values, either))
    if "enum" in said:
        if set(said["enum"]) == {of.name for of in PROTOCOLS}:
            return "[a protocol](#protocols)"
        return codes(said["enum"])
    if "const" in said:
        return code(said["const"])
    match said.get("type"):
        case "array":
            return f"list: {_values(said['items'])}"
        case "object":
            inner = said.get("additionalProperties")
            if not isinstance(inner, Mapping):
                inner = next(iter(said.get("patternProperties", {}).values()), {})
            return f"by name: {_values(inner)}"
        case "integer" | "number" as kind:
            return _number(said, "integer" if kind == "integer" else "number")
        case "boolean":
            return "`true`, `false`"
    text = pattern_in_words(said["pattern"]) if "pattern" in said else "text"
    return re.sub(r"^a number with its unit, as ", "", text)


def _number(said: Mapping[str, Any], name: str) -> str:
    least, most = said.get("minimum"), said.get("maximum")
    if least is not None and most is not None:
        return f"{name}, {least:,} to {most:,}"
    bounds = (("above", said.get("exclusiveMinimum")), ("at least", least), ("at most", most))
    return ", ".join([name, *(f"{word} {at:,}" for word, at in bounds if at is not None)])


def schemas() -> dict[Path, str]:
    """The files of `schemas/` and what they say, so that editors complete and check TOML files.

    What must go together, as a protocol and its suites, only the lab checks.
    """
    return {
        SCHEMAS / f"{name}.json": json.dumps(_schema(title, models), indent=1) + "\n"
        for name, (title, models) in _SCHEMAS.items()
    } | {SCHEMAS / "samples.json": json.dumps(_samples(), indent=1) + "\n"}


_JSON_TYPES = {
    pl.String: "string",
    pl.Int64: "integer",
    pl.Float64: "number",
    pl.Boolean: "boolean",
}


def _samples() -> dict[str, Any]:
    """The schema of what `show --part samples --format json` writes: closed rows, of which each has
    all columns, and a number for each path that varied.
    """
    meanings = {
        name: meaning_of(model, name)
        for model in (Versions, Cell, Figure)
        for name in set(model.model_fields) & set(COLUMN_TYPES)
        if model.model_fields[name].description
    }
    columns = {}
    for name, kind in COLUMN_TYPES.items():
        word = _JSON_TYPES[kind]
        said: dict[str, Any] = {"type": word if name in FIGURE_COLUMNS else [word, "null"]}
        columns[name] = said | ({"description": meanings[name]} if name in meanings else {})
    row = {
        "type": "object",
        "properties": columns,
        "required": list(columns),
        "patternProperties": {r"^([a-z0-9-]+:)?[a-z0-9_-]+\.": {"type": ["number", "null"]}},
        "additionalProperties": False,
    }
    head = {"$schema": "http://json-schema.org/draft-07/schema#"}
    title = "What `firesteel show --part samples --format json` writes"
    return {**head, "title": title, "type": "array", "items": row}


def _schema(title: str, models: Sequence[type[BaseModel]]) -> dict[str, Any]:
    """The schema of a file that is one of the models, in the dialect of editors for TOML."""
    each = [model.model_json_schema(ref_template="#/definitions/{model}") for model in models]
    definitions = {name: said for one in each for name, said in one.pop("$defs", {}).items()}
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": title}
    if len(each) == 1:
        return each[0] | head | {"definitions": definitions}
    return head | {"anyOf": each, "definitions": definitions}
