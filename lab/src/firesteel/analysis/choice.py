# SPDX-License-Identifier: Apache-2.0
"""A choice of figures, in the words of tidy rows: what files of `published/NAME/` say where they
name rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator

from firesteel.base.schema import Many, Table
from firesteel.model.identity import Identity
from firesteel.model.metrics import METRICS
from firesteel.protocols.registry import PROTOCOLS
from firesteel.workloads.registry import SERIES


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
