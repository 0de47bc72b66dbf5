# SPDX-License-Identifier: Apache-2.0
"""What the boards' profiles must say so that named figures come out as published.

Two numbers are fitted, each to rows that hang most on it; all other rows are predictions
(docs/fidelity.md).

1. The CPU's rate: rows in which the CPU is the bottleneck, where speed goes with the rate.
2. The wire's latency, which stands for the switches and the peer of the published set-up too: round
   trips without a tunnel.

`steps` says by how much to change what the files have now; rows are measured again with that, until
nothing is left to change.  The number of multipliers of the public-key core was fitted on paper
(docs/pk-timing.md), and no published row tells what a register access costs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from firesteel.board.profile import BOARD_FILES
from firesteel.errors import FiresteelError
from firesteel.store import write_whole

_TLS = {"experiment": "tls-connection-time", "protocol": "openvpn", "implementation": "software"}
_TRANSFER = {"experiment": "file-transfer", "metric": "throughput", "implementation": "software"}
_HASHED = {"cipher": "aes-256-cbc", "mac": "sha256"}

RATE_ROWS: Sequence[dict[str, str]] = (
    *({**_TLS, "parameter": key} for key in ("rsa-1024", "rsa-2048", "rsa-4096")),
    {**_TRANSFER, **_HASHED, "protocol": "ipsec"},
    {**_TRANSFER, **_HASHED, "protocol": "ssh"},
)
"""Handshakes and bulk data of programs whose way of computing has not changed since."""

LATENCY_ROWS: Sequence[dict[str, str]] = tuple(
    {"experiment": "ping", "protocol": "none", "metric": "rtt_mean", "parameter": size}
    for size in ("56 B", "1000 B", "8000 B", "16000 B")
)

_PROFILES = tuple(
    BOARD_FILES / "profiles" / f"{name}.toml"
    for name in ("socrates", "socrates-hash", "socrates-virtio")
)
_TOPOLOGIES = (BOARD_FILES / "topologies" / "host-host.toml",)

_NEAR = 0.005
"""The share of a number by which it is not worth changing."""


@dataclass(frozen=True)
class Step:
    """A number of files, as it is and as it should be."""

    key: str
    unit: str
    files: tuple[Path, ...]
    now: int
    wanted: int

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to change."""
        return abs(self.wanted - self.now) <= _NEAR * self.now

    def write(self) -> None:
        """Puts the number into the files."""
        for path in self.files:
            text = path.read_text(encoding="utf-8")
            changed = _line(self.key).sub(rf"\g<1>{self.wanted:_}", text)
            write_whole(path, changed.encode())


def steps(comparison: pl.DataFrame) -> tuple[Step, Step]:
    """The next step for the rate and for the latency, from figures beside the published ones.

    Raises `FiresteelError` when a row is missing, or the files do not agree with each other.
    """
    rate = _value("instructions_per_second", _PROFILES)
    latency = _value("latency_ns", _TOPOLOGIES)
    faster = exp(mean(log(_speed(row)) for row in _picked(comparison, RATE_ROWS)))
    later = mean(row["published"] - row["value"] for row in _picked(comparison, LATENCY_ROWS))
    return (
        Step(
            key="instructions_per_second",
            unit="instructions a second",
            files=_PROFILES,
            now=rate,
            wanted=round(rate / faster / 1e6) * 1_000_000,
        ),
        Step(
            key="latency_ns",
            unit="ns",
            files=_TOPOLOGIES,
            now=latency,
            # There and back again
            wanted=max(0, round((latency + later * 1e6 / 2) / 1e3) * 1_000),
        ),
    )


def is_fitted(row: dict[str, Any]) -> bool:
    """Whether a row of figures is one that was fitted to."""
    return any(_fits(row, wanted) for wanted in (*RATE_ROWS, *LATENCY_ROWS))


def _speed(row: dict[str, Any]) -> float:
    """How many times as fast as published."""
    ratio = float(row["value"] / row["published"])
    return ratio if row["metric"] == "throughput" else 1 / ratio


def _picked(comparison: pl.DataFrame, wanted: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
    paired = comparison.drop_nulls("published").to_dicts()
    for keys in wanted:
        found = [row for row in paired if _fits(row, keys)]
        if len(found) != 1:
            told = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise FiresteelError(
                f"The run has {len(found)} figures of {told}; a fit needs one: "
                "`firesteel run thesis --quick` measures all that it needs."
            )
        yield found[0]


def _fits(row: dict[str, Any], keys: dict[str, str]) -> bool:
    return all(row[key] == value for key, value in keys.items())


def _line(key: str) -> re.Pattern[str]:
    return re.compile(rf"^({key} = )([\d_]+)$", re.MULTILINE)


def _value(key: str, files: Sequence[Path]) -> int:
    found = {int(value) for path in files for _, value in _line(key).findall(path.read_text())}
    if len(found) != 1:
        raise FiresteelError(
            f"The key `{key}` has {len(found)} values in "
            f"{', '.join(path.name for path in files)}; they are fitted together."
        )
    return found.pop()
