# SPDX-License-Identifier: Apache-2.0
"""What the boards' profiles must say so that named figures come out as published.

Two numbers are fitted, each to rows that hang most on it; all other rows are predictions
(docs/fidelity.md).

1. The CPU's rate: rows in which the CPU is the bottleneck, where speed goes with the rate.
2. The wire's latency, which stands for the switches and the peer of the published set-up too: round
   trips without a tunnel.

`steps` says by how much to change what the files have now, and what each row asks for; rows are
measured again with that, until nothing is left to change.

The number of multipliers of the public-key core was fitted on paper, to the published times of
one handshake on the core (docs/pk-timing.md), so these rows are no predictions either.  No
published row tells what a register access costs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean

from firesteel.analysis.compare import as_published, place
from firesteel.analysis.rows import Result
from firesteel.base.errors import FiresteelError
from firesteel.base.toml_edit import numbers, with_number
from firesteel.board.profile import BOARD_FILES
from firesteel.model import names
from firesteel.store.store import write_whole

_TLS = {"experiment": "tls-connection-time", "protocol": "openvpn", "implementation": "software"}
_TRANSFER = {"experiment": "file-transfer", "metric": "throughput", "implementation": "software"}
_HASHED = {"cipher": "aes-256-cbc", "mac": "sha256"}

_KEYS = ("rsa-1024", "rsa-2048", "rsa-4096")

RATE_ROWS: Sequence[dict[str, str]] = (
    *({**_TLS, "parameter": key} for key in _KEYS),
    {**_TRANSFER, **_HASHED, "protocol": "ipsec"},
    {**_TRANSFER, **_HASHED, "protocol": "ssh"},
)
"""Handshakes and bulk data of programs whose way of computing has not changed since."""

LATENCY_ROWS: Sequence[dict[str, str]] = tuple(
    {"experiment": "ping", "protocol": "none", "metric": "rtt_mean", "parameter": size}
    for size in ("56 B", "1000 B", "8000 B", "16000 B")
)

MULTIPLIER_ROWS: Sequence[dict[str, str]] = tuple(
    {**_TLS, "implementation": "hardware", "parameter": key} for key in _KEYS
)
"""By which docs/pk-timing.md chose the number of multipliers."""

_FITTED = {"rate": RATE_ROWS, "latency": LATENCY_ROWS, "multipliers": MULTIPLIER_ROWS}

_PROFILES = tuple(
    BOARD_FILES / "profiles" / f"{name}.toml"
    for name in ("socrates", "socrates-hash", "socrates-virtio")
)
_TOPOLOGIES = (BOARD_FILES / "topologies" / "host-host.toml",)

_RATE, _LATENCY = "cpu.instructions_per_second", "links.latency_ns"
"""The keys that are fitted."""

_NEAR = 0.005
"""The share of a number by which it is not worth changing."""


@dataclass(frozen=True)
class Asked:
    """What the number would be that brings one row to the published figure."""

    name: str
    metric: str
    number: int


@dataclass(frozen=True)
class Step:
    """A number of files, as it is and as it should be, and what each row asks for."""

    key: str
    unit: str
    files: tuple[Path, ...]
    now: int
    wanted: int
    asked: tuple[Asked, ...]

    @property
    def span(self) -> tuple[int, int]:
        """The least and the most that a row asks for."""
        numbers = [asked.number for asked in self.asked]
        return min(numbers), max(numbers)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to change."""
        return abs(self.wanted - self.now) <= _NEAR * self.now

    def write(self) -> None:
        """Puts the number into the files."""
        for path in self.files:
            write_whole(path, with_number(path, self.key, self.wanted).encode())


def steps(comparison: Iterable[Result]) -> tuple[Step, Step]:
    """The next step for the rate and for the latency, from figures beside the published ones.

    Raises `FiresteelError` when a row is missing, or the files do not agree with each other.
    """
    told = as_published(comparison)
    return _rate_step(told), _latency_step(told)


def _rate_step(comparison: Sequence[Result]) -> Step:
    now = _value(_RATE, _PROFILES)
    rows = list(_picked(comparison, RATE_ROWS))
    faster = exp(mean(log(_speed(*row)) for row in rows))
    return Step(
        key=_RATE,
        unit="instructions a second",
        files=_PROFILES,
        now=now,
        wanted=round(now / faster / 1e6) * 1_000_000,
        asked=tuple(_asked(row[0], now / _speed(*row), 1_000_000) for row in rows),
    )


def _latency_step(comparison: Sequence[Result]) -> Step:
    now = _value(_LATENCY, _TOPOLOGIES)
    rows = list(_picked(comparison, LATENCY_ROWS))
    # There and back again
    each = [now + (theirs - result.value) * 1e6 / 2 for result, theirs in rows]
    return Step(
        key=_LATENCY,
        unit="ns",
        files=_TOPOLOGIES,
        now=now,
        wanted=max(0, round(mean(each) / 1e3) * 1_000),
        asked=tuple(
            _asked(result, asked, 1_000) for (result, _), asked in zip(rows, each, strict=True)
        ),
    )


def _asked(result: Result, number: float, step: int) -> Asked:
    return Asked(
        name=place(result),
        metric=names.metric(result.metric),
        number=max(0, round(number / step) * step),
    )


def fitted_to(row: Mapping[str, str]) -> str:
    """What was fitted to a row of figures: `rate`, `latency`, `multipliers`, or nothing."""
    return next(
        (what for what, rows in _FITTED.items() if any(_fits(row, keys) for keys in rows)), ""
    )


def _speed(result: Result, published: float) -> float:
    """How many times as fast as published."""
    ratio = result.value / published
    return ratio if result.metric == "throughput" else 1 / ratio


def _picked(
    comparison: Sequence[Result], wanted: Sequence[dict[str, str]]
) -> Iterator[tuple[Result, float]]:
    """A result for each that is wanted, and the published one."""
    for keys in wanted:
        found = [
            (result, published)
            for result in comparison
            if (published := result.published) is not None and _fits(result.columns, keys)
        ]
        if len(found) != 1:
            told = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise FiresteelError(
                f"The run has {len(found)} figures of {told}; a fit needs one; `firesteel run "
                "thesis --quick` measures all of them."
            )
        yield found[0]


def _fits(row: Mapping[str, str], keys: dict[str, str]) -> bool:
    return all(row[key] == value for key, value in keys.items())


def _value(key: str, files: Sequence[Path]) -> int:
    found = {number for path in files for number in numbers(path, key)}
    if len(found) != 1:
        raise FiresteelError(
            f"The key `{key}` has {len(found)} values in "
            f"{', '.join(path.name for path in files)}; they are fitted together."
        )
    return found.pop()
