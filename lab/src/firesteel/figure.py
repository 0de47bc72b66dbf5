# SPDX-License-Identifier: Apache-2.0
"""A figure: one number with the words that say what it is."""

from pydantic import BaseModel, ConfigDict

CPU_UNIT = "percent of the loaded core"


class Figure(BaseModel):
    """One row of tidy results; the columns are those of `published/published.csv`.

    `parameter` is the swept value in the field's words ("56 B", "16 MiB"), `metric` the quantity
    ("rtt_mean", "throughput", "cpu"), `unit` its unit ("ms", "MB/s", "percent of the loaded core").
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
