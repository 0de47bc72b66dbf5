# SPDX-License-Identifier: Apache-2.0
"""A cell's figures from the values that a workload measured."""

from collections.abc import Iterable

from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter

Value = tuple[str, float] | tuple[str, float, float | None]
"""A metric of `model.metrics` and its value; behind it the uncertainty, if the figure has one."""


def rows(cell: Cell, workload: str, parameter: Parameter, values: Iterable[Value]) -> list[Figure]:
    """All `values` as figures of the cell."""
    return [
        Figure(
            workload=workload,
            protocol=cell.protocol,
            cipher=cell.cipher,
            mac=cell.mac,
            implementation=cell.implementation,
            parameter=parameter,
            metric=metric,
            value=value,
            uncertainty=uncertainty[0] if uncertainty else None,
        )
        for metric, value, *uncertainty in values
    ]
