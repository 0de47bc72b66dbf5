# SPDX-License-Identifier: Apache-2.0
"""What a processor's costs are taken for before any row is looked at: `priors.toml` of a folder of
published/ (published/README.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.analysis import study
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.board.processor import EVENTS, INSTRUCTIONS, MOST_CYCLES, UNITS, check_whole
from firesteel.replication.processor import Positive, Processor, check_key

FILE = "priors.toml"

ASSUMED = "assumed"
"""The source of what nobody published."""

LEAST = 1 / UNITS
"""Cycles that a cost is not below: what the emulator counts in."""


class Prior(Table):
    """What a class of instructions or an event is taken for."""

    cycles: Annotated[Positive, Field(le=MOST_CYCLES, multiple_of=1 / UNITS)]
    """Cycles, in eighths."""

    nanoseconds: Annotated[float, Field(ge=0, le=MOST_CYCLES)] = 0
    """Time on top of them: that of memory."""

    least: Annotated[float, Field(ge=LEAST, le=MOST_CYCLES, multiple_of=1 / UNITS)] = LEAST
    """Cycles that no fit goes below, in eighths."""

    source: Annotated[str, Field(min_length=1)]
    """A key of the processor's `sources`, or `assumed`."""

    why: Annotated[str, Field(min_length=1)]
    """How it follows from the source, or why it is assumed."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.least > self.cycles:
            raise ValueError(
                f"least is {self.least:g}; allowed is at most {self.cycles:g}, the prior"
            )
        return self

    @property
    def is_assumed(self) -> bool:
        """Whether nobody published it."""
        return self.source == ASSUMED

    @property
    def is_of_memory(self) -> bool:
        """Whether a part of it is memory's time."""
        return self.nanoseconds > 0

    def at(self, hertz: float) -> float:
        """Cycles, at that frequency."""
        return self.cycles + self.nanoseconds * hertz / 1e9

    @property
    def least_total(self) -> float:
        """Cycles that the sum of both parts is not below, whatever the frequency: of a cost that is
        memory's in part, the part that is not.
        """
        return self.cycles if self.is_of_memory else self.least


class PriorsFile(Table):
    """What `priors.toml` may say."""

    instructions: Mapping[str, Prior]
    """By class of instruction."""

    events: Mapping[str, Prior]
    """By event."""

    @model_validator(mode="after")
    def _are_whole(self) -> Self:
        check_whole("instructions", set(self.instructions), INSTRUCTIONS)
        check_whole("events", set(self.events), EVENTS)
        return self


@dataclass(frozen=True)
class Priors:
    """All of a processor's priors by name, in the emulator's order, and the file that has them."""

    path: Path
    each: Mapping[str, Prior]


def load_priors(processor: Processor, directory: Path | None = None) -> Priors:
    """Those of a processor of the checkout, or of a directory.

    Raises `FiresteelError` when there is no file, or it is not as it should be.
    """
    path = (directory or study.STUDIES) / processor.name / FILE
    if not toml.is_there(path):
        raise FiresteelError(
            f"{path}: is missing; a fit begins with what it says of each class of instructions and "
            "each event."
        )
    file = toml.read_model(path, PriorsFile)
    each = {**file.instructions, **file.events}
    for name, prior in each.items():
        try:
            check_key("source", prior.source, {ASSUMED: None, **processor.file.sources})
        except ValueError as error:
            raise FiresteelError(f"{path}: `{name}`: {error}.") from None
    return Priors(path, {name: each[name] for name in INSTRUCTIONS + EVENTS})
