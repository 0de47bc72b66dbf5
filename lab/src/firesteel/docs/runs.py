# SPDX-License-Identifier: Apache-2.0
"""The runs whose figures the documentation shows: `recorded/runs.toml`."""

from typing import Annotated

from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import RECORDED
from firesteel.base.schema import Table

RUNS = RECORDED / "runs.toml"


class Run(Table):
    """One run: what it is called in pages, and the command that measures it."""

    name: str
    experiment: str
    options: tuple[str, ...] = ("--quick",)


class Runs(Table):
    """The file of runs."""

    run: Annotated[tuple[Run, ...], Field(min_length=1)]


def load_runs() -> tuple[Run, ...]:
    """All of them, in the order in which they are measured."""
    return toml.read_model(RUNS, Runs).run
