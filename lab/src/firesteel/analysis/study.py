# SPDX-License-Identifier: Apache-2.0
"""A published study as data: the folder `published/NAME/`, with `study.toml` and `figures.csv`.

A new study is a folder; no code knows one by its name.  Other files of it are read by who needs
them: `causes.toml`, `cycles.toml`, `fit.toml` and `fidelity.toml` in `replication`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from firesteel.base import toml
from firesteel.base.bitrate import BitRate
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Many, Table, check_distinct
from firesteel.board.profile import PROFILES
from firesteel.board.topology import TOPOLOGIES
from firesteel.model.identity import Place
from firesteel.model.metrics import METRICS, better
from firesteel.protocols.registry import PROTOCOLS
from firesteel.workloads.registry import SERIES, WORKLOADS

STUDIES = CHECKOUT / "published"

BY_SIZE = "by-size"
"""The section of the report for figures of workloads that have none of their own."""

Form = Literal[
    "hardware over software",
    "software over hardware",
    "figure over versus",
    "change in percent",
    "value",
]


def one_of(names: Callable[[], Iterable[str]]) -> AfterValidator:
    """Checks that a key of a file is one of these names."""

    def check(name: str) -> str:
        known = tuple(names())
        if name not in known:
            raise ValueError(f"allowed are: {', '.join(known)}")
        return name

    return AfterValidator(check)


ExperimentName = Annotated[str, one_of(lambda: SERIES)]
"""What the lab measures, as the column `experiment` of tidy rows has it."""

ProtocolName = Annotated[str, one_of(lambda: (protocol.name for protocol in PROTOCOLS))]
"""A protocol of the lab."""

MetricName = Annotated[str, one_of(lambda: METRICS)]
"""A metric of the lab."""


class Figures(Table):
    """A choice of figures: those in which every key that is given has one of its values."""

    experiment: Many[ExperimentName] | None = None
    """The workload, by its name in the column `experiment` of tidy rows."""

    protocol: Many[ProtocolName] | None = None
    """The protocol."""

    cipher: Many[str] | None = None
    """The cipher."""

    mac: Many[str] | None = None
    """The MAC."""

    implementation: Many[str] | None = None
    """The implementation."""

    parameter: Many[str] | None = None
    """The size, key or whatever else the workload varies, as tidy rows write it."""

    metric: Many[MetricName] | None = None
    """The metric."""

    def chooses(self, columns: Mapping[str, Any]) -> bool:
        """Whether a figure with these columns is one of them."""
        return all(columns[key] in values for key, values in self.given.items())

    @property
    def given(self) -> dict[str, tuple[str, ...]]:
        """The keys that choose, with their values."""
        values = {key: getattr(self, key) for key in Figures.model_fields}
        return {key: value for key, value in values.items() if value}

    def each(self) -> Iterator[dict[str, str]]:
        """A choice for every combination of values."""
        for values in product(*self.given.values()):
            yield dict(zip(self.given, values, strict=True))


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

    topic: str
    """The section of the report that has it."""

    kind: Literal["table", "figure"] = "table"
    """What the study calls it."""

    columns: Literal["parameters", "metrics"] = "parameters"
    """What its columns are."""

    also: Many[str] | None = None
    """Further numbers under which rows of it are found, as the study has them in several tables."""

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


class Versus(Table):
    """What another figure has otherwise."""

    experiment: ExperimentName | None = None
    """Its workload."""

    protocol: ProtocolName | None = None
    """Its protocol."""

    cipher: str | None = None
    """Its cipher."""

    mac: str | None = None
    """Its MAC."""

    implementation: str | None = None
    """Its implementation."""

    parameter: str | None = None
    """Its size, key or whatever else the workload varies."""

    @property
    def changes(self) -> dict[str, str]:
        """The columns that differ, with the other figure's values."""
        return {key: value for key, value in dict(self).items() if value is not None}


class Statement(Table):
    """A statement outside of tables that follows from one or two figures of ours."""

    protocol: str
    """The protocol of the published row."""

    metric: str
    """The metric of the published row."""

    table: str | None = None
    """The table or page of the published row, where protocol and metric do not tell it."""

    parameter: str | None = None
    """The parameter of the published row, likewise."""

    figure: Figures
    """Which figure of ours; the first that is chosen counts.  It names its metric; its protocol is
    that of the row unless it names one."""

    versus: Versus | None = None
    """What the other figure has otherwise; hardware is compared with software without it."""

    form: Form
    """How the statement follows: a ratio of both figures, a change, or one figure alone."""

    decimals: Annotated[int, Field(ge=0)] = 0
    """How many decimals it is given with."""

    @model_validator(mode="after")
    def _check(self) -> "Statement":
        metrics = self.figure.metric or ()
        if len(metrics) != 1 or metrics[0] not in METRICS:
            raise ValueError("`figure` has to name one `metric`, and one that is measured")
        needs = self.form == "figure over versus"
        if needs != (self.versus is not None) and self.form != "change in percent":
            raise ValueError(
                f'`versus` is {"missing for" if needs else "not for"} form "{self.form}"'
            )
        return self

    @property
    def of(self) -> dict[str, str]:
        """The columns that tell its published row."""
        keys = ("protocol", "metric", "table", "parameter")
        values = {key: getattr(self, key) for key in keys}
        return {key: value for key, value in values.items() if value is not None}

    def is_of(self, row: Mapping[str, str]) -> bool:
        """Whether it is of a published row."""
        return all(row[key] == value for key, value in self.of.items())

    def chooses(self, columns: Mapping[str, str]) -> bool:
        """Whether it may follow from a figure of ours with these columns."""
        protocols = self.figure.protocol or (self.protocol,)
        return columns["protocol"] in protocols and self.figure.chooses(columns)

    def computed(self, one: float, figure: float) -> str:
        """What it would say of our figure, and of the one that it is compared with."""
        match self.form:
            case "hardware over software" | "figure over versus":
                value = figure / one
            case "software over hardware":
                value = one / figure
            case "change in percent":
                return f"{100 * (figure / one - 1):+.{self.decimals}f}"
            case "value":
                value = figure
        return f"{value:.{self.decimals}f}"


class Unmeasured(Table):
    """Why statements of a table have nothing of ours beside them."""

    table: str
    """The table or page, as in `figures.csv`."""

    why: str
    """The reason; what a sentence says after the statement."""


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

    conditions: str | None = None
    """How its figures were measured: what stands behind `The published figures were`."""

    stands_for: tuple[StandsFor, ...] = ()
    """Boards and topologies of this checkout that stand for the study's.  Only figures of these are
    compared with it, unless `firesteel report --published` asks for all."""

    tables: tuple[Layout, ...] = ()
    """The tables that the report shows, in order."""

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
    }
    named = [
        *(("board", each.board) for each in file.stands_for),
        *(("topology", each.topology) for each in file.stands_for),
        *(("topic", each.topic) for each in file.tables),
    ]
    for what, name in named:
        if name not in known[what]:
            there = ", ".join(known[what])
            raise FiresteelError(f"{path}: there is no {what} `{name}`; there are: {there}.")
