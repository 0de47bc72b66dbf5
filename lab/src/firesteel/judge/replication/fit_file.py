# SPDX-License-Identifier: Apache-2.0
"""What of the boards was fitted to which published figures: `fit.toml` of a study."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import EXPERIMENTS
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many, Table
from firesteel.boards import profile, topology
from firesteel.boards.profile import Clock
from firesteel.judge.compare import rows_of
from firesteel.judge.study import Figures, Study, one_of
from firesteel.model.cell import USUAL_COMPLETION, Affinity, Completion
from firesteel.protocols.protocol import HABITS

FILE = "fit.toml"

Key = Literal["cpu.instructions_per_second", "links.latency_ns"]

RATE: Key = "cpu.instructions_per_second"
"""The key of the rate, by which one of the two clocks goes."""

_Rows = Annotated[tuple[Figures, ...], Field(min_length=1)]


def _names() -> Iterator[str]:
    yield from HABITS
    yield from (each for each in get_args(Completion) if each != USUAL_COMPLETION)
    yield from toml.names_in(profile.PROFILES)
    yield from (f"{name} {cpu}" for name in (*Affinity.model_fields, "CPU") for cpu in range(8))


VariantName = Annotated[str, one_of(_names)]
"""A habit, a completion of the driver, or the profile of another board.  For a board with several
CPUs, also the CPU for a part of the work, such as `irq 0`, or the CPU that stands for the published
one, such as `CPU 0`.
"""


class Amount(Table):
    """How much of a variant there is, where that was chosen by published figures."""

    variant: VariantName
    """The variant, or the profile that stands for it."""

    rows: _Rows
    """The published figures that it was chosen by."""


class Predictor(Table):
    """A number that published figures determined, so that these are no predictions."""

    name: str
    """What it is called where a row was fitted to."""

    rows_are: str
    """The rows, in words."""

    rows: _Rows
    """The published figures that it is fitted to, of which each is needed, or was chosen by."""


class Number(Predictor):
    """A number of the boards' files that `research.fit` fits."""

    key: Key
    """The number: the rate, by figures whose speed goes with it, or the latency of the wire, by
    round trips."""

    clock: Clock | None = None
    """The clock on which figures depend on the number, either where it is left out.  On the other
    it is not fitted, and its rows are predictions."""

    files: Many[str]
    """The profiles with this rate, or the topologies with this latency."""

    @model_validator(mode="after")
    def _rate_is_of_its_clock(self) -> "Number":
        if self.key == RATE and self.clock != "flat":
            raise ValueError(f'`clock` must be "flat" with key "{RATE}", which no other clock uses')
        return self

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""
        folder = profile.PROFILES if self.key == RATE else topology.TOPOLOGIES
        return tuple(folder / f"{name}.toml" for name in self.files)

    @property
    def wanted(self) -> list[dict[str, str]]:
        """Each figure that is needed."""
        return [each for rows in self.rows for each in rows.each()]


class Chosen(Predictor):
    """A number that was chosen otherwise."""

    title: str
    """What it is."""

    how: str
    """How it was chosen; Markdown."""


class FitFile(Table):
    """The file; a study without one was not fitted to."""

    experiment: str
    """The experiment that measures all of these figures."""

    numbers: tuple[Number, ...] = ()
    """What `research.fit` fits, in its order."""

    chosen: tuple[Chosen, ...] = ()
    """What was chosen otherwise."""

    amounts: tuple[Amount, ...] = ()
    """What was chosen of variants."""

    @property
    def predictors(self) -> tuple[Number | Chosen, ...]:
        """All numbers by which other rows are predicted, on one clock or the other."""
        return (*self.numbers, *self.chosen)

    def command(self, clock: Clock) -> str:
        """What measures all rows on that clock."""
        return f"firesteel run {self.experiment} --quick --clock {clock}"

    def on(self, clock: Clock) -> "FitFile":
        """What it says of figures on that clock: without numbers on which they do not depend, whose
        rows are predictions there.
        """
        numbers = tuple(each for each in self.numbers if each.clock in (None, clock))
        return self.model_copy(update={"numbers": numbers})

    def fitted_to(self, columns: Mapping[str, str]) -> str:
        """The name of what was fitted to a figure; empty if it is a prediction."""
        found = (each.name for each in self.predictors if _choose(each.rows, columns))
        return next(found, "")

    def chose(self, variants: Collection[str], columns: Mapping[str, str]) -> bool:
        """Whether the amount of one of these variants was chosen by a figure."""
        return any(
            each.variant in variants and _choose(each.rows, columns) for each in self.amounts
        )


NONE = FitFile(experiment="")
"""What a study says that nothing was fitted to."""


def load_fit(study: Study) -> FitFile:
    """The study's; `FiresteelError` when it is wrong, or names what there is not."""
    path = study.file(FILE)
    if not path:
        return NONE
    fit = toml.read_model(path, FitFile)
    known = toml.names_in(EXPERIMENTS)
    if fit.experiment not in known:
        raise FiresteelError(
            f"{path}: key `experiment` is `{fit.experiment}`; there are: {', '.join(known)}."
        )
    published = rows_of(study)
    for rows in (rows for each in (*fit.predictors, *fit.amounts) for rows in each.rows):
        if not any(rows.chooses(row) for row in published):
            raise FiresteelError(f"{path}: figures.csv has no row of {_said(rows)}.")
    return fit


def _choose(rows: Iterable[Figures], columns: Mapping[str, str]) -> bool:
    return any(each.chooses(columns) for each in rows)


def _said(rows: Figures) -> str:
    return ", ".join(f"{key} {' or '.join(values)}" for key, values in rows.given.items())
