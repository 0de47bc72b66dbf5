# SPDX-License-Identifier: Apache-2.0
"""Tables of an experiment's file: `[nodes]`, real machines; `[[configurations]]`, what is measured
but for sizes; and `[limits]`, ratios that configurations must reach.

A limit bounds the ratio of two figures that differ in nothing but what `versus` says, as the
throughput in hardware divided by that in software.
"""

import datetime
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from firesteel.base.toml import Many, Table, pattern
from firesteel.boards.real import HOST, INTERFACE, Address
from firesteel.model.cell import (
    AS_INSTALLED,
    ON_CORES,
    USUAL_COMPLETION,
    Affinity,
    Cell,
    Completion,
    Habit,
    Implementation,
)
from firesteel.model.identity import Bounds, Limit, Side, side_of
from firesteel.model.metrics import AT_LINK
from firesteel.protocols.protocol import HABITS
from firesteel.protocols.registry import PROTOCOLS, ProtocolName, Suite, protocol_named


class RealNode(Table):
    """The real machine that a node is."""

    ssh: Annotated[str, Field(pattern=HOST)]
    """Address of the machine, with its port unless it is 22: `root@board.lan:2222`."""
    interface: Many[Annotated[str, Field(pattern=INTERFACE)]] | None = None
    """The machine's network interface for each of the node's links, in the topology's order; used
    for nothing else.
    """

    @property
    def name(self) -> str:
        """What the machine is called."""
        return Address(self.ssh, self.interface or ()).name


def _only_suite(said: dict[str, Any]) -> tuple[str, ...]:
    """The suite of protocols that have a single one; nothing for others."""
    suites = {suite for name in said.get("protocol", ()) for suite in protocol_named(name).suites}
    return tuple(suites) if len(suites) == 1 else ()


class Configuration(Table):
    """Lists whose product is a set of cells; `completion` applies only to cells in hardware."""

    protocol: Many[ProtocolName]
    """Program or kernel part that encrypts."""
    suite: Many[Suite] = Field(default_factory=_only_suite)
    """`CIPHER:MAC`, or a cipher that belongs to only one suite, such as `aes-256-gcm`. Default: the
    protocol's only suite.
    """
    implementation: Many[Implementation] = ("software",)
    """What computes: the board's CPU, its cores or QEMU's virtio-crypto device."""
    completion: Many[Completion] = (USUAL_COMPLETION,)
    """How the driver or library waits for the cores; for hardware cells only."""
    as_in_2015: Many[Habit] | None = None
    """Variants that work as software did in 2015 (see [Fidelity](../fidelity.md))."""
    affinity: Annotated[tuple[Affinity, ...], Field(min_length=1)] = (Affinity(),)
    """The CPUs for each kind of work on a measured board with several CPUs; `{}` sets nothing."""

    @model_validator(mode="after")
    def _habits_fit(self) -> Self:
        protocols = [protocol_named(name) for name in self.protocol]
        for habit in self.as_in_2015 or ():
            if not all(habit in protocol.variants for protocol in protocols):
                allowed = [each.name for each in PROTOCOLS if habit in each.variants]
                raise ValueError(
                    f'`as_in_2015` "{habit}" is only for protocol {" and ".join(allowed)}'
                )
            nature = HABITS[habit]
            if nature.on_cores and not set(ON_CORES).issuperset(self.implementation):
                raise ValueError(
                    f'`as_in_2015` "{habit}" is only for implementation {" or ".join(ON_CORES)}'
                )
            if any(nature.suites not in suite for suite in self.suite):
                raise ValueError(f'`as_in_2015` "{habit}" is only for {nature.said}')
        for protocol in protocols:
            protocol.check_variants(self.as_in_2015 or (), self.implementation)
        return self

    @model_validator(mode="after")
    def _suites_fit(self) -> Self:
        for name in self.protocol:
            protocol = protocol_named(name)
            if not self.suite:
                allowed = ", ".join(protocol.suites)
                raise ValueError(f'`suite` is missing; protocol "{name}" has: {allowed}')
            protocol.check_suites(self.suite)
        return self

    @model_validator(mode="after")
    def _implementations_fit(self) -> Self:
        protocols = [protocol_named(name) for name in self.protocol]
        for protocol in protocols:
            allowed = protocol.implementations
            if not set(self.implementation) <= set(allowed):
                raise ValueError(
                    f'protocol "{protocol.name}" is measured with implementation '
                    + " or ".join(f'"{name}"' for name in allowed)
                )
        if "hardware" in self.implementation and "none:none" in self.suite:
            raise ValueError(
                'suite "none:none" gives the hardware nothing to do; '
                "put it into another configuration, in software"
            )
        for protocol, implementation in product(protocols, self.implementation):
            suites = protocol.suites_of(implementation)
            for suite in self.suite:
                if suite not in suites:
                    raise ValueError(
                        f'implementation "{implementation}" has no suite "{suite}"; '
                        f"allowed are {', '.join(suites)}"
                    )
        return self

    @model_validator(mode="after")
    def _completions_fit(self) -> Self:
        if "completion" in self.model_fields_set and not set(self.implementation) & set(ON_CORES):
            raise ValueError(
                '`completion` is for implementation "hardware", which is not measured here'
            )
        return self


