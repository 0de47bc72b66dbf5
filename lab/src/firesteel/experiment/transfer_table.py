# SPDX-License-Identifier: Apache-2.0
"""The table `[transfer]` of an experiment's file: a file that is fetched."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base.schema import FileSize, Table, bytes_of
from firesteel.model.cell import TransferPlan

_LARGEST_FILES = 256 << 20
"""They lie in the sender's main memory, beside the image's own files."""


class Steady(Table):
    """Files of `start`, `factor` times that, and so on, until their rate is steady."""

    start: FileSize
    factor: Annotated[int, Field(ge=2, le=64)] = 2


class QuickTransfer(Table):
    """What `--quick` changes of the file transfer."""

    size: FileSize
    steady: Steady | None = None


class Transfer(Table):
    """The file transfer of every cell; sizes as `128 MiB`."""

    size: FileSize
    steady: Steady | None = None
    quick: QuickTransfer | None = None

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        tables: list[Transfer | QuickTransfer] = [self, *([self.quick] if self.quick else [])]
        for which in tables:
            plan = _plan(which)
            if plan.steady_from and plan.steady_from >= plan.size:
                raise ValueError("`steady.start` must be smaller than `size`")
            if sum(plan.sizes) > _LARGEST_FILES:
                raise ValueError(
                    f"a file of {which.size} is too large; 256 MiB is the most, for one file or "
                    "all together"
                )
        return self

    def plan(self, quick: bool) -> TransferPlan:
        """What a cell is told to do."""
        return _plan(self.quick if quick and self.quick else self)


def _plan(table: Transfer | QuickTransfer) -> TransferPlan:
    size = bytes_of(table.size)
    if not table.steady:
        return TransferPlan(size=size)
    return TransferPlan(
        size=size,
        steady_from=bytes_of(table.steady.start),
        steady_factor=table.steady.factor,
    )
