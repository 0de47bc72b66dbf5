# SPDX-License-Identifier: Apache-2.0
"""What a figure's metric means: every one that is measured, with its unit, its name for people, and
which way it is better.  All that is known of a metric or a unit is known from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class Unit:
    """How a unit is written for people: as `short`, behind numbers with so many decimals; None
    gives six significant digits.
    """

    short: str
    decimals: int | None


CPU_UNIT = "percent of the loaded core"

EACH_CPU = tuple(f"cpu{number}" for number in range(8))
"""The use of each CPU of a board with several."""

UNITS: Mapping[str, Unit] = {
    "ms": Unit("ms", 3),
    "µs": Unit("µs", 2),
    "ns": Unit("ns", 3),
    "instructions": Unit("instructions", 0),
    "I/Os per second": Unit("I/Os per second", 0),
    "MB/s": Unit("MB/s", 2),
    CPU_UNIT: Unit("% of core", 1),
    "percent": Unit("%", 2),
    "s": Unit("s", 4),
    "1/min": Unit("1/min", 1),
    "1/min per percent": Unit("1/min per percent", 2),
    "s/MB": Unit("s/MB", 4),
    "packets": Unit("packets", 0),
    "packets per second": Unit("packets per second", 0),
    "MiB": Unit("MiB", 0),
    "times": Unit("×", 2),
    "1": Unit("", None),
}
"""By the name that figures have."""


@dataclass(frozen=True)
class Metric:
    """The unit of figures, and the meaning in a sentence or two.

    Metrics without a `better` way say what happened, not how well: parts of the CPU's time, whose
    sum is `cpu`, and counts whose effect is in throughput and time.  `name` is given where the
    metric's own, without its underscores, does not do.
    """

    unit: str
    meaning: str
    name: str = ""
    better: Direction | None = None


_lower = partial(Metric, better="lower")
_higher = partial(Metric, better="higher")

METRICS: Mapping[str, Metric] = {
    "rtt_mean": _lower(
        "ms", "Mean round-trip time of all echo requests of one payload size.", "mean RTT"
    ),
    "rtt_min": _lower("ms", "Shortest round-trip time."),
    "rtt_max": _lower("ms", "Longest round-trip time."),
    "rtt_p50": _lower("ms", "Median round-trip time."),
    "rtt_p90": _lower("ms", "90th percentile of the round-trip times."),
    "rtt_p99": _lower("ms", "99th percentile of the round-trip times."),
    "loss": _lower(
        "percent",
        "Share of echo requests without a reply, or share of a UDP stream's datagrams that did not "
        "arrive.",
    ),
    "throughput": _higher(
        "MB/s",
        "Payload divided by its time; 1 MB is 10^6 bytes. The payload of streams is what arrived "
        "from all clients while CPU use was measured. Forwarding counts the IPv4 packets of "
        "`packet_rate`. Requests and blocks are timed from the first start to the last end. For "
        "files, see [How long a transfer is](../experiments.md#how-long-a-transfer-is).",
    ),
    "elapsed": Metric(
        "s",
        "Time of the last file between the client's marks, or how long the measured node was busy "
        "if that is longer. With scp and sftp, the time includes the program's start. For many "
        "clients, time in which handshakes were counted.",
        "elapsed time",
    ),
    "cpu": _lower(
        CPU_UNIT,
        "Share of the measured time in which the CPU was busy; with several CPUs, the sum of their "
        "shares.",
    ),
    "cpu_busiest": Metric(CPU_UNIT, "Part of `cpu` on the busiest of several CPUs."),
    **{
        metric: Metric(CPU_UNIT, "Part of `cpu` on one of several CPUs.", f"CPU {number}")
        for number, metric in enumerate(EACH_CPU)
    },
    "cpu_user": Metric(CPU_UNIT, "Part of `cpu` in user mode."),
    "cpu_system": Metric(CPU_UNIT, "`cpu` without `cpu_user`, `cpu_softirq` and `cpu_irq`."),
    "cpu_softirq": Metric(
        CPU_UNIT, "Part of `cpu` in soft interrupts, measured at the kernel's tracepoints."
    ),
    "cpu_irq": Metric(
        CPU_UNIT, "Part of `cpu` in interrupt handlers, measured at the kernel's tracepoints."
    ),
    "cpu_tick": Metric(
        CPU_UNIT,
        "CPU use by ticks of the kernel (see [What `top` would show]"
        "(../virtual-time.md#what-top-would-show)).",
        "CPU by ticks",
    ),
    "cpu_tick_busy": Metric(
        CPU_UNIT,
        "Busy ticks of the kernel, divided by the measured time.",
        "busy ticks",
    ),
    "peer_cpu": Metric(
        CPU_UNIT,
        "Total busy time of all other nodes' CPUs, divided by the measured time.",
        "CPU of the other nodes",
    ),
    "link_use": Metric(
        "percent",
        "Share of the time in which the busiest link, in its busier direction, carried frames with "
        "preambles and gaps.",
    ),
    "cpu_seconds_per_mb": _lower(
        "s/MB", "The CPU's busy time divided by the payload in 10^6 bytes."
    ),
    "context_switches": Metric("1", "Context switches."),
    "interrupts": Metric("1", "Interrupts that the board took."),
    "packets_sent": Metric("packets", "Ethernet frames that the board sent on all ports."),
    "packets_received": Metric("packets", "Ethernet frames that the board received on all ports."),
    "transferred": Metric(
        "MiB",
        "Data on which a transfer's figures are based.",
    ),
    "retransmissions": Metric(
        "packets", "TCP segments that the sender of files or streams retransmitted."
    ),
    "fairness": Metric(
        "1",
        "Jain's index of several clients' throughputs: 1 if all throughputs are equal.",
    ),
    "least_share": Metric(
        "percent", "The slowest client's share of the throughput of several clients."
    ),
    "frequency": Metric(
        "percent",
        "Share of a size class in all frames that the board sent or received.",
        "share of packets",
    ),
    "instructions_per_request": _lower(
        "instructions",
        "With one request in flight, mean number of instructions from submission to completion. "
        "With more requests in flight, all instructions divided by the number of requests.",
    ),
    "instructions_per_request_p50": _lower(
        "instructions",
        "Median of `instructions_per_request`, with one request in flight.",
        "instructions per request, median",
    ),
    "cpu_time_per_request": _lower(
        "µs",
        "The CPU's busy time per request, including stalls on device registers.",
    ),
    "cpu_time_per_request_p50": _lower(
        "µs",
        "Median of `cpu_time_per_request`, with one request in flight.",
        "CPU time per request, median",
    ),
    "time_per_request": _lower(
        "µs",
        "Mean time from submission to completion, with one request in flight; with OpenSSL, the "
        "measured time divided by the number of blocks.",
    ),
    "operation_time": _lower(
        "ns",
        "Time of one operation: with OpenSSL, the measured time divided by the number of blocks; "
        "otherwise the median of batches, as defined by lmbench.",
    ),
    "time_per_request_p50": _lower(
        "µs",
        "Median of `time_per_request`; only for the kernel's crypto API.",
        "time per request, median",
    ),
    "time_per_request_p99": _lower(
        "µs",
        "99th percentile of `time_per_request`; only for the kernel's crypto API.",
        "time per request, p99",
    ),
    "iops": _higher("I/Os per second", "Blocks that the disk read or wrote per second."),
    "latency": _lower(
        "µs", "Mean time from submitting an I/O to its completion, as fio reports it."
    ),
    "latency_p99": _lower(
        "µs",
        "99th percentile of the times of I/Os, to the resolution of fio's bins, or of forwarding.",
    ),
    "packet_rate": _higher(
        "packets per second",
        "Highest rate of equal-sized frames that the CPU can forward without loss (RFC 2544, "
        "section 26.1).",
    ),
    "back_to_back": _higher(
        "packets",
        "Longest burst at wire rate without loss (RFC 2544, section 26.4), at most the longest "
        "trial.",
        "longest burst",
    ),
    "latency_mean": _lower(
        "µs",
        "Mean forwarding time at `packet_rate`: from the end of a frame's reception until the "
        "board sends the frame or its last part (RFC 1242, store and forward).",
        "mean latency",
    ),
    "latency_min": _lower("µs", "Shortest forwarding time at `packet_rate`."),
    "latency_p50": _lower("µs", "Median forwarding time at `packet_rate`."),
    "latency_max": _lower("µs", "Longest forwarding time at `packet_rate`."),
    "latency_light_load": _lower(
        "µs",
        "Mean forwarding time at 1,000 frames per second; absent if `packet_rate` is lower.",
        "latency under light load",
    ),
    "instructions_per_packet": _lower(
        "instructions",
        "Instructions per packet at `packet_rate`.",
    ),
    "busy_per_packet": _lower(
        "µs",
        "The CPU's busy time per packet at `packet_rate`.",
        "CPU time per packet",
    ),
    "busy_per_byte": _lower(
        "ns",
        "Growth of `busy_per_packet` per byte, between the smallest and the largest frames.",
        "CPU time per byte",
    ),
    "stalled_per_packet": _lower(
        "µs",
        "Part of `busy_per_packet` in which the CPU waited for device registers.",
        "stalls per packet",
    ),
    "offloaded": Metric(
        "percent",
        "Hardware only: share of the bytes, or of the handshakes' public-key operations, that the "
        "cores processed according to their counters.",
    ),
    "connection_time": _lower(
        "s", "Time of one TLS handshake on an otherwise idle server.", "handshake time"
    ),
    "cpu_in_handshake": Metric(
        CPU_UNIT,
        "Busy time of the server's CPU divided by the time of one client's handshakes; includes "
        "work in pauses between handshakes.",
        "CPU during handshakes",
    ),
    "connections": _higher(
        "1/min", "Handshakes that the server completed with all clients.", "handshakes"
    ),
    "connections_per_cpu": _higher(
        "1/min per percent", "`connections` divided by `cpu`.", "handshakes per percent of CPU"
    ),
    "cpu_seconds_per_connection": _lower(
        "s",
        "Busy time of the server's CPU divided by the number of handshakes.",
        "CPU time per handshake",
    ),
    "core_operations_per_connection": Metric(
        "1", "Hardware only: operations of the public-key core per handshake."
    ),
    "run_time": _lower("s", "Time of fixed work while traffic flows at a constant rate."),
    "slowdown": _lower("times", "`run_time` divided by `idle_run_time`."),
    "idle_run_time": Metric("s", "Time of the same work without traffic."),
    "traffic": Metric(
        "MB/s",
        "Payload rate during the fixed work: within 2 % of the requested rate, 5 % for a file.",
    ),
    "core_busy": Metric(
        "percent",
        "Hardware only: share of the time in which the busiest core computed.",
        "core use",
    ),
    "storage_busy": Metric(
        "percent",
        "Boards with storage only: share of the time in which the disk transferred data, or the "
        "mean share of its queue in use, whichever is larger.",
        "disk use",
    ),
}
"""By name, in the order in which they are listed."""


SATURATED = 95.0
"""Percent of the time from which on what is busy is the limit."""

AT_LINK = 0.95
"""The share of the link's throughput from which on the link is the bound."""


def better(metric: str) -> Direction | None:
    """Which values of the metric are better; none if neither are, or nothing is known of it."""
    known = METRICS.get(metric)
    return known.better if known else None


def unit_of(metric: str) -> str:
    """The unit of a metric; `ValueError` where there is no such metric."""
    if metric not in METRICS:
        raise ValueError(f"there is no metric `{metric}` in firesteel.model.metrics")
    return METRICS[metric].unit
