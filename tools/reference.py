# SPDX-License-Identifier: Apache-2.0
"""What pages of docs/reference/ ask of the code: tables of keys, commands, metrics and the like."""

from collections.abc import Callable, Iterable, Mapping

from pydantic import BaseModel

from firesteel.base.quantity import FACTOR, in_words, unit_of
from firesteel.board.assumptions import Assumption, Assumptions, load_assumptions
from firesteel.board.profile import EVENTS, INSTRUCTIONS, MEANINGS, Processor, Profile
from firesteel.board.topology import Topology
from firesteel.experiment.collection import Parts
from firesteel.experiment.experiment import ExperimentFile
from firesteel.model import names
from firesteel.model.figure import Figure
from firesteel.model.metrics import METRICS
from firesteel.protocols.registry import PROTOCOLS
from firesteel.store.record import RecordFile
from tools.command_line import commands
from tools.markdown import code, codes, table
from tools.models import COLLECTION, JSON, TOML, Format, meaning_of, sections

_FILES: Mapping[str, tuple[type[BaseModel], Format]] = {
    "experiment": (ExperimentFile, TOML),
    "parts": (Parts, COLLECTION),
    "profile": (Profile, TOML),
    "processor": (Processor, TOML),
    "topology": (Topology, TOML),
    "assumptions": (Assumptions, TOML),
    "record": (RecordFile, JSON),
}


def keys(file: str) -> str:
    """Sections with all keys of a kind of file."""
    return "\n\n".join(sections(*_FILES[file]))


def protocols() -> str:
    """All protocols, with what can be chosen of each."""
    rows = ((code(of.name), codes(of.suites), codes(of.implementations)) for of in PROTOCOLS)
    return table(("protocol", "suites", "implementations"), rows)


def instructions() -> str:
    """The classes of instructions that cost."""
    return _meanings(INSTRUCTIONS)


def events() -> str:
    """The events that cost."""
    return _meanings(EVENTS)


def _meanings(of: Iterable[str]) -> str:
    return table(("name", "meaning"), ((code(name), MEANINGS[name]) for name in of))


def assumptions() -> str:
    """The assumptions of the checkout."""
    rows = (
        (
            code(each.name),
            code(each.parameter) + (f": {codes(each.classes)}" if each.classes else ""),
            *(_end(each, value) for value in (each.low, each.high)),
            codes(f"{path} = {value}" for path, value in (each.needs or {}).items()),
            " ".join(each.why.split()),
        )
        for each in load_assumptions()
    )
    return table(("name", "parameter", "low", "high", "needs", "why"), rows)


def _end(assumption: Assumption, value: float) -> str:
    """An end of a range, as a factor or with its unit."""
    unit = FACTOR if assumption.relative else unit_of(assumption.parameter)
    return in_words(value, unit)


def columns() -> str:
    """The columns of tidy figures."""
    rows = ((code(name), meaning_of(Figure, name)) for name in Figure.model_fields)
    return table(("column", "meaning"), rows)


def metrics() -> str:
    """All metrics."""
    rows = (
        (code(name), names.metric(name), metric.unit, metric.meaning)
        for name, metric in METRICS.items()
    )
    return table(("metric", "shown as", "unit", "meaning"), rows)


FUNCTIONS: Mapping[str, Callable[..., str]] = {
    each.__name__: each
    for each in (
        *(keys, protocols, instructions, events, assumptions, columns, metrics),
        commands,
    )
}
