# SPDX-License-Identifier: Apache-2.0
"""Which way each metric is better: the one table of it.

Metrics that have no better way say what happened, not how well: parts of the CPU's time, whose sum
is `cpu`, and counts whose effect is in throughput and time.
"""

from collections.abc import Mapping
from typing import Literal

Direction = Literal["higher", "lower"]

_BETTER: Mapping[str, Direction | None] = {
    "throughput": "higher",
    "iops": "higher",
    "connections": "higher",
    "connections_per_cpu": "higher",
    "rtt_mean": "lower",
    "rtt_min": "lower",
    "rtt_max": "lower",
    "rtt_p50": "lower",
    "rtt_p90": "lower",
    "rtt_p99": "lower",
    "loss": "lower",
    "latency": "lower",
    "latency_p99": "lower",
    "connection_time": "lower",
    "time_per_request": "lower",
    "time_per_request_p50": "lower",
    "time_per_request_p99": "lower",
    "instructions_per_request": "lower",
    "instructions_per_request_p50": "lower",
    "cpu_time_per_request": "lower",
    "cpu_time_per_request_p50": "lower",
    "cpu": "lower",
    "cpu_seconds_per_mb": "lower",
    "cpu_seconds_per_connection": "lower",
    "cpu_user": None,
    "cpu_system": None,
    "cpu_softirq": None,
    "cpu_irq": None,
    "context_switches": None,
    "interrupts": None,
    "packets_sent": None,
    "packets_received": None,
    "retransmissions": None,
    "transferred": None,
    "frequency": None,
    "offloaded": None,
    "core_busy": None,
    "peer_cpu": None,
    "cpu_in_handshake": None,
    "link_use": None,
    "core_operations_per_connection": None,
}

METRICS = tuple(_BETTER)
"""All metrics of which the table tells."""


def better(metric: str) -> Direction | None:
    """Which values of the metric are better; none if neither are, or it is not in the table."""
    return _BETTER.get(metric)


def verdict(metric: str, growth: float) -> Literal["better", "worse", "changed"]:
    """What it means that the metric grew by so much, or shrank if that is negative."""
    way = better(metric)
    if way is None:
        return "changed"
    return "better" if (growth > 0) == (way == "higher") else "worse"
