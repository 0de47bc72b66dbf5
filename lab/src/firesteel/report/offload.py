# SPDX-License-Identifier: Apache-2.0
"""Hardware versus software: the rule, a table by configuration, and one of every row."""

from collections.abc import Sequence

from firesteel.analysis import bound
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.sheet import (
    MISSING,
    Mark,
    Sheet,
    Text,
    Tone,
    ratio,
    ratio_range,
)
from firesteel.analysis.verdict import COST_OF_CHOICE, SPEEDS, USE, VERDICTS, Offload
from firesteel.model import names
from firesteel.model.saturation import AT_LINK
from firesteel.protocols.offload import UNTOUCHED
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
    "payload or the handshakes and it takes at most "
    f"{COST_OF_CHOICE * 100:g}\xa0% longer, which is the cost of choosing. A difference within the "
    "noise between seeds counts as none: zero is then in the 95\xa0% interval of the differences "
    "seed by seed (Student’s t), or of the difference of the means (Welch) where the seeds of both "
    "sides differ. So does a lower speed at line rate, which "
    f"is {AT_LINK * 100:g}\xa0% of the throughput without a tunnel. A row is limited by the peer, "
    "and gets no verdict, where the other nodes’ CPUs may have taken more than "
    f"{bound.PEER_SHARE:g}\xa0% of its time. Where a configuration "
    "was measured with several ways to wait for the cores (completion), the driver’s own choice "
    "(adaptive) counts."
)

_KINDS_OF_SPEED = (
    ("throughput", ("throughput",)),
    ("latency", SPEEDS[2:]),
    (names.metric("connections"), ("connections",)),
)


def configurations_sheet(found: Sequence[Offload]) -> Sheet | None:
    """A row a configuration: its ratios, and its verdict over all that was measured of it.

    Ranges are of the rows that have converged.
    """
    those: dict[str, list[Offload]] = {}
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
                    (pair.speed, pair.judged.speed_converged)
                    for pair in each
                    if pair.metric in metrics
                )
                for _, metrics in speeds
            ),
            ratio_range((pair.work, pair.judged.work_converged) for pair in each),
        ]
        for label, each in those.items()
    ]
    columns = ("offload", *(name for name, _ in speeds), "CPU work")
    caption = "Hardware versus software, by configuration: ratios, × software"
    groups = (("", 1), ("speed", len(speeds)), ("", 1))
    return Sheet(caption, columns, rows, groups, wordy=frozenset({0}))


def rows_sheet(found: Sequence[Offload]) -> Sheet | None:
    """Every pair with its figures."""
    rows: list[list[Text]] = [
        [
            pair.label,
            names.listed(titles.experiment(pair.identity.workload), pair.identity.parameter.text),
            names.quantity(pair.metric),
            pair.software.text,
            pair.hardware.text,
            pair.judged.speed_mark + ratio(pair.speed),
            *_uses(pair),
            pair.judged.work_mark + ratio(pair.work),
            pair.pair.one.bound or MISSING,
            pair.pair.other.bound or MISSING,
            Mark(pair.judged.said, TONES.get(pair.verdict, "plain")),
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


def _uses(each: Offload) -> tuple[str, str]:
    """Both CPU uses, where both were measured."""
    if not each.pair.has(USE):
        return MISSING, MISSING
    one, other = (row.results[USE].text for row in (each.pair.one, each.pair.other))
    return f"{one} %", f"{other} %"


def _verdicts(found: Sequence[Offload]) -> Mark:
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
