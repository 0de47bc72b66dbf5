# SPDX-License-Identifier: Apache-2.0
"""Rows of figures, and the pairs that they make."""

from typing import Any

import polars as pl

from firesteel.analysis.boards import Boards
from firesteel.analysis.pairs import Pair, pairs


def row(metric: str, value: float, implementation: str = "software", **more: Any) -> dict[str, Any]:
    return {
        "experiment": "file-transfer",
        "protocol": "ipsec",
        "cipher": "aes-256-gcm",
        "mac": "gcm",
        "implementation": implementation,
        "parameter": "16 MiB",
        "metric": metric,
        "unit": {"throughput": "MB/s", "rtt_mean": "ms", "cpu": "percent"}.get(metric, "s"),
        "value": value,
        "completion": "" if implementation == "software" else "adaptive",
        "as_in_2015": "",
        **more,
    }


def found(*rows: dict[str, Any]) -> list[Pair]:
    frame = pl.DataFrame(rows)
    return pairs(Boards.of(frame).labelled(frame))


def both(metric: str, software: float, hardware: float, **more: Any) -> list[dict[str, Any]]:
    return [row(metric, software, **more), row(metric, hardware, "hardware", **more)]