Metric = Annotated[
    str,
    Field(pattern=pattern(r"^[a-z][a-z0-9_]*$", 'the name of a metric, as "throughput"')),
]
"""As in figures: `throughput`."""

Note = Annotated[
    str,
    Field(pattern=pattern(r"^\S[^\n]*$", "a sentence on one line, without a space before it")),
]
"""A sentence on one line."""

Factor = Annotated[float, Field(gt=0)]


class Versus(Table):
    """What is other in the configuration that a ratio divides by."""

    protocol: ProtocolName | None = None
    """Protocol of the other cell; default: the same."""
    suite: Suite | None = None
    """Suite of the other cell, `CIPHER:MAC`; default: the same."""
    implementation: Implementation | None = None
    """Implementation of the other cell; default: the same."""
    completion: Completion | None = None
    """Completion of the other cell; default: the same."""
    board: str | None = None
    """Measured board of the other cell, if the ratio has a `board`; default: the same."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        differs = {"protocol", "suite", "implementation", "completion", "board"}
        if not differs & self.model_fields_set:
            raise ValueError(
                "a ratio needs two configurations; name what differs: protocol, suite, "
                "implementation, completion or board"
            )
        return self

    def side(self, of: Side, sides: Sequence[Side]) -> Side:
        """The other side.  Raises `ValueError` when it is not one of `sides`."""
        implementation = self.implementation or of.implementation
        completion = self.completion or of.completion or USUAL_COMPLETION
        wanted = (self.protocol or of.protocol, self.suite or of.suite, implementation)
        for side in sides:
            if (
                (side.protocol, side.suite, side.implementation) == wanted
                and side.completion in (None, completion)
                and (side.as_in_2015, side.affinity) == (of.as_in_2015, of.affinity)
            ):
                return side
        raise ValueError(
            f"{of.label} cannot be compared with {' '.join(wanted)}, which is not measured here"
        )


class Link(Versus):
    """A configuration that only the link slows down."""

    share: Annotated[float, Field(gt=0, le=1)] = AT_LINK
    """Share of this configuration's throughput that counts as line rate, which explains a missed
    limit.
    """


class First(Table):
    """Limits as they were first set, before they were moved."""

    least: dict[Metric, Factor] = Field(default_factory=dict)
    """First lower limit of the ratio, by metric."""
    most: dict[Metric, Factor] = Field(default_factory=dict)
    """First upper limit of the ratio, by metric."""
    date: datetime.date
    """Day on which these limits were set."""
    reason: Note | None = None
    """Reason for these limits; required here or in `[limits]`."""


class Ratio(Table):
    """Ratios of all cells that fit; in hardware, with the usual completion, if not said otherwise.

    `least` and `most` are by metric; the metrics of `show` are shown without a limit.  `note` is
    shown where a limit of these is missed.  Limits have a date and a reason.  If limits were moved,
    these are the move's date and reason, and `first` keeps the first values.
    """

    protocol: Many[ProtocolName] | None = None
    """Protocols of the cells; default: all."""
    suite: Many[Suite] | None = None
    """Suites of the cells; default: all."""
    implementation: Many[Implementation] = ("hardware",)
    """Implementations of the cells."""
    completion: Many[Completion] = (USUAL_COMPLETION,)
    """Completions of hardware cells."""
    experiment: Many[str] | None = None
    """Values of the figures' column `experiment`; default: all."""
    parameter: Many[str] | None = None
    """Values of the figures' column `parameter`; default: all."""
    board: str | None = None
    """Measured board of the cells, also by its [name in a sweep](../sweeps.md#read-the-answer);
    `versus` names the other.
    """
    versus: Versus
    """Different keys of the other cell, by whose figure the ratio divides."""
    least: dict[Metric, Factor] = Field(default_factory=dict)
    """Lower limit of the ratio, by metric."""
    most: dict[Metric, Factor] = Field(default_factory=dict)
    """Upper limit of the ratio, by metric."""
    show: Many[Metric] | None = None
    """Metrics whose ratio is shown without a limit."""
    date: datetime.date | None = None
    """Day on which these limits were set or last changed; required with `least` or `most`, here or
    in `[limits]`.
    """
    reason: Note | None = None
    """Reason for these limits or their last change; required like `date`."""
    first: First | None = None
    """The original limits, if they were changed; both are judged."""
    note: Note | None = None
    """Reason why a limit is missed."""

    @model_validator(mode="after")
    def _names_a_metric(self) -> Self:
        if not self.metrics:
            raise ValueError("a ratio needs a metric in `least`, `most` or `show`")
        return self

    @model_validator(mode="after")
    def _names_two_boards(self) -> Self:
        if (self.board is None) != (self.versus.board is None) or (
            self.board and self.board == self.versus.board
        ):
            raise ValueError("`board` and `versus.board` belong together; allowed are both or none")
        return self

    @model_validator(mode="after")
    def _is_not_versus_the_baseline(self) -> Self:
        if self.versus.implementation == AS_INSTALLED and (self.least or self.most):
            raise ValueError(
                f'a ratio to implementation "{AS_INSTALLED}" can be shown but not limited, because '
                "the baseline is the fastest software; allowed are `show`, or implementation "
                '"software"'
            )
        return self

    @model_validator(mode="after")
    def _dates_limits_only(self) -> Self:
        for key in ("date", "reason", "first"):
            if not self.limited and getattr(self, key) is not None:
                raise ValueError(f"`{key}` describes limits; it needs `least` or `most`")
        return self

    @model_validator(mode="after")
    def _was_moved(self) -> Self:
        if self.first is None:
            return self
        if not (self.first.least or self.first.most):
            raise ValueError("`first` needs `least` or `most`, with the values before the move")
        for key, now, then in (
            ("least", self.least, self.first.least),
            ("most", self.most, self.first.most),
        ):
            for metric, value in then.items():
                if metric not in now:
                    raise ValueError(f"`first.{key}.{metric}` has no limit now; allowed is `{key}`")
                if now[metric] == value:
                    raise ValueError(
                        f"`first.{key}.{metric}` is the present limit, {value:g}; allowed is only "
                        "the limit from before the move"
                    )
        return self

    def inheriting(self, date: datetime.date | None, reason: str | None) -> Self:
        """A copy in which limits without a date or a reason take these, and first limits without a
        reason take this reason.

        Raises `ValueError` if limits still lack one, or were first set after they were moved.
        """
        if not self.limited:
            return self
        first = self.first
        if first is not None:
            first = first.model_copy(update={"reason": first.reason or reason})
        day, why = self.date or date, self.reason or reason
        if day is None:
            raise ValueError(
                "`date` is missing: the day on which the limits were set, such as 2026-11-24"
            )
        if why is None or (first and first.reason is None):
            key = "reason" if why is None else "first.reason"
            raise ValueError(
                f"`{key}` is missing: the reason for the limits; "
                '"no reason was recorded" if nobody wrote it down'
            )
        if first and first.date > day:
            raise ValueError(f"`first.date` is {first.date}; allowed is no day after `date`, {day}")
        return self.model_copy(update={"date": day, "reason": why, "first": first})

    @property
    def limited(self) -> tuple[str, ...]:
        """The metrics that have a limit, each once."""
        return tuple(dict.fromkeys((*self.least, *self.most)))

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics, each once."""
        return tuple(dict.fromkeys((*self.limited, *(self.show or ()))))

    def bounds(self, metric: str) -> Bounds:
        """The present ones of a metric."""
        return Bounds(
            least=self.least.get(metric),
            most=self.most.get(metric),
            date=self.date,
            reason=self.reason or "",
        )

    def first_bounds(self, metric: str) -> Bounds | None:
        """The first ones of a metric; None where they were not moved."""
        first = self.first
        if first is None or metric not in {*first.least, *first.most}:
            return None
        return Bounds(
            least=first.least.get(metric, self.least.get(metric)),
            most=first.most.get(metric, self.most.get(metric)),
            date=first.date,
            reason=first.reason or "",
        )

    def fits(self, side: Side) -> bool:
        """Whether the ratio is of these cells."""
        return (
            (self.protocol is None or side.protocol in self.protocol)
            and (self.suite is None or side.suite in self.suite)
            and side.implementation in self.implementation
            and (side.completion is None or side.completion in self.completion)
        )


class Limits(Table):
    """What figures of the experiment are compared with."""

    link: Link | None = None
    """The configuration whose throughput only the link limits."""
    date: datetime.date | None = None
    """Default `date` of ratios, such as `2026-11-24`."""
    reason: Note | None = None
    """Default `reason` of ratios and of `first`."""
    ratios: Annotated[tuple[Ratio, ...], Field(min_length=1)]
    """Ratios of figures, with their limits."""

    @field_validator("ratios")
    @classmethod
    def _inherit(cls, ratios: tuple[Ratio, ...], info: ValidationInfo) -> tuple[Ratio, ...]:
        if not {"date", "reason"} <= info.data.keys():
            return ratios  # One of them is wrong, which is refused at its own key only.
        found = []
        for number, ratio in enumerate(ratios, 1):
            try:
                found.append(ratio.inheriting(info.data["date"], info.data["reason"]))
            except ValueError as error:
                raise ValueError(f"ratio {number}: {error}") from None
        return tuple(found)

    def of_cells(self, cells: Sequence[Cell]) -> tuple[Limit, ...]:
        """A limit for each metric of each configuration that a ratio fits, whichever ways bring its
        files.

        Raises `ValueError`, with the key first, when one fits no cell or has no counterpart.
        """
        return tuple(self._of_sides(tuple(dict.fromkeys(map(side_of, cells)))))

    def _of_sides(self, sides: Sequence[Side]) -> Iterator[Limit]:
        for number, ratio in enumerate(self.ratios, 1):
            key = f"key `limits.ratios[{number}]`"
            fitting = [side for side in sides if ratio.fits(side)]
            if not fitting:
                raise ValueError(f"{key} fits no cell")
            for side, metric in product(fitting, ratio.metrics):
                try:
                    beside = ratio.versus.side(side, sides)
                    link = self.link.side(side, sides) if self.link else None
                except ValueError as error:
                    raise ValueError(f"{key}: {error}") from None
                yield Limit(
                    of=side,
                    beside=beside,
                    metric=metric,
                    experiments=ratio.experiment or (),
                    parameters=ratio.parameter or (),
                    board=ratio.board or "",
                    beside_board=ratio.versus.board or "",
                    **(ratio.bounds(metric).model_dump() if metric in ratio.limited else {}),
                    first=ratio.first_bounds(metric),
                    link=link,
                    share=self.link.share if self.link else 1,
                    note=ratio.note or "",
                )
