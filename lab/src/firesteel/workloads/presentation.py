# SPDX-License-Identifier: Apache-2.0
"""What of a workload's figures is shown first, as data: terminal and report draw it.

Charts are a closed union, so that the type checker finds who does not draw one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.model.figure import Parameter, read_operation, read_parameter

_NOTHING = Parameter()


@dataclass(frozen=True)
class Series:
    """`title` is for people, `name` for files.

    `is_transfer` says that a file was fetched, whose size scarcely matters to its rate and which
    the link may limit.
    `costs` are the metrics of one request by which sizes break even.  `of_operations` says that
    each of its figures is of a single operation, which its text names.  `same` is what all
    parameters of a size have alike, so that no text says it.
    """

    name: str
    title: str
    is_transfer: bool = False
    costs: tuple[str, ...] = ()
    of_operations: bool = False
    same: Parameter = _NOTHING

    def parameter(self, text: str) -> Parameter:
        """What the text of one of its figures says."""
        if self.of_operations:
            return read_operation(text)
        read = read_parameter(text)
        if read.size_bytes is None:
            return read
        if self.is_transfer:
            return Parameter(file_bytes=read.size_bytes, by=read.by)
        said = {key: value for key, value in read if value is not None}
        return self.same.model_copy(update=said)


@dataclass(frozen=True)
class Bars:
    """A bar for each configuration, or with `by_parameter` for each parameter: a rate, with the CPU
    use behind it.
    """

    series: Series
    metric: str
    unit: str
    by_parameter: bool = False


@dataclass(frozen=True)
class Lines:
    """Lines of a metric by size, in software and in hardware; `quantity` and `size` are in words,
    `size_unit` is what the panels' titles call the latter.
    """

    series: Series
    metric: str
    quantity: str
    unit: str
    size: str
    size_unit: str


@dataclass(frozen=True)
class Shares:
    """A bar for each configuration, stacked from the shares of a histogram; `what` it is of, `of`
    what the shares are, and the `caption` of its table.
    """

    series: Series
    what: str
    of: str
    caption: str


Chart = Bars | Lines | Shares


@dataclass(frozen=True)
class Column:
    """A main figure of a configuration; in `head` `{}` is the size.

    The first of several sizes counts, or the `last`.
    """

    experiment: str
    metric: str
    head: str
    last: bool = False


@dataclass(frozen=True)
class Section:
    """A section of the report: `name` is its address in the page, and what published tables call
    their topic.  `details` are series all of whose figures are folded below the chart, with
    captions, or none where the series' title is enough.
    """

    name: str
    title: str
    chart: Chart
    details: Mapping[str, str] = field(default_factory=dict)
