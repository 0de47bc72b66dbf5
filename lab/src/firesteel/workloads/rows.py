# SPDX-License-Identifier: Apache-2.0
"""A cell's figures as tidy rows."""

from collections.abc import Iterable

from firesteel.model.cell import Cell
from firesteel.model.figure import Figure

Value = tuple[str, str, float] | tuple[str, str, float, float | None]
"""Metric, unit and value; behind it the uncertainty, if the figure has one."""


def rows(cell: Cell, experiment: str, parameter: str, values: Iterable[Value]) -> list[Figure]:
    """All `values` as figures of the cell."""
    return [
        Figure(
            experiment=experiment,
            protocol=cell.protocol,
            cipher=cell.cipher,
            mac=cell.mac,
            implementation=cell.implementation,
            parameter=parameter,
            metric=metric,
            unit=unit,
            value=value,
            uncertainty=uncertainty[0] if uncertainty else None,
        )
        for metric, unit, value, *uncertainty in values
    ]
