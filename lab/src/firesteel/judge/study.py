# SPDX-License-Identifier: Apache-2.0
"""A published study as data: the folder `published/NAME/`, with `study.toml` and `figures.csv`.

A new study is a folder; no code knows one by its name.  `study.toml` says which figures of ours
answer its statements, how, and what a published value says in numbers: `2`, a bound such as `>2`,
or a range `0.2..2.4`.  Other files of the folder are read by who needs them: `causes.toml`,
`cycles.toml` and `fit.toml` in `replication`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, Field, field_validator, model_validator

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT, EXPERIMENTS
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import BitRate
from firesteel.base.toml import Many, Table, check_distinct
from firesteel.boards.profile import PROFILES
from firesteel.boards.topology import TOPOLOGIES
from firesteel.judge.bound import Bound
from firesteel.judge.intervals import SLACK, Claim, claim_of
from firesteel.model.cell import Place
from firesteel.model.figure import read_parameter
from firesteel.model.identity import Identity
from firesteel.model.metrics import METRICS, better
from firesteel.protocols.registry import PROTOCOLS
from firesteel.workloads.registry import SERIES, WORKLOADS


def one_of(names: Callable[[], Iterable[str]], what: str = "") -> AfterValidator:
    """Checks that a key of a file is one of these names, of `what` there is."""

    def check(name: str) -> str:
        if name not in (known := tuple(names())):
            allowed = f"allowed are: {', '.join(known)}"
            raise ValueError(_missing(what, name, known) if what else allowed)
        return name

    return AfterValidator(check)


def _missing(what: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {what} `{name}`; there are: {', '.join(known) or 'none'}"


ExperimentName = Annotated[str, one_of(lambda: SERIES)]
"""The name of a workload, as in the column `experiment` of tidy rows."""

ProtocolName = Annotated[str, one_of(lambda: (protocol.name for protocol in PROTOCOLS))]
"""A protocol of the lab."""

MetricName = Annotated[str, one_of(lambda: METRICS)]
"""A metric of the lab."""

BoardName = Annotated[str, one_of(lambda: toml.names_in(PROFILES), "board")]
"""A board of the checkout."""

TopologyName = Annotated[str, one_of(lambda: toml.names_in(TOPOLOGIES), "topology")]
"""A topology of the checkout."""


class Figures(Table):
    """A choice of figures: those in which every key that is given has one of its values."""

    chosen_by: ClassVar[tuple[str, ...]] = (
        *("experiment", "protocol", "cipher", "mac", "implementation", "parameter", "metric"),
    )

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
        values = {key: getattr(self, key) for key in self.chosen_by}
        return {key: value for key, value in values.items() if value}

    def each(self) -> Iterator[dict[str, str]]:
        """A choice for every combination of values."""
        for values in product(*self.given.values()):
            yield dict(zip(self.given, values, strict=True))


class OurFigures(Figures):
    """A choice of figures of ours, also by where they were measured."""

    chosen_by: ClassVar[tuple[str, ...]] = (
        *Figures.chosen_by,
        *("completion", "affinity", "board", "topology", "node", "link", "by", "size"),
    )

    completion: Many[str] | None = None
    """How the driver waited; its own choice without it."""

    affinity: Many[str] | None = None
    """Which CPUs did what, as tidy rows write it; where nothing was set without it."""

    board: Many[BoardName] | None = None
    """The profile of the device under test."""

    topology: Many[TopologyName] | None = None
    """The topology that it was in."""

    node: Many[str] | None = None
    """The node that it was."""

    link: Many[str] | None = None
    """The rate of all links, as an experiment's `link`; "" for the topology's own."""

    by: Many[str] | None = None
    """What brought a file; "" for the usual way of its protocol."""

    size: Many[str] | None = None
    """Names of the study's `sizes`, in the stead of a `parameter`."""


Form = Literal[
    "hardware over software",
    "software over hardware",
    "figure over versus",
    "change in percent",
    "value",
    "rest of 100",
    "best over worst",
    "order",
    "outlier",
    "what limits",
]

_RATIOS = ("hardware over software", "software over hardware", "figure over versus")
_NUMBERS = ("change in percent", "value", "rest of 100", "best over worst")
_OF_SEVERAL = ("best over worst", "order")


class Versus(OurFigures):
    """What another figure has otherwise, one value of each key."""

    @property
    def changes(self) -> dict[str, str]:
        """The columns that differ, with the other figure's values."""
        return {key: values[0] for key, values in self.given.items()}


class Named(OurFigures):
    """One of several figures that are compared with each other."""

    name: str
    """What the statement calls it."""


class RowOf(Table):
    """Which published row something is of."""

    protocol: str | None = None
    """The protocol of the published row."""

    metric: str | None = None
    """The metric of the published row."""

    table: str | None = None
    """The table or page of the published row."""

    parameter: str | None = None
    """The parameter of the published row."""

    says: str | None = None
    """What the source states, in our words: the figure's name and its parameter without it."""

    @property
    def of(self) -> dict[str, str]:
        """The columns that identify its published row."""
        values = {key: getattr(self, key) for key in ("protocol", "metric", "table", "parameter")}
        return {key: value for key, value in values.items() if value is not None}

    def is_of(self, row: Mapping[str, str]) -> bool:
        """Whether it is of a published row."""
        return all(row[key] == value for key, value in self.of.items())


