# SPDX-License-Identifier: Apache-2.0
"""Parameters as text, as published studies have them."""

from firesteel.model.figure import Parameter, read_parameter
from firesteel.workloads.registry import SERIES


def parameter_of(series: str, text: str) -> Parameter:
    """What the text of a figure of that series says; the series may be known to a study alone."""
    return SERIES[series].parameter(text) if series in SERIES else read_parameter(text)
