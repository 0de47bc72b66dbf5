# SPDX-License-Identifier: Apache-2.0
"""A figure: one number with the words that say what it is."""

from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from firesteel.model.metrics import unit_of
from firesteel.model.parameter import Parameter

CONVERGED = 0.02
"""The largest uncertainty, as a share of the figure, of one that has converged."""

COLUMNS = (
    *("experiment", "protocol", "cipher", "mac", "implementation", "parameter"),
    *("metric", "unit", "value"),
)
"""Of a tidy row, those of a `figures.csv` of `published/`."""


class Figure(BaseModel):
    """One number of a cell.

    `workload` is what was run ("ping", "file-transfer"; the column `experiment` of tidy rows),
    `parameter` the value that was swept, `metric` the quantity, one of `model.metrics`.

    `uncertainty` is half of the 95 % interval of a figure that is the mean over a window, and that
    a longer window would give otherwise; None of one that is exact for its seed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    workload: str
    """Measurement: `ping`, `file-transfer` …; the column `experiment` of tables."""
    protocol: str
    """Protocol of the cell."""
    cipher: str
    """Cipher of the cell."""
    mac: str
    """MAC of the cell."""
    implementation: str
    """Implementation of the cell."""
    parameter: Parameter
    """Swept value; what it does not have is absent."""
    metric: str
    """[quantity](figures.md)."""
    value: float
    """The figure, in the unit of its metric."""
    uncertainty: float | None = None
    """Half of its 95 % interval; absent where the figure is exact for its seed."""

    @property
    def unit(self) -> str:
        """The metric's."""
        return unit_of(self.metric)

    @property
    def converged(self) -> bool:
        """Whether the uncertainty, if there is any, is small."""
        return self.uncertainty is None or self.uncertainty <= CONVERGED * abs(self.value)

    @property
    def row(self) -> dict[str, Any]:
        """As a tidy row, with `COLUMNS`."""
        return {
            "experiment": self.workload,
            "protocol": self.protocol,
            "cipher": self.cipher,
            "mac": self.mac,
            "implementation": self.implementation,
            "parameter": self.parameter.text,
            "metric": self.metric,
            "unit": self.unit,
            "value": self.value,
        }

    @field_validator("metric")
    @classmethod
    def _is_known(cls, metric: str) -> str:
        unit_of(metric)
        return metric

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """The uncertainty of a figure that is exact."""
        said = handler(self)
        return {key: value for key, value in said.items() if value is not None}
