# SPDX-License-Identifier: Apache-2.0
"""Published statements as `study.toml` has them: which figures of ours answer one, how, and what
the published value says in numbers: `2`, a bound such as `>2`, or a range `0.2..2.4`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from firesteel.analysis.bound import Bound
from firesteel.analysis.intervals import SLACK
from firesteel.base.schema import Many, Table, check_distinct
from firesteel.model.figure import read_parameter
from firesteel.model.identity import Identity
from firesteel.model.metrics import METRICS, better
from firesteel.protocols.registry import PROTOCOLS
from firesteel.workloads.registry import SERIES

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_BOUND = re.compile(rf"([<>])({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_PLAIN = re.compile(_NUMBER)


@dataclass(frozen=True)
class Claim:
    """Between which numbers ours has to be; a `strict` one does not hold on its ends."""

    low: float
    high: float
    strict: bool = False

    def holds(self, value: float) -> bool:
        """Whether a figure of ours agrees."""
        if self.strict:
            return self.low < value < self.high
        return self.low <= value <= self.high


def claim_of(
    text: str,
    within: float,
    scale: Callable[[float], float] = lambda value: value,
    same: float = 0.0,
) -> Claim | None:
    """What a published value says, in numbers that are scaled; None if it is no number.

    A plain number holds `within` so many percent of it.  A bound of 1, which says that one figure
    is more than another, holds where the two differ by more than the share `same`.
    """
    if found := _BOUND.fullmatch(text):
        least, value = found[1] == ">", scale(float(found[2]))
        slack = same if value == 1 else 0.0
        if least:
            return Claim(value + slack, inf, strict=True)
        return Claim(-inf, value - slack, strict=True)
    if found := _RANGE.fullmatch(text):
        return Claim(scale(float(found[1])), scale(float(found[2])))
    if _PLAIN.fullmatch(text):
        value = scale(float(text))
        slack = abs(value) * within / 100
        return Claim(value - slack, value + slack)
    return None


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


def columns_of(identity: Identity, metric: str) -> dict[str, str]:
    """What figures of ours are chosen by."""
    by = identity.parameter.by or ""
    return identity.columns(metric) | identity.where | {"by": by}


class OurFigures(Figures):
    """A choice of figures of ours, also by where they were measured."""

    chosen_by: ClassVar[tuple[str, ...]] = (
        *Figures.chosen_by,
        *("completion", "board", "topology", "node", "link", "by", "size"),
    )

    completion: Many[str] | None = None
    """How the driver waited; its own choice without it."""

    board: Many[str] | None = None
    """The profile of the device under test."""

    topology: Many[str] | None = None
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

    completion: str | None = None
    """How its driver waited."""

    parameter: str | None = None
    """Its size, key or whatever else the workload varies."""

    by: str | None = None
    """What brought its file; "" for the usual way of its protocol."""

    board: str | None = None
    """The profile of its device under test."""

    topology: str | None = None
    """Its topology; the node may be any where `node` does not name it."""

    node: str | None = None
    """The node that was its device under test."""

    link: str | None = None
    """The rate of all its links; "" for its topology's own."""

    @property
    def changes(self) -> dict[str, str]:
        """The columns that differ, with the other figure's values."""
        return {key: value for key, value in dict(self).items() if value is not None}


class Named(OurFigures):
    """One of several figures that are compared with each other."""

    name: str
    """What the statement calls it."""


class RowOf(Table):
    """Which published row something is of."""

    table: str | None = None
    """The table or page of the published row."""

    protocol: str | None = None
    """The protocol of the published row."""

    metric: str | None = None
    """The metric of the published row."""

    parameter: str | None = None
    """The parameter of the published row."""

    says: str | None = None
    """What the source states, in our words: the figure's name and its parameter without it."""

    @property
    def of(self) -> dict[str, str]:
        """The columns that tell its published row."""
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
    """Which figures of ours answer it.  It names their metric; their protocol is that of the row
    unless it names one."""

    versus: Versus | None = None
    """What the other figure has otherwise; hardware is compared with software without it."""

    than: Versus | None = None
    """What figures have otherwise whose ratio the ratio is divided by."""

    among: tuple[Named, ...] = ()
    """The figures whose order, or whose best and worst, the statement is about: what each has
    besides the keys of `figure`, or in their stead.  They are compared in each place by itself,
    unless one names its place."""

    form: Form
    """How the statement follows: a ratio of both figures, a change, one figure alone (`value`) or
    what it leaves of 100 %, the order of several or the ratio of the best to the worst of them,
    whether one size is off the range of its neighbours (`outlier`), or what limits."""

    over: Literal["first", "each", "mean"] = "first"
    """Of several figures that are chosen, whether the first counts, each, or their mean if they are
    numbers."""

    within: Annotated[float, Field(gt=0, le=100)] = 20.0
    """How many percent ours may be off a plain number that it confirms, or off the range of its
    neighbours before it is an outlier."""

    decimals: Annotated[int, Field(ge=0)] = 0
    """How many decimals it is given with."""

    why: str | None = None
    """Why ours does not confirm it, where it does not: a sentence without its full stop."""

    @model_validator(mode="after")
    def _check(self) -> "Statement":
        metrics = self.figure.metric or ()
        if self.form != "what limits" and len(metrics) != 1:
            raise ValueError("`figure` has to name one `metric`, and one that is measured")
        needs = self.form == "figure over versus"
        if needs != (self.versus is not None) and self.form != "change in percent":
            raise ValueError(
                f'`versus` is {"missing for" if needs else "not for"} form "{self.form}"'
            )
        if self.than and self.form not in _RATIOS:
            raise ValueError(f'`than` is not for form "{self.form}", which is no ratio')
        several = self.form in _OF_SEVERAL
        if several != (len(self.among) > 1):
            wants = "needs two or more" if several else "is not for"
            raise ValueError(f'`among` {wants}{" of" if several else ""} form "{self.form}"')
        if several and not better(metrics[0]):
            raise ValueError(f"`figure.metric` `{metrics[0]}` is neither better higher nor lower")
        if self.over == "mean" and self.form not in (*_RATIOS, *_NUMBERS):
            raise ValueError(f'`over` is "mean", which form "{self.form}" has none of')
        check_distinct("among.name", tuple(each.name for each in self.among))
        return self

    @property
    def of_metric(self) -> str:
        """The metric of its figures; that of the CPU where it is about what limits them."""
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
    """Why statements of a table have nothing of ours beside them."""

    table: str
    """The table or page, as in `figures.csv`."""

    why: str
    """The reason; what a sentence says after the statement."""
