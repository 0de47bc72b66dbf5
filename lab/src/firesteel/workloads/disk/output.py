# SPDX-License-Identifier: Apache-2.0
"""Reading what fio says of a run, in its JSON."""

import json
from dataclasses import dataclass
from typing import Any

from firesteel.protocols.failure import CellFailure


@dataclass(frozen=True)
class Output:
    """What fio did: bytes and I/Os, and latencies in ns from submitting an I/O to its completion.

    Its rates are left alone: it takes them from a time in whole milliseconds.
    """

    size: int
    ios: int
    latency_mean: float
    latency_p99: float


def parse_output(text: bytes, name: str, way: str) -> Output:
    """The output of the run called `name`; `way` is `read` or `write`.

    Raises `CellFailure` when it is not whole, or fio met an error.
    """
    # Before the JSON it says where the output of its commands went.
    begin = text.find(b"{")
    try:
        (job,) = json.loads(text[max(begin, 0) :].decode())["jobs"]
        error, done = int(job["error"]), job[way]
        output = Output(
            size=int(done["io_bytes"]),
            ios=int(done["total_ios"]),
            latency_mean=_number(done["lat_ns"]["mean"]),
            latency_p99=_number(done["clat_ns"]["percentile"]["99.000000"]),
        )
    except (ValueError, KeyError, TypeError) as problem:
        raise CellFailure(
            f"Run {name}: fio's report is incomplete: {type(problem).__name__} {problem}."
        ) from None
    if error:
        raise CellFailure(f"Run {name}: fio reported the error {error}.")
    return output


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or value <= 0:
        raise ValueError(f"{value!r} where a positive number belongs")
    return float(value)
