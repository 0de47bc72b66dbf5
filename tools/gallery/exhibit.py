# SPDX-License-Identifier: Apache-2.0
"""What a question of the gallery is: the run that answers it, its picture and its sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.place import Place
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.workloads.registry import SERIES
from firesteel.workloads.series import Series

Sentences = tuple[str, str, str]
"""The verdict, the figure behind it, and what limits it or what it depends on."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Exhibit:
    """`name` is what the page asks for and what the picture's file is called; `run` is recorded."""

    name: str
    run: str
    chart: Callable[[Findings], Chart | None]
    sentences: Callable[[Findings], Sentences]


def series_with(found: Findings, metric: str) -> Series:
    """What the run first measured of that metric; `FiresteelError` where it did not."""
    those = [each for each in found.figures if each.metric == metric]
    return SERIES[needed(those, f"the metric `{metric}`", found)[0].identity.workload]


def boards_of(found: Findings) -> Mapping[Place, Profile]:
    """The measured boards, by where they were measured."""
    boards = {}
    for record in found.results.records:
        cell, setup = record.inputs.cell, record.measurement.setup
        if setup:
            boards[cell.place] = setup.profiles[cell.measured]
    return boards


def needed(items: Sequence[Item], what: str, found: Findings) -> Sequence[Item]:
    """The items; raises `FiresteelError` where the run has none."""
    if not items:
        raise FiresteelError(
            f"The gallery needs {what} from the run `{found.results.journal.name}`, which has none."
        )
    return items
