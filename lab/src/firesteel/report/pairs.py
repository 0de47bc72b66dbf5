# SPDX-License-Identifier: Apache-2.0
"""Software and hardware of the same configuration, side by side, and whether offload helps.

A pair is a row: one configuration at one size, key or file, measured both ways on the same board.
Its *speed* is the throughput or the handshakes a minute in hardware divided by those in software,
or the time in software divided by that in hardware, so more than 1 is better.  Its *CPU work* is
what the CPU does for the same payload, hardware divided by software, so less than 1 is better.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal

import polars as pl

from firesteel import names
from firesteel.report.boards import BOARD, LABEL, is_usual
from firesteel.report.charts import HARDWARE
from firesteel.report.sheet import MISSING, Mark, Sheet, Text, Tone, ratio

Verdict = Literal["helps", "makes no difference", "mixed", "loses"]

VERDICTS: tuple[Verdict, ...] = ("helps", "makes no difference", "mixed", "loses")

_SHOWN: tuple[Verdict, ...] = ("helps", "loses", "mixed", "makes no difference")
"""In the order of a table that is cut off at its right on a phone."""

TONES: dict[str, Tone] = {"helps": "good", "mixed": "mixed", "loses": "bad"}

SLACK = 0.02
"""A ratio that is nearer to 1 than this is no difference."""

RULE = (
    "Rows are compared with software of the same configuration on the same board. Speed is the "
    "ratio of throughput or of handshakes, and for times the inverse, so more than 1 is better; "
    "CPU work is the CPU time for the same payload (for pings, CPU use times round-trip time), so "
    "less than 1 is better. Offload helps where one of the two is better by more than "
    f"{SLACK * 100:g}\xa0% and neither is worse by more than that; it loses the other way round; "
    "it is mixed where one is better and the other worse; else it makes no difference. A "
    "difference in the noise between seeds, whose 95\xa0% intervals overlap, is none. Where a "
    "configuration was measured with several ways to wait for the cores (completion), the driver’s "
    "own choice counts."
)

_SPEEDS = (
    "throughput",
    "connections",
    "rtt_mean",
    "connection_time",
    "time_per_request_p50",
    "time_per_request",
)
"""The metric of speed: the first of these that an experiment has."""

_INTERVAL = ("ci95_low", "ci95_high")
"""Columns of figures of several seeds."""

_RATES = ("throughput", "connections")

_KINDS_OF_SPEED = (
    ("throughput", ("throughput",)),
    ("latency", _SPEEDS[2:]),
    ("handshakes", ("connections",)),
)
_COSTS = ("cpu_seconds_per_mb", "cpu_seconds_per_connection", "instructions_per_request_p50")


@dataclass(frozen=True)
class Pair:
    """One row both ways: the figures of `metric`, and the CPU use if it was measured.

    `counts` says whether it is one of those that the answer counts: of the cores, with the driver's
    own choice of completion.  `work` is the ratio of CPU work; None where the CPU was not looked
    at.  Figures of several seeds have 95 % intervals, and a difference between two that overlap is
    in the noise.
    """

    label: str
    board: str
    protocol: str
    experiment: str
    parameter: str
    metric: str
    unit: str
    software: float
    hardware: float
    counts: bool = True
    cpu: tuple[float, float] | None = None
    work: float | None = None
    speed_in_noise: bool = False
    work_in_noise: bool = False

    @property
    def speed(self) -> float | None:
        """More than 1 where hardware is faster; None where there is nothing to divide by."""
        over, under = (self.hardware, self.software)
        if self.metric not in _RATES:
            over, under = under, over
        return over / under if under else None

    @property
    def verdict(self) -> Verdict:
        """By the rule that `RULE` tells."""
        speed = 1.0 if self.speed is None or self.speed_in_noise else self.speed
        work = 1.0 if self.work is None or self.work_in_noise else self.work
        better = speed > 1 + SLACK or work < 1 - SLACK
        worse = speed < 1 - SLACK or work > 1 + SLACK
        if better and worse:
            return "mixed"
        return "helps" if better else "loses" if worse else "makes no difference"

    @property
    def at(self) -> str:
        """The size, key or file; and whether it is of decrypting, where both ways were measured."""
        doing = "decrypting, " if self.experiment.endswith("-decrypt") else ""
        return f"{doing}{self.parameter}"

    @property
    def what(self) -> str:
        """What is beside what, in words."""
        return f"{self.label}, {self.at}"


def pairs(figures: pl.DataFrame) -> list[Pair]:
    """All pairs of labelled figures, in their order."""
    found: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in figures.iter_rows(named=True):
        if row["metric"] in (*_SPEEDS, *_COSTS, "cpu"):
            found.setdefault(_key(row), {})[row["metric"]] = row
    made = (
        _pair(rows, found.get((*key[:-2], "software", ""), {}))
        for key, rows in found.items()
        if key[-2] != "software"
    )
    return [pair for pair in made if pair]


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    """What a row is of; the last two say how it was computed."""
    names_of = ("experiment", "protocol", "cipher", "mac", "parameter", BOARD)
    return (*(row[name] for name in names_of), row["implementation"], row["completion"])


def _pair(hardware: dict[str, Any], software: dict[str, Any]) -> Pair | None:
    metric = next((name for name in _SPEEDS if name in hardware and name in software), None)
    if metric is None:
        return None
    row = hardware[metric]
    pair = Pair(
        row[LABEL],
        row[BOARD],
        row["protocol"],
        row["experiment"],
        row["parameter"],
        metric,
        row["unit"],
        software[metric]["value"],
        row["value"],
        is_usual(row) and row["implementation"] == HARDWARE,
    )
    cpu = None
    if "cpu" in hardware and "cpu" in software:
        cpu = (software["cpu"]["value"], hardware["cpu"]["value"])
    cost = next((name for name in _COSTS if name in hardware and name in software), None)
    work = _ratio(hardware, software, cost) if cost else None
    if work is None and cpu and cpu[0] and pair.speed:
        work = cpu[1] / cpu[0] / pair.speed
    return replace(
        pair,
        cpu=cpu,
        work=work,
        speed_in_noise=_overlap(hardware[metric], software[metric]),
        work_in_noise=cost is not None and _overlap(hardware[cost], software[cost]),
    )


def _ratio(hardware: dict[str, Any], software: dict[str, Any], metric: str) -> float | None:
    if not software[metric]["value"]:
        return None
    return float(hardware[metric]["value"] / software[metric]["value"])


def _overlap(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the figures' intervals overlap; those of one seed are exact and have none."""
    bounds = [row[name] for row in (one, two) for name in _INTERVAL if row.get(name) is not None]
    if len(bounds) < 2 * len(_INTERVAL):
        return False
    low, high, other_low, other_high = bounds
    return bool(low <= other_high and other_low <= high)


