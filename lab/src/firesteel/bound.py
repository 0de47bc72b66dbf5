# SPDX-License-Identifier: Apache-2.0
"""What limited a measurement, from how busy all that takes part in it was; docs/what-limits.md.

A row (one size, key or file) has figures of the measured board's CPU, its cores, the busiest link
and the other nodes' CPUs, each the share of the time in which it was busy.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

Bound = Literal["CPU", "core", "link", "peer", "latency"]

BOUNDS: Mapping[Bound, str] = {
    "CPU": "the measured board's CPU",
    "core": "a core of the measured board",
    "link": "a link",
    "peer": "the other nodes' CPUs, which are not under test",
    "latency": "no part that is busy all the time: requests and packets wait for each other",
}
"""What each means, in words."""

SATURATED = 95.0
"""Percent of the time from which on what is busy is the limit."""

PEER_SHARE = 2.0
"""Percent of the time that other nodes may have cost at the most: less than counts as a difference
between two figures (`firesteel.judging.SLACK`)."""

PEER = "peer_cpu"

_OWN: tuple[tuple[str, Bound], ...] = (
    ("cpu", "CPU"),
    ("cpu_in_handshake", "CPU"),
    ("core_busy", "core"),
    ("link_use", "link"),
)
"""The metrics of all that is measured; what comes first is named where several are busy."""

METRICS = (*(metric for metric, _ in _OWN), PEER)
"""And that of the other nodes."""

PEER_LIMITED: Final = "limited by the peer"
"""What a row is called that says nothing of the measured board."""


def peer_share(shares: Mapping[str, float]) -> float:
    """The most of the time, in percent, that other nodes without any delay would have saved.

    It is no more than they were busy, and no more than the time in which the busiest part that is
    measured had nothing to do.
    """
    busiest = max(shares.get(metric, 0.0) for metric, _ in _OWN)
    return max(min(shares.get(PEER, 0.0), 100.0 - busiest), 0.0)


def bound(shares: Mapping[str, float]) -> Bound | None:
    """What limited a row with these figures by metric; None where they do not say."""
    if not any(metric in shares for metric in METRICS):
        return None
    if peer_share(shares) > PEER_SHARE:
        return "peer"
    for metric, kind in _OWN:
        if shares.get(metric, 0.0) >= SATURATED:
            return kind
    return "latency"


def bounds_of(
    rows: Iterable[Mapping[str, Any]], keys: tuple[str, ...]
) -> dict[tuple[str, ...], Bound]:
    """What limited each row of tidy figures; `keys` are the columns that make a row."""
    shares: dict[tuple[str, ...], dict[str, float]] = {}
    for row in rows:
        if row["metric"] in METRICS:
            shares.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row["value"]
    found = {key: bound(each) for key, each in shares.items()}
    return {key: each for key, each in found.items() if each}
