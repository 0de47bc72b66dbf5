# SPDX-License-Identifier: Apache-2.0
"""A published study as data: `published/NAME/study.toml`; published/README.md says what keys mean.

A new study is a folder with this file and `figures.csv`; no code knows one by its name.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Many, Table
from firesteel.model.cell import Cell

STUDIES = CHECKOUT / "published"

Form = Literal["hardware over software", "software over hardware", "change in percent"]


class StandsFor(Table):
    """The board and the topology of this checkout that stand for those of a study."""

    board: str
    topology: str


class Layout(Table):
    """A published table: its number, what it is of, and the topic of the report that has it.

    Its columns are the parameters or the metrics of its figures.  `also` are further numbers under
    which rows of it are found, which the study has in several tables.
    """

    number: str
    title: str
    topic: str
    columns: Literal["parameters", "metrics"] = "parameters"
    also: Many[str] | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """What its rows are found under."""
        return (self.number, *(self.also or ()))


class Statement(Table):
    """A statement outside of tables that follows from two figures of ours, in software and in
    hardware, which `figure` chooses by their columns.
    """

    protocol: str
    metric: str
    figure: dict[str, str]
    form: Form
    decimals: Annotated[int, Field(ge=0)] = 0

    def computed(self, software: float, hardware: float) -> str:
        """What it would say of ours."""
        match self.form:
            case "hardware over software":
                return f"{hardware / software:.{self.decimals}f}"
            case "software over hardware":
                return f"{software / hardware:.{self.decimals}f}"
            case "change in percent":
                return f"{100 * (hardware / software - 1):+.{self.decimals}f}"


class Unmeasured(Table):
    """Why statements of a table have nothing of ours beside them."""

    table: str
    why: str


class Regression(Table):
    """What is done differently here, where the published hardware was worse than its software."""

    protocol: str
    why: str


class StudyFile(Table):
    """What the file may say."""

    title: str
    cite: str
    source: str
    stands_for: StandsFor | None = None
    tables: tuple[Layout, ...] = ()
    statements: tuple[Statement, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()
    regressions: tuple[Regression, ...] = ()


class Study(StudyFile):
    """A study and its folder; `name` is the folder's."""

    name: str
    folder: Path

    def matches(self, cell: Cell) -> bool:
        """Whether the cell was measured on the study's board, over its link."""
        stands = self.stands_for
        where = (cell.profiles.get(cell.measured), cell.topology)
        return stands is not None and where == (stands.board, stands.topology)

    def layouts_of(self, table: str) -> tuple[Layout, ...]:
        """The tables that have a row of that number."""
        return tuple(layout for layout in self.tables if table in layout.numbers)


def load_studies(directory: Path = STUDIES) -> tuple[Study, ...]:
    """All studies, by name; `FiresteelError` when a file is not as it should be."""
    found = []
    for path in sorted(directory.glob("*/study.toml")):
        file = toml.read_model(path, StudyFile)
        folder = path.parent
        found.append(Study(**dict(file), name=folder.name, folder=folder))
    if not found:
        raise FiresteelError(f"{directory}: there is no study; NAME/study.toml is needed.")
    return tuple(found)


def files(name: str, directory: Path = STUDIES) -> tuple[Path, ...]:
    """The files of that name that studies have."""
    return tuple(
        path for study in load_studies(directory) if (path := study.folder / name).exists()
    )
