# SPDX-License-Identifier: Apache-2.0
"""What limited a measurement, derived from how busy each part was; docs/what-limits.md.

A row (one size, key or file) has a figure for each part: the measured board's CPU, its cores, its
disk, the busiest link and the other nodes' CPUs.  Each figure is the share of time in which the
part was busy.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from firesteel.model.cell import ON_CORES
from firesteel.model.metrics import SATURATED
from firesteel.workloads.registry import ON_ONE_BOARD

Bound = Literal["CPU", "core", "disk", "link", "peer", "latency"]

PEER_SHARE = 2.0
"""The largest share of time, in percent, that other nodes may cost.  A smaller difference between
two figures does not count (`judge.verdict.SLACK`)."""

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
"""The metrics above, and the metric for the other nodes."""

PEER_LIMITED: Final = "limited by the peer"
"""The name of a row that says nothing about the measured board."""

REMEDIES: Mapping[Bound, str] = {
    "peer": "a faster peer",
    "CPU": "a faster CPU or less work for it",
    "core": "a faster core or a second one",
    "disk": "a faster disk",
    "link": "a faster link",
    "latency": "shorter delays",
}
"""For each limit, the change that would raise the speed."""


def in_words(limit: Bound) -> str:
    """What limited it: `the CPU`, or `latency`."""
    return limit if limit == "latency" else f"the {limit}"


def peer_share(shares: Mapping[str, float]) -> float:
    """The largest share of the time, in percent, that infinitely fast other nodes could have saved.

    It is no more than they were busy, and no more than the time in which the busiest part that is
    measured had nothing to do.
    """
    busiest = max(share for share, _ in _own(shares))
    return max(min(shares.get(PEER, 0.0), 100.0 - busiest), 0.0)


def counters(experiment: str, implementation: str) -> frozenset[str]:
    """The metrics, in addition to the CPU's, that a row must have before we may conclude that
    nothing was busy.
    """
    needed = set() if experiment in ON_ONE_BOARD else {PEER, "link_use"}
    return frozenset(needed | ({"core_busy"} if implementation in ON_CORES else set()))


def bound(shares: Mapping[str, float], needed: Collection[str] = ()) -> Bound | None:
    """What limited a row with these figures; None if the figures do not say.

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
