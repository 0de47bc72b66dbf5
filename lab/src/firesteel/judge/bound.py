# SPDX-License-Identifier: Apache-2.0
"""What limited a measurement, from how busy all that takes part in it was; docs/what-limits.md.

A row (one size, key or file) has figures of the measured board's CPU, its cores, its disk, the
busiest link and the other nodes' CPUs, each the share of the time in which it was busy.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from firesteel.model.cell import ON_CORES
from firesteel.model.metrics import SATURATED
from firesteel.workloads.registry import ON_ONE_BOARD

Bound = Literal["CPU", "core", "disk", "link", "peer", "latency"]

PEER_SHARE = 2.0
"""Percent of the time that other nodes may have cost at the most: less than counts as a difference
between two figures (`judge.verdict.SLACK`)."""

PEER = "peer_cpu"

LINK_USE = "link_use"

_OWN: tuple[tuple[str, Bound], ...] = (
    ("cpu_busiest", "CPU"),
    ("cpu", "CPU"),
    ("cpu_in_handshake", "CPU"),
    ("core_busy", "core"),
    ("storage_busy", "disk"),
    (LINK_USE, "link"),
)
"""The metrics of all that is measured; what comes first is named where several are busy.  Of
several CPUs `cpu` is the sum, so that the busiest counts.
"""

METRICS = (*(metric for metric, _ in _OWN), PEER)
"""And that of the other nodes."""

PEER_LIMITED: Final = "limited by the peer"
"""What a row is called that says nothing of the measured board."""

REMEDIES: Mapping[Bound, str] = {
    "peer": "a faster peer",
    "CPU": "a faster CPU or less work for it",
    "core": "a faster core or a second one",
    "disk": "a faster disk",
    "link": "a faster link",
    "latency": "shorter delays",
}
"""What would change a speed, by what limited it."""


def in_words(limit: Bound) -> str:
    """What limited it: `the CPU`, or `latency`."""
    return limit if limit == "latency" else f"the {limit}"


def peer_share(shares: Mapping[str, float]) -> float:
    """The most of the time, in percent, that other nodes without any delay would have saved.

    It is no more than they were busy, and no more than the time in which the busiest part that is
    measured had nothing to do.
    """
    busiest = max(share for share, _ in _own(shares))
    return max(min(shares.get(PEER, 0.0), 100.0 - busiest), 0.0)


def counters(experiment: str, implementation: str) -> frozenset[str]:
    """The metrics that a row of such an experiment must have before nothing is called busy, beside
    that of the measured board's CPU.
    """
    needed = set() if experiment in ON_ONE_BOARD else {PEER, "link_use"}
    return frozenset(needed | ({"core_busy"} if implementation in ON_CORES else set()))


def bound(shares: Mapping[str, float], needed: Collection[str] = ()) -> Bound | None:
    """What limited a row with these figures by metric; None where they do not say.

    What was not counted may have been busy, so it is latency only if all `counters` are there.
    """
    if not any(metric in shares for metric in METRICS):
        return None
    if peer_share(shares) > PEER_SHARE:
        return "peer"
    for share, kind in _own(shares):
        if share >= SATURATED:
            return kind
    has_cpu = any(metric in shares for metric, kind in _OWN if kind == "CPU")
    return "latency" if has_cpu and all(metric in shares for metric in needed) else None


def _own(shares: Mapping[str, float]) -> list[tuple[float, Bound]]:
    return [
        (shares.get(metric, 0.0), kind)
        for metric, kind in _OWN
        if metric != "cpu" or "cpu_busiest" not in shares
    ]
