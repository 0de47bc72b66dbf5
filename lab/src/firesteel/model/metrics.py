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
    """The unit as figures have it, and the meaning in a sentence or two.

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

_EACH_REPLY = "; one reply's time, which ping rounds to three significant digits"
_WINDOW = "from the measurement's begin mark to its end mark"

METRICS: Mapping[str, Metric] = {
    "rtt_mean": _lower(
        "ms", "Mean round-trip time of all echo requests of one payload size.", "mean RTT"
    ),
    "rtt_min": _lower("ms", "Shortest round-trip time of these requests."),
    "rtt_max": _lower("ms", "Longest round-trip time of these requests."),
    "rtt_p50": _lower("ms", f"Median round-trip time{_EACH_REPLY}."),
    "rtt_p90": _lower("ms", f"90th percentile of the round-trip times{_EACH_REPLY}."),
    "rtt_p99": _lower("ms", f"99th percentile of the round-trip times{_EACH_REPLY}."),
    "loss": _lower(
        "percent",
        "Share of the echo requests that got no reply; of a UDP stream, share of the datagrams "
        "that did not arrive.",
    ),
    "throughput": _higher(
        "MB/s",
        "Payload bytes divided by the time that they took; 1 MB is 10^6 bytes. For a file, the "
        "time from its first byte to its last, as curl reports it; with scp, less the time of a "
        "file of a few bytes. With several files, the extra bytes of the last over the first, "
        "divided by its extra time. For a stream, what arrived while its CPU use was measured; of "
        "several clients, from all of them together. If the frames that carried the file took "
        "longer, their time counts. For kernel requests, disk blocks and OpenSSL blocks, the time "
        "from the start of the first to the end of the last. Of forwarding, IPv4 packets at "
        "`packet_rate`.",
    ),
    "elapsed": Metric(
        "s",
        "Time of the last file from its begin mark to its end mark on the measured node. A client "
        "of FTP, HTTP and HTTPS sets the connection up before; on other nodes that is part of it, "
        "and with scp and sftp the program's start is. Of many clients' handshakes, the time in "
        "which they were counted.",
        "elapsed time",
    ),
    "cpu": _lower(
        CPU_UNIT,
        f"Share of the time in which the measured board's CPU was busy, {_WINDOW}. With several "
        "CPUs it is the sum over all of them, each up to 100 %, as in /proc/stat.",
    ),
    "cpu_busiest": Metric(
        CPU_UNIT, "Share of the time in which the busiest of the measured board's CPUs was busy."
    ),
    **{
        metric: Metric(CPU_UNIT, f"Part of `cpu` on CPU {number} of several.", f"CPU {number}")
        for number, metric in enumerate(EACH_CPU)
    },
    "cpu_user": Metric(CPU_UNIT, "Part of `cpu` in user mode; exact, from the emulator."),
    "cpu_system": Metric(
        CPU_UNIT, "Rest of `cpu`, without `cpu_user`, `cpu_softirq` and `cpu_irq`."
    ),
    "cpu_softirq": Metric(
        CPU_UNIT, "Part of `cpu` in soft interrupts, between the kernel's tracepoints."
    ),
    "cpu_irq": Metric(
        CPU_UNIT, "Part of `cpu` in interrupt handlers, between the kernel's tracepoints."
    ),
    "cpu_tick": Metric(
        CPU_UNIT,
        "CPU use that `top` would show on the measured board: of all ticks of /proc/stat from one "
        "mark to the other, the share that is neither idle nor iowait, times the number of CPUs. "
        "It is not exact, and differs from `cpu` for [three reasons]"
        "(../virtual-time.md#what-top-would-show).",
        "CPU by ticks",
    ),
    "cpu_tick_busy": Metric(
        CPU_UNIT,
        "These busy ticks divided by the time from one mark to the other: what the samples that "
        "the kernel takes at each tick say of `cpu`.",
        "busy ticks",
    ),
    "peer_cpu": Metric(
        CPU_UNIT,
        "Busy time of the CPUs of all other nodes, added up, divided by the measured time. It "
        "shows whether the peer limited the figure.",
        "CPU of the other nodes",
    ),
    "link_use": Metric(
        "percent",
        "Share of the time in which the busiest link carried frames, with preamble and gap, in its "
        "busier direction.",
    ),
    "cpu_seconds_per_mb": _lower(
        "s/MB", "Busy time of the measured board's CPU divided by the payload in 10^6 bytes."
    ),
    "context_switches": Metric("1", f"Context switches on the measured board, {_WINDOW}."),
    "interrupts": Metric("1", f"Interrupts that the measured board took, {_WINDOW}."),
    "packets_sent": Metric(
        "packets", f"Ethernet frames that the measured board sent on all its ports, {_WINDOW}."
    ),
    "packets_received": Metric(
        "packets", f"Ethernet frames that the measured board received on all its ports, {_WINDOW}."
    ),
    "transferred": Metric(
        "MiB",
        "Amount of data behind a transfer's figures: the file, or with several files the extra "
        "bytes of the last over the first.",
    ),
    "retransmissions": Metric(
        "packets", "TCP segments that the sender of files or streams retransmitted."
    ),
    "fairness": Metric(
        "1",
        "Several clients: Jain's fairness index of their throughputs, which is 1 if all have the "
        "same.",
    ),
    "least_share": Metric(
        "percent", "Several clients: share of the throughput that the slowest had."
    ),
    "frequency": Metric(
        "percent",
        "Share of the measured board's frames in a size class, sent and received together; the "
        "classes add up to 100 %.",
        "share of packets",
    ),
    "instructions_per_request": _lower(
        "instructions",
        "With one request in flight, the mean number of instructions from submitting a request to "
        "its completion. With more in flight, all instructions from the first request to the end "
        "of the last, divided by the number of requests.",
    ),
    "instructions_per_request_p50": _lower(
        "instructions",
        "Median of `instructions_per_request`, with one request in flight.",
        "instructions per request, median",
    ),
    "cpu_time_per_request": _lower(
        "µs",
        "As `instructions_per_request`, but the time in which the CPU was busy: it executed "
        "instructions, or stalled on a device register. Verdicts count this as CPU work.",
    ),
    "cpu_time_per_request_p50": _lower(
        "µs",
        "Median of `cpu_time_per_request`, with one request in flight.",
        "CPU time per request, median",
    ),
    "time_per_request": _lower(
        "µs",
        "Mean time from submitting a request to its completion, with one in flight; with OpenSSL, "
        "the measured time divided by the number of blocks.",
    ),
    "operation_time": _lower(
        "ns",
        "Time of one operation: of an OpenSSL algorithm, the measured time divided by the number "
        "of blocks; of others, the median of batches, by lmbench's definitions.",
    ),
    "time_per_request_p50": _lower(
        "µs", "Median of `time_per_request`; kernel crypto only.", "time per request, median"
    ),
    "time_per_request_p99": _lower(
        "µs", "99th percentile of `time_per_request`; kernel crypto only.", "time per request, p99"
    ),
    "iops": _higher("I/Os per second", "Blocks that the disk read or wrote per second."),
    "latency": _lower(
        "µs", "Mean time from submitting an I/O to its completion, as fio reports it."
    ),
    "latency_p99": _lower(
        "µs",
        "99th percentile of these times, to the resolution of fio's bins; of forwarding, exactly.",
    ),
    "packet_rate": _higher(
        "packets per second",
        "Highest rate of frames of one size at which none is lost on the way from client to server "
        "(RFC 2544, section 26.1), and for which the measured board's CPU has the time.",
    ),
    "back_to_back": _higher(
        "packets",
        "Longest burst at the rate of the wire of which no frame is lost (RFC 2544, section 26.4), "
        "or the longest trial if none is lost in it.",
        "longest burst",
    ),
    "latency_mean": _lower(
        "µs",
        "Mean time at `packet_rate` from when a frame had come whole to when the measured board "
        "began to send it, or its last part (RFC 1242, store and forward).",
        "mean latency",
    ),
    "latency_min": _lower("µs", "Shortest of these times."),
    "latency_p50": _lower("µs", "Median of these times."),
    "latency_max": _lower("µs", "Longest of these times."),
    "latency_light_load": _lower(
        "µs",
        "Mean of these times at 1,000 frames a second, the same for all; absent where "
        "`packet_rate` is less.",
        "latency under light load",
    ),
    "instructions_per_packet": _lower(
        "instructions",
        "Instructions that the measured board executed for a packet at `packet_rate`.",
    ),
    "busy_per_packet": _lower(
        "µs",
        "Time in which the measured board's CPU was busy for a packet at `packet_rate`.",
        "CPU time per packet",
    ),
    "busy_per_byte": _lower(
        "ns",
        "What `busy_per_packet` grows by for each byte of a frame, from the smallest frames to the "
        "largest.",
        "CPU time per byte",
    ),
    "stalled_per_packet": _lower(
        "µs",
        "Part of `busy_per_packet` in which the CPU waited for a device's register.",
        "stalls per packet",
    ),
    "offloaded": Metric(
        "percent",
        "Hardware only: share of the bytes that the cores processed, or of the handshakes whose "
        "public-key operations they did, by their own counters.",
    ),
    "connection_time": _lower(
        "s", "Time of one TLS handshake on an otherwise idle server.", "handshake time"
    ),
    "cpu_in_handshake": Metric(
        CPU_UNIT,
        "Busy time of the server's CPU divided by the time of one client's handshakes, including "
        "what it does in the pauses between them.",
        "CPU during handshakes",
    ),
    "connections": _higher(
        "1/min", "Handshakes that the server completed, for all clients.", "handshakes"
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
    "run_time": _lower(
        "s", "Time of the same work beside constant traffic, from its start to its end."
    ),
    "slowdown": _lower("times", "`run_time` divided by `idle_run_time`."),
    "idle_run_time": Metric("s", "Time of the same work without traffic, in the same boot."),
    "traffic": Metric(
        "MB/s",
        "Payload that flowed beside the work; what was asked for, within 2 %, or 5 % of a file.",
    ),
    "core_busy": Metric(
        "percent",
        "Hardware only: share of the time in which the busiest core of the measured board was "
        "computing.",
        "core use",
    ),
    "storage_busy": Metric(
        "percent",
        "Boards with storage only: share of the time in which the measured board's disk "
        "transferred; or the mean share of its queue that was taken, if that is larger.",
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