def counted(found: Iterable[Pair]) -> str:
    """`helps in 23 of 25 rows, makes no difference in 2 and loses in none`."""
    verdicts = [pair.verdict for pair in found]
    count = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    told = [f"helps in {count['helps']} of {len(verdicts)} row{'s' if len(verdicts) > 1 else ''}"]
    told += [
        f"{'is ' if verdict == 'mixed' else ''}{verdict} in {count[verdict]}"
        for verdict in ("makes no difference", "mixed")
        if count[verdict]
    ]
    return f"{', '.join(told)} and loses in {count['loses'] or 'none'}"


def kinds_sheet(found: Sequence[Pair]) -> Sheet | None:
    """A row a kind of traffic: how many rows of each verdict, and how large the ratios are."""
    kinds: dict[str, list[Pair]] = {}
    for pair in found:
        kinds.setdefault(_kind(pair), []).append(pair)
    rows: list[list[Text]] = [
        [
            name,
            *(_count(those, verdict) for verdict in _SHOWN),
            _spread([pair.speed for pair in those]),
            _spread([pair.work for pair in those]),
        ]
        for name, those in kinds.items()
    ]
    columns = (*_SHOWN, "median (range)", "median (range)")
    groups = (("rows in which offload", 4), ("speed, × software", 1), ("CPU work, × software", 1))
    caption = "Hardware beside software, by kind of traffic"
    return Sheet(caption, columns, rows, groups, head="traffic") if rows else None


