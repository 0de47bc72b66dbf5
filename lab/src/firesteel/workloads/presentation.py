# SPDX-License-Identifier: Apache-2.0
"""What of a workload's figures is shown first, as data: terminal and report draw it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Chart = Literal["rates", "latency", "handshakes", "packet sizes"]
"""The charts that the report can draw of a workload, in the order of their sections."""


@dataclass(frozen=True)
class Column:
    """A main figure of a configuration; in `head` `{}` is the size.

    Of several sizes the first counts, or the `last`.  `in_progress` shows it as soon as its cell is
    measured.
    """

    experiment: str
    metric: str
    head: str
    last: bool = False
    in_progress: bool = False


@dataclass(frozen=True)
class Section:
    """A section of the report: `name` is its address in the page, and what published tables call
    their topic.  `details` are experiments all of whose figures are folded below the chart, with
    captions, or none where the experiment's title is enough.
    """

    name: str
    title: str
    chart: Chart
    details: Mapping[str, str] = field(default_factory=dict)
