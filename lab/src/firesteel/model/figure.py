# SPDX-License-Identifier: Apache-2.0
"""A figure: one number with the words that say what it is."""

from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

CPU_UNIT = "percent of the loaded core"

CONVERGED = 0.02
"""The largest uncertainty, as a share of the figure, of one that has converged."""


class Figure(BaseModel):
    """One row of tidy results; the columns are those of `published/published.csv`.

    `parameter` is the swept value in the field's words ("56 B", "16 MiB"), `metric` the quantity
    ("rtt_mean", "throughput", "cpu"), `unit` its unit ("ms", "MB/s", "percent of the loaded core").

    `uncertainty` is half of the 95 % interval of a figure that is the mean over a window, and that
    a longer window would give otherwise; None of one that is exact for its seed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    experiment: str
    protocol: str
    cipher: str
    mac: str
    implementation: str
    parameter: str
    metric: str
    unit: str
    value: float
    uncertainty: float | None = None

    @property
    def converged(self) -> bool:
        """Whether the uncertainty, if there is any, is small."""
        return self.uncertainty is None or self.uncertainty <= CONVERGED * abs(self.value)

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """So a record without uncertainties reads as it did before there were any."""
        told = handler(self)
        return {key: value for key, value in told.items() if value is not None}