def configurations_sheet(found: Sequence[Pair]) -> Sheet | None:
    """A row a configuration: its ratios, and its verdict over all that was measured of it."""
    those: dict[str, list[Pair]] = {}
    for pair in found:
        those.setdefault(pair.label, []).append(pair)
    if not those:
        return None
    speeds = [
        (name, metrics)
        for name, metrics in _KINDS_OF_SPEED
        if any(pair.metric in metrics for pair in found)
    ]
    rows: list[list[Text]] = [
        [
            label,
            _verdicts(each),
            *(
                _spread([pair.speed for pair in each if pair.metric in metrics], median_too=False)
                for _, metrics in speeds
            ),
            _spread([pair.work for pair in each], median_too=False),
        ]
        for label, each in those.items()
    ]
    columns = ("offload", *(name for name, _ in speeds), "CPU work")
    caption = "Hardware beside software, by configuration: ratios, × software"
    groups = (("", 1), ("speed", len(speeds)), ("", 1))
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0}))


def rows_sheet(found: Sequence[Pair]) -> Sheet | None:
    """Every pair with its figures."""
    rows: list[list[Text]] = [
        [
            pair.label,
            f"{names.experiment(pair.experiment)}, {pair.parameter}",
            f"{names.metric(pair.metric)}, {names.unit(pair.unit)}",
            names.number(pair.software, pair.unit, pair.metric),
            names.number(pair.hardware, pair.unit, pair.metric),
            ratio(pair.speed),
            *([f"{use:.0f} %" for use in pair.cpu] if pair.cpu else [MISSING] * 2),
            ratio(pair.work),
            Mark(_said(pair), TONES.get(pair.verdict, "plain")),
        ]
        for pair in found
    ]
    columns = (
        *("measured", "metric", "software", "hardware", "speed"),
        *("CPU, software", "CPU, hardware", "CPU work", "offload"),
    )
    wordy = frozenset({0, 1, 8})
    caption = "Hardware beside software, every row"
    return Sheet(caption, columns, rows, wordy=wordy) if rows else None


def _kind(pair: Pair) -> str:
    kind, protocol = names.experiment(pair.experiment), names.protocol(pair.protocol)
    return kind if protocol.lower() in kind.lower() else f"{kind}, {protocol}"


def _said(pair: Pair) -> str:
    noisy = [("speed", pair.speed_in_noise), ("CPU work", pair.work_in_noise)]
    named = " and ".join(name for name, is_so in noisy if is_so)
    return f"{pair.verdict} ({named} in the noise)" if named else pair.verdict


def _count(found: Sequence[Pair], verdict: Verdict) -> Mark:
    count = sum(pair.verdict == verdict for pair in found)
    return Mark(str(count), TONES.get(verdict, "plain") if count else "plain")


def _verdicts(found: Sequence[Pair]) -> Mark:
    """The verdict of all rows of a configuration; where they differ, of how many and of which."""
    verdicts = [pair.verdict for pair in found]
    there = [verdict for verdict in VERDICTS if verdict in verdicts]
    worst = there[-1]
    if len(there) == 1:
        return Mark(worst, TONES.get(worst, "plain"))
    parts = []
    for verdict in there:
        where = [pair.at for pair in found if pair.verdict == verdict]
        named = f" ({' · '.join(where)})" if verdict in ("loses", "mixed") else ""
        parts.append(f"{verdict} in {len(where)}{named}")
    tone = TONES.get(worst, "good" if "helps" in there else "plain")
    return Mark("; ".join(parts), tone)


def _spread(numbers: Sequence[float | None], median_too: bool = True) -> str:
    there = sorted(number for number in numbers if number is not None)
    if not there:
        return MISSING
    low, high = ratio(there[0]), ratio(there[-1])
    if low == high:
        return low
    span = f"{low}\N{EN DASH}{high}"
    return f"{ratio(median(there))} ({span})" if median_too else span
