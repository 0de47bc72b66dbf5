# SPDX-License-Identifier: Apache-2.0
"""Figures as text, as published studies and records of the first format have them."""

from collections.abc import Mapping
from typing import Any

from firesteel.model.figure import Figure, Parameter, read_parameter
from firesteel.model.metrics import unit_of
from firesteel.workloads.registry import SERIES


def parameter_of(series: str, text: str) -> Parameter:
    """What the text of a figure of that series says; the series may be known to a study alone."""
    return SERIES[series].parameter(text) if series in SERIES else read_parameter(text)


def figure_of(row: Mapping[str, Any]) -> Figure:
    """The figure of a tidy row (`model.figure.COLUMNS`); `ValueError` when that is damaged."""
    rest = {**row}
    series, text, metric, unit = (
        str(rest.pop(key, "")) for key in ("experiment", "parameter", "metric", "unit")
    )
    if unit != unit_of(metric):
        raise ValueError(f"{metric} is in {unit_of(metric)}, not in {unit}")
    parameter = parameter_of(series, text)
    return Figure(**rest, workload=series, parameter=parameter, metric=metric)
