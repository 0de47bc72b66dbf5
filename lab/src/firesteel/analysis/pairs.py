# SPDX-License-Identifier: Apache-2.0
"""Software and hardware of the same configuration, side by side, and whether offload helps.

A pair is a row: one configuration at one size, key or file, measured both ways on the same board.
Its *speed* is the throughput or the handshakes a minute in hardware divided by those in software,
or the time in software divided by that in hardware, so more than 1 is better.  Its *CPU work* is
what the CPU does for the same payload, hardware divided by software, so less than 1 is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from firesteel.analysis import bound
from firesteel.analysis.boards import BOARD, LABEL, is_usual
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.judging import (
    COST_OF_CHOICE,
    METRICS,
    SLACK,
    SPEEDS,
    UNTOUCHED,
    USE,
    VERDICTS,
    Judgement,
    Verdict,
    judge,
)
from firesteel.analysis.noise import Sample
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, Tone, ratio, ratio_range, value
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE
from firesteel.model.saturation import AT_LINK
from firesteel.workloads import titles

TONES: dict[str, Tone] = {
    "helps": "good",
    "mixed": "mixed",
    "loses": "bad",
    PEER_LIMITED: "mixed",
}

RULE = (
    "Each row compares hardware with software of the same configuration on the same board. Speed "
    "is the ratio of throughput or of handshakes, and for times the inverse, so more than 1 is "
    "better. CPU work is the CPU time for the same payload (for pings, CPU use times round-trip "
    "time), so less than 1 is better. Offload helps where one of the two is better by more than "
    f"{SLACK * 100:g}\xa0% and neither is worse by more than that. It loses in the reverse case, "
    "is mixed where one is better and the other worse, and otherwise makes no difference. A row "
    f"is left to software where it would lose, but the cores did at most {UNTOUCHED:g}\xa0% of the "
    f"payload and it takes at most {COST_OF_CHOICE * 100:g}\xa0% longer, which is the cost of "
    "choosing. A difference within the noise between seeds counts as none: zero is then in the "
    "95\xa0% interval of the differences seed by seed (Student’s t), or of the difference of the "
    "means (Welch) where the seeds of both sides differ. So does a lower speed at line rate, which "
    f"is {AT_LINK * 100:g}\xa0% of the throughput without a tunnel. A row is limited by the peer, "
    "and gets no verdict, where the other nodes’ CPUs may have taken more than "
    f"{bound.PEER_SHARE:g}\xa0% of its time. Where a configuration "
    "was measured with several ways to wait for the cores (completion), the driver’s own choice "
    "(adaptive) counts."
)

_KINDS_OF_SPEED = (
    ("throughput", ("throughput",)),
    ("latency", SPEEDS[2:]),
    ("handshakes", ("connections",)),
)


@dataclass(frozen=True)
class Pair:
    """One row both ways: the figures of its metric of speed, also as `texts` with their intervals,
    the CPU use likewise if it was measured, and what limited each (`analysis.bound`).

    `counts` says whether it is one of those that the answer counts: of the cores, with the driver's
    own choice of completion, and not limited by the peer.
    """

    label: str
    board: str
    protocol: str
    experiment: str
    parameter: str
    unit: str
    software: float
    hardware: float
    judgement: Judgement
    counts: bool = True
    texts: tuple[str, str] = (MISSING, MISSING)
    cpu: tuple[str, str] = (MISSING, MISSING)
    bounds: tuple[str, str] = (MISSING, MISSING)

    @property
    def metric(self) -> str:
        """That of speed."""
        return self.judgement.metric

    @property
    def speed(self) -> float | None:
        """More than 1 where hardware is faster; None where there is nothing to divide by."""
        return self.judgement.speed

    @property
    def work(self) -> float | None:
        """Less than 1 where the CPU does less; None where it was not looked at."""
        return self.judgement.work

    @property
    def verdict(self) -> Verdict:
        """By the rule that `RULE` tells."""
        return self.judgement.verdict

    @property
    def at(self) -> str:
        """The size, key or file; and whether it is of decrypting, where both ways were measured."""
        doing = "decrypting, " if self.experiment.endswith("-decrypt") else ""
        return f"{doing}{self.parameter}"

    @property
    def what(self) -> str:
        """What is beside what, in words."""
        return f"{self.label}, {self.at}"


_Rows = dict[str, dict[str, Any]]
"""By metric."""


def pairs(figures: pl.DataFrame) -> list[Pair]:
    """All pairs of labelled figures, in their order."""
    found: dict[tuple[str, ...], _Rows] = {}
    for row in figures.iter_rows(named=True):
        if row["metric"] in METRICS:
            found.setdefault(_key(row), {})[row["metric"]] = row
    made = (
        _pair(rows, found.get((*key[:-2], "software", ""), {}), found.get(_clear(key), {}))
        for key, rows in found.items()
        if key[-2] not in IN_SOFTWARE
    )
    return [pair for pair in made if pair]


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    """What a row is of; the last two say how it was computed."""
    names_of = ("experiment", "parameter", BOARD, "protocol", "cipher", "mac", "as_in_2015")
    return (*(row[name] for name in names_of), row["implementation"], row["completion"])


def _clear(key: tuple[str, ...]) -> tuple[str, ...]:
    """The same without a tunnel."""
    return (*key[:3], "none", "none", "none", "", "software", "")


def _pair(hardware: _Rows, software: _Rows, clear: _Rows) -> Pair | None:
    one, other = (
        {metric: Sample.of_row(row) for metric, row in rows.items()}
        for rows in (software, hardware)
    )
    link, use = (clear.get(metric, {}).get("value") for metric in ("throughput", USE))
    judgement = judge(one, other, link, use)
    if judgement is None:
        return None
    metric = judgement.metric
    row = hardware[metric]
    return Pair(
        row[LABEL],
        row[BOARD],
        row["protocol"],
        row["experiment"],
        row["parameter"],
        row["unit"],
        software[metric]["value"],
        row["value"],
        judgement,
        is_usual(row) and row["implementation"] == "hardware" and not judgement.peer_limited,
        (value(software[metric]), value(row)),
        (_use(software), _use(hardware)) if USE in one and USE in other else (MISSING, MISSING),
        (_bound(one, software[metric]), _bound(other, row)),
    )


def _bound(side: dict[str, Sample], row: dict[str, Any]) -> str:
    needed = bound.counters(row["experiment"], row["implementation"])
    shares = {metric: sample.value for metric, sample in side.items()}
    return bound.bound(shares, needed) or MISSING


def _use(rows: _Rows) -> str:
    return f"{value(rows[USE])} %"


def configurations_sheet(found: Sequence[Pair]) -> Sheet | None:
    """A row a configuration: its ratios, and its verdict over all that was measured of it.

    Ranges are of the rows that have converged.
    """
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
                ratio_range(
                    (pair.speed, pair.judgement.speed_converged)
                    for pair in each
                    if pair.metric in metrics
                )
                for _, metrics in speeds
            ),
            ratio_range((pair.work, pair.judgement.work_converged) for pair in each),
        ]
        for label, each in those.items()
    ]
    columns = ("offload", *(name for name, _ in speeds), "CPU work")
    caption = "Hardware versus software, by configuration: ratios, × software"
    groups = (("", 1), ("speed", len(speeds)), ("", 1))
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0}))


def rows_sheet(found: Sequence[Pair]) -> Sheet | None:
    """Every pair with its figures."""
    rows: list[list[Text]] = [
        [
            pair.label,
            f"{titles.experiment(pair.experiment)}, {pair.parameter}",
            names.quantity(pair.metric),
            *pair.texts,
            pair.judgement.speed_mark + ratio(pair.speed),
            *pair.cpu,
            pair.judgement.work_mark + ratio(pair.work),
            *pair.bounds,
            Mark(pair.judgement.said, TONES.get(pair.verdict, "plain")),
        ]
        for pair in found
    ]
    columns = (
        *("measured", "metric", "software", "hardware", "speed"),
        *("CPU, software", "CPU, hardware", "CPU work"),
        *("limit, software", "limit, hardware", "offload"),
    )
    wordy = frozenset({0, 1, 10})
    caption = "Hardware versus software, every row"
    return Sheet(caption, columns, rows, wordy=wordy) if rows else None


def _verdicts(found: Sequence[Pair]) -> Mark:
    """The verdict of all rows of a configuration; where they differ, of how many and of which."""
    verdicts = [pair.verdict for pair in found]
    there = [verdict for verdict in (*VERDICTS, PEER_LIMITED) if verdict in verdicts]
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
