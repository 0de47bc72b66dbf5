# SPDX-License-Identifier: Apache-2.0
"""A published study as data: the folder `published/NAME/`, with `study.toml` and `figures.csv`.

A new study is a folder; no code knows one by its name.  Other files of it are read by who needs
them: `causes.toml`, `cycles.toml`, `fit.toml` and `fidelity.toml` in `replication`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import field_validator, model_validator

from firesteel.analysis.statement import (
    ExperimentName,
    OurFigures,
    ProtocolName,
    Statement,
    Unmeasured,
    columns_of,
)
from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import BitRate
from firesteel.base.schema import Many, Table, check_distinct
from firesteel.board.profile import PROFILES
from firesteel.board.topology import TOPOLOGIES
from firesteel.model.cell import Place
from firesteel.model.figure import read_parameter
from firesteel.model.identity import Identity
from firesteel.model.metrics import METRICS, better
from firesteel.workloads.registry import WORKLOADS

STUDIES = CHECKOUT / "published"

PAGES = CHECKOUT / "docs"

BY_SIZE = "by-size"
"""The section of the report for figures of workloads that have none of their own."""


class StandsFor(Table):
    """A board and a topology of this checkout that stand for those of a study."""

    board: str
    """The profile of the device under test."""

    topology: str
    """The topology that it is in."""

    node: str | None = None
    """The node that is the device under test, where a topology has several candidates."""

    link: BitRate | None = None
    """The rate of all links, as an experiment's `link`; default: the topology's own rates."""

    tables: Many[str] | None = None
    """Numbers in `figures.csv` of the tables that it stands for; all where none is named."""

    def is_of(self, place: Place, table: str) -> bool:
        """Whether figures of a place are compared with those of a published table."""
        ours = (place.board, place.topology, place.link)
        where = ours == (self.board, self.topology, self.link or "")
        node = self.node in (None, place.node)
        return where and node and table in (self.tables or (table,))


class Layout(Table):
    """A published table or figure as the report shows it."""

    number: str
    """Its number, as in the column `table` of `figures.csv`."""

    title: str
    """What it is of."""

    topic: str | None = None
    """The section of the report that has it; the study's own without it."""

    kind: Literal["table", "figure"] = "table"
    """What the study calls it."""

    columns: Literal["parameters", "metrics"] = "parameters"
    """What its columns are."""

    ours: OurFigures | None = None
    """Our figures that it shows where the study's are not to be had, as those of an image; it names
    one metric."""

    also: Many[str] | None = None
    """Further numbers under which rows of it are found, as the study has them in several tables."""

    @model_validator(mode="after")
    def _check(self) -> "Layout":
        if self.ours and len(self.ours.metric or ()) != 1:
            raise ValueError("`ours` has to name one `metric`, and one that is measured")
        if (self.ours is None) == (self.topic is None):
            raise ValueError("a table has a `topic`, or `ours` where its figures are not published")
        return self

    @property
    def numbers(self) -> tuple[str, ...]:
        """What its rows are found under."""
        return (self.number, *(self.also or ()))


class RatioKind(Table):
    """A kind of ratio that a study's figures in hardware and in software make."""

    experiment: ExperimentName
    """The workload, by its name in the column `experiment` of tidy rows."""

    metric: str
    """The metric of speed."""

    kind: str
    """What the ratio is called."""

    title: str
    """The same as a heading: what is divided."""

    cpu_work: str | None = None
    """The metric in words, where CPU use divided by it makes a ratio of CPU work."""

    @field_validator("metric")
    @classmethod
    def _has_a_direction(cls, metric: str) -> str:
        if not better(metric):
            known = ", ".join(name for name in METRICS if better(name))
            raise ValueError(f"allowed is a metric that is better higher or lower: {known}")
        return metric


class Regression(Table):
    """What is done differently here, where the published hardware was worse than its software."""

    protocol: ProtocolName
    """The protocol that it is of."""

    why: str
    """What is different, in sentences."""


class StudyFile(Table):
    """What the file may say."""

    title: str
    """The title of the publication."""

    cite: str
    """How it is cited: name and year."""

    source: str
    """Who published it, where and when."""

    page: str | None = None
    """The page of `docs/` that says what its statements came to."""

    experiment: str | None = None
    """The experiment that answers its statements.  Runs of this and of parts of it show them, whose
    names begin with its; without it all runs do that have figures for them."""

    conditions: str | None = None
    """How its figures were measured: what stands behind `The published figures were`."""

    stands_for: tuple[StandsFor, ...] = ()
    """Boards and topologies of this checkout that stand for the study's.  Only figures of these are
    compared with it, unless `firesteel report --published` asks for all."""

    tables: tuple[Layout, ...] = ()
    """The tables that the report shows, in order."""

    sizes: Mapping[str, Many[str]] = {}
    """Sizes by the names that the study has for them, such as `small`, for its statements."""

    ratios: tuple[RatioKind, ...] = ()
    """The ratios of hardware to software that are compared with the published ones."""

    statements: tuple[Statement, ...] = ()
    """Statements outside of tables that follow from figures of ours."""

    unmeasured: tuple[Unmeasured, ...] = ()
    """Why other statements have nothing of ours beside them."""

    regressions: tuple[Regression, ...] = ()
    """What is done differently here, where the published hardware was worse than its software."""

    @field_validator("tables")
    @classmethod
    def _are_distinct(cls, tables: tuple[Layout, ...]) -> tuple[Layout, ...]:
        check_distinct("number", tuple(layout.number for layout in tables))
        return tables

    def is_asked_by(self, experiment: str) -> bool:
        """Whether runs of an experiment show its statements."""
        own = self.experiment
        return own is None or experiment == own or experiment.startswith(f"{own}-")


