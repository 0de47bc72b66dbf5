# SPDX-License-Identifier: Apache-2.0
"""The runs, studies and questions of design that pages show: `recorded/runs.toml`."""

from typing import Annotated

from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import RECORDED
from firesteel.base.toml import Table

RUNS = RECORDED / "runs.toml"


class Run(Table):
    """Its name in pages, the set that it is measured with, and the measured experiment."""

    name: str
    set: str
    experiment: str
    options: tuple[str, ...] = ("--quick",)


class Runs(Table):
    """The file.  For a study (`firesteel sensitivity`) only the results are kept; for a question of
    design (`firesteel design`) also the few records.
    """

    run: Annotated[tuple[Run, ...], Field(min_length=1)]
    study: tuple[Run, ...] = ()
    design: tuple[Run, ...] = ()


def load_runs() -> tuple[Run, ...]:
    """All runs, in the order in which they are measured."""
    return toml.read_model(RUNS, Runs).run


def load_studies() -> tuple[Run, ...]:
    """All studies, which are of runs."""
    return toml.read_model(RUNS, Runs).study


def load_designs() -> tuple[Run, ...]:
    """All questions of design."""
    return toml.read_model(RUNS, Runs).design
