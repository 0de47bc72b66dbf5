# SPDX-License-Identifier: Apache-2.0
"""Published statements as `study.toml` has them: which of our figures answer one, and how."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from firesteel.analysis.bound import Bound
from firesteel.analysis.choice import ExperimentName, OurFigures, ProtocolName
from firesteel.analysis.claim import Claim, claim_of
from firesteel.analysis.comparison import SLACK
from firesteel.base.schema import Table, check_distinct
from firesteel.model.metrics import better
from firesteel.model.parameter import read_parameter

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
