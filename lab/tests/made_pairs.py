# SPDX-License-Identifier: Apache-2.0
"""Rows of figures, and the pairs that they make."""

from collections.abc import Mapping
from typing import Any

import polars as pl
from made_results import beside, results_in

from firesteel.judge.intervals import Sample
from firesteel.judge.places import Places
from firesteel.judge.rows import Pair, Result, Row
from firesteel.judge.verdict import Offload, RowVerdict, offloads, verdict
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.workloads import titles

_FILE = Parameter(file_bytes=16 << 20)


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


def found(*rows: dict[str, Any]) -> list[Offload]:
    results = results_in(pl.DataFrame(rows))
    return offloads(Places.of(results).labelled(results))


def both(metric: str, software: float, hardware: float, **more: Any) -> list[dict[str, Any]]:
    return [row(metric, software, **more), row(metric, hardware, "hardware", **more)]


def result_of(metric: str, value: float, published: float | None = None) -> Result:
    """A figure of a file transfer, with the published one."""
    identity = Identity("file-transfer", _FILE, "ipsec", "aes-256-gcm", "gcm", "software")
    return beside(Result(identity, metric, value, Sample.exact(value)), published)


def row_of(
    samples: Mapping[str, Sample],
    implementation: str = "software",
    workload: str = "file-transfer",
    parameter: Parameter = _FILE,
) -> Row:
    """A row of these figures by metric."""
    suite = ("ipsec", "aes-256-gcm", "gcm")
    identity = Identity(workload, parameter, *suite, implementation)
    results = {
        metric: Result(identity, metric, sample.value, sample, label=titles.of_identity(identity))
        for metric, sample in samples.items()
    }
    return Row(identity, results)


def pair_of(software: Mapping[str, Sample], hardware: Mapping[str, Sample]) -> Pair:
    return Pair(row_of(software), row_of(hardware, "hardware"))


def judged(
    software: Mapping[str, Sample],
    hardware: Mapping[str, Sample],
    clear: Mapping[str, float] | None = None,
) -> RowVerdict | None:
    """The verdict of figures by metric, with those without a tunnel."""
    link = {metric: Sample.of([value]) for metric, value in (clear or {}).items()}
    return verdict(pair_of(software, hardware), row_of(link))