class Study(StudyFile):
    """A study and its folder; `name` is the folder's."""

    name: str
    folder: Path

    def is_of(self, place: Place, table: str) -> bool:
        """Whether figures of a place are compared with those of a table of the study."""
        return any(each.is_of(place, table) for each in self.stands_for)

    def was_in(self, place: Place) -> bool:
        """Whether a place is one where one of the study's tables was measured."""
        tables = (table for each in self.stands_for for table in each.tables or ("",))
        return any(self.is_of(place, table) for table in tables)

    def layouts_of(self, table: str) -> tuple[Layout, ...]:
        """The tables that have a row of that number."""
        return tuple(layout for layout in self.tables if table in layout.numbers)

    def ratio_of(self, experiment: str, metric: str) -> RatioKind | None:
        """The kind of ratio that figures of a workload and a metric make."""
        of = (experiment, metric)
        return next((each for each in self.ratios if (each.experiment, each.metric) == of), None)

    def parameters(self, choice: OurFigures) -> frozenset[str]:
        """The sizes that a choice of figures names, as tidy rows write them; none for any."""
        texts = (text for name in choice.size or () for text in self.sizes[name])
        return frozenset(read_parameter(text).text for text in texts)

    def chooser(self, choice: OurFigures) -> Callable[[Identity, str], bool]:
        """Whether a choice takes the figure of an identity and a metric.

        Without a completion it takes the usual one alone, and variants never.
        """
        sizes = self.parameters(choice)
        keys = choice.model_copy(update={"size": None})

        def chooses(identity: Identity, metric: str) -> bool:
            usual = identity.is_usual or (choice.completion and not identity.variant)
            of_size = not sizes or identity.parameter.text in sizes
            return bool(usual) and of_size and keys.chooses(columns_of(identity, metric))

        return chooses

    def file(self, name: str) -> Path | None:
        """The path of another file of the folder; None where it has none."""
        path = self.folder / name
        return path if toml.is_there(path) else None


def load_studies(directory: Path | None = None) -> tuple[Study, ...]:
    """All studies of the checkout or a directory, by name; `FiresteelError` when a file is not as
    it should be.
    """
    where = directory or STUDIES
    found = []
    for path in sorted(where.glob("*/study.toml")):
        file = toml.read_model(path, StudyFile)
        _check(path, file)
        found.append(Study(**dict(file), name=path.parent.name, folder=path.parent))
    if not found:
        raise FiresteelError(f"{where}: there is no study; NAME/study.toml is needed.")
    return tuple(found)


def topics() -> tuple[str, ...]:
    """The sections of the report that may have a table."""
    sections = (section.name for workload in WORKLOADS for section in workload.sections)
    return (*sections, BY_SIZE)


def _check(path: Path, file: StudyFile) -> None:
    """Raises `FiresteelError` when the file names something that there is not."""
    known: Mapping[str, Sequence[str]] = {
        "board": toml.names_in(PROFILES),
        "topology": toml.names_in(TOPOLOGIES),
        "topic": topics(),
        "size": tuple(file.sizes),
        "page": sorted(page.name for page in PAGES.glob("*.md")),
        "experiment": toml.names_in(CHECKOUT / "experiments"),
    }
    for what, name in _named(file):
        parts = what == "experiment" and any(map(file.is_asked_by, known[what]))
        if name not in known[what] and not parts:
            there = ", ".join(known[what]) or "none"
            raise FiresteelError(f"{path}: there is no {what} `{name}`; there are: {there}.")


def _named(file: StudyFile) -> Iterator[tuple[str, str]]:
    """What the file refers to, with the kind of it."""
    for what in ("page", "experiment"):
        if name := getattr(file, what):
            yield what, name
    for each in file.stands_for:
        yield from (("board", each.board), ("topology", each.topology))
    for layout in file.tables:
        if layout.topic:
            yield "topic", layout.topic
    choices = [choice for each in file.statements for choice in each.choices]
    for choice in (*choices, *(each.ours for each in file.tables if each.ours)):
        for what in ("board", "topology", "size"):
            yield from ((what, name) for name in getattr(choice, what) or ())
    for statement in file.statements:
        for other in filter(None, (statement.versus, statement.than)):
            changes = other.changes
            yield from ((what, changes[what]) for what in ("board", "topology") if what in changes)
