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

_EACH_REPLY = ", to ping's three digits"

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
        "Share of echo requests without a reply, or of a UDP stream's datagrams that did not "
        "arrive.",
    ),
    "throughput": _higher(
        "MB/s",
        "Payload divided by its time; 1 MB is 10^6 bytes. A file is timed by curl, from the first "
        "byte to the last, or by its frames if they took longer; scp's time excludes the time of a "
        "tiny file. With several files, only the last file's extra bytes and extra time over the "
        "first file count. A stream counts the bytes that arrived from all clients while CPU use "
        "was measured. Requests and blocks are timed from the start of the first to the end of the "
        "last. Forwarding counts the IPv4 packets of `packet_rate`.",
    ),
    "elapsed": Metric(
        "s",
        "Time of the last file between the measured node's marks. It includes the program's start "
        "with scp and sftp, and the connection's setup unless the client of FTP or HTTP is "
        "measured. For handshakes of many clients: the time in which they were counted.",
        "elapsed time",
    ),
    "cpu": _lower(
        CPU_UNIT,
        "Share of the measured time in which the measured board's CPU was busy. Several CPUs are "
        "added up, each up to 100 %.",
    ),
    "cpu_busiest": Metric(CPU_UNIT, "CPU use of the busiest of several CPUs."),
    **{
        metric: Metric(CPU_UNIT, "Part of `cpu` on one of several CPUs.", f"CPU {number}")
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
        "CPU use that `top` would show: the share of /proc/stat's ticks that is neither idle nor "
        "iowait, times the number of CPUs. It differs from `cpu` for [three reasons]"
        "(../virtual-time.md#what-top-would-show).",
        "CPU by ticks",
    ),
    "cpu_tick_busy": Metric(
        CPU_UNIT,
        "Busy ticks divided by the measured time: the kernel's samples of `cpu`.",
        "busy ticks",
    ),
    "peer_cpu": Metric(
        CPU_UNIT,
        "Total busy time of all other nodes' CPUs divided by the measured time; it shows whether "
        "the peer limited the figure.",
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
    "context_switches": Metric("1", "Context switches on the measured board."),
    "interrupts": Metric("1", "Interrupts that the measured board took."),
    "packets_sent": Metric(
        "packets", "Ethernet frames that the measured board sent, on all ports."
    ),
    "packets_received": Metric(
        "packets", "Ethernet frames that the measured board received, on all ports."
    ),
    "transferred": Metric(
        "MiB",
        "Data on which a transfer's figures are based: the file, or the last file's extra bytes "
        "over the first file.",
    ),
    "retransmissions": Metric(
        "packets", "TCP segments that the sender of files or streams retransmitted."
    ),
    "fairness": Metric(
        "1",
        "Several clients: Jain's index of their throughputs, 1 if all are equal.",
    ),
    "least_share": Metric(
        "percent", "Several clients: the slowest client's share of the throughput."
    ),
    "frequency": Metric(
        "percent",
        "Share of the measured board's frames in a size class, sent and received.",
        "share of packets",
    ),
    "instructions_per_request": _lower(
        "instructions",
        "With one request in flight, mean instructions from submission to completion. With more, "
        "all instructions from the first request to the end of the last, divided by the requests.",
    ),
    "instructions_per_request_p50": _lower(
        "instructions",
        "Median of `instructions_per_request`, with one request in flight.",
        "instructions per request, median",
    ),
    "cpu_time_per_request": _lower(
        "µs",
        "The CPU's busy time per request, including stalls on device registers; the CPU work in "
        "verdicts.",
    ),
    "cpu_time_per_request_p50": _lower(
        "µs",
        "Median of `cpu_time_per_request`, with one request in flight.",
        "CPU time per request, median",
    ),
    "time_per_request": _lower(
        "µs",
        "Mean time from submission to completion, with one request in flight; with OpenSSL, the "
        "measured time divided by the blocks.",
    ),
    "operation_time": _lower(
        "ns",
        "Time of one operation: with OpenSSL, the measured time divided by the blocks; otherwise "
        "the median of batches, by lmbench's definitions.",
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
        "99th percentile of these times: of disks, to the resolution of fio's bins; of "
        "forwarding, exact.",
    ),
    "packet_rate": _higher(
        "packets per second",
        "Highest rate of equal-sized frames without loss (RFC 2544, section 26.1) that the "
        "measured board's CPU can sustain.",
    ),
    "back_to_back": _higher(
        "packets",
        "Longest burst at wire rate without loss (RFC 2544, section 26.4), at most the longest "
        "trial.",
        "longest burst",
    ),
    "latency_mean": _lower(
        "µs",
        "Mean time at `packet_rate` from the end of a frame's reception until the measured board "
        "sends it, or its last part (RFC 1242, store and forward).",
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
        "Instructions per packet on the measured board at `packet_rate`.",
    ),
    "busy_per_packet": _lower(
        "µs",
        "Busy time of the measured board's CPU per packet at `packet_rate`.",
        "CPU time per packet",
    ),
    "busy_per_byte": _lower(
        "ns",
        "Growth of `busy_per_packet` for each byte, from the smallest frames to the largest.",
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
        "cores processed according to their own counters.",
    ),
    "connection_time": _lower(
        "s", "Time of one TLS handshake on an otherwise idle server.", "handshake time"
    ),
    "cpu_in_handshake": Metric(
        CPU_UNIT,
        "Busy time of the server's CPU divided by the time of one client's handshakes; work in "
        "pauses between handshakes counts.",
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
    "run_time": _lower("s", "Time of fixed work under constant traffic."),
    "slowdown": _lower("times", "`run_time` divided by `idle_run_time`."),
    "idle_run_time": Metric("s", "Time of this work without traffic, in the same boot."),
    "traffic": Metric(
        "MB/s",
        "Payload rate during the work: within 2 % of the requested rate, 5 % for a file.",
    ),
    "core_busy": Metric(
        "percent",
        "Hardware only: share of the time in which the measured board's busiest core computed.",
        "core use",
    ),
    "storage_busy": Metric(
        "percent",
        "Boards with storage only: share of the time in which the measured board's disk "
        "transferred, or the mean share of its queue in use, if larger.",
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