class Statement(RowOf):
    """A statement outside of tables that follows from figures of ours."""

    protocol: str
    """The protocol of the published row."""

    metric: str
    """The metric of the published row."""

    figure: OurFigures
    """Which figures of ours answer it.  It names their metric.  Their protocol is the row's, unless
    the choice names one."""

    versus: Versus | None = None
    """What the other figure has otherwise; hardware is compared with software without it."""

    than: Versus | None = None
    """What figures have otherwise whose ratio the ratio is divided by."""

    among: tuple[Named, ...] = ()
    """The figures whose order, or whose best and worst, the statement is about.  Each entry adds
    keys to `figure` or replaces its keys.  They are compared in each place separately, unless an
    entry names its place."""

    form: Form
    """How the statement follows from figures.  For two figures: their ratio or the change.  For one
    figure: the `value`, or the rest of 100 %.  For several figures: their order, or the ratio of
    the best to the worst.  Also, whether one size lies outside the range of its neighbours
    (`outlier`), or the limit."""

    over: Literal["first", "each", "mean"] = "first"
    """If several figures are chosen: whether the first counts, each of them, or the mean of
    numbers."""

    within: Annotated[float, Field(gt=0, le=100)] = 20.0
    """How many percent ours may be off a plain number that it confirms, or off the range of its
    neighbours before it is an outlier."""

    decimals: Annotated[int, Field(ge=0)] = 0
    """How many decimals it is given with."""

    why: str | Mapping[BoardName, str] | None = None
    """Why ours does not confirm it, where it does not: a sentence without its full stop.  A reason
    that does not hold for all boards is a table with a reason for each board."""

    @model_validator(mode="after")
    def _check(self) -> "Statement":
        metrics, form, several = self.figure.metric or (), self.form, self.form in _OF_SEVERAL
        wrong = (
            (
                form != "what limits" and len(metrics) != 1,
                "`figure` has to name one `metric`, and one that is measured",
            ),
            (form == "figure over versus" and not self.versus, "`versus` is missing for"),
            (
                self.versus and form not in ("figure over versus", "change in percent"),
                "`versus` is not for",
            ),
            (self.than and form not in _RATIOS, "`than` is only for ratios, not for"),
            (several and len(self.among) < 2, "`among` needs two or more of"),
            (self.among and not several, "`among` is not for"),
            (
                several and metrics and not better(metrics[0]),
                f"`figure.metric` `{''.join(metrics[:1])}` is neither better higher nor lower for",
            ),
            (
                self.over == "mean" and form not in (*_RATIOS, *_NUMBERS),
                '`over` is "mean", which is not for',
            ),
        )
        for is_so, what in wrong:
            if is_so:
                raise ValueError(f'{what} form "{form}"')
        check_distinct("among.name", tuple(each.name for each in self.among))
        return self

    @property
    def of_metric(self) -> str:
        """The metric of its figures; the CPU's if the statement is about the limit."""
        return (self.figure.metric or ("cpu",))[0]

    @property
    def choices(self) -> tuple[OurFigures, ...]:
        """All that choose figures of ours."""
        return (self.figure, *self.among)

    def scale(self, value: float) -> float:
        """A number of its form, such that a share of it means something: a change as a ratio."""
        return 1 + value / 100 if self.form == "change in percent" else value

    def claim(self, published: str) -> Claim | None:
        """What a published value says in numbers."""
        of_one_figure = self.form in ("value", "rest of 100")
        return claim_of(published, self.within, self.scale, 0.0 if of_one_figure else SLACK)

    def mistake(self, published: str) -> str:
        """What is wrong with the published value for this form; nothing if it is right."""
        match self.form:
            case "order":
                allowed = ", ".join(each.name for each in self.among)
                names = published.split(", ")
                right = sorted(names) == sorted(each.name for each in self.among)
                return "" if right else f"an order of {allowed}"
            case "outlier":
                right = read_parameter(published).size_bytes is not None
                return "" if right else "a size, such as 512 B"
            case "what limits":
                words = get_args(Bound)
                return "" if published in words else f"one of {', '.join(words)}"
            case _:
                right = self.claim(published) is not None
                return "" if right else "a number, a bound such as >2, or a range such as 1..2"

    def computed(self, figure: float, one: float) -> float:
        """What it says of our figure, and of the one that it is compared with."""
        match self.form:
            case "software over hardware":
                return one / figure
            case "change in percent":
                return 100 * (figure / one - 1)
            case "rest of 100":
                return 100 - figure
            case "value":
                return figure
            case _:
                return figure / one


class Unmeasured(RowOf):
    """Why we have no figures for the statements of a table."""

    table: str
    """The table or page, as in `figures.csv`."""

    why: str
    """The reason; what a sentence says after the statement."""


STUDIES = CHECKOUT / "published"

BY_SIZE = "by-size"
"""The section of the report for workloads without a separate section."""


