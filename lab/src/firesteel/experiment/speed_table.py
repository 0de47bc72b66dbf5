# SPDX-License-Identifier: Apache-2.0
"""The table `[speed]` of an experiment's file: OpenSSL's algorithms by block size."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table, check_distinct
from firesteel.model.cell import SpeedPlan

BlockSize = Annotated[int, Field(ge=16, le=65_536)]
Seconds = Annotated[int, Field(ge=1, le=60)]


class QuickSpeed(Table):
    """What `--quick` changes."""

    sizes: Many[BlockSize] | None = None
    seconds: Seconds | None = None


class Speed(Table):
    """The blocks of every cell; see `model.cell.SpeedPlan`."""

    sizes: Many[BlockSize]
    seconds: Seconds = 1
    quick: QuickSpeed = QuickSpeed()

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_distinct("sizes", self.sizes)
        check_distinct("sizes", self.quick.sizes or ())
        return self

    def plan(self, quick: bool) -> SpeedPlan:
        """What a cell is told to do."""
        return SpeedPlan(
            sizes=(self.quick.sizes if quick else None) or self.sizes,
            seconds=(self.quick.seconds if quick else None) or self.seconds,
        )