def topics() -> tuple[str, ...]:
    """The sections of the report that may have a table."""
    sections = (section.name for workload in WORKLOADS for section in workload.sections)
    return (*sections, BY_SIZE)


def _pages() -> list[str]:
    return sorted(page.name for page in (CHECKOUT / "docs").glob("*.md"))


class StandsFor(Table):
    """A board and a topology of this checkout that stand for a study's board and topology."""

    board: BoardName
    """The profile of the device under test."""

    topology: TopologyName
    """The topology that it is in."""

    node: str | None = None
    """The node that is the device under test, where a topology has several candidates."""

    link: BitRate | None = None
    """The rate of all links, as an experiment's `link`; default: the topology's own rates."""

    tables: Many[str] | None = None
    """Numbers in `figures.csv` of the tables that it stands for; all where none is named."""

    def is_of(self, place: Place, table: str) -> bool:
        """Whether figures of a place are compared with a published table."""
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

    topic: Annotated[str, one_of(topics, "topic")]
    """The section of the report that shows it."""

    kind: Literal["table", "figure"] = "table"
    """What the study calls it."""

    columns: Literal["parameters", "metrics"] = "parameters"
    """What its columns are."""

    also: Many[str] | None = None
    """Further numbers of tables that contain some of its rows, if the study spreads them over
    several tables.
    """

    @property
    def numbers(self) -> tuple[str, ...]:
        """What its rows are found under."""
        return (self.number, *(self.also or ()))


class RatioKind(Table):
    """A kind of ratio that a study's figures in hardware and in software make."""

    experiment: ExperimentName
    """The workload, by its name in the column `experiment` of tidy rows."""

    metric: Annotated[str, one_of(lambda: filter(better, METRICS))]
    """The metric of speed, which is better higher or lower."""

    kind: str
    """What the ratio is called."""

    title: str
    """The same as a heading: what is divided."""

    cpu_work: str | None = None
    """The metric in words, where CPU use divided by it makes a ratio of CPU work."""


class StudyFile(Table):
    """What the file may say."""

    title: str
    """The title of the publication."""

    cite: str
    """How it is cited: name and year."""

    source: str
    """Who published it, where and when."""

    page: Annotated[str, one_of(_pages, "page")] | None = None
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
    """Why we have no figures for other statements."""

    @field_validator("tables")
    @classmethod
    def _are_distinct(cls, tables: tuple[Layout, ...]) -> tuple[Layout, ...]:
        check_distinct("number", tuple(layout.number for layout in tables))
        return tables

    @model_validator(mode="after")
    def _names_what_there_is(self) -> "StudyFile":
        known = toml.names_in(EXPERIMENTS)
        if self.experiment and not any(map(self.is_asked_by, known)):
            raise ValueError(_missing("experiment", self.experiment, known))
        choices = [choice for each in self.statements for choice in each.choices]
        for choice in choices:
            for name in choice.size or ():
                if name not in self.sizes:
                    raise ValueError(_missing("size", name, self.sizes))
        return self

    def is_asked_by(self, experiment: str) -> bool:
        """Whether runs of an experiment show its statements."""
        own = self.experiment
        return own is None or experiment == own or experiment.startswith(f"{own}-")


class Study(StudyFile):
    """A study and its folder; `name` is the folder's."""

    name: str
    folder: Path

    def is_of(self, place: Place, table: str) -> bool:
        """Whether figures of a place are compared with a table of the study."""
        return any(each.is_of(place, table) for each in self.stands_for)

    def was_in(self, place: Place) -> bool:
        """Whether a place is one where one of the study's tables was measured."""
        tables = (table for each in self.stands_for for table in each.tables or ("",))
        return any(self.is_of(place, table) for table in tables)

    def parameters(self, choice: OurFigures) -> frozenset[str]:
        """The sizes that a choice of figures names, as tidy rows write them; none for any."""
        texts = (text for name in choice.size or () for text in self.sizes[name])
        return frozenset(read_parameter(text).text for text in texts)

    def chooser(self, choice: OurFigures) -> Callable[[Identity, str], bool]:
        """Whether a choice takes the figure of an identity and a metric.

        If the choice names no completion or affinity, only the usual value is taken, and never a
        variant.
        """
        sizes = self.parameters(choice)
        keys = choice.model_copy(update={"size": None})

        def chooses(identity: Identity, metric: str) -> bool:
            usual = replace(
                identity,
                completion="" if choice.completion else identity.completion,
                affinity="" if choice.affinity else identity.affinity,
            ).is_usual
            of_size = not sizes or identity.parameter.text in sizes
            columns = identity.columns(metric) | identity.where
            columns |= {"by": identity.parameter.by or ""}
            return usual and of_size and keys.chooses(columns)

        return chooses

    def file(self, name: str) -> Path | None:
        """The path of another file in the folder; None if there is no such file."""
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
        found.append(Study(**dict(file), name=path.parent.name, folder=path.parent))
    if not found:
        raise FiresteelError(f"{where}: there is no study; NAME/study.toml is needed.")
    return tuple(found)
